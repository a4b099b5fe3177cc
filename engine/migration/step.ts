/**
 * One step of a migration: its title for people, the times of its statements, and the question about rows before it.
 */
import type { Identified, Renaming } from './names/kept-names.ts'
import type { Table } from './table.ts'

/**
 * `safe`: loses nothing. `unsafe`: sets data aside or leaves it behind, so a person has to agree.
 * `blocked`: the database would refuse it, so a person changes the rows or the YAML first.
 */
export type Risk = 'safe' | 'unsafe' | 'blocked'

/**
 * The meaning of a step for a start.
 * `adds`: the catalog cannot be served without it, and versions of another YAML are not harmed.
 * `changes`: a version of another YAML that runs at the same time may rely on what it alters.
 * `retypes`: the same, and the catalog cannot be served without it.
 * `removes`: it takes away what the YAML no longer names; a start never does that.
 */
export type Effect = 'adds' | 'changes' | 'retypes' | 'removes'

/**
 * Rows of one table that get a new value, a batch at a time in the order of the key; rows that have it are left out.
 */
export interface Batches {
  readonly table: string
  readonly key: string
  /** As `format_type` prints it. */
  readonly keyType: string
  readonly column: string
  /** SQL of the new value, over the columns of the row. */
  readonly value: string
  /** Each evaluation gives another value, so it is evaluated once for each row, in the order of the key. */
  readonly inOrder?: true
  /** SQL over the columns of the row: whether the row lacks the value. */
  readonly where: string
  /** A boolean column that marks the rows whose value was changed. */
  readonly mark?: string
}

/** One statement; statements that hold together or not at all; or rows that are changed in batches. */
export type Command = string | { readonly together: readonly string[] } | { readonly batches: Batches }

/** When the statements of a step run. All steps of a change share one transaction, in which requests wait. */
export type Work =
  /** It has no statements: it is gone when no row is in its way. */
  | { readonly kind: 'question' }
  /** In the transaction. The served version is not harmed, so requests do not wait for this step alone. */
  | { readonly kind: 'harmless'; readonly sql: readonly Command[] }
  /** In the transaction, while requests wait; `after` runs when the catalog is served. */
  | { readonly kind: 'harmful'; readonly sql: readonly Command[]; readonly after?: readonly Command[] }
  /** `ahead` runs before the transaction, while the version before is served; then as `harmful`, if there is `sql`. */
  | {
      readonly kind: 'prepared'
      readonly ahead: readonly Command[]
      /** Takes `ahead` back where the change is given up; each command may run more than once. */
      readonly undo: readonly Command[]
      readonly sql: readonly Command[]
      readonly after?: readonly Command[]
    }
  /** When the catalog is served, because it only makes reads faster. With `undo` it may also run ahead. */
  | { readonly kind: 'faster'; readonly sql: readonly Command[]; readonly undo?: readonly Command[] }

/** The rows of one table, some of whose columns are judged value by value. */
export interface Judging {
  readonly table: string
  /** Its single key with the type of it; undefined: all rows are read at once, and none is named. */
  readonly key: { readonly name: string; readonly type: string } | undefined
  readonly values: readonly {
    /** SQL of the value, as its column prints it. */
    readonly sql: string
    /** Whether the field allows it. */
    fits(text: string): boolean
  }[]
}

/** The question about the rows that keep a step from being safe, with words for people. */
export interface Hindrance {
  /** SQL that counts the rows; without a question the step is never safe. */
  readonly question?: string
  /** Instead of a question: values that are judged one by one. */
  readonly judging?: Judging
  /** SQL that gives the keys of some of the rows, the least first. */
  readonly examples?: string
  /** The noun for the rows, if it is another than `row`. */
  readonly noun?: string
  /** Completes "<rows> rows …". */
  readonly consequence?: string
  /** The whole reason, where it is not about rows: `view sizes depends on it`. */
  readonly because?: string
  readonly advice?: string
}

