/** The filter algebra: and, or, not, compare — one language for query strings, policies, conditions and indexes. */
import type { Operator } from '../field/field-type.ts'
import type { Json } from '../json.ts'

/** A value in a comparison: a literal, or something known only when the request runs. */
export type Operand =
  | { readonly kind: 'literal'; readonly value: Json }
  /** `$actor` (its id) or `$actor.<attribute>`. */
  | { readonly kind: 'actor'; readonly attribute: string | undefined }
  /** `$now` and `$today`, UTC. */
  | { readonly kind: 'now' }
  | { readonly kind: 'today' }
  /** The nth value of the request, so that requests of one shape share a statement. Made by query strings only. */
  | { readonly kind: 'slot'; readonly index: number }

/**
 * One comparison. `P` is how a path is written: string segments before resolution, linked fields after.
 * Two-valued: a comparison with an absent value is false, `ne` with one is true, and `not` of either follows.
 */
export interface Comparison<P> {
  readonly kind: 'compare'
  readonly path: P
  readonly operator: Operator
  readonly operand: Operand
  /** Decides about access: every record on the path must be live, and a value that the actor has not matches nothing. */
  readonly decides?: true
  /** Written inside `with_deleted`: records on the path that are not live count too. */
  readonly withDeleted?: true
}

/** See `Comparison`; `and` of nothing is true, `or` of nothing is false. */
export type FilterOf<P> =
  | { readonly kind: 'and'; readonly of: readonly FilterOf<P>[] }
  | { readonly kind: 'or'; readonly of: readonly FilterOf<P>[] }
  | { readonly kind: 'not'; readonly of: FilterOf<P> }
  | Comparison<P>
