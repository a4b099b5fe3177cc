/** ⇄ The keys of processes that live, over the socket of an embedded database: a key is as long as its connection. */
import { createConnection, type Socket } from 'node:net'
import { LIMITS } from '../limits.ts'
import type { Presence } from './database.ts'
import { ownPresence } from './presence.ts'

/** What a client of PostgreSQL never sends: its first message names one of these. */
const ASKS = /plinth_(take|held)\0([^\0]*)\0/
const TAKEN = '1'
const REFUSED = '0'

/** What the first message of a connection asks about keys; undefined where it begins a session of SQL. */
export interface AskedKeys {
  readonly what: 'take' | 'held'
  readonly keys: readonly string[]
}

export function askedKeys(first: Buffer): AskedKeys | undefined {
  const [, what, keys] = ASKS.exec(first.toString('utf8')) ?? []
  return what === undefined ? undefined : { what: what as AskedKeys['what'], keys: (keys ?? '').split(',') }
}

/** Answers what was asked; a key that was taken is given back when the connection has `ended`. */
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
