/**
 * Stored files ⇄: written whole and flushed before anybody relies on them, under keys that cannot leave the storage.
 */
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

/** Has the system bring a file, or the names in a folder, to the disk. */
export async function flush(path: string): Promise<void> {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    // Windows opens no folders, and keeps their names by itself.
    if (process.platform === 'win32') return undefined
    throw error
  })
  try {
    await file?.sync()
  } finally {
    await file?.close()
  }
}

/** Flushes of folders that have not begun yet, and the last one of each folder. */
const [asked, latest] = [new Map<string, Promise<void>>(), new Map<string, Promise<void>>()]

/** The same for a folder with many new files: callers during a flush share the next one. */
function flushFolder(path: string): Promise<void> {
  const waiting = asked.get(path)
  if (waiting !== undefined) return waiting
  const begin = (): Promise<void> => {
    asked.delete(path)
    return flush(path)
  }
  const own = (latest.get(path) ?? Promise.resolve()).then(begin, begin)
  const ended = (): void => {
    if (latest.get(path) === own) latest.delete(path)
  }
  own.then(ended, ended)
  asked.set(path, own)
  latest.set(path, own)
  return own
}

/** Makes a folder and its parents; their names are on the disk when this resolves. */
export async function makeFolder(path: string, mode?: number): Promise<void> {
  const first = await mkdir(path, { recursive: true, ...(mode !== undefined && { mode }) })
  if (first === undefined) return
  const top = dirname(resolve(first))
  for (let at = dirname(resolve(path)); at.length >= top.length; at = dirname(at)) {
    await flush(at)
    if (at === top) break
  }
}

/** Writes a file in its folder: whole and on the disk when this resolves, or not there. */
export async function writeWhole(path: string, content: string | Uint8Array, mode = 0o600): Promise<void> {
  const half = `${path}.part`
  try {
    const file = await open(half, 'w', mode)
    try {
      await file.writeFile(content)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(half, path)
  } catch (error) {
    await rm(half, { force: true }).catch(() => {})
    throw error
  }
  await flushFolder(dirname(path))
}

/**
 * Whether a text is a key of a stored file. No part is empty, `.` or `..`, so that a key is neither absolute nor leads
 * upward; no part has a backslash or a control character.
 */
export function isStorageKey(key: string): boolean {
  return key.split('/').every((part) => part !== '' && part !== '.' && part !== '..' && !/[\\\p{Cc}]/u.test(part))
}

/** Throws a sentence for a text that is none. */
export function requireStorageKey(key: string): void {
  if (isStorageKey(key)) return
  throw new Error(
    `${JSON.stringify(key)} is no key of a stored file: it has an empty part, a "..", a backslash or a control character.`,
  )
}
