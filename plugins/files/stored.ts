/**
 * A file that a row names ⇄: at its place, or where the keeper has moved it aside. Also the files for dump and load.
 */

import type { Readable } from 'node:stream'
import type { Catalog, FileStore, PluginContext, Settings, StoredFiles } from '../../engine/index.ts'
import { asideOf } from './key.ts'
import { storageOf } from './open-storage.ts'

/** The bytes of a file as a stream; undefined without a file. */
export async function readStored(
  { settings }: Pick<PluginContext, 'settings'>,
  key: string,
): Promise<Readable | undefined> {
  const storage = storageOf(settings)
  const aside = asideOf(key)
  // The last look is for a file that was moved back between the first two.
  const places = aside === undefined ? [key] : [key, aside, key]
  for (const place of places) {
    const found = await storage.read(place)
    if (found !== undefined) return found
  }
  return undefined
}

/** Removes a file for good, if it exists. */
export async function removeStored({ settings }: Pick<PluginContext, 'settings'>, key: string): Promise<void> {
  const storage = storageOf(settings)
  const aside = asideOf(key)
  await storage.remove(key)
  if (aside !== undefined) await storage.remove(aside)
}

/** The files whose keys are in a field of a resource. */
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

/** The storage of the settings, in which files are found also when they were moved aside. */
export function storeOf(settings: Settings): FileStore {
  const { description, put, remove } = storageOf(settings)
  return { description, put, remove, read: (key) => readStored({ settings }, key) }
}
