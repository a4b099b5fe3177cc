/** Watches the disk of DATA_DIR ⇄: that it stays the same folder, takes writes and has room. */
import { closeSync, constants, existsSync, fstatSync, openSync, type Stats, statSync } from 'node:fs'
import { access, statfs } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { ApiError } from '../error.ts'
import type { Logger } from '../observe.ts'

/** The stats of a path; undefined where there is nothing. */
function found(path: string): Stats | undefined {
  try {
    return statSync(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // A volume that only fails for a while is no other folder.
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw error
  }
}

/** An open handle identifies a file, even where a file system reuses its numbers. */
function opened(path: string): number | undefined {
  try {
    return openSync(path, 'r')
  } catch (error) {
    // Windows opens no folders: there it must only exist.
    if (process.platform === 'win32') return undefined
    throw error
  }
}

function isSame(path: string, handle: number | undefined): boolean {
  try {
    const now = found(path)
    if (now === undefined || handle === undefined) return now !== undefined
    const then = fstatSync(handle)
    return now.dev === then.dev && now.ino === then.ino
  } catch {
    return true
  }
}

/** Paths that are held open. */
export interface HeldPlaces {
  /** Holds the present file of a path; throws when it cannot be opened. */
  hold(path: string): void
  /** The first path that was removed or replaced, as a sentence; undefined while there is none. */
  missed(): string | undefined
  release(): void
}

/** Nothing is held at first. */
function heldPlaces(): HeldPlaces {
  const held = new Map<string, number | undefined>()
  return {
    hold(path) {
      if (!held.has(path)) held.set(path, opened(path))
    },
    missed() {
      const one = [...held].find(([path, handle]) => !isSame(path, handle))
      if (one === undefined) return undefined
      const [path] = one
      return `${resolve(path)} ${found(path) === undefined ? 'was removed' : 'was replaced by another'}`
    },
    release() {
      for (const handle of held.values()) if (handle !== undefined) closeSync(handle)
      held.clear()
    },
  }
}

/** Below this a checkpoint or a new log file may no longer fit: PostgreSQL writes its log in pieces of 16 MB. */
const KEEP_FREE_BYTES = 64 * 1024 * 1024
const LOOK_MS = 1_000
/** How long a held place may go unseen while the embedded database is used, in milliseconds. */
const UNSEEN_MS = 50
const MEGABYTE = 1_048_576
const RETRY_AFTER = 10

/** The state of a disk, at most a second old. */
export interface Disk {
  /** For operators and /readyz: `ok`, or the problem, without paths. */
  says(): string
  /** Throws `unavailable` while nothing should be written: for the embedded database. */
  check(): void
  /** From here on this file or folder must stay the one that it is; throws when it cannot be opened. */
  hold(path: string): void
  /** A write found no room (53100): nothing is accepted until the next look, which may find some. */
  fail(): void
  /** Forbids all writes of this process from now on, for this reason; the owner of the process ends it. */
  lose(reason: string): Error
  /** Checks the held paths at once; returns the reason where one is gone. */
  look(): Error | undefined
  /** Resolves when DATA_DIR is lost to this process. */
  readonly lost: Promise<Error>
  stop(): void
}

/** The folder itself, or the nearest above it that exists: where it would be made. */
function nearest(directory: string): string {
  let at = resolve(directory)
  while (!existsSync(at) && dirname(at) !== at) at = dirname(at)
  return at
}

/** The error of writing into a folder; undefined when there is none. */
async function writeError(directory: string, keepFree: number): Promise<string | undefined> {
  try {
    const place = nearest(directory)
    // EROFS on a read-only disk, also for root.
    await access(place, constants.W_OK)
    const { bavail, bsize, ffree, files } = await statfs(place)
    if (files > 0 && ffree === 0) return 'full: no file can be added'
    const free = bavail * bsize
    if (free >= keepFree) return undefined
    return `full: ${Math.floor(free / MEGABYTE)} MB are free, and ${Math.ceil(keepFree / MEGABYTE)} MB are needed`
  } catch (error) {
    const { code = 'no code' } = error as NodeJS.ErrnoException
    return code === 'EROFS' ? 'read-only' : `cannot be written to (${code})`
  }
}

/** Where DATA_DIR ends for this process: `gone` says why, from then on. */
function loser(log: Logger) {
  let gone: Error | undefined
  let tell = (_: Error): void => {}
  const lost = new Promise<Error>((done) => {
    tell = done
  })
  return {
    lost,
    gone: () => gone,
    lose(reason: string): Error {
      if (gone !== undefined) return gone
      gone = new Error(reason)
      log.error({ reason }, 'DATA_DIR is lost to this process')
      tell(gone)
      return gone
    },
  }
}

function remedy(directory: string): string {
  return `It stops, because what it writes there would be lost: bring DATA_DIR ${resolve(directory)} back, or start with another.`
}

/** Runs `work` at once and then every second, one at a time; returns the function that stops it. */
async function repeat(work: () => Promise<void>): Promise<() => void> {
  let working = false
  const turn = (): void => {
    if (working) return
    working = true
    void work().finally(() => {
      working = false
    })
  }
  await work()
  const timer = setInterval(turn, LOOK_MS).unref()
  return () => clearInterval(timer)
}

/** Watches the file system of a directory, looking once a second. */
export async function watchDisk(directory: string, log: Logger, keepFree = KEEP_FREE_BYTES): Promise<Disk> {
  const places = heldPlaces()
  const { lost, gone, lose } = loser(log)
  let against: string | undefined
  let failed = false
  let seenAt = 0

  const look = (): Error | undefined => {
    seenAt = performance.now()
    const missed = gone() === undefined ? places.missed() : undefined
    if (missed === undefined) return gone()
    return lose(`${missed} while this process used it. ${remedy(directory)}`)
  }
  const lookAround = async (): Promise<void> => {
    try {
      if (existsSync(directory)) places.hold(directory)
      look()
    } catch {
      // A folder that cannot even be opened is reported below.
    }
    against = await writeError(directory, keepFree)
    failed = false
  }
  const end = await repeat(lookAround)
  return {
    says() {
      if (gone() !== undefined) return 'lost to this process, which stops'
      return failed ? 'full: a write found no room' : (against ?? 'ok')
    },
    check() {
      if (performance.now() - seenAt > UNSEEN_MS) look()
      if (gone() === undefined && against === undefined && !failed) return
      const cause = gone() ?? new Error(`the disk of ${directory}: ${against ?? 'a write found no room'}`)
      throw new ApiError('unavailable', { retryAfter: RETRY_AFTER, cause })
    },
    hold: places.hold,
    fail() {
      failed = true
    },
    lose,
    look,
    lost,
    stop() {
      end()
      places.release()
    },
  }
}
