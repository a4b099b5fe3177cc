/** Walks over filters: every question about all parts of a filter goes through here, so that a new kind of part is one edit. */
import type { Comparison, FilterOf, Related } from './filter.ts'

/** What becomes of each part of a filter, given what became of the parts inside it. */
interface Folding<P, M, R> {
  readonly compare: (part: Comparison<P>) => R
  readonly related: (part: Related<P, M>) => R
  readonly not: (of: R) => R
  readonly and: (of: readonly R[]) => R
  readonly or: (of: readonly R[]) => R
}

/** What a filter comes to, from the inside to the outside. What is asked of related records is for `related` to walk. */
export function fold<P, M, R>(filter: FilterOf<P, M>, folding: Folding<P, M, R>): R {
  switch (filter.kind) {
    case 'compare':
      return folding.compare(filter)
    case 'related':
      return folding.related(filter)
    case 'not':
      return folding.not(fold(filter.of, folding))
    default:
      return folding[filter.kind](filter.of.map((part) => fold(part, folding)))
  }
}

/** A part of a filter that holds no other about the same record. */
export type Leaf<P, M> = Comparison<P> | Related<P, M>

/** What a filter asks of its own record: its comparisons, and whether related records are there. */
export function leaves<P, M>(filter: FilterOf<P, M>): readonly Leaf<P, M>[] {
  const flat = (parts: readonly (readonly Leaf<P, M>[])[]): readonly Leaf<P, M>[] => parts.flat()
  const own = (part: Leaf<P, M>): readonly Leaf<P, M>[] => [part]
  return fold(filter, { compare: own, related: own, not: (of) => of, and: flat, or: flat })
}

/** Every comparison of a filter, those about related records among them. */
export function comparisons<P, M>(filter: FilterOf<P, M>): readonly Comparison<P>[] {
  return leaves(filter).flatMap((leaf) => (leaf.kind === 'compare' ? [leaf] : comparisons(leaf.of)))
}

/** The filter with other leaves; undefined where one of them has none, after all were asked. */
export function mapLeaves<P, M, Q, N>(
  filter: FilterOf<P, M>,
  change: (leaf: Leaf<P, M>) => FilterOf<Q, N> | undefined,
): FilterOf<Q, N> | undefined {
  type Changed = FilterOf<Q, N> | undefined
  const all =
    (kind: 'and' | 'or') =>
    (parts: readonly Changed[]): Changed => {
      const of = parts.filter((part) => part !== undefined)
      return of.length < parts.length ? undefined : { kind, of }
    }
  const not = (of: Changed): Changed => of && { kind: 'not', of }
  return fold(filter, { compare: change, related: change, not, and: all('and'), or: all('or') })
}

/** The parts that must all hold, however they are nested. */
export function conjuncts<P, M>(filter: FilterOf<P, M>): readonly FilterOf<P, M>[] {
  return filter.kind === 'and' ? filter.of.flatMap(conjuncts) : [filter]
}

/** The paths that a comparison reads: its own, and that of another value of the record which it compares with. */
export function comparedPaths<P>({ operand, path }: Comparison<P>): readonly P[] {
  return operand.kind === 'record' || operand.kind === 'before' ? [path, operand.path] : [path]
}

/** A part of a filter that can be left out: a list loses it, or a part has other values of keys. */
export interface Omission<P, M> {
  readonly part: FilterOf<P, M>
  /** Where it is, `0.1`, the same in every filter of this form. */
  readonly at: string
  readonly of: object
  readonly instead: 'nothing' | Readonly<Record<string, unknown>>
}

type Omitted<P, M> = Pick<Omission<P, M>, 'of' | 'instead'>

/** Every part of a filter that can be left out by itself; `whole` leaves out the filter, where that is possible. */
export function omissions<P, M>(filter: FilterOf<P, M>, whole?: Omitted<P, M>): readonly Omission<P, M>[] {
  return omitted(filter, '', whole)
}

function omitted<P, M>(part: FilterOf<P, M>, at: string, how: Omitted<P, M> | undefined): readonly Omission<P, M>[] {
  const own = how === undefined ? [] : [{ part, at, ...how }]
  switch (part.kind) {
    case 'compare':
      return own
    case 'related': {
      const all = { of: part, instead: { of: { kind: 'and', of: [] } } }
      return [...own, ...omitted(part.of, `${at}.of`, isEmpty(part.of) ? undefined : all)]
    }
    case 'not':
      return [...own, ...omitted(part.of, `${at}.not`, undefined)]
    default: {
      const inner = part.of.flatMap((one, index) => {
        const alone = part.of.length === 1
        return omitted(one, `${at}.${index}`, alone ? undefined : { of: one, instead: 'nothing' })
      })
      // Without one of them, whatever misses all of them is missed too.
      return part.kind === 'and' && part.of.length > 1 && at === '' ? inner : [...own, ...inner]
    }
  }
}

function isEmpty<P, M>(filter: FilterOf<P, M>): boolean {
  return filter.kind === 'and' && filter.of.length === 0
}

/** Whether a filter compares with values that are written out, and asks for no related records. */
export function isFixed<P, M>(filter: FilterOf<P, M>): boolean {
  return leaves(filter).every((leaf) => leaf.kind === 'compare' && leaf.operand.kind === 'literal')
}

/** Whether a filter compares with a value of this kind, such as the actor, anywhere. */
export function speaksOf<P, M>(kind: Comparison<P>['operand']['kind'], filter: FilterOf<P, M>): boolean {
  return comparisons(filter).some(({ operand }) => operand.kind === kind)
}

/** The meaning of the words of a filter. `R` are the records that the filter is about. */
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
