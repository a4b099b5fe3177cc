/** Restricts DATA_DIR with all its files to the user of the process ⇄. */
import fs from 'node:fs/promises'
import path from 'node:path'

/** The bits of a mode for the group and all other users. */
const OTHERS = 0o077
const STICKY = 0o1000

function unusable(directory: string, reason: string): Error {
  return new Error(
    `DATA_DIR ${path.resolve(directory)} ${reason}. Give the folder to the user that runs Plinth (chown, then chmod 700), or name a DATA_DIR that does not exist yet.`,
  )
}

/** Removes the rights of other users on `place` and everything below it; links are left as they are. */
export async function closeToOthers(place: string): Promise<void> {
  const found = await fs.lstat(place)
  if (found.isSymbolicLink()) return
  if ((found.mode & OTHERS) !== 0) await fs.chmod(place, found.mode & 0o700)
  if (!found.isDirectory()) return
  for (const name of await fs.readdir(place)) {
    await closeToOthers(path.join(place, name)).catch((error: NodeJS.ErrnoException) => {
      // Lock files and half-written ones may be gone by now.
      if (error.code !== 'ENOENT') throw error
    })
  }
}

async function closeAll(directory: string): Promise<void> {
  try {
    await closeToOthers(directory)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && (error.code === 'EPERM' || error.code === 'EACCES'))) throw error
    throw unusable(directory, 'can be read by other users of this machine, and its modes cannot be changed by this one')
  }
}

/**
 * Makes DATA_DIR where `make` says so, closes it to other users where it is open, and lets the process make files for
 * its own user alone from here on, the embedded database's too. Throws a sentence where that cannot be.
 */
export async function keepPrivate(directory: string, make: boolean): Promise<void> {
  process.umask(OTHERS)
  if (make) await fs.mkdir(directory, { recursive: true, mode: 0o700 })
  const found = await fs.stat(directory).catch(() => undefined)
  // Windows has no such modes: there, folders below a user's own are that user's.
  if (found === undefined || process.platform === 'win32' || (found.mode & OTHERS) === 0) return
  const whole = await fs.realpath(directory)
  if ((found.mode & STICKY) !== 0 || whole === path.parse(whole).root)
    throw unusable(directory, 'is a folder that others share')
  await closeAll(whole)
}
