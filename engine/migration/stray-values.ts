/** ⇄ Which stored values their fields do not allow: those of an application as a whole, for `check --data`. */
import type { Catalog, Field, Resource } from '../catalog/catalog.ts'
import type { Runner } from '../database/database.ts'
import { ifThere } from '../database/failure.ts'
import { quoted as q } from '../filter/sql.ts'
import { position } from '../text/source.ts'
import { judgedRows } from './questions.ts'
import { keyOf } from './step.ts'
import type { Table } from './table.ts'
import { tables } from './tables.ts'

/** The records in which one field has a value that it does not allow. */
export interface Stray {
  readonly resource: Resource
  readonly field: Field
  readonly count: number
  /** The first ids. */
  readonly ids: readonly string[]
}

/** Reads every table once; a table or a column that is not in the database yet has no values. */
export async function strayValues(catalog: Catalog, runner: Runner): Promise<readonly Stray[]> {
  const found: Stray[] = []
  for (const table of tables(catalog)) {
    const columns = table.columns.flatMap(({ judge, name }) => (judge === undefined ? [] : [{ judge, name }]))
    if (columns.length === 0) continue
    const values = columns.map(({ judge, name }) => ({ sql: q(name), fits: (text: string) => judge.fits(text) }))
    const answers = await ifThere(judgedRows(runner, { table: table.name, key: keyOf(table), values }))
    for (const [at, { ids, rows }] of (answers ?? []).entries()) {
      const about = fieldOf(catalog, table, columns[at]!.name)
      if (rows > 0 && about !== undefined) found.push({ ...about, count: rows, ids })
    }
  }
  return found
}

/** The field of a column, of the resource that owns the table or of one that stands on it. */
function fieldOf(catalog: Catalog, table: Table, column: string): Pick<Stray, 'resource' | 'field'> | undefined {
  const all = [...catalog.resources.values()].filter((resource) => resource.table === table.name)
  const owners = all.filter(({ name, owner }) => owner === name)
  for (const resource of [...owners, ...all]) {
    const field = [...resource.fields.values()].find((one) => one.column === column)
    if (field !== undefined) return { resource, field }
  }
  return undefined
}

/** One line about it: `lines: 2 records have a value that code does not allow (lines.yaml:4:3): 4, 9`. */
export function strayLine({ count, field, ids, resource }: Stray): string {
  const { source, start } = field.span
  const { line, column } = position(source, start)
  const have = count === 1 ? '1 record has' : `${count.toLocaleString('en')} records have`
  const list = ids.length === 0 ? '' : `: ${ids.join(', ')}${count > ids.length ? ', …' : ''}`
  return `${resource.name}: ${have} a value that ${field.name} does not allow (${source.file}:${line}:${column})${list}`
}
