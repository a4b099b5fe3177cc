/** Secrets that stand in tables as they were sent, of an earlier version or of another program, and leave them sealed or hashed ⇄. */
import type { Catalog } from '../catalog/catalog.ts'
import { protectedFields } from '../catalog/stored.ts'
import { pairsOf, presentColumn } from '../migration/pair.ts'
import type { Column } from '../migration/table.ts'
import { tables as tablesOf } from '../migration/tables.ts'
import { type Protection, protectedAnew } from '../seal.ts'
import type { Settings } from '../settings.ts'
import type { Leaving } from './rows.ts'
import { presentIn, type Structure } from './structure.ts'

/** Of the tables with secrets, how their rows leave; throws a sentence where a column has no room for what is sealed. */
export function leavingRows(catalog: Catalog, settings: Settings, structure: Structure): ReadonlyMap<string, Leaving> {
  const pairs = pairsOf(tablesOf(catalog), presentIn(structure))
  const found = new Map<string, Map<number, Protection>>()
  for (const resource of catalog.resources.values()) {
    if (resource.owner !== resource.name) continue
    const pair = pairs.get(resource.table)
    if (pair === undefined) continue
    const { actual, wanted } = pair
    for (const { field, how } of protectedFields(catalog, resource)) {
      const column = wanted.columns.find(({ name }) => name === field.column)
      const present = column === undefined ? undefined : presentColumn(pair, column)
      if (present === undefined) continue
      requireRoom(actual.name, present)
      const own = found.get(actual.name) ?? new Map<number, Protection>()
      found.set(actual.name, own.set(actual.columns.indexOf(present), how))
    }
  }
  return new Map([...found].map(([table, columns]) => [table, sealed(settings, columns)]))
}

function requireRoom(table: string, { name, type, base = type }: Column): void {
  if (base === 'text' || base === 'character varying') return
  throw new Error(
    `The column ${table}.${name} holds secrets as they were sent, and a sealed one does not fit into ${type}: \`plinth start\` changes the column and seals them, and then they can be dumped.`,
  )
}

function sealed(settings: Settings, columns: ReadonlyMap<number, Protection>): Leaving {
  return (row) =>
    Promise.all(
      row.map(async (value, at) => {
        const how = columns.get(at)
        return how === undefined || value === null ? value : ((await protectedAnew(settings, how, value)) ?? value)
      }),
    )
}
