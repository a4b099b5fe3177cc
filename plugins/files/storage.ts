/** The interface of storages: where the bytes of files are. */
import type { Readable } from 'node:stream'

/** A file to store, which may be moved from its place. */
export interface Source {
  readonly path: string
  readonly bytes: number
  readonly type: string
}

/** A stored file, and the time since when it is stored. */
export interface Stored {
  readonly key: string
  readonly since: Date
}

export interface Storage {
  /** The place of the files, for people; never a secret. */
  readonly description: string
  /** Stores a file under a new key; resolves when it is whole and durable, and stores nothing on a failure. */
  put(key: string, source: Source): Promise<void>
  /** The bytes of a file as a stream; undefined without a file. */
  read(key: string): Promise<Readable | undefined>
  /** Gives a file another key, with `at` as the time since when it is there; false without a file. */
  move(from: string, to: string, at: Date): Promise<boolean>
  /** Removes a file, if it exists. */
  remove(key: string): Promise<void>
  /** Every file below a prefix that ends with a slash. */
  list(prefix: string): AsyncGenerator<Stored, void>
}
