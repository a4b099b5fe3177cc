/** The route of a page that everybody may open. */
import type { Route } from '../../../engine/index.ts'

/** A page at an address of the application, outside of its API. */
export function pageRoute(page: Pick<Route, 'path' | 'summary' | 'description' | 'query' | 'handle'>): Route {
  return {
    method: 'GET',
    absolute: true,
    tag: 'Authentication',
    access: 'public',
    openToRestricted: true,
    produces: ['text/html'],
    ...page,
  }
}
