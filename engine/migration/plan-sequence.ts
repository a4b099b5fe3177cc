/** Plans sequences and the columns that they number. */
import { quoted as q } from '../filter/sql.ts'
import { columnSql, sequenceIn } from './ddl.ts'
import { addedWhen, isAddedAhead, isNew, type Pair, presentColumn } from './pair.ts'
import { requiring } from './plan-required.ts'
import { quoteText } from './sql-name.ts'
import { adding, changing, type Step, withoutHarm } from './step.ts'
import type { Column, Present, Table } from './table.ts'

/** Creates or renames the sequences that are missing; `renamed` maps the later name to the earlier one. */
export function sequenceSteps(
  wanted: readonly Table[],
  present: Present,
  renamed: ReadonlyMap<string, string>,
): readonly Step[] {
  const known = new Set(present.tables.flatMap((table) => table.sequences.map((sequence) => sequence.name)))
  return wanted.flatMap((table) =>
    table.sequences
      .filter((sequence) => !known.has(sequence.name))
      .map(({ name, start }): Step => {
        const before = renamed.get(name)
        if (before !== undefined && known.has(before)) return renamingSequence(name, before)
        // Ahead, because a column that is added ahead may begin with its numbers.
        const ahead = [`create sequence if not exists ${q(name)} start with ${start}`]
        const undo = [`drop sequence if exists ${q(name)}`]
        return { ...adding(`create sequence ${name} from ${start}`), work: { kind: 'prepared', ahead, undo, sql: [] } }
      }),
  )
}

/** Gives a sequence its name; the default of its column follows by itself. */
function renamingSequence(to: string, from: string): Step {
  return changing(`rename sequence ${from} to ${to}`, `alter sequence ${q(from)} rename to ${q(to)}`)
}

/** Sequences that get another name and keep their numbers: the later name → the earlier one. */
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

/** Digits of a number that 64 bits can hold. */
const NUMBER = '^[0-9]{1,18}$'

/** SQL of the greatest number that a sequence has given. */
const GIVEN = 'case when s.is_called then s.last_value else s.last_value - 1 end'

function isNumber(column: string): string {
  return `${q(column)}::text ~ '${NUMBER}'`
}

/** Sets a sequence above the numbers that a column holds, unless it is above them already. */
function goOnAbove(table: string, column: string, sequence: string): string {
  const held = `select max(${q(column)}::text::bigint) as top from ${q(table)} where ${isNumber(column)}`
  return `select setval(${quoteText(q(sequence))}, top) from (${held}) held, ${q(sequence)} s where top > ${GIVEN}`
}

/** Starts the sequence of a column above the numbers that the column holds. */
export function numbersFrom(pair: Pair, column: Column, was: Column): readonly Step[] {
  const { actual, wanted } = pair
  const [sequence, before] = [column, was].map((one) => sequenceIn(one.default))
  if (sequence === undefined) return []
  const above = goOnAbove(wanted.name, column.name, sequence)
  if (before === undefined) {
    // Before the default, so that no number is given twice.
    const title = `begin ${sequence} above the numbers in ${wanted.name}.${column.name}`
    const question = `select count(*) from ${q(actual.name)} where ${isNumber(was.name)}`
    const step: Step = { ...changing(title, above), concern: { kind: 'counted', question, unit: 'value' } }
    return [isNew(pair, column) ? withoutHarm(step) : step]
  }
  const start = wanted.sequences.find(({ name }) => name === sequence)?.start
  const earlier = actual.sequences.find(({ name }) => name === before)?.start
  if (start === undefined || earlier === undefined || start === earlier) return []
  const next = start > earlier ? `its next number is at least ${start}` : 'it goes on where it is'
  const restart = `select setval(${quoteText(q(sequence))}, ${start}, false) from ${q(sequence)} s where ${start} > ${GIVEN} + 1`
  const sql = [`alter sequence ${q(sequence)} start with ${start}`, restart, above]
  return [changing(`let ${sequence} start at ${start}, not at ${earlier}: ${next}`, ...sql)]
}

/** Adds a numbered column, empty at first, because PostgreSQL would number the rows in their physical order. */
export function addingNumbers(pair: Pair, column: Column): readonly Step[] {
  const bare = { ...column, nullable: true, default: undefined }
  const title = `add column ${pair.wanted.name}.${column.name} (${column.type})`
  const added = adding(title, `alter table ${q(pair.wanted.name)} add column ${columnSql(bare)}`)
  const isAhead = isAddedAhead(pair, column)
  return [added, ...requiring(pair, column, undefined)].map((step) => addedWhen(step, isAhead, pair, column))
}
