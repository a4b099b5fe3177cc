/** What was served last from a database ⇄ beside its tables: by what the values of each column were judged, and which rows each resource served. */
import type { Runner } from '../../database/database.ts'
import { ifThere } from '../../database/failure.ts'
import { quoted as q } from '../../filter/sql.ts'
import type { Meanings, Present, Standing, Table } from '../table.ts'
import { FACT_TABLE } from './engine-tables.ts'

const TABLE = q(FACT_TABLE.name)

const READ = `select value from ${TABLE} where name = 'meanings'`

const KEEP = `insert into ${TABLE} (name, value) values ('meanings', $1) on conflict (name) do update set value = excluded.value`

/** What is known of a database; of one that was never written down, nothing. */
export async function withMeanings(runner: Runner, present: Present): Promise<Present> {
  if (!present.tables.some(({ name }) => name === FACT_TABLE.name)) return present
  const rows = await ifThere(runner.run({ text: READ }, []))
  const value = rows?.[0]?.[0]
  return typeof value === 'string' ? { ...present, meanings: JSON.parse(value) as Meanings } : present
}

/** Writes down what is served from now on, where that is another; what was set aside is remembered. */
export async function keepMeanings(
  runner: Runner,
  wanted: readonly Table[],
  { meanings }: Present,
  standing: Standing,
): Promise<void> {
  const text = JSON.stringify(laterMeanings(wanted, meanings, standing))
  if (text !== JSON.stringify(meanings)) await runner.run({ text: KEEP }, [text])
}

function sorted<T>(named: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(named).sort(([a], [b]) => (a < b ? -1 : 1)))
}

function laterTargets(
  wanted: readonly Table[],
  before: Meanings | undefined,
  standing: Standing,
): NonNullable<Meanings['targets']> {
  if (standing === 'older' && before?.targets !== undefined) return before.targets
  const renamed = new Map(wanted.map(({ name, renamedFrom }) => [renamedFrom, name]))
  const known = Object.entries(before?.targets ?? {}).map(([column, table]) => [column, renamed.get(table) ?? table])
  const now = wanted.flatMap(({ foreignKeys, name }) =>
    foreignKeys.map(({ column, table }) => [`${name}.${column}`, table]),
  )
  return Object.fromEntries([...known, ...now])
}

function laterServed(
  wanted: readonly Table[],
  before: Meanings | undefined,
  standing: Standing,
): NonNullable<Meanings['served']> {
  if (standing === 'older' && before?.served !== undefined) return before.served
  const now = wanted.flatMap(({ name: table, served = {} }) =>
    Object.entries(served).map(([resource, { renamedFrom: _, ...rows }]) => [resource, { ...rows, table }] as const),
  )
  return { ...before?.served, ...Object.fromEntries(now) }
}

/** An older version that starts beside a newer one changes nothing that is known. Pure. */
export function laterMeanings(wanted: readonly Table[], before: Meanings | undefined, standing: Standing): Meanings {
  const columns = { ...before?.columns }
  for (const table of wanted) {
    for (const column of table.columns) {
      const name = `${table.name}.${column.name}`
      if (standing === 'older' && before !== undefined) continue
      if (column.judge?.mark === undefined) delete columns[name]
      else columns[name] = column.judge.mark
    }
  }
  return {
    columns: sorted(columns),
    targets: sorted(laterTargets(wanted, before, standing)),
    served: sorted(laterServed(wanted, before, standing)),
  }
}
