/** ⇄ Where the process that has an embedded database open listens for commands of the same user. */
import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'

/** A directory with a socket of this name is an address that PostgreSQL's clients understand. */
export const SOCKET_PORT = 5432
const NAME = `.s.PGSQL.${SOCKET_PORT}`

/** macOS takes 104 bytes with the closing NUL, Linux 108; elsewhere nobody is known to take less. */
const LONGEST_BYTES = 103

function fits(file: string): boolean {
  return Buffer.byteLength(file) <= LONGEST_BYTES
}

/** The address in DATA_DIR: the socket itself, or a link to where it lies. */
function addressIn(dataDir: string): string {
  return path.join(path.resolve(dataDir), NAME)
}

async function linkedTo(address: string): Promise<string | undefined> {
  return fs.readlink(address).catch(() => undefined)
}

/** Where to connect to; rejects nothing: whether somebody listens is found out by connecting. */
export async function findSocket(dataDir: string): Promise<string> {
  const address = addressIn(dataDir)
  return (await linkedTo(address)) ?? address
}

/**
 * Where to listen, once this process holds the lock of the database: what lies there is of a process that is gone, and
 * is removed. A path that is too long for a socket becomes a link to a new directory of this user's in the folder for
 * temporary files.
 */
export async function makeSocketPath(dataDir: string): Promise<string> {
  const address = addressIn(dataDir)
  await removeSocket(dataDir)
  if (fits(address)) return address
  const folder = [os.tmpdir(), '/tmp'].find((one) => fits(path.join(one, 'plinth-XXXXXX', NAME)))
  if (folder === undefined) throw new Error(`${address} is too long for a socket, and so is the folder TMPDIR`)
  // mkdtemp makes a directory that was not there, for this user alone.
  const file = path.join(await fs.mkdtemp(path.join(folder, 'plinth-')), NAME)
  await fs.symlink(file, address)
  return file
}

/** Takes the address away, and what it leads to. */
export async function removeSocket(dataDir: string): Promise<void> {
  const address = addressIn(dataDir)
  const elsewhere = await linkedTo(address)
  await fs.rm(address, { force: true })
  if (elsewhere === undefined || path.basename(elsewhere) !== NAME) return
  await fs.rm(elsewhere, { force: true })
  await fs.rmdir(path.dirname(elsewhere)).catch(() => {})
}
