/** What a write's statement is compiled for. */
import type { Assignment, Clause, Field } from '../catalog/catalog.ts'

/** What one write puts where. */
export interface WriteShape {
  /** Fields written from the slots `f_<name>`, chosen by the caller. */
  readonly given: readonly Field[]
  /** Names of given fields that the path fixed, not the body: their reference was resolved before. */
  readonly trusted: ReadonlySet<string>
  /** Fields written by rules, not by the caller: clause sets, scopes, defaults. */
  readonly assigned: readonly Assignment[]
  /** The clause whose condition must hold for what is written; undefined: none asked. */
  readonly clause: Clause | undefined
  /** Whether it is one of many records that an import creates. */
  readonly bulk?: boolean
  /** Of an update that finds its record itself, instead of one that was read before: the field that names it. */
  readonly finds?: Field
  /** Whether the log tells of an update that changes nothing, too. */
  readonly told?: boolean
  /** The keys of records that are removed for good: groups by such a key go as a whole. */
  readonly leaving?: ReadonlySet<string>
  /** The joining tables that are written behind the record; rules that look at them are judged then. */
  readonly links?: ReadonlySet<string>
  /** The relations whose links are written behind the record, for the log. */
  readonly linked?: readonly string[]
  /** `answer`: the single shape for the actor; `stored`: every column of a row locked before, for hooks; `checks`: nothing is written. */
  readonly returning: 'answer' | 'stored' | 'checks'
}
