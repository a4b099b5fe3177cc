/** Pages that everybody may open: their route, and how one is made that its script fills. */
import type { Reply, Route, RouteContext } from '../../../engine/index.ts'
import { escaped, rootOf, wholePage } from '../../pages/page.ts'

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

interface OwnPage {
  readonly title: string
  /** What is in it, by the root of the application for its links. */
  readonly inside: (root: string) => string
  readonly script: string
  readonly style: string
}

/** A page about its reader, whose script shows it when it knows who that is. */
export function ownPage(context: RouteContext, { title, inside, script, style }: OwnPage): Reply {
  const root = escaped(rootOf(context))
  const main = `<main hidden data-api="${root}${escaped(context.catalog.prefix)}" data-root="${root}">
${inside(root)}
</main><noscript><p class="notice bad">{{This page needs JavaScript.}}</p></noscript>`
  return wholePage(context, { title, main, script, style })
}
