/** Plans the references of one present table. */
import { quoted as q } from '../filter/sql.ts'
import { addForeignKey, dropForeignKey, dropUnchecked, validateForeignKey } from './ddl.ts'
import { futureRows, obstacles, type Questions } from './future-rows.ts'
import { effectOn, isSettled, nameNow, type Pair, presentColumn, startsAnew } from './pair.ts'
import { adding, asking, changing, type Step } from './step.ts'
import type { ForeignKey, Present } from './table.ts'

/**
 * Ids of another table: `column` is the present name of the relation's column, `before` the table that its ids come
 * from.
 */
function anotherTarget(pair: Pair, key: ForeignKey, column: string, before: string): readonly Step[] {
  const { name, columns } = pair.wanted
  const clear = columns.find((one) => one.name === key.column)?.nullable === true ? 'clear them first, or give' : 'give'
  return [
    asking(`lead ${name}.${key.column} to ${key.table} instead of ${before}`, 'changes', {
      kind: 'obstacle',
      ...obstacles(pair, `${q(column)} is not null`, 'now'),
      consequence: `have the id of a record of ${before}, which means another record in ${key.table}`,
      advice: `${clear} the relation another name: it then begins empty, and \`backfill: { <field>: <value> }\` says which record they get`,
    }),
  ]
}

/** Rows that would point at no record; undefined for a column that is only added. */
function orphans(pair: Pair, key: ForeignKey, target: Pair | undefined): Questions | undefined {
  const column = pair.wanted.columns.find(({ name }) => name === key.column)
  if (nameNow(pair, key.column) === undefined && column?.fill === undefined) return undefined
  const isSet = `t.${q(key.column)} is not null`
  if (target === undefined) return obstacles(pair, isSet)
  const id = q(target.wanted.primaryKey[0] ?? 'id')
  const none = `not exists (select 1 from ${futureRows(target)} o where o.${id} = t.${q(key.column)})`
  return obstacles(pair, `${isSet} and ${none}`)
}

/** Links of a table that is brought back, to records that were deleted in between: they would have gone with these. */
function forgotten({ wanted: { name } }: Pair, key: ForeignKey, { wanted }: Pair, { question }: Questions): Step {
  const [column, id] = [q(key.column), q(wanted.primaryKey[0] ?? 'id')]
  const gone = `not exists (select 1 from ${q(wanted.name)} o where o.${id} = t.${column})`
  return {
    ...adding(`take links to deleted ${key.table} out of ${name}`, `delete from ${q(name)} t where ${gone}`),
    about: { table: name, column: key.column },
    concern: { kind: 'counted', question, unit: 'row', onlyWithRows: true },
  }
}

function referring(pair: Pair, key: ForeignKey, target: Pair | undefined): readonly Step[] {
  const { name } = pair.wanted
  const effect = effectOn(pair, [key.column])
  const sql = [dropUnchecked(name, key), addForeignKey(name, key), validateForeignKey(name, key)]
  const title = `reference ${name}.${key.column} to ${key.table}`
  const step: Step = {
    ...(effect === 'adds' ? adding(title, ...sql) : changing(title, ...sql)),
    about: { table: name, column: key.column },
    // The table that the reference leads to waits too.
    ...(target === undefined ? {} : { locks: [target.actual.name] }),
  }
  const question = orphans(pair, key, target)
  if (question !== undefined && target !== undefined && pair.back && pair.wanted.joins)
    return [forgotten(pair, key, target, question), step]
  if (question !== undefined) {
    const advice = 'clear them, or point them at records that exist'
    const consequence = `point at no record of ${key.table}`
    return [{ ...step, concern: { kind: 'obstacle', ...question, consequence, advice } }]
  }
  const isAlone = target !== undefined && isSettled(target, target.wanted.primaryKey) && isSettled(pair, [key.column])
  if (!isAlone || effect !== 'adds') return [step]
  return [{ ...step, work: { kind: 'prepared', ahead: sql, undo: [dropUnchecked(name, key)], sql: [] } }]
}

/** The steps of one table's references; `pairs` are all tables that are there, by their wanted names. */
export function planReferences(pair: Pair, pairs: ReadonlyMap<string, Pair>, { meanings }: Present): readonly Step[] {
  const { wanted, actual } = pair
  const steps: Step[] = []
  const target = (key: ForeignKey) => pairs.get(key.table)
  const presentName = (key: ForeignKey) => target(key)?.actual.name ?? key.table
  for (const key of wanted.foreignKeys) {
    const column = wanted.columns.find((other) => other.name === key.column)
    const was = column && presentColumn(pair, column)
    const old = actual.foreignKeys.find((other) => other.column === was?.name)
    const isSame = old?.table === presentName(key) && old.onDelete === key.onDelete
    // A column that starts without its values was set aside together with its reference.
    if (isSame && was?.type === column?.type) continue
    // The reference of a column was dropped when the column was set aside.
    const isBack = was !== undefined && was === pair.aside.get(key.column)
    const before = old?.table ?? (isBack ? meanings?.targets?.[`${wanted.name}.${key.column}`] : undefined)
    // Kept targets have the names of the YAML.
    const now = old === undefined ? key.table : presentName(key)
    if (before !== undefined && before !== now && was && column && !startsAnew(pair, column))
      steps.push(...anotherTarget(pair, key, was.name, before))
    if (old)
      steps.push(
        changing(`drop old reference of ${wanted.name}.${key.column}`, dropForeignKey(wanted.name, key.column)),
      )
    steps.push(...referring(pair, key, target(key)))
  }
  for (const old of actual.foreignKeys) {
    const column = wanted.columns.find((other) => presentColumn(pair, other)?.name === old.column)
    if (column === undefined || wanted.foreignKeys.some((key) => key.column === column.name)) continue
    steps.push(changing(`drop reference of ${wanted.name}.${column.name}`, dropForeignKey(wanted.name, column.name)))
  }
  return steps
}
