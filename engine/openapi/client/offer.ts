/** The methods that a client offers for each resource: those with a route. */
import type { Catalog, Resource } from '../../catalog/catalog.ts'
import type { BoundRoute } from '../../http/bound-route.ts'
import type { ResourceRoute } from '../../http/resource-routes.ts'
import { isResourceRoute } from '../../http/resource-routes.ts'
import { EVENT_STREAM } from '../../http/stream-route.ts'
import { isBatchRoute } from '../batch.ts'

/** The methods for records of a resource below a record of another. */
export interface Below {
  readonly resource: Resource
  /** Below the record's path: `comments`. */
  readonly path: string
  readonly methods: Set<string>
}

/** The methods for a resource. */
export interface Offer {
  readonly methods: Set<string>
  /** The operations of its batch, and the fields by which a record is changed or created. */
  readonly does: Set<string>
  readonly unique: Set<string>
  /** By the path below a record. */
  readonly below: Map<string, Below>
}

/** The methods for all resources, and the routes of none. Routes outside the prefix are for people and operators. */
export function offersOf(
  { resources }: Pick<Catalog, 'resources'>,
  routes: readonly BoundRoute[],
): { readonly offers: ReadonlyMap<string, Offer>; readonly further: readonly BoundRoute[] } {
  const offers = new Map([...resources.keys()].map((name) => [name, none()]))
  const further = routes.filter((route) => {
    if (route.absolute === true) return false
    if (isJoinedStream(route)) return true
    if (isResourceRoute(route)) addAction(offers, route)
    else if (isBatchRoute(route)) {
      const { methods, does, unique } = offers.get(route.writes.name)!
      if (route.way === 'batch') methods.add('batch')
      if (route.way === 'found') methods.add(`${route.does[0]}Matching`)
      if (route.way === 'unique') methods.add('upsert')
      if (route.way === 'batch') for (const name of route.does) does.add(name)
      for (const { name } of route.by) unique.add(name)
    } else {
      const method = figureOrStream(resources, route)
      if (method === undefined) return true
      offers.get(route.filters!)!.methods.add(method)
    }
    return false
  })
  return { offers, further }
}

/** Whether a route follows several lists at once. */
export function isJoinedStream({ filters, plugin, produces = [] }: BoundRoute): boolean {
  return plugin === 'engine' && filters === undefined && produces.includes(EVENT_STREAM)
}

function none(): Offer {
  return { methods: new Set(), does: new Set(), unique: new Set(), below: new Map() }
}

function addAction(
  offers: ReadonlyMap<string, Offer>,
  { action, method, parent, path, resource }: ResourceRoute,
): void {
  const names =
    action === 'get' ? ['get', 'can'] : action !== 'list' ? [action] : method === 'POST' ? ['query'] : ['list', 'each']
  const { below, methods } = offers.get((parent ?? resource).name)!
  if (parent === undefined) {
    for (const name of names) methods.add(name)
    return
  }
  const end = path
    .slice(`/${parent.path}/{id}/`.length)
    .replace(method === 'POST' && action === 'list' ? /\/query$/ : '', '')
  const known = below.get(end) ?? { resource, path: end, methods: new Set() }
  below.set(end, known)
  for (const name of names) known.methods.add(name)
}

/** The method of a client for an engine's route of a resource. */
function figureOrStream(resources: Catalog['resources'], { filters, path, plugin }: BoundRoute): string | undefined {
  const resource = plugin === 'engine' && filters !== undefined ? resources.get(filters) : undefined
  return ['summary', 'stream'].find((name) => path === `/${resource?.path}/${name}`)
}
