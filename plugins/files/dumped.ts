/** What dump and load need to know of stored files: which keys the rows name, and where the files are. */
import type { Catalog, FileStore, Settings, StoredFiles } from '../../engine/index.ts'
import { storageOf } from './open-storage.ts'
import { readStored } from './stored.ts'

/** The files whose keys stand in a field of a resource. */
export function filesNamedBy(resource: string, field: string): StoredFiles {
  return { keys: (catalog) => keysIn(catalog, resource, field), store: storeOf }
}

function keysIn(catalog: Catalog, resource: string, field: string): string | undefined {
  const { fields, table } = catalog.resources.get(resource) ?? {}
  const column = fields?.get(field)?.column
  if (table === undefined || column === undefined) return undefined
  const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`
  return `select distinct ${quoted(column)} from ${quoted(table)} where ${quoted(column)} is not null`
}

/** The storage of the settings, in which a file that was moved aside is found too. */
export function storeOf(settings: Settings): FileStore {
  const { description, put, remove } = storageOf(settings)
  return { description, put, remove, read: (key) => readStored({ settings }, key) }
}
