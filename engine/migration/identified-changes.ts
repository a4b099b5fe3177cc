/** What is called otherwise in the YAML although it does not say so: tables and columns that are known by what they stand for. */
import type { NameChange } from './name-change.ts'
import type { Step } from './step.ts'
import type { Names, Table } from './table.ts'

/** The changes of names that the identified steps of a plan come to; `names` are those before it. */
export function identifiedChanges(
  steps: readonly Step[],
  wanted: readonly Table[],
  names: Names | undefined,
): readonly NameChange[] {
  const renames = steps.flatMap((step) => (step.identified ? (step.renames ?? []) : []))
  const tables = new Map(wanted.map((table) => [table.name, table]))
  // The table has its later name when its columns get theirs.
  const before = new Map(
    renames.flatMap(({ column, table, to }) => (column === undefined ? [[to, table] as const] : [])),
  )
  return renames.flatMap(({ column, table, to }): readonly NameChange[] => {
    const known = names?.[before.get(table) ?? table]
    const [owner] = tables.get(column === undefined ? to : table)?.of ?? []
    // A joining table holds relations, which nothing else names.
    if (owner === undefined || owner.includes('.')) return []
    if (column === undefined) return changed(known?.of[0], owner, (from) => [{ kind: 'resource', from, to: owner }])
    const [now] = tables.get(table)?.columns.find(({ name }) => name === to)?.of ?? []
    return changed(known?.columns[column]?.of[0], now, (from, later) => partsOf(owner, from, later))
  })
}

function changed(
  from: string | undefined,
  to: string | undefined,
  changes: (from: string, to: string) => readonly NameChange[],
): readonly NameChange[] {
  return from === undefined || to === undefined || from === to ? [] : changes(from, to)
}

/** The key of a relation is a field, and the relation has its name without the end. */
function partsOf(resource: string, from: string, to: string): readonly NameChange[] {
  const field: NameChange = { kind: 'field', resource, from, to }
  if (!from.endsWith('_id') || !to.endsWith('_id')) return [field]
  return [field, { kind: 'relation', resource, from: from.slice(0, -3), to: to.slice(0, -3) }]
}
