/** What plugins ask of many records at once: what their readers see, where relations lead, and what they are. */
import type { Actor } from '../actor.ts'
import type { Id } from '../id.ts'
import type { Json, JsonObject } from '../json.ts'
import type { ChangeCondition } from '../query/change-condition.ts'

/** A record and somebody who may see it, or may not. */
export interface Sighting {
  readonly record: Id
  readonly reader: Actor
  /** Values by field that are read in place of the record's own, as a change left them; who may see it is asked of the record. */
  readonly values?: JsonObject
}

/** What is asked of many records at once, whoever asks. Kept by whoever asks again: it is compiled once. */
export interface Survey {
  readonly conditions: readonly ChangeCondition[]
  /** Paths of relations, also over one that leads to many. */
  readonly ways: readonly string[]
  /** Paths to values. */
  readonly values: readonly string[]
}

/** A record that is asked, with the values that it has in place of its own: after a change, and before it. */
export interface Surveyed {
  readonly record: Id
  readonly now?: JsonObject
  readonly before?: JsonObject
}

/** What was found of a record. */
export interface Findings {
  readonly holds: readonly boolean[]
  /** The live records that each way leads to. */
  readonly led: readonly (readonly Id[])[]
  readonly values: readonly Json[]
}

/** A record, and one that the path leads to from it. */
export interface Related {
  readonly record: Id
  readonly related: Id
}
