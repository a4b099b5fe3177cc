/** The routes of an application in their order, and its documents: the whole, and one for each class of callers. */

import { createHash } from 'node:crypto'
import type { Actor } from '../actor.ts'
import { actorClass } from '../ask/policy.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { withoutEarlierNames } from '../catalog/without.ts'
import type { BoundRoute, EngineRoute } from '../http/bound-route.ts'
import { catalogRoutes } from '../http/catalog-routes.ts'
import { earlierPaths } from '../http/earlier-names.ts'
import { LIMITS } from '../limits.ts'
import { memo } from '../memo.ts'
import { atOnce, type Pieces } from '../turns.ts'
import { clientModule } from './client/client.ts'
import { type Described, openapi, openapiPieces } from './document.ts'
import { isOpenTo, readBy, routeFor, writtenBy } from './for-reader.ts'
import type { OpenApiDocument } from './openapi-document.ts'

/** The routes of an application, and its document, which is made when it is first needed. */
interface Routes {
  readonly routes: readonly BoundRoute[]
  readonly document: () => OpenApiDocument
  /** The same in pieces. */
  readonly documentPieces: () => Pieces<OpenApiDocument>
}

/** What a document says of the plugins of an application. */
type Composed = Pick<Described, 'hooks' | 'plugins' | 'authenticate'>

function describedBy({ authenticate, hooks, plugins }: Composed): Composed {
  return { authenticate, hooks, plugins }
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
  const described = (): Described => ({ ...describedBy(composition), catalog, routes })
  const forActor = (actor: Actor): OpenApiDocument => openapi(describedFor(described(), actor))
  const present: readonly BoundRoute[] = [...given, ...own, documentRoute(document, remembered(forActor))]
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

/** Makes one document for each class of actors; when there are many, the oldest is forgotten. */
function remembered<T>(make: (actor: Actor) => T): (actor: Actor) => T {
  const known = new Map<string, T>()
  return (actor) => {
    const key = `${actor.restriction === undefined} ${actorClass(actor)}`
    const found = known.get(key) ?? make(actor)
    known.set(key, found)
    if (known.size > LIMITS.documents) known.delete(known.keys().next().value!)
    return found
  }
}

/** The document of an application that does not run. */
export function describeApplication(
  catalog: Catalog,
  given: readonly BoundRoute[],
  composition: Composed,
): OpenApiDocument {
  return allRoutes(given, catalogRoutes(catalog), catalog, composition).document()
}

/** The source of a client of an application that does not run; `runtime` is the part that all clients share. */
export function clientOfApplication(
  catalog: Catalog,
  given: readonly BoundRoute[],
  composition: Composed,
  runtime: string,
): string {
  const present = withoutEarlierNames(catalog)
  const all = allRoutes(given, catalogRoutes(present), present, composition).routes
  const routes = all.filter(({ earlier }) => earlier === undefined)
  return clientModule({ ...describedBy(composition), catalog: present, routes }, runtime)
}

/** A document as text. */
interface Sent {
  readonly body: string
  readonly etag: string
}

/**
 * The route of the document: with a token the part that its bearer may use, without one the whole. Like the interface
 * it is public; outside the prefix, so that people find it; and counted by the rate limit, like everything that is not
 * for operators.
 */
function documentRoute(whole: () => OpenApiDocument, forActor: (actor: Actor) => OpenApiDocument): EngineRoute {
  const sent = memo((document: OpenApiDocument): Sent => {
    const body = JSON.stringify(document)
    return { body, etag: createHash('sha256').update(body).digest('base64url').slice(0, 27) }
  })
  return {
    method: 'GET',
    path: '/openapi.json',
    absolute: true,
    summary: 'This document',
    description: 'With a token it holds only what the caller may do, without one all there is.',
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
    run: async ({ actor }) => {
      const { body, etag } = sent(actor.kind === 'anonymous' ? whole() : forActor(actor))
      return { raw: { type: 'application/json; charset=utf-8', body }, etag }
    },
  }
}
