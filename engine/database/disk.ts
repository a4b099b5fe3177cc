/** Stops the embedded database before the disk is full: its next query would otherwise hang for ever. */
import { statfs } from 'node:fs/promises'
import { ApiError } from '../error.ts'

/** Below this a checkpoint or a new log file may no longer fit: PostgreSQL writes its log in pieces of 16 MB. */
const KEEP_FREE_BYTES = 64 * 1024 * 1024
const LOOK_MS = 1_000

/** Says, at most a second out of date, whether there is room to write. */
export interface DiskGuard {
  /** Throws `unavailable` when the disk is nearly full or a write has already failed for lack of room. */
  check(): void
  /** Called when PostgreSQL itself ran out of room (53100): nothing is accepted any more until a restart. */
  fail(): void
  stop(): void
}

/** Watches the file system of a directory, looking once a second. */
export async function guardDisk(directory: string, keepFree = KEEP_FREE_BYTES): Promise<DiskGuard> {
  let full = false
  let failed = false
  const look = async () => {
    try {
      const { bavail, bsize } = await statfs(directory)
      full = bavail * bsize < keepFree
    } catch {
      full = true
    }
  }
  await look()
  const timer = setInterval(look, LOOK_MS).unref()
  return Object.freeze({
    check() {
      if (!full && !failed) return
      const cause = new Error(`the disk of ${directory} is full${failed ? '; free some room and restart' : ''}`)
      throw new ApiError('unavailable', { retryAfter: 10, cause })
    },
    fail() {
      failed = true
    },
    stop: () => clearInterval(timer),
  })
}
