/** Plans sequences and the columns that they number. */
import { quoted as q } from '../filter/sql.ts'
import { columnSql, sequenceIn } from './ddl.ts'
import { quoteText } from './name.ts'
import { isAddedAhead, isNew, type Pair, presentColumn } from './pair.ts'
import { requiring } from './plan-required.ts'
import { adding, changing, type Step } from './step.ts'
import type { Column, Present, Table } from './table.ts'

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

/** Gives a sequence its name; the default of its column follows by itself. */
function renamingSequence(to: string, from: string): Step {
  return changing(`rename sequence ${from} to ${to}`, `alter sequence ${q(from)} rename to ${q(to)}`)
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

/** Digits that are a number of 64 bits, as a column holds them. */
const NUMBER = '^[0-9]{1,18}$'

/** SQL of the greatest number that a sequence has given. */
const GIVEN = 'case when s.is_called then s.last_value else s.last_value - 1 end'

function isNumber(column: string): string {
  return `${q(column)}::text ~ '${NUMBER}'`
}

/** Lets a sequence go on above the numbers that a column holds, where it is not above them already. */
function goOnAbove(table: string, column: string, sequence: string): string {
  const held = `select max(${q(column)}::text::bigint) as top from ${q(table)} where ${isNumber(column)}`
  return `select setval(${quoteText(q(sequence))}, top) from (${held}) held, ${q(sequence)} s where top > ${GIVEN}`
}

/** What a column of numbers needs before the database gives them: a sequence that repeats none of those that are there. */
export function numbersFrom(pair: Pair, column: Column, was: Column): readonly Step[] {
  const { actual, wanted } = pair
  const [sequence, before] = [column, was].map((one) => sequenceIn(one.default))
  if (sequence === undefined) return []
  const above = goOnAbove(wanted.name, column.name, sequence)
  if (before === undefined) {
    const title = `begin ${sequence} above the numbers in ${wanted.name}.${column.name}`
    const question = `select count(*) from ${q(actual.name)} where ${isNumber(was.name)}`
    // In front of the default, so that no number is given that a row has.
    return [{ ...changing(title, above), question, tally: 'value', effect: isNew(pair, column) ? 'adds' : 'changes' }]
  }
  const start = wanted.sequences.find(({ name }) => name === sequence)?.start
  const earlier = actual.sequences.find(({ name }) => name === before)?.start
  if (start === undefined || earlier === undefined || start === earlier) return []
  const next = start > earlier ? `its next number is at least ${start}` : 'it goes on where it is'
  const restart = `select setval(${quoteText(q(sequence))}, ${start}, false) from ${q(sequence)} s where ${start} > ${GIVEN} + 1`
  const sql = [`alter sequence ${q(sequence)} start with ${start}`, restart, above]
  return [changing(`let ${sequence} start at ${start}, not at ${earlier}: ${next}`, ...sql)]
}

/** Adds a column of numbers: without them at first, because PostgreSQL would number the rows in the order in which they lie. */
export function addingNumbers(pair: Pair, column: Column): readonly Step[] {
  const bare = { ...column, nullable: true, default: undefined }
  const title = `add column ${pair.wanted.name}.${column.name} (${column.type})`
  const added = adding(title, `alter table ${q(pair.wanted.name)} add column ${columnSql(bare)}`)
  const undo = [`alter table ${q(pair.wanted.name)} drop column if exists ${q(column.name)}`]
  const ahead = isAddedAhead(pair, column) ? { ahead: true as const, undo } : {}
  const numbering = requiring(pair, column, undefined)
  return [added, ...numbering].map((step) => ({ ...step, ...ahead }))
}
