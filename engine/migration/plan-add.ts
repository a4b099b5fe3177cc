/** Plans columns that are added to a present table, or set aside in it. */
import { quoted as q } from '../filter/sql.ts'
import { columnSql, dropForeignKey, sequenceIn } from './ddl.ts'
import { addedWhen, type Circumstances, isAddedAhead, isFilledAhead, type Pair, presentColumn } from './pair.ts'
import { mistakenRename } from './plan-notices.ts'
import { backfillAdvice, requiring } from './plan-required.ts'
import { addingNumbers } from './plan-sequence.ts'
import { asideName } from './sql-name.ts'
import { adding, type Concern, type Step, type Work } from './step.ts'
import { type Column, dependentsOf, type Table } from './table.ts'

/** Adds a column, and gives the rows that are there their values. */
export function addingColumn(pair: Pair, column: Column, circumstances: Circumstances): readonly Step[] {
  const { wanted, actual } = pair
  const sql = `alter table ${q(wanted.name)} add column ${columnSql(column)}`
  const step = adding(`add column ${wanted.name}.${column.name} (${column.type})`, sql)
  if (column.fill !== undefined) return addingFilled(pair, column)
  if (sequenceIn(column.default) !== undefined) return addingNumbers(pair, column)
  if (!column.nullable && column.default === undefined && !column.identity) {
    const concern: Concern = {
      kind: 'obstacle',
      question: `select count(*) from ${q(actual.name)}`,
      consequence: 'would have no value in a required field',
      advice: backfillAdvice(pair, column),
    }
    // Harmful, because the version before would give the column no value.
    return [{ ...step, work: { kind: 'harmful', sql: [sql] }, concern }]
  }
  const concern = mistaken(pair, column, circumstances) ?? leavingAside(pair, column, circumstances) ?? step.concern
  return [{ ...addedWhen(step, isAddedAhead(pair, column), pair, column), concern }]
}

/** Adds a column with a backfill: a fixed value at once, a computed one in batches. */
function addingFilled(pair: Pair, column: Column): readonly Step[] {
  const { wanted, actual } = pair
  const alter = `alter table ${q(wanted.name)} alter column ${q(column.name)}`
  const after = `${alter} ${column.default === undefined ? 'drop default' : `set default ${column.default}`}`
  const title = `add column ${wanted.name}.${column.name} (${column.type})`
  if (column.fillReads !== undefined) {
    const bare = { ...column, nullable: true, default: undefined }
    const add = `alter table ${q(wanted.name)} add column if not exists ${columnSql(bare)}`
    const step = column.default === undefined ? adding(title, add) : adding(title, add, after)
    return [addedWhen(step, isFilledAhead(pair, column), pair, column), ...requiring(pair, column, undefined)]
  }
  const filled = columnSql({ ...column, default: column.fill })
  const isOther = column.fill !== column.default
  const sql = [`alter table ${q(wanted.name)} add column ${filled}`, after]
  // Without a default, the version before would give the column no value.
  const work: Work = { kind: column.default === undefined ? 'harmful' : 'harmless', sql }
  if (!isOther) return [{ ...adding(title), work }]
  const question = `select count(*) from ${q(actual.name)}`
  return [
    { ...adding(`${title} with ${column.fill}`), work, concern: { kind: 'counted', question, unit: 'changed row' } },
  ]
}

/** Values that were set aside under the name of a new column and cannot be read as its type. */
function leavingAside({ actual }: Pair, column: Column, { present }: Circumstances): Concern | undefined {
  const old = present.setAside.filter((one) => one.table === actual.name && one.column === column.name).at(-1)
  if (old === undefined || !('type' in old.content)) return undefined
  return {
    kind: 'loss',
    question: `select count(${q(old.name)}) from ${q(actual.name)}`,
    consequence: `have a value in ${old.name} that does not come back: it was ${old.content.type}`,
    advice: 'give the field the type that it had, or another name',
  }
}

/** A new column whose `renamed_from` names no column. */
function mistaken(pair: Pair, column: Column, circumstances: Circumstances): Concern | undefined {
  const gone = goneColumns(pair, circumstances).map(({ name }) => name)
  return mistakenRename(column.renamedFrom, gone, () => ({
    question: `select count(*) from ${q(pair.actual.name)}`,
    consequence: `would have no value in it: there is no column ${column.renamedFrom} to rename`,
  }))
}

/** Columns of the engine's own that the YAML no longer names. */
export function goneColumns(pair: Pair, { present }: Circumstances): readonly Column[] {
  const { wanted, actual } = pair
  const owned = present.owned.get(actual.name)
  const kept = new Set(wanted.columns.map((column) => presentColumn(pair, column)?.name))
  return actual.columns.filter((column) => !kept.has(column.name) && owned?.has(column.name))
}

/** A step that sets something aside. */
type AsideStep = Step & {
  readonly work: { readonly kind: 'harmful'; readonly sql: readonly string[] }
  readonly concern: Extract<Concern, { readonly kind: 'loss' }>
}

/**
 * Renames a column with the date and drops all that new rows would have to fulfil; `was` is its name before the plan.
 */
export function settingAside(
  table: Table,
  shown: string,
  column: Column,
  { present, day }: Circumstances,
  was = column.name,
): AsideStep {
  const taken = new Set([...table.columns, ...present.setAside].map((named) => named.name))
  const name = asideName(column.name, day, taken)
  const alter = `alter table ${q(shown)}`
  const readers = dependentsOf(present.dependents, table.name, was)
  const sql = [
    dropForeignKey(shown, column.name),
    ...(column.identity ? [`${alter} alter column ${q(column.name)} drop identity`] : []),
    `${alter} alter column ${q(column.name)} drop default, alter column ${q(column.name)} drop not null`,
    `${alter} rename column ${q(column.name)} to ${q(name)}`,
  ]
  return {
    title: `set aside column ${shown}.${column.name} as ${name}`,
    effect: 'removes',
    renames: [{ table: shown, column: column.name, to: name, removed: true }],
    work: { kind: 'harmful', sql },
    concern: {
      kind: 'loss',
      question: `select count(${q(was)}) from ${q(table.name)}`,
      consequence: `have a value in it, kept but no longer served${readers.length === 0 ? '' : `; ${readers.join(', ')} would go on with it`}`,
      advice: `plinth restore-field ${shown}.${column.name} brings it back`,
    },
  }
}
