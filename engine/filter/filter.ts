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
  | SlotOperand

/** The nth value of the request, so that requests of one shape share a statement. Made from requests only. */
export interface SlotOperand {
  readonly kind: 'slot'
  readonly index: number
}

/** `$record.<path>`, a value of the record that the filter judges, or `$before.<path>`, of that record as it is stored. */
export type RecordOperand<P> =
  | { readonly kind: 'record'; readonly path: P }
  | { readonly kind: 'before'; readonly path: P }

/** How the records count through which a path leads; those that are not live are absent where nothing is said. */
export interface OnTheWay {
  /** Decides about access: every record on the path must be live, negated or not, and a value that the actor has not matches nothing. */
  readonly decides?: true
  /** Written inside `with_deleted`: records on the path that are not live count too. */
  readonly withDeleted?: true
}

/**
 * One comparison. `P` is how a path is written: string segments before resolution, linked fields after.
 * Two-valued: a comparison with an absent value is false, `ne` with one is true, and `not` of either follows. That goes
 * for both sides where another value of the record is compared with: what is absent equals nothing.
 */
export interface Comparison<P> extends OnTheWay {
  readonly kind: 'compare'
  readonly path: P
  readonly operator: Operator
  readonly operand: Operand | RecordOperand<P>
}

/** A condition on the records that a relation leads to: whether there is one for which `of` holds, or how many there are. */
export interface Related<P, M> extends OnTheWay {
  readonly kind: 'related'
  readonly path: M
  readonly of: FilterOf<P, M>
  /** undefined: at least one. */
  readonly count: { readonly operator: CountOperator; readonly value: number | SlotOperand } | undefined
  /** Only records for which this holds count, because the caller may see no others; `$record` in it is each of them. */
  readonly seen?: FilterOf<P, M> | undefined
}

export type CountOperator = 'eq' | 'ne' | 'lt' | 'lte' | 'gt' | 'gte'

/** See `Comparison`; `and` of nothing is true, `or` of nothing is false. `M` is how a path to many records is written. */
export type FilterOf<P, M = P> =
  | { readonly kind: 'and'; readonly of: readonly FilterOf<P, M>[] }
  | { readonly kind: 'or'; readonly of: readonly FilterOf<P, M>[] }
  | { readonly kind: 'not'; readonly of: FilterOf<P, M> }
  | Related<P, M>
  | Comparison<P>
