/** Every route of an application in its order, and the documents that describe them: all of it, or what one class of callers may do. */

import { createHash } from 'node:crypto'
import type { Actor } from '../actor.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { withoutEarlierNames } from '../catalog/without.ts'
import { catalogRoutes } from '../http/catalog-routes.ts'
import { earlierPaths } from '../http/earlier-paths.ts'
import type { BoundRoute, EngineRoute } from '../http/parts.ts'
import { LIMITS } from '../limits.ts'
import { memo } from '../memo.ts'
import { actorClass } from '../query/policy.ts'
import { atOnce, type Pieces } from '../turns.ts'
import { clientModule } from './client.ts'
import { type Described, openapi, openapiPieces } from './document.ts'
import { isOpenTo, readBy, routeFor, writtenBy } from './for-reader.ts'
import type { OpenApiDocument } from './openapi-document.ts'

/** The routes of an application, and its document, which is made when it is first asked for. */
interface Routes {
  readonly routes: readonly BoundRoute[]
  readonly document: () => OpenApiDocument
  /** The same in pieces. */
  readonly documentPieces: () => Pieces<OpenApiDocument>
}

/** The routes of plugins, of resources and of the document, in this order. */
export function allRoutes(
  given: readonly BoundRoute[],
  own: readonly BoundRoute[],
  catalog: Catalog,
  composition: Pick<Described, 'hooks' | 'plugins'>,
): Routes {
  let made: OpenApiDocument | undefined
  function* documentPieces(): Pieces<OpenApiDocument> {
    made ??= yield* openapiPieces(described())
    return made
  }
  const document = (): OpenApiDocument => atOnce(documentPieces())
  const described = (): Described => ({ catalog, routes, hooks: composition.hooks, plugins: composition.plugins })
  const forActor = (actor: Actor): OpenApiDocument => openapi(describedFor(described(), actor))
  const present: readonly BoundRoute[] = [...given, ...own, documentRoute(document, remembered(forActor))]
  const routes = [...present, ...earlierPaths(catalog, present)]
  return { routes, document, documentPieces }
}

/** What an actor may call, read and write of an application. */
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

/** Made once for a class of actors; of many classes, the one that was made first is forgotten. */
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

/** The document of an application that is not running. */
export function describeApplication(
  catalog: Catalog,
  given: readonly BoundRoute[],
  composition: Pick<Described, 'hooks' | 'plugins'>,
): OpenApiDocument {
  return allRoutes(given, catalogRoutes(catalog), catalog, composition).document()
}

/** The source of a client of an application that is not running; `runtime` is the part that all clients share. */
export function clientOfApplication(
  catalog: Catalog,
  given: readonly BoundRoute[],
  composition: Pick<Described, 'hooks' | 'plugins'>,
  runtime: string,
): string {
  const present = withoutEarlierNames(catalog)
  const all = allRoutes(given, catalogRoutes(present), present, composition).routes
  const routes = all.filter(({ earlier }) => earlier === undefined)
  return clientModule({ catalog: present, routes, hooks: composition.hooks, plugins: composition.plugins }, runtime)
}

/** A document as it is sent. */
interface Sent {
  readonly body: string
  readonly etag: string
}

/**
 * The route that answers a document: with a token what its bearer may do, without one all there is. Public as the
 * interface itself is, outside the prefix so that it is found, and counted by the rate limit like everything that is not
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
