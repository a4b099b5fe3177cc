/** Counts of what plugins did on this process, by the name of the act and how it ended, for `/metrics`. */
import { memo } from './memo.ts'
import type { Settings } from './settings.ts'

/** How often an act ended so. */
export interface ActCount {
  readonly act: string
  readonly outcome: string
  readonly count: number
}

/** More names are not counted: they are for those who write plugins, and never what a caller sent. */
const MOST = 1_000

const countsOf = memo(
  (_: Settings) => new Map<string, { readonly act: string; readonly outcome: string; count: number }>(),
)

/** Counts an act, `sign_in`, by how it ended, `wrong_password`: two words that the code has. */
export function countAct(settings: Settings, act: string, outcome: string): void {
  const counts = countsOf(settings)
  const key = `${act} ${outcome}`
  const known = counts.get(key)
  if (known !== undefined) known.count += 1
  else if (counts.size < MOST) counts.set(key, { act, outcome, count: 1 })
}

/** All counts of this process. */
export function actCounts(settings: Settings): readonly ActCount[] {
  return [...countsOf(settings).values()]
}
