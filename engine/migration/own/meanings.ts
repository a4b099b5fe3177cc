/**
 * The fact `meanings` ⇄: for the last served catalog, the rules of each column, the target of each reference, and the
 * rows of each resource.
 */
import type { Runner } from '../../database/database.ts'
import { ifThere } from '../../database/failure.ts'
import { quoted as q } from '../../filter/sql.ts'
import type { CatalogAge, Meanings, Present, Table } from '../table.ts'
import { FACT_TABLE } from './engine-tables.ts'

const TABLE = q(FACT_TABLE.name)

const READ = `select value from ${TABLE} where name = 'meanings'`

const KEEP = `insert into ${TABLE} (name, value) values ('meanings', $1) on conflict (name) do update set value = excluded.value`

/** The same, with the stored meanings; without them where none were stored yet. */
export async function withMeanings(runner: Runner, present: Present): Promise<Present> {
  if (!present.tables.some(({ name }) => name === FACT_TABLE.name)) return present
  const rows = await ifThere(runner.run({ text: READ }, []))
  const value = rows?.[0]?.[0]
  return typeof value === 'string' ? { ...present, meanings: JSON.parse(value) as Meanings } : present
}

/** Stores the meanings of the wanted tables where they differ; meanings of things set aside stay. */
export async function keepMeanings(
  runner: Runner,
  wanted: readonly Table[],
  { meanings }: Present,
  age: CatalogAge,
): Promise<void> {
  const text = JSON.stringify(laterMeanings(wanted, meanings, age))
  if (text !== JSON.stringify(meanings)) await runner.run({ text: KEEP }, [text])
}

function sorted<T>(named: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(named).sort(([a], [b]) => (a < b ? -1 : 1)))
}

function laterTargets(
  wanted: readonly Table[],
  before: Meanings | undefined,
  age: CatalogAge,
): NonNullable<Meanings['targets']> {
  if (age === 'older' && before?.targets !== undefined) return before.targets
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
  age: CatalogAge,
): NonNullable<Meanings['served']> {
  if (age === 'older' && before?.served !== undefined) return before.served
  const now = wanted.flatMap(({ name: table, served = {} }) =>
    Object.entries(served).map(([resource, { renamedFrom: _, ...rows }]) => [resource, { ...rows, table }] as const),
  )
  return { ...before?.served, ...Object.fromEntries(now) }
}

/** The meanings after a start; an older version that starts while a newer one runs changes nothing. Pure. */
function laterMeanings(wanted: readonly Table[], before: Meanings | undefined, age: CatalogAge): Meanings {
  const columns = { ...before?.columns }
  for (const table of wanted) {
    for (const column of table.columns) {
      const name = `${table.name}.${column.name}`
      if (age === 'older' && before !== undefined) continue
      if (column.judge?.mark === undefined) delete columns[name]
      else columns[name] = column.judge.mark
    }
  }
  return {
    columns: sorted(columns),
    targets: sorted(laterTargets(wanted, before, age)),
    served: sorted(laterServed(wanted, before, age)),
  }
}
