/** Writes several files of people ⇄: all of them, or none, and only where each still is as it was when it was read. */
import { readFile, realpath, rm, rmdir, stat } from 'node:fs/promises'
import { dirname, posix, resolve } from 'node:path'
import { makeFolder, writeWhole } from '../disk/files.ts'

/** A changed file; without `before` it is new, without `after` it goes. */
export interface ChangedFile {
  readonly file: string
  readonly before: string | undefined
  readonly after: string | undefined
}

/** A file is another one than it was when it was read; nothing was written. */
export class FileChanged extends Error {}

/** Writes the files one after the other; on a failure those that were written are as they were. Throws FileChanged. */
export async function writeFiles(files: readonly ChangedFile[]): Promise<void> {
  const written: ChangedFile[] = []
  try {
    for (const one of files) {
      await writeOne(one)
      written.push(one)
    }
  } catch (error) {
    await restoreFiles(written)
    throw error
  }
}

async function writeOne({ file, before, after }: ChangedFile): Promise<void> {
  const path = await realpath(resolve(file)).catch(() => resolve(file))
  const found = await readFile(path, 'utf8').catch(() => undefined)
  // Editors on Windows begin a file with a byte order mark, which is not part of the text, and stays.
  const mark = found?.startsWith('\uFEFF') ? '\uFEFF' : ''
  if (found?.slice(mark.length) !== before)
    throw new FileChanged(`${file} was changed by somebody else meanwhile; nothing was written.`)
  if (after === undefined) {
    await rm(path, { force: true })
    return
  }
  await makeFolder(dirname(path))
  const mode = before === undefined ? 0o644 : (await stat(path)).mode & 0o777
  await writeWhole(path, `${mark}${after}`, mode)
}

/** Puts back what was there before the files were written. */
export async function restoreFiles(written: readonly ChangedFile[]): Promise<void> {
  for (const { file, before, after } of written) {
    await writeOne({ file, before: after, after: before })
    // The folder that was made for the file goes with its last file.
    if (before === undefined) await rmdir(posix.dirname(resolve(file))).catch(() => {})
  }
}
