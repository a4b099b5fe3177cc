/** Files that are whole and stay ⇄: flushed before anybody relies on them, named only when they are complete. */
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

/** The same for a folder into which many files come: those that ask while it is flushed share the next flush. */
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

/** Makes a folder and those above it; their names are on the disk when this resolves. */
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
