/** Where relations lead. A relation names its target, so that it leads to the one of each catalog that is made from another. */
import type { Catalog, Resource } from './catalog.ts'

interface Leading {
  readonly target: string
}

/** The resource at the other end of a relation. */
export function targetOf({ resources }: Pick<Catalog, 'resources'>, { target }: Leading): Resource {
  return resources.get(target)!
}

/** The resource to which relations lead from another, one after the other; itself where there are none. */
export function endOf(catalog: Pick<Catalog, 'resources'>, from: Resource, relations: readonly Leading[]): Resource {
  const last = relations.at(-1)
  return last === undefined ? from : targetOf(catalog, last)
}
