/**
 * The files of a fresh embedded cluster as one archive, so that a first start unpacks them instead of building a
 * cluster.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import fs from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import v8 from 'node:v8'
import zlib from 'node:zlib'
import { MemoryFS, PGlite } from '@electric-sql/pglite'
import { btree_gist } from '@electric-sql/pglite/contrib/btree_gist'
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm'

/** The version of the package whose clusters the archive holds: another one's would not fit. */
const FORMAT = 'pglite-0.5.16'

export const EXTENSIONS = Object.freeze({ btree_gist, pg_trgm })

/** Path → content; undefined for a folder, which comes before its files. Equal files are one object. */
export type Snapshot = ReadonlyMap<string, Uint8Array | undefined>

/** `<package>/dist/<version>.cluster.gz`, for the source and for the compiled program alike. */
function archive(): string {
  const here = path.dirname(fileURLToPath(import.meta.url))
  const root = path.resolve(here, '../..')
  return path.join(path.basename(root) === 'dist' ? root : path.join(root, 'dist'), `${FORMAT}.cluster.gz`)
}

/**
 * The archive of an earlier `takeSnapshot`, or undefined: then a cluster is built from nothing, which takes seconds.
 */
export async function readSnapshot(): Promise<Snapshot | undefined> {
  try {
    return v8.deserialize(await promisify(zlib.gunzip)(await fs.readFile(archive())))
  } catch {
    return undefined
  }
}

/** The files of an unused, closed cluster, stored as the archive where the folder of the program is writable. */
export async function takeSnapshot(directory: string): Promise<Snapshot> {
  const snapshot = await filesOf(directory)
  await writeArchive(snapshot).catch(() => {})
  return snapshot
}

/** Renamed into place, so that no reader sees half of it. */
async function writeArchive(snapshot: Snapshot): Promise<void> {
  const file = archive()
  const half = `${file}.${process.pid}`
  const made = await promisify(zlib.gzip)(v8.serialize(snapshot))
  await fs.mkdir(path.dirname(file), { recursive: true })
  await fs.writeFile(half, made)
  // It contains no data, and other users of this copy of the program start from it too.
  await fs.chmod(half, 0o644)
  await fs.rename(half, file)
}

async function filesOf(directory: string): Promise<Snapshot> {
  const entries = await fs.readdir(directory, { recursive: true, withFileTypes: true })
  const known = new Map<string, Uint8Array>()
  const files: [string, Uint8Array | undefined][] = []
  for (const entry of entries) {
    const place = path.join(entry.parentPath, entry.name)
    const name = path.relative(directory, place).split(path.sep).join('/')
    if (entry.isDirectory()) {
      files.push([name, undefined])
      continue
    }
    const content = await fs.readFile(place)
    const hash = createHash('sha256').update(content).digest('hex')
    known.set(hash, known.get(hash) ?? content)
    files.push([name, known.get(hash)])
  }
  return new Map(files.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Makes the directory of a cluster that can be opened, for the user of this process alone. */
export function unpackSnapshot(snapshot: Snapshot, directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  for (const [name, content] of snapshot) {
    const place = path.join(directory, name)
    if (content === undefined) mkdirSync(place, { mode: 0o700 })
    else writeFileSync(place, content, { mode: 0o600 })
  }
}

/** A file system in memory that begins with a cluster. */
export class SnapshotInMemory extends MemoryFS {
  readonly #snapshot: Snapshot

  constructor(snapshot: Snapshot) {
    super()
    this.#snapshot = snapshot
  }

  override async initialSyncFs(): Promise<void> {
    const { FS } = this.pg!.Module
    FS.mkdir(PGlite.paths.PGDATA, 0o700)
    for (const [name, content] of this.#snapshot) {
      const place = `${PGlite.paths.PGDATA}/${name}`
      if (content === undefined) FS.mkdir(place, 0o700)
      else FS.writeFile(place, content)
    }
  }
}
