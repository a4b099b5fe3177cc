/** Files and folders that must stay the ones that they are ⇄. */
import { closeSync, fstatSync, openSync, type Stats, statSync } from 'node:fs'
import { resolve } from 'node:path'

/** What is there, or undefined. */
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

/** An open handle keeps a file what it is, also where a file system gives out its numbers anew. */
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

/** What is held open, by its path. */
export interface HeldPlaces {
  /** Holds what is there now; throws when it cannot be opened. */
  hold(path: string): void
  /** The first place that is not what it was, and what became of it; undefined while all are. */
  missed(): string | undefined
  release(): void
}

/** Nothing is held at first. */
export function heldPlaces(): HeldPlaces {
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
