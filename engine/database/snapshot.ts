/** A fresh embedded cluster as one archive, so that a first start unpacks it instead of building it anew. */
import fs from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { PGlite } from '@electric-sql/pglite'
import { btree_gist } from '@electric-sql/pglite/contrib/btree_gist'
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm'

/** The version of the package whose clusters the archive holds: another one's would not fit. */
const FORMAT = 'pglite-0.5.16'

export const EXTENSIONS = Object.freeze({ btree_gist, pg_trgm })

/** `<package>/dist/<version>.tar.gz`, for the source and for the compiled program alike. */
function archive(): string {
  const here = path.dirname(fileURLToPath(import.meta.url))
  const root = path.resolve(here, '../..')
  return path.join(path.basename(root) === 'dist' ? root : path.join(root, 'dist'), `${FORMAT}.tar.gz`)
}

/** The archive of an earlier `writeSnapshot`, or undefined: then a cluster is built from nothing, which takes seconds. */
export async function readSnapshot(): Promise<Blob | undefined> {
  try {
    return new Blob([await fs.readFile(archive())])
  } catch {
    return undefined
  }
}

/** Keeps a cluster that nobody has written to as the archive; renamed into place, so that no reader sees half of it. */
export async function writeSnapshot(fresh: PGlite): Promise<void> {
  const file = archive()
  const half = `${file}.${process.pid}`
  const dump = await fresh.dumpDataDir('gzip')
  await fs.mkdir(path.dirname(file), { recursive: true })
  await fs.writeFile(half, Buffer.from(await dump.arrayBuffer()))
  // Nothing of anybody's is in it, and whoever else runs this copy of the program starts from it too.
  await fs.chmod(half, 0o644)
  await fs.rename(half, file)
}
