/**
 * Operation ids: `listTickets`, `createTicketComment`, `postAuthLogin`. Generators of clients name functions after
 * them.
 */
import { singular } from '../catalog/name.ts'
import type { BoundRoute } from '../http/bound-route.ts'
import type { ResourceRoute } from '../http/resource-routes.ts'
import { isResourceRoute } from '../http/resource-routes.ts'
import { parameterIn } from '../http/table.ts'
import { batchId, isBatchRoute } from './batch.ts'
import { pascal, type TypeNames } from './type-name.ts'

/** Gives every route its own id; where two would be equal, the later one gets a number. */
export function operationIds(names: ReadonlyMap<string, TypeNames>): (route: BoundRoute) => string {
  const taken = new Set<string>()
  return (route) => {
    const wanted = wantedId(route, names)
    let id = wanted
    for (let number = 2; taken.has(id); number += 1) id = `${wanted}${number}`
    taken.add(id)
    return id
  }
}

function wantedId(route: BoundRoute, names: ReadonlyMap<string, TypeNames>): string {
  if (isResourceRoute(route)) return ofResource(route, names)
  return isBatchRoute(route) ? batchId(route, names) : ofPath(route)
}

function ofResource(route: ResourceRoute, names: ReadonlyMap<string, TypeNames>): string {
  const { resource, action, parent, method, path } = route
  const single = names.get(resource.name)?.single ?? pascal(resource.name)
  const verb = method === 'POST' ? 'query' : 'list'
  if (parent !== undefined) {
    const [below = ''] = path.split('/').slice(action === 'list' && method === 'POST' ? -2 : -1)
    const above = names.get(parent.name)?.single ?? pascal(parent.name)
    return action === 'list' ? `${verb}${above}${pascal(below)}` : `create${above}${pascal(singular(below))}`
  }
  if (action === 'list') return `${verb}${pascal(resource.name)}`
  return `${method === 'PATCH' ? 'patch' : action}${single}`
}

function ofPath({ method, path }: BoundRoute): string {
  const words = path.split('/').map((segment) => {
    const parameter = parameterIn(segment)
    return parameter === undefined ? pascal(segment) : parameter === 'id' ? '' : `By${pascal(parameter)}`
  })
  return `${method.toLowerCase()}${words.join('')}`
}
