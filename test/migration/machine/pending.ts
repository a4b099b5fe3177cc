/** What does not hold yet, each with the reason. */
import type { Way } from './draw.ts'
import type { Kind } from './kinds.ts'

/** Kinds of changes and ways to serve them that the machine leaves out. */
export const PENDING: Readonly<Partial<Record<Kind | Way | 'revert', string>>> = {}

/** Cases that do not hold yet. */
export const PENDING_CASES: Readonly<Record<string, Kind>> = {}
