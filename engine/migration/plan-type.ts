/**
 * Plans another type of a column: in place where no row has to be rewritten, otherwise by a second column that replaces
 * it.
 */
import { quoted as q } from '../filter/sql.ts'
import { createIndex, dropForeignKey, dropIndex } from './ddl.ts'
import { obstacles } from './future-rows.ts'
import type { Renaming } from './names/kept-names.ts'
import { type Circumstances, isFilledAhead, keepsNames, type Pair } from './pair.ts'
import { addingColumn, settingAside } from './plan-add.ts'
import { batchesOf } from './plan-required.ts'
import { checkName, convertingName, quoteText } from './sql-name.ts'
import { type Command, type Concern, changing, type Step, statementsOf, tidying, type Work } from './step.ts'
import { type Column, isOver } from './table.ts'
import { rewrites, type TypeChange, typeChange } from './type-change.ts'

/** Whether a column changes its type by a second column that is filled while the first is served. */
export function isCopied({ actual, wanted }: Pair, column: Column, was: Column): boolean {
  if (was.type === column.type || was.generated !== undefined || column.generated !== undefined) return false
  const { kind } = typeChange(column.name, was.type, column.type)
  if (kind === 'apart' || !rewrites(was.type, column.type)) return false
  const isKey = wanted.primaryKey.length !== 1 || actual.primaryKey.length !== 1 || actual.primaryKey[0] === was.name
  return !isKey && !was.identity && !column.identity
}

/** The steps to another type; a column that starts without its values has several. */
export function changingType(pair: Pair, column: Column, was: Column, circumstances: Circumstances): readonly Step[] {
  const { wanted, actual } = pair
  const change = typeChange(column.name, was.type, column.type)
  const title = `change type of ${wanted.name}.${column.name} from ${was.type} to ${column.type}`
  if (change.kind === 'apart') {
    const fresh = { ...pair, actual: { ...actual, columns: actual.columns.filter((one) => one !== was) } }
    const quiet = { ...circumstances, present: { ...circumstances.present, setAside: [] } }
    const added = addingColumn(fresh, column, quiet).map(inTransaction)
    return [
      {
        ...settingAside(actual, wanted.name, { ...was, name: column.name }, circumstances, was.name),
        effect: 'retypes',
      },
      ...added,
    ]
  }
  const isCopy = isCopied(pair, column, was)
  // The second column needs the first one, and those from which it is filled.
  const isAhead = keepsNames(pair, [column.name]) && isFilledAhead(pair, column)
  const step: Step = isCopy
    ? { ...changing(title), ...copying(pair, column, was, change, circumstances, isAhead) }
    : changing(title, ...inPlace(pair, column, change.using))
  if (change.kind === 'free') {
    if (!isCopy) return [step]
    const question = `select count(${q(was.name)}) from ${q(actual.name)}`
    return [{ ...step, concern: { kind: 'counted', question, unit: 'changed row' } }]
  }
  const asked = obstacles(pair, change.misfit.replaceAll(q(column.name), q(was.name)), 'now')
  const { consequence } = change
  if (change.kind === 'checked')
    return [{ ...step, concern: { kind: 'obstacle', ...asked, consequence, advice: 'change those values first' } }]
  return [{ ...step, effect: 'retypes', concern: { ...asked, ...misfits(column, consequence) } }]
}

/** The same step for a column that replaces another one, so that nothing of it can run before the transaction. */
function inTransaction(step: Step): Step {
  const { work } = step
  if (work.kind !== 'prepared') return { ...step, effect: 'retypes' }
  const after = work.after === undefined ? {} : { after: work.after }
  return { ...step, effect: 'retypes', work: { kind: 'harmful', sql: statementsOf(step), ...after } }
}

/** The concern about values without a meaning in the new type. */
function misfits(column: Column, consequence: string): Extract<Concern, { readonly kind: 'loss' | 'obstacle' }> {
  if (column.fill !== undefined)
    return {
      kind: 'loss',
      consequence: `${consequence}; it becomes ${column.fillShown ?? column.fill}`,
      advice: 'the old values are kept, set aside with the date',
    }
  const fix = `correct those values first, or write what takes their place, \`backfill: <value>\``
  if (!column.nullable) return { kind: 'obstacle', consequence, advice: fix }
  return {
    kind: 'loss',
    consequence: `${consequence}; it becomes null`,
    advice: `${fix}; the old values are kept, set aside with the date`,
  }
}

