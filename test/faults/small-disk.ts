/** A file system of a few megabytes that can be filled, made read-only and emptied: for that a test must be root and may mount. */
import { spawnSync } from 'node:child_process'
import { closeSync, ftruncateSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface SmallDisk {
  readonly path: string
  /** Takes all room but about so many bytes; may be called again. */
  fill(butBytes?: number): void
  /** Gives back what `fill` took. */
  empty(): void
  readOnly(yes: boolean): void
  remove(): void
}

function run(command: string, ...args: readonly string[]): string | undefined {
  const { status, stderr, error } = spawnSync(command, args, { encoding: 'utf8' })
  return status === 0 ? undefined : (error?.message ?? stderr.trim())
}

/** Mounts a small disk of its own; gives the reason where this machine does not let it. */
export function mountSmallDisk(megabytes: number): SmallDisk | string {
  if (process.platform !== 'linux') return 'a small file system can be mounted on Linux only'
  const path = mkdtempSync(join(tmpdir(), 'plinth-disk-'))
  const refusal = run('mount', '-t', 'tmpfs', '-o', `size=${megabytes}m,mode=700`, 'plinth-test', path)
  if (refusal !== undefined) {
    rmSync(path, { recursive: true })
    return `this user may not mount: ${refusal}`
  }
  const filler = join(path, 'filler')
  const piece = Buffer.alloc(65_536)
  return {
    path,
    fill(butBytes = 0) {
      const file = openSync(filler, 'w')
      let size = 0
      try {
        for (;;) size += writeSync(file, piece)
      } catch {
        ftruncateSync(file, Math.max(0, size - butBytes))
      }
      closeSync(file)
    },
    empty: () => rmSync(filler, { force: true }),
    readOnly(yes) {
      const failed = run('mount', '-o', `remount,${yes ? 'ro' : 'rw'}`, path)
      if (failed !== undefined) throw new Error(failed)
    },
    remove() {
      // A process that just ended may hold it for a moment still.
      const failed = run('umount', path)
      if (failed !== undefined && run('umount', '-l', path) !== undefined) throw new Error(failed)
      rmSync(path, { recursive: true, force: true })
    },
  }
}

/**
 * Bounds the size of every file that a running process writes from now on (EFBIG beyond it), or lifts the bound; any user
 * may do that to their own processes. Gives the reason where it cannot be done.
 */
export function boundFiles(pid: number, bytes: number | undefined): string | undefined {
  return run('prlimit', '--pid', String(pid), `--fsize=${bytes ?? 'unlimited'}:unlimited`)
}
