/** Plans what keeps its content under another name: indexes and sequences of tables and columns that were renamed; and new sequences. */
import { quoted as q } from '../filter/sql.ts'
import { MARK } from './inspect.ts'
import { namedIndex, quoteText, withNames } from './name.ts'
import type { Identified } from './names.ts'
import { type Pair, presentColumn } from './pair.ts'
import { adding, changing, type Step, tidying } from './step.ts'
import { onlySpeeds, type Present, type Table, type TableIndex } from './table.ts'

/** An index that is there, and the wanted one that it is under present names. */
export interface RenamedIndex {
  readonly from: TableIndex
  readonly to: TableIndex
}

/** Whether an index holds what one of its kind holds now: over an expression of before it is of no use to a search. */
function isOfNow(table: string, { name, ...index }: TableIndex): boolean {
  return index.kind === 'btree' || index.kind === 'overlap' || namedIndex(table, index).name === name
}

/** The indexes that only need another name: over the same columns, for the same rows. */
export function renamedIndexes(
  pair: Pair,
  gone: readonly TableIndex[],
  added: readonly TableIndex[],
): readonly RenamedIndex[] {
  const later = new Map(
    pair.wanted.columns.flatMap((column): (readonly [string, string])[] => {
      const was = presentColumn(pair, column)
      return was === undefined || was.name === column.name ? [] : [[was.name, column.name]]
    }),
  )
  if (later.size === 0 && pair.wanted.name === pair.actual.name) return []
  const present = (name: string) => later.get(name) ?? name
  const whereOf = ({ where }: TableIndex) => (where === undefined ? undefined : withNames(where, later))
  const left = new Set(added)
  return gone.flatMap((from): readonly RenamedIndex[] => {
    const columns = from.columns.map(present).join()
    const to = [...left].find(
      (one) =>
        one.kind === from.kind &&
        isOfNow(pair.actual.name, from) &&
        one.language === from.language &&
        one.unique === from.unique &&
        one.columns.join() === columns &&
        one.where === whereOf(from),
    )
    if (to === undefined) return []
    left.delete(to)
    return [{ from, to }]
  })
}

/** Gives an index its name, and the mark of the predicate as it is written now. */
export function renamingIndex({ wanted }: Pair, { from, to }: RenamedIndex): Step {
  const rename =
    to.kind === 'overlap'
      ? `alter table ${q(wanted.name)} rename constraint ${q(from.name)} to ${q(to.name)}`
      : `alter index ${q(from.name)} rename to ${q(to.name)}`
  const mark = to.where === undefined ? MARK : `${MARK}: ${to.where}`
  const comment = `comment on index ${q(to.name)} is ${quoteText(mark)}`
  const title = `rename index on ${wanted.name} (${to.columns.join(', ')})`
  return onlySpeeds(to) ? { ...tidying(title, rename, comment), behind: true } : changing(title, rename, comment)
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

/** The sequence that gives a column its default. */
export function sequenceIn(value: string | undefined): string | undefined {
  return /^nextval\('"?([^'"]+)"?'\)::text$/.exec(value ?? '')?.[1]
}

/** Sequences that go on under another name: their numbers must not begin anew. Gives the later name → the earlier one. */
export function renamedSequences(pairs: readonly Pair[]): ReadonlyMap<string, string> {
  return new Map(
    pairs.flatMap((pair) =>
      pair.wanted.columns.flatMap((column): (readonly [string, string])[] => {
        const [before, now] = [presentColumn(pair, column)?.default, column.default].map(sequenceIn)
        return before === undefined || now === undefined || before === now ? [] : [[now, before]]
      }),
    ),
  )
}

/** Gives a sequence its name; the default of its column follows by itself. */
function renamingSequence(to: string, from: string): Step {
  return changing(`rename sequence ${from} to ${to}`, `alter sequence ${q(from)} rename to ${q(to)}`)
}

/** Sequences that are not there under their names; `renamed` gives the later name → the earlier one. */
export function sequenceSteps(
  wanted: readonly Table[],
  present: Present,
  renamed: ReadonlyMap<string, string>,
): readonly Step[] {
  const known = new Set(present.tables.flatMap((table) => table.sequences.map((sequence) => sequence.name)))
  return wanted.flatMap((table) =>
    table.sequences
      .filter((sequence) => !known.has(sequence.name))
      .map(({ name, start }) => {
        const before = renamed.get(name)
        if (before !== undefined && known.has(before)) return renamingSequence(name, before)
        const made = adding(
          `create sequence ${name} from ${start}`,
          `create sequence if not exists ${q(name)} start with ${start}`,
        )
        // A column that is added ahead may begin with its numbers.
        return { ...made, ahead: true as const, undo: [`drop sequence if exists ${q(name)}`] }
      }),
  )
}