/** The rows that a step concerns, and their meaning for it. */
export type Concern =
  | { readonly kind: 'none' }
  /** They are counted for the title, which then ends in `with 3 values`, or in `, in 3 rows` for rows that change. */
  | {
      readonly kind: 'counted'
      readonly question: string
      readonly unit?: 'value' | 'row' | 'changed row'
      /** Without rows there is nothing to do. */
      readonly onlyWithRows?: true
    }
  /** They lose something, or are left behind. */
  | ({ readonly kind: 'loss' } & Hindrance)
  /** The database would refuse them. */
  | ({ readonly kind: 'obstacle' } & Hindrance)
  /** The same, but the step can wait until none is left, and the rest of the plan does not wait for it. */
  | ({ readonly kind: 'waiting' } & Hindrance)
  /** A rename that the YAML does not say: harmless for rows, not for an instance that serves the other name. */
  | { readonly kind: 'other name'; readonly because: string; readonly advice: string }

/** How many rows a question is about. */
export interface Answer {
  readonly rows: number
  /** The keys of the first of them, where they are known. */
  readonly ids: readonly string[]
}

export interface Step {
  /** For people: `add column tickets.due_date (date)`. */
  readonly title: string
  /** The table and column that it is about, where the YAML may name them. */
  readonly about?: { readonly table: string; readonly column: string }
  readonly effect: Effect
  readonly work: Work
  readonly concern: Concern
  /** Present once the question of its concern was asked. */
  readonly answer?: Answer
  /** It makes what was there before, and is gone with all that it held. */
  readonly anew?: true
  /** A difference of a table of others, which no statement mends. */
  readonly drift?: true
  readonly renames?: readonly Renaming[]
  /** Present names of the tables whose readers and writers wait while it does harm. */
  readonly locks?: readonly string[]
}

const NONE: Concern = { kind: 'none' }

/** A step that adds something. */
export function adding(title: string, ...sql: readonly Command[]): Step {
  return { title, effect: 'adds', work: { kind: 'harmless', sql }, concern: NONE }
}

/** A step that alters what is there and loses nothing. */
export function changing(title: string, ...sql: readonly Command[]): Step {
  return { title, effect: 'changes', work: { kind: 'harmful', sql }, concern: NONE }
}

/** A step that alters nothing that a version relies on, such as what a killed start left behind. */
export function tidying(title: string, ...sql: readonly Command[]): Step {
  return { title, effect: 'changes', work: { kind: 'harmless', sql }, concern: NONE }
}

/** A step without statements. */
export function asking(title: string, effect: Effect, concern: Concern): Step {
  return { title, effect, work: { kind: 'question' }, concern }
}

/** A rename that nobody wrote: the database knows what the name means. */
export function identifying(step: Step, { name, until }: Identified): Step {
  const title =
    until === undefined
      ? `${step.title}, which holds the same`
      : `${step.title.replace(/ to (?=\S+$)/, ' back to ')}, its name until ${until} UTC`
  const advice = `start the files in which it is ${name}, or end the instances that serve them`
  const because = 'an instance serves it under the other name'
  return { ...step, title, effect: 'retypes', concern: { kind: 'other name', because, advice } }
}

/** A step that the catalog cannot be served without, about what no version of another YAML uses. */
export function withoutHarm(step: Step): Step {
  const { work } = step
  const isPlain = work.kind === 'harmful' && work.after === undefined
  return { ...step, effect: 'adds', ...(isPlain ? { work: { kind: 'harmless', sql: work.sql } } : {}) }
}

/** The statements of a step that run before the transaction or in it, or when the catalog is served. */
export function statementsOf({ work }: Step): readonly Command[] {
  if (work.kind === 'question') return []
  return work.kind === 'prepared' ? [...work.ahead, ...work.sql] : work.sql
}

/** Whether a version that is served meanwhile can go on. */
export function isHarmless({ work }: Step): boolean {
  return work.kind === 'prepared' ? work.sql.length === 0 : work.kind !== 'harmful'
}

/** The risk of a step, which is safe once its rows were counted and there are none. */
export function riskOf({ answer, concern }: Step): Risk {
  if (answer?.rows === 0) return 'safe'
  if (concern.kind === 'loss') return 'unsafe'
  return concern.kind === 'obstacle' || concern.kind === 'waiting' ? 'blocked' : 'safe'
}

/** Advice for a person about a step that is not safe. */
export function adviceOf({ concern }: Step): string | undefined {
  return 'advice' in concern ? concern.advice : undefined
}

/** The single key of a table by which its rows are read in batches. */
export function keyOf({ columns, primaryKey }: Table): Judging['key'] {
  const [name, ...others] = primaryKey
  const type = columns.find((column) => column.name === name)?.type
  return name === undefined || type === undefined || others.length > 0 ? undefined : { name, type }
}
