/** What other users of the machine may do with a folder, for tests. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Everything in a folder, and the folder itself, that grants anything to the group or to everybody. */
export function openTo(folder: string): readonly string[] {
  const inside = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isSymbolicLink())
    .map((entry) => join(entry.parentPath, entry.name))
  return [folder, ...inside].filter((path) => ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0)
}
