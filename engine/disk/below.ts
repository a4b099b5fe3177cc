/** Folders as people lay them out ⇄: a link to a folder is one, wherever it leads. */
import { type Dirent, readdirSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'

type Entry = Pick<Dirent, 'isDirectory' | 'isSymbolicLink'>

/** Whether an entry at a path is a folder, or a link to one. */
export function isFolder(entry: Entry, path: string): boolean {
  return entry.isDirectory() || (entry.isSymbolicLink() && leadsToFolder(path))
}

function leadsToFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    // It leads nowhere, or to itself.
    return false
  }
}

/** What is looked for below a folder. */
interface Search {
  /** Whether folders of this name are left out. */
  readonly isLeftOut: (name: string) => boolean
  /** Hears why a folder cannot be read, below which nothing is found then. */
  readonly unread?: (error: NodeJS.ErrnoException) => void
}

/** The files below a folder by their paths, in no order; where a link leads back to a folder above it, they are found once. */
export function* filesBelow(folder: string, search: Search, above: readonly string[] = []): Generator<string> {
  const { place, entries } = lookInto(folder, search)
  if (above.includes(place)) return
  for (const entry of entries) {
    const path = join(folder, entry.name)
    if (!isFolder(entry, path)) yield path
    else if (!search.isLeftOut(entry.name)) yield* filesBelow(path, search, [...above, place])
  }
}

function lookInto(folder: string, { unread }: Search): { readonly place: string; readonly entries: readonly Dirent[] } {
  try {
    return { place: realpathSync(folder), entries: readdirSync(folder, { withFileTypes: true }) }
  } catch (error) {
    unread?.(error as NodeJS.ErrnoException)
    return { place: folder, entries: [] }
  }
}
