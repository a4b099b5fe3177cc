/** Opens an embedded cluster on disk or in memory, and lets the rest of the process breathe while it works. */
import fs from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { PGlite } from '@electric-sql/pglite'
import { closeToOthers } from '../disk/data-dir-access.ts'
import type { Disk } from '../disk/disk-watch.ts'
import { EXTENSIONS, readSnapshot, type Snapshot, SnapshotInMemory, takeSnapshot, unpackSnapshot } from './snapshot.ts'

/** The calls into PostgreSQL by which PGlite has messages answered. */
interface Calls {
  _PostgresMainLoopOnce(): void
  _PostgresSendReadyForQueryIfNecessary(): void
  _pgl_pq_flush(): void
}

/** The SQLSTATE of statements that a crash of the server cut off. */
const CRASHED = '57P02'

/**
 * An error that PGlite cannot ignore: it reads the status of a thrown error, to recognise an ordinary error of
 * PostgreSQL.
 */
function inescapable(error: Error): Error {
  return Object.defineProperty(error, 'status', {
    get() {
      throw error
    },
  })
}

/**
 * Calls `panicked` once when PostgreSQL aborts, and has its error thrown by every statement from then on, that one
 * included.
 */
function watchForPanic(cluster: PGlite, panicked: () => Error): void {
  const calls = Reflect.get(cluster, 'Module') as Calls
  const once = calls._PostgresMainLoopOnce
  let broken: Error | undefined
  calls._PostgresMainLoopOnce = () => {
    if (broken !== undefined) throw broken
    try {
      once()
    } catch (error) {
      // Errors of PostgreSQL are exits with a status.
      if (!(error instanceof Error) || error.name !== 'RuntimeError') throw error
      // A new error each time: Knex writes the statement into the message of the error.
      const { message } = panicked()
      broken = inescapable(Object.assign(new Error(message), { code: CRASHED }))
      // The calls of PGlite for its end would not return either.
      calls._PostgresSendReadyForQueryIfNecessary = () => {}
      calls._pgl_pq_flush = () => {}
      throw broken
    }
  }
}

export const EMBEDDED_MAJOR = '18'

/** Each start fills the buffers with zeros, which is its longest part; 128 MB are the default. */
const FEW_BUFFERS = [...PGlite.defaultStartParams, '-c', 'shared_buffers=16MB']
/** What makes the log of a cluster last through a crash is in vain in memory. */
const IN_MEMORY = ['synchronous_commit', 'full_page_writes', 'wal_init_zero'].flatMap((name) => ['-c', `${name}=off`])

const SLICE_MS = 8
/** First bytes of the messages that end a batch: Sync, Query, and the copy messages, which wait for nothing. */
const ENDS_BATCH = new Set([...'SQHdcf'].map((letter) => letter.charCodeAt(0)))

function concatenate(parts: readonly Uint8Array[]): Uint8Array {
  if (parts.length === 1 && parts[0]) return parts[0]
  return Buffer.concat(parts)
}

/**
 * Changes how messages reach the cluster: those of one statement go in together (half the time of one by one), timers
 * and sockets get a turn every 8 ms (answers are microtasks and would starve them), and a full disk stops all of them.
 */
function pace(cluster: PGlite, disk: Disk | undefined): PGlite {
  const send = cluster.execProtocolStream.bind(cluster)
  let waiting: Uint8Array[] = []
  let sliceStart = performance.now()
  cluster.execProtocolStream = async (message, options) => {
    waiting.push(message)
    if (!ENDS_BATCH.has(message[0] ?? 0)) return []
    const batch = concatenate(waiting)
    waiting = []
    disk?.check()
    if (performance.now() - sliceStart > SLICE_MS) {
      await setImmediate()
      sliceStart = performance.now()
    }
    const answers = await send(batch, options)
    if (disk && answers.some((answer) => answer.name === 'error' && 'code' in answer && answer.code === '53100'))
      disk.fail()
    return answers
  }
  return cluster
}

/** Sets the session up like one of a server: UTC, ISO dates, the extension for searches. */
async function prepare(cluster: PGlite): Promise<void> {
  await cluster.exec(`create extension if not exists pg_trgm;
    set timezone = 'UTC'; set datestyle = 'ISO'; set jit = off; set client_min_messages = warning`)
}

async function majorOf(directory: string): Promise<string | undefined> {
  try {
    return (await fs.readFile(path.join(directory, 'PG_VERSION'), 'utf8')).trim()
  } catch {
    return undefined
  }
}

/** Builds a cluster from nothing in a directory, and closes it. */
async function build(directory: string): Promise<Snapshot> {
  const cluster = await PGlite.create(directory, { extensions: EXTENSIONS, startParams: FEW_BUFFERS })
  await prepare(cluster)
  await cluster.close()
  return takeSnapshot(directory)
}

async function buildElsewhere(): Promise<Snapshot> {
  const folder = await fs.mkdtemp(path.join(tmpdir(), 'plinth-cluster-'))
  try {
    return await build(path.join(folder, 'database'))
  } finally {
    await fs.rm(folder, { recursive: true, force: true })
  }
}

/** A cluster in memory, for as long as the process lives. */
export async function openMemory(): Promise<PGlite> {
  const snapshot = (await readSnapshot()) ?? (await buildElsewhere())
  const cluster = await PGlite.create({
    extensions: EXTENSIONS,
    fs: new SnapshotInMemory(snapshot),
    startParams: [...FEW_BUFFERS, ...IN_MEMORY],
  })
  await prepare(cluster)
  return pace(cluster, undefined)
}

/**
 * The cluster of a directory that this process has locked; made when there is none. A first start that was cut off is
 * begun again; throws a sentence for the directory of another major version. `briefly`: for a command, which ends soon.
 */
export async function openDirectory(directory: string, disk: Disk, briefly = false): Promise<PGlite> {
  const major = await majorOf(directory)
  if (major !== undefined && major !== EMBEDDED_MAJOR) {
    throw new Error(
      `${directory} holds a database of PostgreSQL ${major}, and the embedded one is ${EMBEDDED_MAJOR}: start it with the Plinth that made it and dump it there, move the directory away, and load the dump here.`,
    )
  }
  disk.check()
  if (major !== undefined) {
    const cluster = await PGlite.create(directory, {
      extensions: EXTENSIONS,
      ...(briefly && { startParams: FEW_BUFFERS }),
    })
    watchForPanic(cluster, () =>
      disk.lose(
        `The embedded database has stopped: it could not write to ${directory}, because the disk is full or fails. Nothing that was acknowledged is lost: start again when there is room.`,
      ),
    )
    await prepare(cluster)
    // The cluster gives some files modes of the archive, or its own, against the umask of the process.
    await closeToOthers(directory)
    return pace(cluster, disk)
  }
  const half = `${directory}.new`
  await fs.rm(half, { recursive: true, force: true })
  const snapshot = await readSnapshot()
  if (snapshot === undefined) await build(half)
  else unpackSnapshot(snapshot, half)
  // Only a whole cluster ever bears the name: a start that is killed leaves a `.new` that the next one removes.
  await fs.rm(directory, { recursive: true, force: true })
  await fs.rename(half, directory)
  return openDirectory(directory, disk, briefly)
}
