/** One step of a migration: what it does in words and in SQL, and whether it can hurt. */
import type { Identified, Renaming } from './names/kept-names.ts'
import type { Table } from './table.ts'

/**
 * `safe`: loses nothing. `unsafe`: sets data aside or leaves it behind, done when a person says so.
 * `blocked`: rows stand in its way, so the database would refuse it; a person changes the rows or the YAML first.
 */
export type Risk = 'safe' | 'unsafe' | 'blocked'

/**
 * What a step does to those who work with the tables as they are.
 * `adds`: the catalog cannot be served without it, and nobody is harmed by it.
 * `changes`: it alters what is there, which a version of another YAML that runs beside this one may rely on.
 * `retypes`: the same, and the catalog cannot be served without it.
 * `removes`: it takes away what the YAML no longer names; a start never does that.
 */
export type Effect = 'adds' | 'changes' | 'retypes' | 'removes'

/** Rows of one table that get other values, a batch at a time in the order of the key; those that have them are passed over. */
export interface Batches {
  readonly table: string
  readonly key: string
  /** As `format_type` prints it. */
  readonly keyType: string
  readonly column: string
  /** SQL of the new value, over the columns of the row. */
  readonly value: string
  /** The value is another one at each evaluation, so it is made once for each row, in the order of the key. */
  readonly inOrder?: true
  /** SQL over the columns of the row: whether it still lacks the value. */
  readonly where: string
  /** A column of yes and no that says of which rows the value was changed. */
  readonly mark?: string
}

/** One statement; statements that hold together or not at all; or rows that are changed in batches. */
export type Command = string | { readonly together: readonly string[] } | { readonly batches: Batches }

/** The rows of one table, of which some columns are looked at one value after the other. */
export interface Judging {
  readonly table: string
  /** Its single key with its type; undefined: all rows are read at once, and none is named. */
  readonly key: { readonly name: string; readonly type: string } | undefined
  readonly values: readonly {
    /** SQL of the value, as its column prints it. */
    readonly sql: string
    /** Whether the field allows it. */
    fits(text: string): boolean
  }[]
}

export interface Step {
  /** The table and column that it is about, where the YAML may speak of them. */
  readonly about?: { readonly table: string; readonly column: string }
  /** For people: `add column tickets.due_date (date)`. */
  readonly title: string
  /** None: the step is a question only, and gone when no row is in its way. */
  readonly sql: readonly Command[]
  readonly risk: Risk
  readonly effect: Effect
  /** SQL that counts the rows that stand in the way or would be set aside; none of them makes the step safe. */
  readonly question?: string
  /** In the place of a question: values that are judged one by one. */
  readonly judging?: Judging
  /** What the question counts for a safe step; its title then ends in `with 3 values`, or in `, in 3 rows` for rows that are changed. */
  readonly tally?: 'value' | 'row' | 'changed row'
  /** Nothing is to be done where no row is concerned. */
  readonly onlyWithRows?: true
  /** SQL that gives the keys of some rows that stand in the way, the least first. */
  readonly examples?: string
  /** Those keys, once asked. */
  readonly ids?: readonly string[]
  /** The answer, once asked. */
  readonly rows?: number
  /** Why it is not safe, where no rows are: `view sizes reads it`. */
  readonly because?: string
  /** What the rows are, where they are more to people than rows. */
  readonly noun?: string
  /** What it makes was there before, and is gone with what it held. */
  readonly anew?: true
  /** What is lost or refused: completes "<rows> rows …". */
  readonly consequence?: string
  readonly advice?: string
  /** Outside a transaction, without stopping writes: indexes, and checks of what is already there. */
  readonly online?: boolean
  /**
   * How many of its statements, from the first on, do no harm to a version that is served meanwhile: all of them where
   * a step `adds`, else none, if absent.
   */
  readonly harmless?: number
  /** Those of its statements that do no harm need nothing of steps that do: they are taken before any of these. */
  readonly ahead?: true
  /** It can wait until no row stands in its way: a start and a person's word leave it until then, and do the rest. */
  readonly waits?: true
  /** It makes nothing possible and only something faster: it is taken when the catalog may be served already. */
  readonly behind?: true
  /** What takes back the statements that do no harm, where the plan is given up; each may run more than once. */
  readonly undo?: readonly Command[]
  /** Statements that are left when the catalog may be served already: they look through rows, or take away what helped. */
  readonly after?: readonly Command[]
  /** What gets another name by it. */
  readonly renames?: readonly Renaming[]
  /** It gives something a name that it had, or that the YAML gives the same thing now, and nobody said `renamed_from`. */
  readonly identified?: true
  /** Present names of the tables whose readers and writers wait while it does harm. */
  readonly locks?: readonly string[]
}

/** How many statements of a step do no harm to a version that is served meanwhile. */
export function harmlessCount({ effect, harmless, sql }: Step): number {
  return harmless ?? (effect === 'adds' ? sql.length : 0)
}

/** A step that adds something. */
export function adding(title: string, ...sql: readonly Command[]): Step {
  return { title, sql, risk: 'safe', effect: 'adds' }
}

/** A step that alters what is there and loses nothing. */
export function changing(title: string, ...sql: readonly Command[]): Step {
  return { title, sql, risk: 'safe', effect: 'changes' }
}

/** A step that alters nothing that a version relies on: indexes that only make it faster, and what a killed start left behind. */
export function tidying(title: string, ...sql: readonly Command[]): Step {
  return { ...changing(title, ...sql), harmless: sql.length }
}

/** The single key of a table by which its rows are read in batches. */
export function keyOf({ columns, primaryKey }: Table): Judging['key'] {
  const [name, ...others] = primaryKey
  const type = columns.find((column) => column.name === name)?.type
  return name === undefined || type === undefined || others.length > 0 ? undefined : { name, type }
}

/** A rename that nobody wrote: the database knows what the name stands for. */
export function identifying(step: Step, { name, until }: Identified): Step {
  const title =
    until === undefined
      ? `${step.title}, which holds the same`
      : `${step.title.replace(/ to (?=\S+$)/, ' back to ')}, its name until ${until} UTC`
  const advice = `start the files in which it is ${name}, or end the instances that serve them`
  const because = 'an instance serves it under the other name'
  return { ...step, title, effect: 'retypes', identified: true, because, advice }
}
