/**
 * Plans columns that the database computes: they are made again when their sources change, and nothing that people
 * wrote is lost.
 */
import { quoted as q } from '../filter/sql.ts'
import { columnSql, markComputed } from './ddl.ts'
import { obstacles } from './future-rows.ts'
import { type Circumstances, isBelowMoved, isComputedAnew, isOverMoved, type Pair, presentColumn } from './pair.ts'
import { adding, asking, type Concern, changing, type Effect, type Step } from './step.ts'
import { type Column, dependentsOf } from './table.ts'

/** The computed columns that go first: those that are computed again, and unwanted ones that are in the way. */
export function droppedFirst(pair: Pair, gone: readonly Column[]): readonly Column[] {
  const anew = pair.wanted.columns
    .filter((column) => isComputedAnew(pair, column) && isBelowMoved(pair, column))
    .map((column) => presentColumn(pair, column)!)
  const inTheWay = gone.filter((column) => column.generated !== undefined && isOverMoved(pair, column))
  return [...anew, ...inTheWay]
}

/** Blocks a step until a person has dropped the views and the like that others made. */
export function blockedBy(dependents: readonly string[]): Extract<Concern, { readonly kind: 'obstacle' }> {
  const [one, ...others] = dependents
  const [verb, what, it] = others.length === 0 ? ['depends', one, 'it'] : ['depend', 'them', 'them']
  return {
    kind: 'obstacle',
    because: `${dependents.join(', ')} ${verb} on it`,
    advice: `drop ${what} before, and make ${it} again behind the change`,
  }
}

/** Drops a computed column, which holds no values of people, unless something that others made depends on it. */
export function dropping({ actual, wanted }: Pair, { name }: Column, { present }: Circumstances): Step {
  const title = `drop column ${wanted.name}.${name}, which is computed`
  const drop = droppingSql(wanted.name, name)
  const dependents = dependentsOf(present.dependents, actual.name, name)
  const step: Step = { ...changing(title, drop), effect: 'retypes' }
  return dependents.length === 0 ? step : { ...step, concern: blockedBy(dependents) }
}

function droppingSql(table: string, name: string): string {
  return `alter table ${q(table)} drop column ${q(name)}`
}

/** Adds a computed column: for every row at once, and not where a row has a value that it could not hold. */
export function computing(pair: Pair, column: Column, effect: Effect): readonly Step[] {
  const { wanted, actual } = pair
  const again = isComputedAnew(pair, column)
  const before =
    again && !isBelowMoved(pair, column) ? [droppingSql(wanted.name, presentColumn(pair, column)!.name)] : []
  const sql = [
    ...before,
    `alter table ${q(wanted.name)} add column ${columnSql(column)}`,
    ...markComputed(wanted.name, column),
  ]
  const title = `compute column ${wanted.name}.${column.name} (${column.type})${again ? ' again' : ''}`
  const step: Step = {
    ...(effect === 'adds' ? adding(title, ...sql) : changing(title, ...sql)),
    effect,
    concern: { kind: 'counted', question: `select count(*) from ${q(actual.name)}`, unit: 'row' },
  }
  if (column.fits === undefined) return [step]
  return [
    asking(`find room in ${wanted.name}.${column.name} for what is computed`, effect, {
      kind: 'obstacle',
      ...obstacles(pair, `not (${column.fits})`),
      consequence: `have a value that does not fit into ${column.type} as the field says`,
      advice: 'give the field more room, or change what it is computed from',
    }),
    step,
  ]
}

/** Turns a computed column into a written one, which begins with its present values. */
export function keepingComputed(table: string, { name }: Column): Step {
  const alter = `alter table ${q(table)} alter column ${q(name)} drop expression`
  const comment = `comment on column ${q(table)}.${q(name)} is null`
  return {
    ...changing(`keep the values of ${table}.${name}, which is computed no longer`, alter, comment),
    effect: 'retypes',
  }
}