function inPlace({ wanted }: Pair, column: Column, using: string): readonly string[] {
  const alter = `alter table ${q(wanted.name)} alter column ${q(column.name)}`
  const sql = [`${alter} drop default`, `${alter} type ${column.type} using ${using}`]
  return column.default === undefined ? sql : [...sql, `${alter} set default ${column.default}`]
}

/**
 * Trigger and function have the same name; the function's has the table in it, because functions are those of a schema.
 */
function names(table: string, column: string): { readonly next: string; readonly trigger: string } {
  const next = convertingName(column)
  return { next, trigger: checkName(table, column, 'converting') }
}

type Convertible = Exclude<TypeChange, { kind: 'apart' }>

/**
 * A second column of the new type: a trigger keeps it in step with the first one, batches fill it, its indexes are made,
 * and then it takes the name of the first in one short transaction. Values that the new ones do not contain are set aside.
 */
export function copying(
  pair: Pair,
  column: Column,
  was: Column,
  change: Convertible,
  circumstances: Circumstances,
  isAhead: boolean,
): Pick<Step, 'work' | 'renames'> {
  const table = q(pair.wanted.name)
  const { next, trigger } = names(pair.wanted.name, column.name)
  const value = nextValue(column, change)
  const copy = copyOf(pair, column.name, next, circumstances)
  const left = leave(pair, column, was, change, circumstances)
  const fits = change.kind === 'checked' ? [check(pair, column, 'fits', `not (${change.misfit})`)] : []
  const isRequired = !was.nullable && !column.nullable
  const required = isRequired ? [check(pair, column, 'required', `${q(next)} is not null`)] : []
  const stale = pair.actual.columns.find(({ name }) => name === convertingName(was.name))
  const again = stale !== undefined && stale.type !== column.type ? dropCopy(pair.wanted.name, column.name) : []
  const where = `${q(next)} is distinct from (${value})`
  const checks = [...fits, ...required]
  const filled: readonly Command[] = [
    ...again,
    `alter table ${table} add column if not exists ${q(next)} ${column.type}`,
    { together: [...mirror(pair.wanted.name, column.name, value)] },
    batchesOf(pair, next, { value: `(${value})`, where }) ?? `update ${table} set ${q(next)} = ${value} where ${where}`,
  ]
  const ahead = [...filled, ...copy.make]
  const sql: readonly Command[] = [
    ...checks.flatMap(({ add }) => add),
    ...checks.map(({ validate }) => validate),
    {
      together: [
        `drop trigger if exists ${q(trigger)} on ${table}`,
        `drop function if exists ${q(trigger)}()`,
        ...copy.drop,
        ...left.sql,
        `alter table ${table} rename column ${q(next)} to ${q(column.name)}`,
        ...(column.default === undefined
          ? []
          : [`alter table ${table} alter column ${q(column.name)} set default ${column.default}`]),
        ...(isRequired ? [`alter table ${table} alter column ${q(column.name)} set not null`] : []),
        ...checks.map(({ drop }) => drop),
        ...copy.rename,
      ],
    },
  ]
  const undo = [{ together: dropCopy(pair.wanted.name, column.name) }, ...checks.map(({ drop }) => drop)]
  const work: Work = isAhead ? { kind: 'prepared', ahead, undo, sql } : { kind: 'harmful', sql: [...ahead, ...sql] }
  return { work, renames: left.renames }
}

/** SQL of the new value; a value without a meaning in the new type becomes what the YAML says. */
function nextValue(column: Column, change: Convertible): string {
  if (change.kind === 'checked') return `case when not (${change.misfit}) then ${change.using} end`
  if (change.kind === 'free' || column.fill === undefined) return change.using
  return `case when ${q(column.name)} is not null then coalesce(${change.using}, ${column.fill}::${column.type}) end`
}

