/** The routes of an application in their order, and its documents: the whole, and two for each class of callers. */

import { createHash } from 'node:crypto'
import { type Actor, ANONYMOUS } from '../actor.ts'
import { actorClass } from '../ask/policy.ts'
import type { Catalog, Resource } from '../catalog/catalog.ts'
import { withoutEarlierNames } from '../catalog/without.ts'
import { inLanguage } from '../catalog/words.ts'
import { ApiError } from '../error.ts'
import type { BoundRoute, EngineRoute } from '../http/bound-route.ts'
import { catalogRoutes } from '../http/catalog-routes.ts'
import { earlierPaths } from '../http/earlier-names.ts'
import { languageOf } from '../http/negotiation.ts'
import { checkAccess } from '../http/pipeline.ts'
import { isResourceRoute } from '../http/resource-routes.ts'
import { bodyKind, needsToken } from '../http/route.ts'
import { pathFromRoot, routeName } from '../http/table.ts'
import { LIMITS } from '../limits.ts'
import { memo } from '../memo.ts'
import { catalogDocument, type OfferedRoute } from '../reader/catalog-document.ts'
import { readBy, writtenBy } from '../reader/part.ts'
import { atOnce, type Pieces } from '../turns.ts'
import { isBatchRoute } from './batch.ts'
import { clientModule } from './client/client.ts'
import { type Described, openapi, openapiPieces } from './document.ts'
import type { OpenApiDocument } from './openapi-document.ts'
import { partsSchema } from './operation.ts'
import { PART_QUERY, partOf, type WantedPart, wantedPart } from './part.ts'
import { fieldsSchema } from './record-schema.ts'

/** The routes of an application, and its document, which is made when it is first needed. */
interface Routes {
  readonly routes: readonly BoundRoute[]
  readonly document: () => OpenApiDocument
  /** The same in pieces. */
  readonly documentPieces: () => Pieces<OpenApiDocument>
}

/** What a document says of the plugins of an application. */
type Composed = Pick<Described, 'hooks' | 'plugins' | 'authenticate' | 'schemes'>

function describedBy({ authenticate, hooks, plugins, schemes = {} }: Composed): Composed {
  return { authenticate, hooks, plugins, schemes }
}

/** The routes of plugins, of resources and of the document, in this order. */
export function allRoutes(
  given: readonly BoundRoute[],
  own: readonly BoundRoute[],
  catalog: Catalog,
  composition: Composed,
): Routes {
  let made: OpenApiDocument | undefined
  function* documentPieces(): Pieces<OpenApiDocument> {
    made ??= yield* openapiPieces(described())
    return made
  }
  const document = (): OpenApiDocument => atOnce(documentPieces())
  const describing = (some: readonly BoundRoute[]): Described => ({
    ...describedBy(composition),
    catalog,
    routes: some,
  })
  const described = (): Described => describing(routes.filter(({ unlisted }) => unlisted !== true))
  const lasting = (): Described => describing(routes.filter(({ developing }) => developing !== true))
  const openTo = (actor: Actor): Described =>
    actor.kind === 'anonymous' ? described() : describedFor(lasting(), actor)
  const parts = remembered((actor, wanted: WantedPart) => sentJson(openapi(partOf(openTo(actor), wanted))))
  const sent = memo(sentJson)
  const forActor = remembered((actor) => sent(actor.kind === 'anonymous' ? document() : openapi(openTo(actor))))
  const documentFor = (actor: Actor, wanted: WantedPart | undefined): Sent =>
    wanted === undefined ? forActor(actor) : parts(actor, wanted)
  const catalogFor = (actor: Actor, read: { readonly language: string } | undefined): Sent =>
    sentText(catalogText({ ...describing(routes), catalog: inLanguage(catalog, read?.language) }, actor))
  const documents = [documentRoute(documentFor), catalogRoute(catalog, remembered(catalogFor))]
  const present: readonly BoundRoute[] = [...given, ...own, ...documents]
  const routes = [...present, ...earlierPaths(catalog, present)]
  return { routes, document, documentPieces }
}

/** The routes that an actor may call, and the fields that they may read and write. */
function describedFor(described: Described, actor: Actor): Described {
  const { catalog } = described
  const resources = new Map([...catalog.resources].map(([name, resource]) => [name, readBy(catalog, resource, actor)]))
  return {
    ...described,
    catalog: { ...catalog, resources },
    routes: described.routes.filter((route) => isOpenTo(route, actor)).map((route) => routeFor(route, resources)),
    written: ({ name }, action) => writtenBy(catalog.resources.get(name)!, actor, action),
  }
}

/** Whether a caller may call the route for any record at all. */
function isOpenTo(route: BoundRoute, actor: Actor): boolean {
  try {
    checkAccess({ route, needsToken: needsToken(route) }, actor)
    return true
  } catch (error) {
    if (error instanceof ApiError) return false
    throw error
  }
}

/** The route with its resources as the caller sees them. */
function routeFor(route: BoundRoute, resources: ReadonlyMap<string, Resource>): BoundRoute {
  const known = (resource: Resource): Resource => resources.get(resource.name) ?? resource
  if (isBatchRoute(route)) {
    const writes = known(route.writes)
    const does = route.does.filter((name) => writes.policies[name].length > 0)
    return { ...route, writes, does, by: route.by.filter(({ name }) => writes.fields.has(name)) } as BoundRoute
  }
  if (!isResourceRoute(route)) return route
  const parent = route.parent && known(route.parent)
  return { ...route, resource: known(route.resource), parent } as BoundRoute
}

