/**
 * Files on the local disk ⇄: written next to their place, flushed, then renamed, so that a name always means a whole
 * file.
 */
import { createReadStream } from 'node:fs'
import { copyFile, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { flush, makeFolder, shortFile } from '../../engine/index.ts'
import type { Source, Storage, Stored } from './storage.ts'

/** A storage in a folder, which is made with the first file. */
export function diskStorage(folder: string): Storage {
  const placeOf = (key: string): string => join(folder, ...key.split('/'))
  return {
    description: folder,
    put: (key, source) => put(placeOf(key), source),
    read: (key) => read(placeOf(key)),
    move: (from, to, at) => move(placeOf(from), placeOf(to), at),
    remove: (key) => rm(placeOf(key), { force: true }),
    list: (prefix) => list(placeOf(prefix.replace(/\/$/, '')), prefix),
  }
}

async function put(place: string, source: Source): Promise<void> {
  const half = `${place}.part`
  await makeFolder(dirname(place))
  try {
    // Moved where possible; copied from another disk, and for callers that still need the source.
    await rename(source.path, half).catch(() => copyFile(source.path, half))
    await flush(half)
    const { size } = await stat(half)
    if (size !== source.bytes) throw shortFile(place, source.bytes, size)
    await rename(half, place)
    await flush(dirname(place))
  } catch (error) {
    // A caller who learns that nothing is stored must be able to rely on it.
    await Promise.allSettled([rm(half, { force: true }), rm(place, { force: true })])
    throw error
  }
}

function read(place: string): Promise<Readable | undefined> {
  return new Promise((resolve, reject) => {
    const stream = createReadStream(place)
    stream.once('open', () => resolve(stream))
    stream.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ENOENT' ? resolve(undefined) : reject(error),
    )
  })
}

/** Dated first: a crash leaves a file that looks young, and never one set aside that looks old. */
async function move(from: string, to: string, at: Date): Promise<boolean> {
  try {
    await utimes(from, at, at)
    await makeFolder(dirname(to))
    await rename(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
  await flush(dirname(to))
  await flush(dirname(from))
  return true
}

async function* list(folder: string, prefix: string): AsyncGenerator<Stored, void> {
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const key = `${prefix}${entry.name}`
    if (entry.isDirectory()) yield* list(join(folder, entry.name), `${key}/`)
    else {
      const found = await stat(join(folder, entry.name)).catch(() => undefined)
      if (found !== undefined) yield { key, since: found.mtime }
    }
  }
}
