/** Where the bytes of files are, behind one interface. */
import type { Readable } from 'node:stream'

/** A file to be put away: it may be moved from where it is. */
export interface Source {
  readonly path: string
  readonly bytes: number
  readonly type: string
}

/** Something that is stored, and since when. */
export interface Stored {
  readonly key: string
  readonly since: Date
}

export interface Storage {
  /** For people: where the files are; never a secret. */
  readonly description: string
  /** Puts a file under a key that was never used; it is whole and durable when this resolves, or not there. */
  put(key: string, source: Source): Promise<void>
  /** The bytes of a file as they come; undefined when there is none. */
  read(key: string): Promise<Readable | undefined>
  /** Gives a file another key, and `at` as the moment since when it is there; false when there is none. */
  move(from: string, to: string, at: Date): Promise<boolean>
  /** Removes a file; that it is not there is fine. */
  remove(key: string): Promise<void>
  /** Every file below a prefix that ends with a slash. */
  list(prefix: string): AsyncGenerator<Stored, void>
}
