/** A request that is written down: its route, and the action on a resource that it means. */

import type { Actor } from '../actor.ts'
import { readLookup } from '../ask/lookup.ts'
import type { Question } from '../explain/request-report.ts'
import { memo } from '../memo.ts'
import type { BoundRoute } from './bound-route.ts'
import { isResourceRoute } from './resource-routes.ts'
import { compileTable } from './table.ts'

export interface Found {
  readonly route: BoundRoute
  readonly pattern: string
  readonly named: string | undefined
  readonly query: URLSearchParams
}

/** Scenarios ask for the route of each of their requests. */
const tableOf = memo(compileTable)

/** The route of `GET /path?query`; throws a sentence where there is none. */
export function findRoute(
  request: string,
  { routes, catalog }: { readonly routes: readonly BoundRoute[]; readonly catalog: { readonly prefix: string } },
): Found {
  const [, method = '', path = '', query] = /^\s*([A-Za-z]+)\s+(\/[^\s?]*)(?:\?(\S*))?\s*$/.exec(request) ?? []
  if (path === '') throw new Error(`"${request}" is no request such as 'GET /api/v1/tickets?status_id=1'.`)
  const answering = tableOf(routes, catalog.prefix)
  const match = answering(path)
  if (match === undefined) {
    const below = `${catalog.prefix}${path}`
    const hint = answering(below) === undefined ? '' : ` Did you mean ${below}?`
    throw new Error(`No route answers ${path}: 404.${hint}`)
  }
  const place = match.entry.methods.get(method.toUpperCase())
  if (place === undefined)
    throw new Error(`${match.entry.pattern} answers ${match.entry.allow.join(', ')}, not ${method.toUpperCase()}: 405.`)
  return { route: place.route, pattern: place.pattern, named: match.values[0], query: new URLSearchParams(query ?? '') }
}

/** The action that a request asks of a resource; undefined where a plugin's own route judges the request. */
export function questionOf({ route, named, query }: Found, actor: Actor): Question | undefined {
  if (!isResourceRoute(route)) return undefined
  const { resource, action, parent } = route
  const relation = resource.nested.find((nested) => nested.relation.target === parent?.name)?.relation
  const above = parent && relation && { relation, resource: parent, lookup: readLookup(parent, named ?? '', actor) }
  const lookup = parent === undefined && named !== undefined ? { named } : {}
  return { resource, action, query, ...lookup, ...(above === undefined ? {} : { parent: above }) }
}
