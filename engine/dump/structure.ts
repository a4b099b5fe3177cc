/** The tables of an application as they are in a database ⇄: read for a dump, made again by a load. */
import type { Runner } from '../database/database.ts'
import { quoted as q } from '../filter/sql.ts'
import { addForeignKey, createTable, markComputed, validateForeignKey } from '../migration/ddl.ts'
import { type Physical, presentOf, readHidden } from '../migration/inspect.ts'
import { removedName } from '../migration/names/kept-names.ts'
import { ENGINE_TABLES } from '../migration/own/engine-tables.ts'
import { quoteText } from '../migration/sql-name.ts'
import type { Names, Present, Table } from '../migration/table.ts'
import type { Existing } from './existing-tables.ts'
import { type Counter, type CounterName, type Places, type Reading, readCounters, setCounters } from './rows.ts'

/** An index, or a constraint that refuses overlaps, as PostgreSQL prints it. */
export interface Definition {
  readonly table: string
  readonly name: string
  readonly constraint: boolean
  readonly sql: string
  /** The engine's mark, by which it knows the index again. */
  readonly mark: string
}

/** The part of a dump about the tables, before their rows, as JSON. */
export interface Structure {
  readonly tables: readonly Table[]
  readonly definitions: readonly Definition[]
  readonly counters: readonly Counter[]
  readonly owned: Readonly<Record<string, readonly string[]>>
  readonly history: {
    readonly latest?: string
    readonly known: readonly string[]
    readonly words: Present['history']['words']
  }
  /** Absent from dumps of versions that kept none. */
  readonly names?: Names
  readonly trigrams: boolean
  readonly ranges: boolean
  /** Of an application that serves tables which were there before. */
  readonly existing?: Existing
}

const DEFINITIONS = `select t.relname, i.relname, k.oid is not null,
    case when k.oid is null then pg_get_indexdef(i.oid, 0, true) else pg_get_constraintdef(k.oid, true) end,
    obj_description(i.oid, 'pg_class')
  from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class t on t.oid = x.indrelid
  left join pg_constraint k on k.conindid = i.oid and k.contype = 'x'
  where t.relnamespace = current_schema()::regnamespace and not x.indisprimary and x.indisvalid
    and obj_description(i.oid, 'pg_class') like 'plinth%' order by t.relname, i.relname`

/** The operators of a trigram index, with their schema where the connection does not look into it. */
const OPERATORS = /(?:(?:"(?:[^"]|"")+"|\w+)\.)?gin_trgm_ops\b/g

/** The names of the tables of the application: made or used by the engine, or set aside. */
export function belonging({ all, owned, names }: Physical): ReadonlySet<string> {
  const own = new Set([...owned.keys(), ...ENGINE_TABLES.map((table) => table.name)])
  return new Set(
    all.map((table) => table.name).filter((name) => own.has(name) || removedName(names, name) !== undefined),
  )
}

/** The structure of the tables of these names. */
export async function readStructure(
  runner: Runner,
  physical: Physical,
  names: ReadonlySet<string>,
): Promise<Structure> {
  const { all, owned, history, names: kept, trigrams, ranges } = physical
  const tables = all.filter((table) => names.has(table.name))
  const rows = await runner.run({ text: DEFINITIONS }, [])
  const { latest, known, words } = history
  return {
    tables,
    definitions: rows
      .map(([table, name, constraint, sql, mark]): Definition => {
        return {
          table: table ?? '',
          name: name ?? '',
          constraint: constraint === 't',
          sql: (sql ?? '').replace(OPERATORS, 'gin_trgm_ops'),
          mark: mark ?? '',
        }
      })
      .filter(({ table }) => names.has(table)),
    counters: await readCounters(runner, countersOf(tables)),
    owned: Object.fromEntries([...owned].map(([table, columns]) => [table, [...columns]])),
    history: { ...(latest === undefined ? {} : { latest }), known: [...known].sort(), words },
    ...(kept === undefined ? {} : { names: kept }),
    trigrams,
    ranges,
  }
}

/** The sequences that these tables count by. */
function countersOf(tables: readonly Table[]): readonly CounterName[] {
  return tables.flatMap(({ name: table, columns, sequences }) => [
    ...columns.filter(({ identity }) => identity).map(({ name }) => ({ table, column: name, name: undefined })),
    ...sequences.map(({ name }) => ({ table, column: undefined, name })),
  ])
}

/** How the rows of each table are read. Pure. */
export function readingsOf(
  { tables, existing }: Structure,
  places: Places,
): readonly { readonly table: Table; readonly reading: Reading }[] {
  const parents = new Set(existing?.parents)
  return [
    ...tables.map((table) => ({ table, reading: { places } })),
    ...(existing?.tables ?? []).map((table) => ({ table, reading: { alone: parents.has(table.name) } })),
  ]
}

/** The same as the planner of migrations takes it. Pure. */
export function presentIn({ tables, owned, history, names, trigrams, ranges, existing }: Structure): Present {
  return presentOf({
    all: [...tables, ...(existing?.tables ?? [])],
    owned: new Map(Object.entries(owned).map(([table, columns]) => [table, new Set(columns)])),
    history: { latest: history.latest, known: new Set(history.known), words: history.words },
    names,
    checks: new Map(),
    dependents: new Map(),
    fillings: new Map(),
    trigrams,
    ranges,
  })
}

/**
 * Makes the tables without indexes and keys, which would slow down their filling; extensions and separate sequences
 * come first.
 */
export async function createTables(runner: Runner, { tables, trigrams, ranges }: Structure): Promise<void> {
  const extensions = [...(trigrams ? ['pg_trgm'] : []), ...(ranges ? ['btree_gist'] : [])]
  const sequences = tables.flatMap((table) => table.sequences)
  const all = [
    ...extensions.map((name) => `create extension if not exists ${name}`),
    ...sequences.map(({ name, start }) => `create sequence if not exists ${q(name)} start with ${start}`),
    ...tables.flatMap((table) => [
      createTable(table),
      ...table.columns.flatMap((one) => markComputed(table.name, one)),
    ]),
  ]
  for (const text of all) await runner.run({ text }, [])
}

/** Adds what createTables left out, and restores the state of sequences. */
export async function completeTables(runner: Runner, { tables, definitions, counters }: Structure): Promise<void> {
  const hidden = await readHidden(runner)
  const operators = hidden === undefined ? 'gin_trgm_ops' : `${q(hidden.schema)}.gin_trgm_ops`
  for (const { table, name, constraint, sql, mark } of definitions) {
    const index = sql.replace(OPERATORS, () => operators)
    const made = constraint ? `alter table ${q(table)} add constraint ${q(name)} ${sql}` : index
    await runner.run({ text: made }, [])
    await runner.run({ text: `comment on index ${q(name)} is ${quoteText(mark)}` }, [])
  }
  for (const { name, foreignKeys } of tables) {
    for (const key of foreignKeys) {
      await runner.run({ text: addForeignKey(name, key) }, [])
      await runner.run({ text: validateForeignKey(name, key) }, [])
    }
  }
  await setCounters(runner, counters)
}
