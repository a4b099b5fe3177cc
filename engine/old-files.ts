/** ⇄ Removes files of a folder that are older than a time, one after the other. */
import { opendir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

export interface OldFiles {
  /** The number of removed files and folders. */
  readonly removed: number
  /** The age of the oldest one left; 0 without any. */
  readonly oldest_seconds: number
}

interface Which {
  /** The names to examine; all if absent. */
  readonly named?: RegExp
  /** Rejects between two files once it is aborted. */
  readonly signal?: AbortSignal
}

/** Removes files and whole folders in a folder whose last change was more than `ms` before `now`. */
export async function removeOldFiles(folder: string, now: Date, ms: number, which: Which = {}): Promise<OldFiles> {
  const { named = /^/, signal } = which
  let [removed, oldest] = [0, 0]
  for await (const name of namesIn(folder)) {
    signal?.throwIfAborted()
    if (!named.test(name)) continue
    const path = join(folder, name)
    const found = await stat(path).catch(() => undefined)
    if (found === undefined) continue
    const age = now.getTime() - found.mtimeMs
    if (age > ms) {
      await rm(path, { recursive: true, force: true })
      removed++
    } else oldest = Math.max(oldest, age)
  }
  return { removed, oldest_seconds: Math.round(oldest / 1000) }
}

/** A missing folder is empty. */
async function* namesIn(folder: string): AsyncGenerator<string, void> {
  const directory = await opendir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  for await (const { name } of directory ?? []) yield name
}
