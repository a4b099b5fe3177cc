/**
 * The id of an event: the place in the log up to which its reader has received changes, as text that every instance
 * understands.
 */
import type { Stand } from '../change/log-window.ts'
import type { Id } from '../id.ts'
import { LIMITS } from '../limits.ts'

export interface Place extends Stand {
  /** The time of the place, in milliseconds since the epoch: the log is kept for a limited time. */
  readonly at: number
  /** A hash of the reader's rights and query; another reader must read its list first. */
  readonly share: string
}

const LONGEST = 4_096
/** A reader who was cut off in the middle of this many successive batches reads the list again. */
const ID = /^([\w-]{1,40})\.(\d{1,15})\.([\d:,]+)((?:\.[\d:,]+\.(?:\d{1,10}|~[\w-]{1,200})){0,8})$/
const FURTHER = /\.([\d:,]+)\.([^.]+)/g
const SNAPSHOT = /^(\d{1,19}):(\d{1,19}):((?:\d{1,19}(?:,\d{1,19})*)?)$/

/** `share.at.snapshot`, followed in the middle of a batch by `.snapshot.id` for each part. */
export function placeText({ at, done, further, share }: Place): string {
  return `${share}.${at}.${done}${further.map(({ upto, lastId }) => `.${upto}.${idText(lastId)}`).join('')}`
}

/** The place of an id; undefined for another text. */
export function readPlace(text: string): Place | undefined {
  const [, share = '', at, done = '', parts = ''] = (text.length > LONGEST ? null : ID.exec(text)) ?? []
  const further = [...parts.matchAll(FURTHER)].map(([, upto = '', id = '']) => ({ upto, lastId: readId(id) }))
  if (at === undefined || ![done, ...further.map(({ upto }) => upto)].every(isSnapshot)) return undefined
  return { share, at: Number(at), done, further }
}

/** An id in a place: digits, or a text that could hold anything. */
function idText(id: Id): string {
  return typeof id === 'number' ? String(id) : `~${Buffer.from(id).toString('base64url')}`
}

function readId(text: string): Id {
  if (!text.startsWith('~')) return Math.min(Number(text), LIMITS.idMax)
  return Buffer.from(text.slice(1), 'base64url').toString('utf8').replaceAll('\0', '')
}

/** Whether PostgreSQL takes the text as a snapshot: `xmin:xmax:those between that were open`, ascending. */
function isSnapshot(text: string): boolean {
  const [, xmin, xmax, open = ''] = SNAPSHOT.exec(text) ?? []
  if (xmin === undefined || xmax === undefined) return false
  const least = BigInt(xmin)
  const most = BigInt(xmax)
  if (least === 0n || most < least || most > 9_223_372_036_854_775_807n) return false
  let before = least - 1n
  for (const one of open === '' ? [] : open.split(',')) {
    const id = BigInt(one)
    if (id <= before || id >= most) return false
    before = id
  }
  return true
}
