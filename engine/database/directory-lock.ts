/** Lets one process at a time use an embedded database: a lock file next to its directory names a living owner. */

import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'

/** The owner of a lock: pids repeat, so the start time of the process and its pid namespace are stored with the pid. */
interface Owner {
  readonly pid: number
  readonly startedAt: string
  readonly namespace: string
}

/** Another process that lives uses the database. */
export class InUseError extends Error {
  readonly pid: number | undefined

  constructor(directory: string, pid: number | undefined) {
    super(
      `The embedded database in ${directory} is in use by process ${pid ?? 'unknown'}: stop that process, or give this one another DATA_DIR or a DATABASE_URL.`,
    )
    this.pid = pid
  }
}

const BEAT_MS = 2_000
/** An owner whose pid cannot be judged from here (another container) lives while its file is touched this often. */
const SILENT_MS = 20_000

/** A held lock; `release` frees it and never throws. */
export interface DirectoryLock {
  readonly file: string
  release(): void
}

function quiet(work: () => string): string {
  try {
    return work().trim()
  } catch {
    return ''
  }
}

/** When a process started, in the system's own words; empty when no such process lives. */
function startTime(pid: number): string {
  if (fs.existsSync('/proc/self/stat')) {
    const stat = quiet(() => fs.readFileSync(`/proc/${pid}/stat`, 'latin1'))
    // The command may hold spaces and parentheses; the start time is the 20th field after its last one.
    const [state, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return state === undefined || state === '' || state === 'Z' || state === 'X' ? '' : (rest[18] ?? '')
  }
  return quiet(() => execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'latin1', stdio: 'pipe' }))
}

function namespace(): string {
  const boot = quiet(() => fs.readFileSync('/proc/sys/kernel/random/boot_id', 'latin1'))
  return `${boot} ${quiet(() => fs.readlinkSync('/proc/self/ns/pid'))}`
}

function readOwner(file: string): Owner | undefined {
  try {
    const { pid, startedAt, namespace } = JSON.parse(fs.readFileSync(file, 'utf8')) as Partial<Owner>
    return pid === undefined || startedAt === undefined || namespace === undefined
      ? undefined
      : { pid, startedAt, namespace }
  } catch {
    return undefined
  }
}

function silentFor(file: string, now: number): number {
  const stat = fs.statSync(file, { throwIfNoEntry: false })
  return stat === undefined ? Number.POSITIVE_INFINITY : now - stat.mtimeMs
}

function isAlive(owner: Owner | undefined, file: string, here: string, now: number): boolean {
  // A file without a readable owner is one that is being written this moment, or was cut off by a crash.
  if (owner === undefined) return silentFor(file, now) < BEAT_MS
  const bootOf = (namespace: string) => namespace.split(' ')[0]
  if (owner.namespace === here) return startTime(owner.pid) === owner.startedAt
  if (bootOf(owner.namespace) !== bootOf(here) && bootOf(here) !== '') return silentFor(file, now) < BEAT_MS * 2
  return silentFor(file, now) < SILENT_MS
}

function create(file: string, owner: Owner): boolean {
  try {
    fs.writeFileSync(file, JSON.stringify(owner), { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}

/** Moves a dead owner's file away; puts it back when another process took the lock between the look and the move. */
function takeAway(file: string, dead: Owner | undefined): void {
  const aside = `${file}.${process.pid}`
  try {
    fs.renameSync(file, aside)
  } catch {
    return
  }
  const moved = readOwner(aside)
  const same = moved?.pid === dead?.pid && moved?.startedAt === dead?.startedAt
  if (!same) fs.linkSync(aside, file)
  fs.rmSync(aside, { force: true })
}

/**
 * Takes the lock of a data directory at `now` (milliseconds since the epoch) or throws at once, naming the living owner.
 * The file is `<directory>.lock`; a dead owner's is taken over.
 */
export function lockDirectory(directory: string, now: () => number): DirectoryLock {
  const file = `${path.resolve(directory)}.lock`
  const here = namespace()
  const own: Owner = { pid: process.pid, startedAt: startTime(process.pid), namespace: here }
  fs.mkdirSync(path.dirname(file), { recursive: true })
  for (let attempt = 0; !create(file, own); attempt += 1) {
    const owner = readOwner(file)
    if (attempt > 3 || isAlive(owner, file, here, now())) {
      throw new InUseError(directory, owner?.pid)
    }
    takeAway(file, owner)
  }
  const beat = setInterval(() => {
    const at = now() / 1_000
    fs.utimes(file, at, at, () => {})
  }, BEAT_MS).unref()
  const release = () => {
    clearInterval(beat)
    const owner = readOwner(file)
    if (owner?.pid === own.pid && owner.startedAt === own.startedAt) fs.rmSync(file, { force: true })
  }
  return Object.freeze({ file, release })
}
