/** What this page writes itself, so that nobody is told of a change of their own as of one of somebody else. */

/** The version of a record that is there no more. */
export const GONE = 'gone'

interface Write {
  readonly path: string
  /** The version that it left at its path, or none where it names no version; undefined: nothing was written. */
  readonly left: Promise<string | undefined>
  /** Whether its reader has seen what came of it. */
  isSeen: boolean
}

/** So many are remembered. */
const MOST = 50
let writes: readonly Write[] = []

/** Notes a write that is on its way. */
export function noteWrite(path: string, left: Write['left']): void {
  const known = left.catch(() => undefined)
  writes = [...writes.slice(1 - MOST), { path: path.replace(/\?.*$/, ''), left: known, isSeen: false }]
}

/** Whether a version of the record at a path, which its reader sees by now, is one that this page made. */
export async function isOwn(path: string, version: string): Promise<boolean> {
  const about = writes.filter((one) => one.path === path || one.path.startsWith(`${path}/`))
  const left = await Promise.all(about.map((one) => one.left))
  // What is written below a record may make a version of it that no answer names: the next one is taken for that.
  const isBelow = (one: Write, at: number): boolean => one.path !== path && !one.isSeen && left[at] !== undefined
  const isLeft = (one: Write, at: number): boolean => left[at] === version && (version !== GONE || one.path === path)
  const made = about.filter((one, at) => isLeft(one, at) || isBelow(one, at))
  for (const one of made) one.isSeen = true
  return made.length > 0
}