interface Check {
  readonly add: readonly string[]
  readonly validate: string
  readonly drop: string
}

function check({ wanted }: Pair, column: Column, why: 'fits' | 'required', condition: string): Check {
  const table = q(wanted.name)
  const name = q(checkName(wanted.name, column.name, why))
  return {
    add: [
      `alter table ${table} drop constraint if exists ${name}`,
      `alter table ${table} add constraint ${name} check (${condition}) not valid`,
    ],
    validate: `alter table ${table} validate constraint ${name}`,
    drop: `alter table ${table} drop constraint if exists ${name}`,
  }
}

/** A trigger that gives the second column its value at every write. */
function mirror(table: string, column: string, value: string): readonly string[] {
  const { next, trigger } = names(table, column)
  // The table may have a column with the name of a variable.
  const body = `#variable_conflict use_column
begin new.${q(next)} := (select ${value} from (select new.*) as written); return new; end`
  return [
    `create or replace function ${q(trigger)}() returns trigger language plpgsql as ${quoteText(body)}`,
    `create or replace trigger ${q(trigger)} before insert or update on ${q(table)} for each row execute function ${q(trigger)}()`,
  ]
}

/** Drops the first column where all its values are in the second, and sets it aside otherwise. */
function leave(
  pair: Pair,
  column: Column,
  was: Column,
  change: Convertible,
  circumstances: Circumstances,
): { readonly sql: readonly string[]; readonly renames: readonly Renaming[] } {
  const { name } = pair.wanted
  if (change.kind !== 'converted') {
    const sql = [dropForeignKey(name, column.name), `alter table ${q(name)} drop column ${q(column.name)}`]
    return { sql, renames: [] }
  }
  const aside = settingAside(pair.actual, name, { ...was, name: column.name }, circumstances, was.name)
  const renames = (aside.renames ?? []).map((one): Renaming => ({ ...one, removed: 'copied' }))
  return { sql: aside.work.sql, renames }
}

interface Copy {
  readonly make: readonly string[]
  readonly drop: readonly string[]
  readonly rename: readonly string[]
}

/**
 * Indexes over the second column, made while the first is served, which then take the names of those over the first.
 */
function copyOf({ wanted, actual }: Pair, column: string, next: string, { concurrently }: Circumstances): Copy {
  const concerned = actual.indexes.filter((index) => isOver(index, column))
  const kept = wanted.indexes.filter(
    (index) =>
      index.kind !== 'overlap' && concerned.some(({ name, unique }) => name === index.name && unique === index.unique),
  )
  const made = kept.map((index) => ({ index, name: convertingName(index.name) }))
  const moved = (text: string) => text.replaceAll(q(column), q(next))
  return {
    make: made.flatMap(({ index, name }) => {
      const columns = index.columns.map((one) => (one === column ? next : one))
      const where = index.where === undefined ? undefined : moved(index.where)
      return createIndex(wanted.name, { ...index, name, columns, where }, concurrently, index.where)
    }),
    drop: concerned.map((index) => dropIndex(wanted.name, index, false)),
    rename: made.map(({ index, name }) => `alter index ${q(name)} rename to ${q(index.name)}`),
  }
}

function dropCopy(table: string, column: string): readonly string[] {
  const { next, trigger } = names(table, column)
  return [
    `drop trigger if exists ${q(trigger)} on ${q(table)}`,
    `drop function if exists ${q(trigger)}()`,
    `alter table ${q(table)} drop column if exists ${q(next)}`,
  ]
}

/** Drops second columns of a change that was given up before they were whole; `kept` are still wanted. */
export function droppingCopies({ actual, wanted }: Pair, kept: ReadonlySet<string>): readonly Step[] {
  const present = new Set(actual.columns.map(({ name }) => name))
  const left = actual.columns.filter(({ name }) => present.has(convertingName(name)) && !kept.has(name))
  return left.map((was) => {
    const sql = dropCopy(actual.name, was.name).map((text) =>
      text.replaceAll(`on ${q(actual.name)}`, `on ${q(wanted.name)}`),
    )
    return tidying(`drop what was left of another type of ${wanted.name}.${was.name}`, ...sql)
  })
}