/** Makes one document for each class of actors and each part; when there are many, the oldest is forgotten. */
function remembered<T, Part extends object | undefined = undefined>(
  make: (actor: Actor, part: Part) => T,
): (actor: Actor, part?: Part) => T {
  const known = new Map<string, T>()
  return (actor, part) => {
    const key = `${JSON.stringify(part)} ${actor.restriction === undefined} ${actorClass(actor)}`
    const found = known.get(key) ?? make(actor, part as Part)
    known.set(key, found)
    if (known.size > LIMITS.documents) known.delete(known.keys().next().value!)
    return found
  }
}

/** The document of an application that does not run, or a part of it. */
export function describeApplication(
  catalog: Catalog,
  given: readonly BoundRoute[],
  composition: Composed,
  part?: WantedPart,
): OpenApiDocument {
  const { document, routes } = allRoutes(given, catalogRoutes(catalog, composition.hooks), catalog, composition)
  if (part === undefined) return document()
  const listed = routes.filter(({ unlisted }) => unlisted !== true)
  return openapi(partOf({ ...describedBy(composition), catalog, routes: listed }, part))
}

/** The source of a client of an application that does not run; `runtime` is the part that all clients share. */
export function clientOfApplication(
  catalog: Catalog,
  given: readonly BoundRoute[],
  composition: Composed,
  runtime: string,
): string {
  const present = withoutEarlierNames(catalog)
  const all = allRoutes(given, catalogRoutes(present, composition.hooks), present, composition).routes
  const routes = all.filter(({ developing, earlier }) => developing !== true && earlier === undefined)
  return clientModule({ ...describedBy(composition), catalog: present, routes }, runtime)
}

/** The document of the catalog for an actor, as text; a restricted one sees what everybody sees. */
function catalogText(described: Described, actor: Actor): string {
  const { catalog, routes } = described
  const reader = actor.restriction === undefined ? actor : ANONYMOUS
  const open = routes.filter((route) => isOffered(route) && isOpenTo(route, actor))
  return JSON.stringify(
    catalogDocument(
      described,
      reader,
      open.map((route) => offeredRoute(catalog, route)),
    ),
  )
}

/** Whether a route is a plugin's own: those of resources follow from their actions. */
function isOffered(route: BoundRoute): boolean {
  return route.plugin !== 'engine' && route.earlier === undefined && !isResourceRoute(route) && !isBatchRoute(route)
}

function offeredRoute({ prefix, resources }: Catalog, route: BoundRoute): OfferedRoute {
  const { inputFields, method, output, produces, queryFields = [], summary, tag } = route
  const [, answers] = /^#\/resources\/(\w+)$/.exec(String(output?.$ref ?? '')) ?? []
  const partial = method === 'PUT' || method === 'PATCH'
  const body = bodyKind(route)
  const input = body === 'multipart' ? partsSchema : fieldsSchema
  return {
    name: routeName(route),
    method,
    path: pathFromRoot(route, prefix),
    summary,
    resource: tag !== undefined && resources.has(tag) ? tag : undefined,
    body,
    input: body === 'none' || inputFields === undefined ? undefined : input(inputFields, partial),
    query: queryFields.length === 0 ? undefined : fieldsSchema(queryFields, false),
    produces,
    answers,
  }
}

/** A document as text. */
interface Sent {
  readonly body: string
  readonly etag: string
}

function sentText(body: string): Sent {
  return { body, etag: createHash('sha256').update(body).digest('base64url').slice(0, 27) }
}

function sentJson(document: OpenApiDocument): Sent {
  return sentText(JSON.stringify(document))
}

/** What both routes of documents have in common: public, outside the prefix, and counted by the rate limit. */
const DOCUMENT = {
  method: 'GET',
  absolute: true,
  tag: 'Reference',
  access: 'public',
  openToRestricted: true,
  body: 'none',
  produces: ['application/json'],
  tagged: true,
  plugin: 'engine',
  options: {},
  inputFields: undefined,
  queryFields: [],
} as const

/**
 * The route of the catalog as its caller may use it. The tag is made of the text that this caller gets: one of the whole
 * catalog would tell when a part changes that the caller may not see.
 */
function catalogRoute(
  { languages }: Catalog,
  textFor: (actor: Actor, read: { readonly language: string } | undefined) => Sent,
): EngineRoute {
  return {
    ...DOCUMENT,
    path: '/catalog.json',
    summary: 'What the caller may see and do, as data',
    description:
      'Resources with their labels, titles, fields, relations, filters, moves and paths, and the routes of plugins: what lists, records and forms are drawn from. The words are in the language that `Accept-Language` prefers of those of the application.',
    run: async ({ actor }, { headers }) => {
      const language = languageOf(headers['accept-language'], languages)
      const { body, etag } = textFor(actor, language === undefined ? undefined : { language })
      const told = language === undefined ? {} : { headers: { 'Content-Language': language } }
      return { raw: { type: 'application/json; charset=utf-8', body }, etag, ...told }
    },
  }
}

/**
 * The route of the document: with a token the part that its bearer may use, without one the whole. Like the interface
 * it is public; outside the prefix, so that people find it; and counted by the rate limit, like everything that is not
 * for operators.
 */
function documentRoute(documentFor: (actor: Actor, part: WantedPart | undefined) => Sent): EngineRoute {
  return {
    ...DOCUMENT,
    path: '/openapi.json',
    summary: 'This document',
    description:
      'With a token it holds only what the caller may do, without one all there is; with `resource` or `group` a part of that, which is a document by itself.',
    queryFields: PART_QUERY,
    run: async ({ actor }, { parameters }) => {
      const { body, etag } = documentFor(actor, wantedPart(parameters))
      return { raw: { type: 'application/json; charset=utf-8', body }, etag }
    },
  }
}
