/** ⇄ Writes a new application whole or not at all: beside its place first, then into it. */
import { copyFile, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fileReason } from '../../error.ts'

/** A folder that takes an application: one that is not there yet, or one with nothing in it but a repository. */
export interface Place {
  readonly folder: string
  readonly isThere: boolean
}

/** Throws when the folder holds anything that could be overwritten or mixed up. */
export async function placeFor(folder: string): Promise<Place> {
  const found = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error.code === 'ENOTDIR' ? new Error(`${folder} is a file`) : error
  })
  const others = (found ?? []).filter((name) => name !== '.git').sort()
  if (others.length === 0) return { folder, isThere: found !== undefined }
  const shown = others.length > 3 ? `${others.slice(0, 3).join(', ')} …` : others.join(', ')
  throw new Error(`${folder} is not empty (${shown}): name a folder that is not there yet, or an empty one`)
}

/** Writes the files, and a copy of `brings` below vendor/; whatever fails, the place is as it was. */
export async function writeAll(
  { folder, isThere }: Place,
  files: ReadonlyMap<string, string>,
  brings: string | undefined,
): Promise<void> {
  const parent = isThere ? folder : dirname(folder)
  const half = await besideIn(parent, basename(folder)).catch((error: unknown) => {
    throw new Error(`${folder} cannot be made: ${fileReason(error)}`)
  })
  try {
    const made = join(half, 'made')
    for (const [name, text] of files) {
      await mkdir(dirname(join(made, name)), { recursive: true })
      await writeFile(join(made, name), text)
    }
    if (brings !== undefined) {
      await mkdir(join(made, 'vendor'))
      await copyFile(brings, join(made, 'vendor', basename(brings)))
    }
    await (isThere ? moveEach(made, folder) : rename(made, folder))
  } finally {
    await rm(half, { recursive: true, force: true })
  }
}

async function besideIn(parent: string, name: string): Promise<string> {
  await mkdir(parent, { recursive: true })
  return mkdtemp(join(parent, `.${name}-`))
}

/** Into a folder that somebody may stand in, so that it stays the same folder. */
async function moveEach(from: string, to: string): Promise<void> {
  const moved: string[] = []
  try {
    for (const name of await readdir(from)) {
      await rename(join(from, name), join(to, name))
      moved.push(join(to, name))
    }
  } catch (error) {
    for (const path of moved) await rm(path, { recursive: true, force: true })
    throw error
  }
}
