/** Lets commands use the embedded database of this process ⇄: over a socket, in turns with requests. */
import { chmod } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import type { PGlite } from '@electric-sql/pglite'
import { LIMITS } from '../limits.ts'
import type { Logger } from '../observe.ts'
import type { Presence } from './database.ts'
import { acquired, type Connections } from './pool.ts'
import { answerKeys, askedKeys, makeSocketPath, removeSocket } from './socket.ts'

export interface Shared {
  /** Stops listening; commands under way lose their connection, and their open transactions are rolled back. */
  close(): Promise<void>
}

/** The shared database; `check` throws while nothing can be written, `failed` is called when the disk is full. */
export interface Shareable {
  readonly cluster: PGlite
  readonly connections: Connections
  readonly presence: Presence
  readonly check: () => void
  readonly failed: () => void
  readonly dataDir: string
  readonly log: Logger
}

/** The start of a session: AuthenticationOk, and ReadyForQuery outside a transaction. */
const WELCOME = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49])
const TERMINATE = 'X'
/** The messages that end a batch, which is answered as a whole: Sync, Query, and those of COPY. */
const ENDS_BATCH = 'SQHdcf'
const IDLE = 'I'
const DISK_FULL = Buffer.from('C53100\0')

/** The longest first message and the longest later one that PostgreSQL itself reads, in bytes. */
const MOST_FIRST = 10_000
const MOST = 0x3fff_ffff

/** The length of the message at a place of `bytes`, including its own four bytes; throws for an impossible length. */
function lengthAt(bytes: Buffer, at: number, most: number): number {
  const length = bytes.readInt32BE(at)
  if (length < 4 || length > most) throw new Error(`a message says that it has ${length} bytes`)
  return length
}

/** A last message of the protocol that says why there will be no other. */
function farewell(error: unknown): Buffer {
  const reason = error instanceof Error ? error.message : String(error)
  const fields = Buffer.from(`SFATAL\0C57P03\0M${reason}\0\0`)
  const head = Buffer.alloc(5, 'E')
  head.writeInt32BE(fields.length + 4, 1)
  return Buffer.concat([head, fields])
}

/**
 * The length of the first whole batch of `bytes`; `ended` when the client terminates first. Throws for bytes that are
 * no message.
 */
function firstBatch(bytes: Buffer): number | 'ended' | undefined {
  let end = 0
  while (bytes.length >= end + 5) {
    const type = String.fromCharCode(bytes[end] ?? 0)
    if (type === TERMINATE) return 'ended'
    end += 1 + lengthAt(bytes, end + 1, MOST)
    if (end > bytes.length) return undefined
    if (ENDS_BATCH.includes(type)) return end
  }
  return undefined
}

/** The messages of a client: its first message, then batch after batch, until it ends. */
async function* batchesOf(socket: Socket): AsyncGenerator<Buffer> {
  let bytes: Buffer = Buffer.alloc(0)
  let begun = false
  // The error still has to be sent.
  for await (const part of socket.iterator({ destroyOnReturn: false })) {
    bytes = Buffer.concat([bytes, part])
    const length = begun || bytes.length < 4 ? undefined : lengthAt(bytes, 0, MOST_FIRST)
    if (length !== undefined && bytes.length >= length) {
      begun = true
      yield bytes.subarray(0, length)
      bytes = bytes.subarray(length)
    }
    for (let end = begun ? firstBatch(bytes) : undefined; end !== undefined; end = firstBatch(bytes)) {
      if (end === 'ended') return
      yield bytes.subarray(0, end)
      bytes = bytes.subarray(end)
    }
  }
}

/** Answers batches on the one connection until the client ends; a transaction that it leaves open is rolled back. */
async function converse(socket: Socket, batches: AsyncGenerator<Buffer>, shared: Shareable): Promise<void> {
  const { cluster, check, failed } = shared
  const client = await acquired(shared.connections)
  let state = IDLE
  try {
    socket.write(WELCOME)
    for (;;) {
      // A silent client that keeps the connection makes every request wait.
      socket.setTimeout(LIMITS.commandSilenceMs)
      const { value: batch, done } = await batches.next()
      if (done === true) return
      socket.setTimeout(0)
      check()
      // Copied, because the cluster uses the memory of the answer again.
      const answer = Buffer.from(await cluster.execProtocolRaw(batch))
      state = String.fromCharCode(answer.at(-1) ?? 0)
      if (answer.includes(DISK_FULL)) failed()
      socket.write(answer)
    }
  } finally {
    if (state !== IDLE) await cluster.exec('rollback').catch(() => {})
    client.release()
  }
}

async function serve(socket: Socket, shared: Shareable): Promise<void> {
  const batches = batchesOf(socket)
  try {
    const first = await batches.next()
    const asked = first.done === true ? undefined : askedKeys(first.value)
    if (asked !== undefined) await answerKeys(socket, asked, shared.presence, () => batches.next())
    else if (first.done !== true) await converse(socket, batches, shared)
    socket.end()
  } catch (error) {
    socket.end(farewell(error))
  }
}

/** Listens in DATA_DIR, for this user alone. */
export async function shareCluster(shared: Shareable): Promise<Shared> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
    socket.on('timeout', () => socket.destroy())
    socket.setTimeout(LIMITS.commandSilenceMs)
    void serve(socket, shared)
  })
  const file = await makeSocketPath(shared.dataDir)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(file, resolve)
  })
  await chmod(file, 0o600)
  return {
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const socket of sockets) socket.destroy()
      await closed
      await removeSocket(shared.dataDir)
    },
  }
}
