/** Compares a table of `existing:` with the database: it is never changed. */
import { nearest } from '../text/nearest.ts'
import { asking, type Step } from './step.ts'
import type { Column, Present, Table } from './table.ts'

/** Types between which values go to and fro as they are; those of one family are the same to callers. */
const FAMILIES: readonly (readonly string[])[] = [
  ['smallint', 'integer', 'bigint'],
  ['character varying', 'character', 'text', 'bpchar'],
  ['numeric'],
]

function familyOf(type: string): string {
  const base = type.replace(/\(.*\)/, '').trim()
  return FAMILIES.find((family) => family.includes(base))?.[0] ?? base
}

function difference(table: string, column: string, title: string, advice: string): Step {
  return { ...asking(title, 'adds', { kind: 'obstacle', advice }), about: { table, column }, drift: true }
}

/** Each difference that keeps an existing table from being served, as a blocked step. */
export function existingSteps(wanted: Table, present: Pick<Present, 'tables' | 'views'>): readonly Step[] {
  const actual = [...present.tables, ...(present.views ?? [])].find(({ name }) => name === wanted.name)
  if (actual === undefined) {
    const near = nearest(
      wanted.name,
      present.tables.map(({ name }) => name),
    )
    const advice = `correct "table"${near === undefined ? '' : ` (did you mean "${near}"?)`}, or take "existing" away, and the table is made`
    return [difference(wanted.name, '', `there is no table ${wanted.name}`, advice)]
  }
  const isKey = (columns: readonly string[]) => [...columns].sort().join() === [...wanted.primaryKey].sort().join()
  // Nothing of a view says what its key is but the YAML.
  const keyed = actual.view === true || [actual.primaryKey, ...(actual.otherKeys ?? [])].some(isKey)
  const key = `primary key of ${wanted.name} is (${actual.primaryKey.join(', ')}), not (${wanted.primaryKey.join(', ')})`
  return [
    ...(keyed ? [] : [difference(wanted.name, '', key, 'name the column of the key: id: { column: … }')]),
    ...wanted.columns.flatMap((column) => differences(wanted.name, column, actual)),
  ]
}

function differences(table: string, column: Column, { columns, view }: Table): readonly Step[] {
  const actual = columns.find(({ name }) => name === column.name)
  if (actual === undefined) {
    const near = nearest(
      column.name,
      columns.map(({ name }) => name),
    )
    const advice = `name the column that is meant${near === undefined ? '' : `: column: ${near}`}, or leave the field out; the table is not changed`
    return [difference(table, column.name, `there is no column ${table}.${column.name}`, advice)]
  }
  if (familyOf(actual.base ?? actual.type) !== familyOf(column.type)) {
    const advice = `give the field the type of the column, name that beside it (column_type: ${actual.type}), or read the column only: computed: "t.column::text"`
    return [difference(table, column.name, `${table}.${column.name} is ${actual.type}, not ${column.type}`, advice)]
  }
  if (actual.nullable && !column.nullable && view !== true)
    return [
      difference(table, column.name, `${table}.${column.name} may be null`, 'take "required" and "nullable" away'),
    ]
  return []
}
