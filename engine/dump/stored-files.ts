/** The stored files of plugins outside of the database, for dump and load. */
import type { Readable } from 'node:stream'
import type { Catalog } from '../catalog/catalog.ts'
import type { Settings } from '../settings.ts'

/** Where files are; a key names one. */
export interface FileStore {
  /** For people: where the files are; never a secret. */
  readonly description: string
  /** The bytes of a file as they come; undefined when there is none. */
  read(key: string): Promise<Readable | undefined>
  /** Puts a file under its key; it is whole and durable when this resolves, or not there. The source may be moved. */
  put(key: string, source: { readonly path: string; readonly bytes: number; readonly type: string }): Promise<void>
  /** Removes a file; that it is not there is fine. */
  remove(key: string): Promise<void>
}

/** The files that the rows of a plugin name. */
export interface StoredFiles {
  /** SQL that selects the keys of all of them, one a row; undefined where the application has no such rows. */
  readonly keys: (catalog: Catalog) => string | undefined
  /** Their store by the settings; throws a sentence where those are wrong. */
  readonly store: (settings: Settings) => FileStore
}

/** The same with the plugin that gives them. */
export interface PluginFiles extends StoredFiles {
  readonly plugin: string
}
