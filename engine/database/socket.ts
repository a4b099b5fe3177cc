/** The socket of an embedded database ⇄: its address, and the keys of living processes that are asked for over it. */
import fs from 'node:fs/promises'
import { createConnection, type Socket } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { LIMITS } from '../limits.ts'
import type { Presence } from './database.ts'
import { ownPresence } from './presence.ts'

/** A directory with a socket of this name is an address that PostgreSQL's clients understand. */
export const SOCKET_PORT = 5432
const NAME = `.s.PGSQL.${SOCKET_PORT}`

/** macOS takes 104 bytes with the closing NUL, Linux 108; no system is known to take less. */
const LONGEST_BYTES = 103

function fits(file: string): boolean {
  return Buffer.byteLength(file) <= LONGEST_BYTES
}

/** The address in DATA_DIR: the socket itself, or a link to it. */
function addressIn(dataDir: string): string {
  return path.join(path.resolve(dataDir), NAME)
}

async function linkedTo(address: string): Promise<string | undefined> {
  return fs.readlink(address).catch(() => undefined)
}

/** The path to connect to; never rejects: only connecting shows whether a process listens. */
export async function findSocket(dataDir: string): Promise<string> {
  const address = addressIn(dataDir)
  return (await linkedTo(address)) ?? address
}

/**
 * The path to listen at, once this process holds the lock of the database: the socket of a process that is gone is
 * removed. A path that is too long for a socket becomes a link to a new directory of this user in the folder for
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

/** Removes the address, and the target of its link. */
export async function removeSocket(dataDir: string): Promise<void> {
  const address = addressIn(dataDir)
  const elsewhere = await linkedTo(address)
  await fs.rm(address, { force: true })
  if (elsewhere === undefined || path.basename(elsewhere) !== NAME) return
  await fs.rm(elsewhere, { force: true })
  await fs.rmdir(path.dirname(elsewhere)).catch(() => {})
}

/** A first message about keys, which no client of PostgreSQL sends. */
const ASKS = /plinth_(take|held)\0([^\0]*)\0/
const TAKEN = '1'
const REFUSED = '0'

/** The question about keys in the first message of a connection; undefined where it begins a session of SQL. */
export interface AskedKeys {
  readonly what: 'take' | 'held'
  readonly keys: readonly string[]
}

export function askedKeys(first: Buffer): AskedKeys | undefined {
  const [, what, keys] = ASKS.exec(first.toString('utf8')) ?? []
  return what === undefined ? undefined : { what: what as AskedKeys['what'], keys: (keys ?? '').split(',') }
}

/** Answers the question; a key that was taken is given back when the connection has `ended`. */
export async function answerKeys(
  socket: Socket,
  { what, keys }: AskedKeys,
  presence: Presence,
  ended: () => Promise<unknown>,
): Promise<void> {
  if (what === 'held') {
    socket.write([...(await presence.held(keys))].join())
    return
  }
  const give = await presence.take(keys[0] ?? '')
  socket.write(give === undefined ? REFUSED : TAKEN)
  if (give === undefined) return
  socket.setTimeout(0)
  try {
    await ended()
  } finally {
    await give()
  }
}

function ask(file: string, what: AskedKeys['what'], keys: readonly string[]): Socket {
  const socket = createConnection(file)
  const words = Buffer.from(`plinth_${what}\0${keys.join()}\0\0`)
  const head = Buffer.alloc(8)
  head.writeInt32BE(words.length + head.length, 0)
  // Version 3.0 of PostgreSQL's protocol.
  head.writeInt32BE(0x30000, 4)
  socket.setTimeout(LIMITS.probeMs, () => socket.destroy(new Error('the process that has the database says nothing')))
  socket.write(Buffer.concat([head, words]))
  return socket
}

/** The keys that the process at the other end of a socket keeps. */
export function presenceOver(file: string): Presence {
  const own = ownPresence()
  return {
    async take(key) {
      const giveOwn = await own.take(key)
      if (giveOwn === undefined) return undefined
      const socket = ask(file, 'take', [key])
      const answer = await new Promise<string>((resolve, reject) => {
        socket.once('data', (data) => resolve(String(data)))
        socket.on('error', reject)
      })
      socket.setTimeout(0)
      socket.unref()
      const give = async (): Promise<void> => {
        socket.destroy()
        await giveOwn()
      }
      if (answer === TAKEN) return give
      await give()
      return undefined
    },
    async held(keys) {
      const socket = ask(file, 'held', keys)
      let answer = ''
      for await (const part of socket) answer += String(part)
      return new Set(answer.split(',').filter(Boolean))
    },
  }
}
