/** The rows of a table as a plan will leave them, as SQL over the present rows: plans ask their questions of these. */
import type { Catalog } from '../catalog/catalog.ts'
import type { Database, Runner } from '../database/database.ts'
import { quoted as q } from '../filter/sql.ts'
import { LIMITS } from '../limits.ts'
import { tables } from './catalog-tables.ts'
import { inspect } from './inspect.ts'
import { isComputedAnew, type Pair, pairsOf, presentColumn, sourcesFirst, startsAnew } from './pair.ts'
import { quoteText } from './sql-name.ts'
import type { Hindrance, Step } from './step.ts'
import type { Column } from './table.ts'
import { typeChange } from './type-change.ts'

/** Defaults that are the same for all rows; of others, no two rows share a value. */
const SHARED_DEFAULT = /^('|now\(\)$|CURRENT_DATE$)/

function absent({ type }: Column): string {
  return `null::${type}`
}

/** The value of a column before words and nulls are replaced. */
function converted(pair: Pair, column: Column): string {
  const was = presentColumn(pair, column)
  if (was === undefined || startsAnew(pair, column)) {
    const isGiven = column.fill === undefined && SHARED_DEFAULT.test(column.default ?? '')
    return isGiven ? `${column.default}::${column.type}` : absent(column)
  }
  if (was.type === column.type) return q(was.name)
  const change = typeChange(was.name, was.type, column.type)
  if (change.kind === 'apart') return absent(column)
  return change.kind === 'checked' ? `case when not (${change.misfit}) then ${change.using} end` : change.using
}

/** SQL that replaces words in a column, or in every item of a list. */
export function replacing(column: Column, becomes: readonly (readonly [string, string])[]): string {
  const cases = becomes.map(([from, to]) => `when ${quoteText(from)} then ${quoteText(to)}`).join(' ')
  if (column.type !== 'jsonb') return `case ${q(column.name)} ${cases} else ${q(column.name)} end`
  return `(select jsonb_agg(to_jsonb(word) order by place) from (
    select case item ${cases} else item end as word, min(place) as place
    from jsonb_array_elements_text(${q(column.name)}) with ordinality as items(item, place) group by 1) words)`
}

/** SQL of the column with the replaced words of an enum; undefined where none is replaced. */
function reworded(column: Column): string | undefined {
  const becomes = Object.entries(column.becomes ?? {}).filter(([word]) => !column.words?.includes(word))
  return becomes.length === 0 ? undefined : replacing(column, becomes)
}

/** SQL of the column with the backfill for null; null where the column cannot hold it. */
function filled(pair: Pair, column: Column): string | undefined {
  const was = presentColumn(pair, column)
  const isKept = was !== undefined && !was.nullable && was.type === column.type && !startsAnew(pair, column)
  if (column.fill === undefined || isKept) return undefined
  const { fillTable } = column
  const target = fillTable === undefined ? undefined : pair.pairs.get(fillTable)
  if (fillTable !== undefined && target === undefined) return undefined
  const fill =
    target === undefined
      ? column.fill
      : column.fill.replace(`from ${q(target.wanted.name)} o`, `from ${futureRows(target)} o`)
  const value = column.fillFits === undefined ? fill : `case when ${column.fillFits} then ${fill} end`
  return `coalesce(${q(column.name)}, (${value})::${column.type})`
}

function computed(pair: Pair, column: Column): string | undefined {
  if (column.generated === undefined) return undefined
  const was = presentColumn(pair, column)
  if (was?.generated !== undefined && !isComputedAnew(pair, column)) return undefined
  return `(case when ${column.fits ?? 'true'} then ${column.generated} end)::${column.type}`
}

/** Whether rows are read for questions as they are. */
function isUntouched(pair: Pair): boolean {
  const { wanted, actual } = pair
  return (
    wanted.name === actual.name &&
    wanted.columns.every((column) => {
      const was = presentColumn(pair, column)
      if (was === undefined || was.name !== column.name || was.type !== column.type) return false
      if (startsAnew(pair, column) || computed(pair, column) !== undefined) return false
      return reworded(column) === undefined
    })
  )
}

type Layer = (column: Column) => string | undefined

/** One more select around rows, in which some columns have another value. */
function laid(rows: string, columns: readonly Column[], layer: Layer): string {
  const values = columns.map((column) => ({ column, value: layer(column) }))
  if (values.every(({ value }) => value === undefined)) return rows
  const list = values.map(({ column, value }) =>
    value === undefined ? q(column.name) : `${value} as ${q(column.name)}`,
  )
  return `(select ${list.join(', ')} from ${rows} r)`
}

/**
 * SQL of the rows with wanted columns and names: renamed, converted, words replaced; nulls filled and columns
 * computed, unless `unfilled` asks for the rows before that. An alias has to follow.
 */
export function futureRows(pair: Pair, unfilled = false): string {
  const { wanted, actual } = pair
  const columns = wanted.columns.filter(({ generated }) => generated === undefined)
  const fills = unfilled ? [] : sourcesFirst(columns).filter((column) => filled(pair, column) !== undefined)
  if (fills.length === 0 && isUntouched(pair)) return q(actual.name)
  const kept = wanted.columns.filter((column) => column.generated !== undefined && computed(pair, column) === undefined)
  const first = [...columns, ...kept].map((column) => {
    const was = presentColumn(pair, column)
    return `${column.generated === undefined ? converted(pair, column) : q(was?.name ?? column.name)} as ${q(column.name)}`
  })
  let rows = `(select ${first.join(', ')} from ${q(actual.name)})`
  rows = laid(rows, [...columns, ...kept], reworded)
  if (unfilled) return rows
  // One after the other, like the steps: a value may come from a column that was filled before.
  for (const one of fills)
    rows = laid(rows, [...columns, ...kept], (column) => (column === one ? filled(pair, one) : undefined))
  const made = wanted.columns.filter((column) => computed(pair, column) !== undefined)
  return laid(rows, [...columns, ...kept, ...made], (column) =>
    made.includes(column) ? computed(pair, column) : undefined,
  )
}

export type Questions = Required<Pick<Hindrance, 'question'>> & Pick<Hindrance, 'examples'>

/** The rows of a table as they are now, as the plan will leave them, or as it will leave them without filling nulls. */
type Asked = 'now' | 'future' | 'unfilled'

/** The questions about the rows of a table for which a condition holds. */
export function obstacles(pair: Pair, where: string, asked: Asked = 'future'): Questions {
  const rows = asked === 'now' ? q(pair.actual.name) : futureRows(pair, asked === 'unfilled')
  const question = `select count(*) from ${rows} t where ${where}`
  const [key, ...others] = (asked === 'now' ? pair.actual : pair.wanted).primaryKey
  if (key === undefined || others.length > 0) return { question }
  // The bare name would be that of the text.
  const examples = `select ${q(key)}::text from ${rows} t where ${where} order by t.${q(key)} limit ${LIMITS.obstaclesShown}`
  return { question, examples }
}

/** A statement that fails ends no transaction. */
function guarded(runner: Runner): Runner {
  return {
    async run(statement, values) {
      await runner.run({ text: 'savepoint plinth_read' }, [])
      try {
        return await runner.run(statement, values)
      } catch (error) {
        await runner.run({ text: 'rollback to savepoint plinth_read' }, [])
        throw error
      }
    },
  }
}

/** Runs `work` on the rows as the steps of a plan will leave them; nothing of it stays. */
export function onFutureTables<T>(
  catalog: Catalog,
  database: Database,
  { steps }: { readonly steps: readonly Step[] },
  work: (runner: Runner) => Promise<T>,
): Promise<T> {
  if (steps.length === 0) return database.session(work)
  const wanted = tables(catalog).filter(({ existing }) => existing !== true)
  return database.session(async (runner) => {
    const pairs = [...pairsOf(wanted, await inspect(runner)).values()]
    const changed = pairs.filter((pair) => futureRows(pair) !== q(pair.wanted.name))
    await runner.run({ text: 'begin' }, [])
    try {
      const inside = guarded(runner)
      const views = changed.map((pair, i) => ({ pair, view: q(`plinth_future_${i}`) }))
      for (const { pair, view } of views)
        await inside.run({ text: `create temporary view ${view} as select * from ${futureRows(pair)} r` }, [])
      // They get their names when none of them reads tables by name any more.
      for (const { pair, view } of views)
        await inside.run({ text: `alter view ${view} rename to ${q(pair.wanted.name)}` }, [])
      return await work(inside)
    } finally {
      await runner.run({ text: 'rollback' }, [])
    }
  })
}
