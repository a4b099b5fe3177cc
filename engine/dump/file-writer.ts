/** Puts the files of a dump where the application keeps its own ⇄, and takes them back when the load fails. */
import { createHash } from 'node:crypto'
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { isStorageKey } from '../disk/files.ts'
import type { Settings } from '../settings.ts'
import { readNote } from './format.ts'
import type { PluginFiles } from './stored-files.ts'

export interface FileWriter {
  /**
   * Takes the parts of one file from the lines; throws a sentence where they are damaged, or another file has its key.
   */
  write(key: string, plugin: string, lines: AsyncGenerator<string, void>): Promise<void>
  /** Keeps the files that were put. */
  keep(): Promise<void>
  /** Removes the files that were put, unless they are kept. */
  undo(): Promise<void>
  /** Removes temporary files. */
  end(): Promise<void>
}

/** A key, and the plugin whose file it is. */
type Put = readonly [plugin: string, key: string]

export async function openFileWriter({
  files,
  settings,
}: {
  readonly files: readonly PluginFiles[]
  readonly settings: Settings
}): Promise<FileWriter> {
  const folder = await mkdtemp(join(tmpdir(), 'plinth-load-'))
  const stores = new Map(files.map(({ plugin, store }) => [plugin, store(settings)]))
  const path = join(folder, 'file')
  let put: Put[] = []
  return {
    async write(key, plugin, lines) {
      if (!isStorageKey(key))
        throw new Error(`The dump names a file ${JSON.stringify(key)}, which would lead out of the storage.`)
      const store = stores.get(plugin)
      if (store === undefined) throw new Error(`The dump has files of the plugin ${plugin}, which is not in use.`)
      const { bytes, sha256 } = await receive(path, lines)
      const there = await store.read(key)
      if (there !== undefined) {
        // Both databases may have kept their files in the same place.
        if ((await hashOf(there)) === sha256) return
        throw new Error(`There is another file under ${key} in ${store.description}.`)
      }
      put.push([plugin, key])
      await store.put(key, { path, bytes, type: 'application/octet-stream' })
    },
    async keep() {
      put = []
    },
    async undo() {
      for (const [plugin, key] of put) await stores.get(plugin)?.remove(key)
    },
    end: () => rm(folder, { recursive: true, force: true }),
  }
}

async function hashOf(content: Readable): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of content) hash.update(chunk)
  return hash.digest('hex')
}

/** Writes the following parts to `path`; throws a sentence where they differ from the dumped file. */
async function receive(
  path: string,
  lines: AsyncGenerator<string, void>,
): Promise<{ readonly bytes: number; readonly sha256: string }> {
  await rm(path, { force: true })
  const file = await open(path, 'w', 0o600)
  try {
    return await parts(file, lines)
  } finally {
    await file.close()
  }
}

async function parts(file: FileHandle, lines: AsyncGenerator<string, void>) {
  const hash = createHash('sha256')
  let bytes = 0
  for (;;) {
    const { value: line, done } = await lines.next()
    if (done === true) throw new Error('The dump is cut off.')
    const note = readNote(line)
    if (typeof note.part === 'string') {
      const data = Buffer.from(note.part, 'base64')
      hash.update(data)
      bytes += data.length
      await file.appendFile(data)
      continue
    }
    const sha256 = hash.digest('hex')
    if (note.bytes !== bytes || note.sha256 !== sha256)
      throw new Error('The dump is damaged: a file is not the one that was dumped.')
    return { bytes, sha256 }
  }
}
