/** A write as a value: what it gives, what follows from it, what must hold, and what it answers. */
import type {
  Assignment,
  BelongsTo,
  Clause,
  CountRule,
  Field,
  Follow,
  ForeignRule,
  Moves,
  OverlapRule,
  RecordRule,
  Resource,
  WriteAction,
} from '../catalog/catalog.ts'
import type { Plan } from './plan.ts'

/** Everything about a write that is decided before it runs; the values of the request are no part of it. */
export interface WriteShape {
  readonly action: WriteAction
  readonly resource: Resource
  /** Fields written from the slots `f_<name>`, chosen by the caller. */
  readonly given: readonly Field[]
  /**
   * Of several records in one statement: given fields that a record may lack, which is told by null. It has then what is
   * assigned to the field, or nothing. Of the others each record has a value, or null because it was sent.
   */
  readonly optional: ReadonlySet<Field>
  /** Names of given fields that the path fixed, not the body: their reference was resolved before. */
  readonly trusted: ReadonlySet<string>
  /** Fields written by rules, not by the caller: clause sets, scopes, defaults. */
  readonly assigned: readonly Assignment[]
  /** The clause whose condition must hold for what is written; undefined: none asked. */
  readonly clause: Clause | undefined
  /** Whether it is one of many records that an import creates. */
  readonly bulk: boolean
  /** The field by which an update finds its record itself; undefined: the record was read before. */
  readonly finds: Field | undefined
  /** Whether the log also has an entry for an update that changes nothing. */
  readonly told: boolean
  /** The keys of records that are removed for good: groups by such a key go as a whole. */
  readonly leaving: ReadonlySet<string>
  /** The joining tables that are written behind the record; rules that look at them are judged then. */
  readonly links: ReadonlySet<string>
  /** The relations whose links are written behind the record, for the log. */
  readonly linked: readonly string[]
  readonly answer: WriteAnswer
  /** What follows from it in the record itself, step by step. */
  readonly follows: readonly (readonly Follow[])[]
  /** The columns that get values because of others: those that follow, and those that the database computes. */
  readonly following: ReadonlySet<string>
  /** Every column that it gives a value; none of a row that goes or comes back, which is judged as a whole. */
  readonly columns: ReadonlySet<string>
  /** What must hold before anything is written. */
  readonly checks: readonly Check[]
  /** The locks under which the checks are right: they are taken before the statement. */
  readonly locks: readonly Lock[]
  /** The columns that it may write in the end: under another clause that speaks of the caller, too. */
  readonly may: ReadonlySet<string>
  /** Whether its statement is the whole write: no lock, nothing behind it, and an answer that the statement itself gives. */
  readonly alone: boolean
}

/** The lock of a rule, taken by itself for each group of records that agree in the fields `per`. */
export interface Lock {
  readonly name: string
  readonly per: readonly Field[]
}

/**
 * What a write answers: the record in its single shape for the actor; every column of a row locked before, for hooks; the
 * record as it would be, when nothing is written; or only what is wrong, when nothing is written either.
 */
export type WriteAnswer = 'record' | 'stored' | 'draft' | 'checks'

/** A write before its conditions are known. */
export type Unjudged = Omit<WriteShape, 'checks' | 'locks' | 'may' | 'alone'>

export interface WritePlan extends WriteShape, Plan {}

/** A rule that a write would break is told by its sentence, with 422 where it names a field. */
interface Said {
  readonly says: string
  readonly at: Field | undefined
}

/** A condition that the statement of a write tests before it writes, and what its failure means. */
export type Check =
  | { readonly kind: 'reference'; readonly relation: BelongsTo }
  | { readonly kind: 'missing'; readonly field: Field }
  | { readonly kind: 'unique'; readonly field: Field }
  /** What is written must be one of the resource's own records; the field is the one that says so. */
  | { readonly kind: 'scope'; readonly field: Field }
  /** The column that the database computes can hold the value; `from` are the sent fields that it comes from. */
  | { readonly kind: 'fits'; readonly field: Field; readonly from: readonly Field[] }
  | { readonly kind: 'policy' }
  /** Whether anybody may make the move, and whether this caller may. */
  | { readonly kind: 'move'; readonly moves: Moves }
  | ({ readonly kind: 'rule'; readonly rule: RecordRule } & Said)
  | ({ readonly kind: 'count'; readonly rule: CountRule; readonly side: 'least' | 'most' } & Said)
  | ({ readonly kind: 'foreign'; readonly rule: ForeignRule } & Said)
  /** Never fails: it waits for others that write the same group. */
  | { readonly kind: 'turn'; readonly rule: OverlapRule }
