/** Plans columns that the database computes: they are made anew when what they come from changes, which loses nothing that anybody wrote. */
import { quoted as q } from '../filter/sql.ts'
import { columnSql, markComputed } from './ddl.ts'
import { type Pair, presentColumn } from './pair.ts'
import { changing, type Step } from './step.ts'
import type { Column } from './table.ts'
import { typeChange } from './type-change.ts'

/** Whether a column that was written becomes one that is computed, so that its values are set aside. */
export function startsComputed(was: Column | undefined, column: Column): boolean {
  return was !== undefined && was.generated === undefined && column.generated !== undefined
}

/** Whether a column that is computed has to be computed again. */
export function isComputedAnew(pair: Pair, column: Column): boolean {
  const was = presentColumn(pair, column)
  if (was?.generated === undefined || column.generated === undefined) return false
  const isSame = was.generated === column.generated && was.type === column.type && was.name === column.name
  return !isSame || isBelowMoved(pair, column)
}

/** Whether a computed column names one that gets another type or name, so that it must go before. */
function isBelowMoved(pair: Pair, column: Column): boolean {
  const was = presentColumn(pair, column)
  return was !== undefined && namesIn(was).some((name) => isMoved(pair, name))
}

/** The columns that a computed one may name: what stands in quotes. */
function namesIn({ generated = '' }: Column): readonly string[] {
  return [...generated.matchAll(/"((?:[^"]|"")+)"/g)].map((match) => (match[1] ?? '').replaceAll('""', '"'))
}

/** Whether a column gets another type, or another one its name: PostgreSQL lets neither happen below a computed column. */
function isMoved(pair: Pair, name: string): boolean {
  const column = pair.wanted.columns.find((one) => one.name === name)
  const was = column && presentColumn(pair, column)
  return was !== undefined && (was.name !== name || was.type !== column?.type || startsComputed(was, column))
}

/** What goes before anything else of the table changes: columns that are computed again, and those that nobody wants and that are in the way. */
export function droppedFirst(pair: Pair, gone: readonly Column[]): readonly Column[] {
  const anew = pair.wanted.columns
    .filter((column) => isComputedAnew(pair, column) && isBelowMoved(pair, column))
    .map((column) => presentColumn(pair, column)!)
  const inTheWay = gone.filter(
    (column) => column.generated !== undefined && namesIn(column).some((name) => isMoved(pair, name)),
  )
  return [...anew, ...inTheWay]
}

/** A column that is computed takes no value of anybody's along. */
export function dropping(table: string, { name }: Column): Step {
  const title = `drop column ${table}.${name}, which is computed`
  return { ...changing(title, `alter table ${q(table)} drop column ${q(name)}`), effect: 'retypes' }
}

/** Adds a computed column: for every row at once, and not where a row has a value that it could not hold. */
export function computing(pair: Pair, column: Column, effect: Step['effect']): readonly Step[] {
  const { wanted, actual } = pair
  const again = isComputedAnew(pair, column)
  const before = again && !isBelowMoved(pair, column) ? dropping(wanted.name, presentColumn(pair, column)!).sql : []
  const sql = [
    ...before,
    `alter table ${q(wanted.name)} add column ${columnSql(column)}`,
    ...markComputed(wanted.name, column),
  ]
  const step: Step = {
    ...changing(`compute column ${wanted.name}.${column.name} (${column.type})${again ? ' again' : ''}`, ...sql),
    effect,
    question: `select count(*) from ${q(actual.name)}`,
    tally: 'row',
  }
  const sources = namesIn(column).map((name) => wanted.columns.find((one) => one.name === name))
  const canBeAsked = sources.every((one) => one !== undefined && readable(presentColumn(pair, one), one))
  if (column.fits === undefined || !canBeAsked) return [step]
  return [
    {
      ...changing(`find room in ${wanted.name}.${column.name} for what is computed`),
      risk: 'blocked',
      effect,
      question: `select count(*) from ${q(actual.name)} where not (${column.fits})`,
      consequence: `have a value that does not fit into ${column.type} as the field says`,
      advice: 'give the field more room, or change what it is computed from',
    },
    step,
  ]
}

/** Whether the values of a column can be read now as they will be. */
function readable(was: Column | undefined, column: Column): boolean {
  if (was === undefined || was.name !== column.name) return false
  return was.type === column.type || typeChange(was.name, was.type, column.type).kind === 'free'
}

/** A column that was computed is written from now on, beginning with the values that it has. */
export function keepingComputed(table: string, { name }: Column): Step {
  const alter = `alter table ${q(table)} alter column ${q(name)} drop expression`
  const comment = `comment on column ${q(table)}.${q(name)} is null`
  return {
    ...changing(`keep the values of ${table}.${name}, which is computed no longer`, alter, comment),
    effect: 'retypes',
  }
}
