/** An automation of a resource: its trigger, its condition and its actions. */
import type { Cron } from '../calendar/cron.ts'
import type { Path } from '../definition/definition.ts'
import type { Json, JsonObject } from '../json.ts'
import type { Span } from '../text/source.ts'
import type { BelongsTo, Field, Filter } from './field.ts'
import type { Value, WriteAction } from './rule.ts'

/** A write that automations hear of; `import` is the creation of one of many records at once. */
export type WriteEvent = WriteAction | 'import'

/** What sets an automation off. */
export type Trigger =
  /** A write; with `changed`, an update only when one of these has changed so. */
  | { readonly kind: 'write'; readonly on: ReadonlySet<WriteEvent>; readonly changed: readonly Turn[] | undefined }
  /** A moment of the record, or so long after or before it; a date is the moment at which its day begins in the zone. */
  | { readonly kind: 'moment'; readonly at: Field; readonly shift: Shift | undefined; readonly zone: string }
  /** The clocks of a zone. */
  | { readonly kind: 'schedule'; readonly cron: Cron; readonly zone: string }

/** A change of a field: from one of these values to one of those, as the log of changes holds them; undefined: any. */
export interface Turn {
  readonly field: Field
  readonly from: readonly Json[] | undefined
  readonly to: readonly Json[] | undefined
}

export interface Shift {
  /** A length of time, `7 days`. */
  readonly by: string
  readonly direction: 'after' | 'before'
}

/** A part of the condition: one key of `when`. */
export interface Condition {
  readonly filter: Filter
  readonly span: Span
}

/** One record of a relation's resource, chosen when the automation acts. */
export interface Pick {
  readonly relation: BelongsTo
  /** Who may be chosen; it may speak of `$record`. */
  readonly from: Filter
  /** The candidate that was chosen longest ago, or the one with the fewest records. */
  readonly by: 'in_turn' | 'fewest'
  /** With `fewest`: which records of the automation's resource count; undefined: all that lead to them. */
  readonly where: Filter | undefined
}

/** A field and what an automation gives it. */
export type Given = { readonly field: Field } & ({ readonly value: Value } | { readonly pick: Pick })

/** One thing that an automation does. */
export type Act =
  | { readonly kind: 'set'; readonly set: readonly Given[]; readonly span: Span }
  | {
      readonly kind: 'create'
      readonly resource: string
      readonly set: readonly { readonly field: Field; readonly value: Value }[]
      readonly span: Span
    }
  | {
      readonly kind: 'run'
      /** `<plugin>.<name>`. */
      readonly action: string
      readonly given: JsonObject
      /** The place of a part of the options. */
      readonly place: (path: Path) => Span
      readonly span: Span
    }

/** The name under which an automation hears of writes. */
export function listenerName(resource: string, automation: string): string {
  return `automation:${resource}.${automation}`
}

export interface Automation {
  readonly name: string
  readonly description: string | undefined
  readonly trigger: Trigger
  /** All of them hold together. Of a schedule, undefined: it acts once, without records. */
  readonly when: readonly Condition[] | undefined
  /** In their order. */
  readonly actions: readonly Act[]
  readonly span: Span
}
