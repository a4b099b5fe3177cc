/** From a filter as written to one over what its words mean: the walk that all have in common. */

import type { Comparison, FilterOf, Related } from './filter.ts'
import { mapLeaves } from './walk.ts'

/** What the words of a filter mean. `R` is where they stand: the records that the filter is about. */
export interface Linker<P, L, M, R> {
  /** undefined, with a complaint, where it cannot be linked. */
  readonly compare: (part: Comparison<P>, about: R) => FilterOf<L, M> | undefined
  /** `inner` links what is asked of the records that the relation leads to. */
  readonly related: (
    part: Related<P, P>,
    about: R,
    inner: (about: R) => FilterOf<L, M> | undefined,
  ) => FilterOf<L, M> | undefined
}

/** A filter with every part linked, so that each complaint is made; undefined when one cannot be. */
export function linkWith<P, L, M, R>(
  linker: Linker<P, L, M, R>,
  part: FilterOf<P>,
  about: R,
): FilterOf<L, M> | undefined {
  return mapLeaves(part, (leaf) =>
    leaf.kind === 'compare'
      ? linker.compare(leaf, about)
      : linker.related(leaf, about, (inner) => linkWith(linker, leaf.of, inner)),
  )
}
