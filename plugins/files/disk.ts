/** ⇄ Files on the local disk: written beside their place, flushed, then named, so that a name always means a whole file. */
import { createReadStream } from 'node:fs'
import { copyFile, mkdir, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
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

async function flush(path: string): Promise<void> {
  const file = await open(path, 'r')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

async function put(place: string, source: Source): Promise<void> {
  const half = `${place}.part`
  await mkdir(dirname(place), { recursive: true })
  try {
    // Moved where that is possible; copied from another disk, and by whoever still needs the source.
    await rename(source.path, half).catch(() => copyFile(source.path, half))
    await flush(half)
    await rename(half, place)
    await flush(dirname(place))
  } catch (error) {
    await rm(half, { force: true })
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

/** Dated first: a crash in between leaves a file that looks young, and never one aside that looks old. */
async function move(from: string, to: string, at: Date): Promise<boolean> {
  try {
    await utimes(from, at, at)
    await mkdir(dirname(to), { recursive: true })
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
