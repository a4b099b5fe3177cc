/** Many records at once: each change by itself, with what is refused told below its id, and the way back. */
import { words } from '../words/words.ts'
import { type Asked, ask, newKey, rowsIn, sentence } from './api.ts'
import { idOf, isRecord, type Json, type RecordData, valueAt } from './catalog.ts'
import type { Condition } from './screens.ts'

export interface Refused {
  readonly id: string
  readonly sentence: string
  /** Whether it is another version by now. */
  readonly isStale?: boolean
}

export interface Outcome {
  /** The records: as they are now, or as they were where a query chose them. */
  readonly done: readonly RecordData[]
  readonly refused: readonly Refused[]
  /** By id, the versions that the changes left. */
  readonly etags: ReadonlyMap<string, string>
}

/** An outcome that grows. */
const nothingYet = () => ({ done: [] as RecordData[], refused: [] as Refused[], etags: new Map<string, string>() })

type Change = { readonly [name: string]: Json }
type Verb = 'update' | 'delete' | 'restore'

/** One operation for each record, in the order in which they are sent. */
export interface Work {
  readonly verb: Verb
  readonly records: readonly { readonly id: Json; readonly change?: Change }[]
}

const AT_ONCE = 50

export interface Doing extends Pick<Asked, 'signal' | 'onWait'> {
  readonly onProgress: (done: number) => void
}

/** Does the work in parts, so that its reader sees how far it is. Each part is done once, however often it is sent. */
export async function doMany(
  batch: string,
  { records, verb }: Work,
  { onProgress, ...asked }: Doing,
): Promise<Outcome> {
  const outcome = nothingYet()
  for (let at = 0; at < records.length; at += AT_ONCE) {
    const part = records.slice(at, at + AT_ONCE)
    const body = { [verb]: part.map(({ change, id }) => (change === undefined ? id : { ...change, id })) }
    const answer = await ask(`${batch}?partial=true`, { ...asked, method: 'POST', body, key: newKey() })
    const told = valueAt(answer.data, verb)
    for (const [place, one] of (Array.isArray(told) ? told : []).entries()) {
      const id = String(part[place]?.id ?? '')
      const [status, data, etag] = [Number(valueAt(one, 'status')), valueAt(one, 'data'), valueAt(one, 'etag')]
      if (typeof etag === 'string') outcome.etags.set(id, etag)
      if (status < 300) outcome.done.push(isRecord(data) ? data : { id })
      else outcome.refused.push({ id, sentence: sentenceIn(one), isStale: status === 412 })
    }
    onProgress(Math.min(at + AT_ONCE, records.length))
  }
  return outcome
}

function sentenceIn(told: Json): string {
  const errors = valueAt(told, 'errors')
  const said = isRecord(errors)
    ? Object.values(errors).flatMap((one) => (Array.isArray(one) ? one.map(String) : []))
    : []
  return said.length > 0 ? said.join('. ') : String(valueAt(told, 'message') ?? '')
}

/** Records that a query chooses: where it is sent, and the query itself. */
export interface Chosen {
  readonly path: string
  readonly query: string
}

/** A query that chooses among the records of another one, too. */
export function narrowed(query: string, condition: Condition): string {
  const next = new URLSearchParams(query)
  const where = next.get('where')
  next.set('where', JSON.stringify(where === null ? condition : { all: [JSON.parse(where), condition] }))
  return next.toString()
}

/** How many records a change of the list's own query would reach. */
export async function countMatching(
  { path, query }: Chosen,
  verb: 'update' | 'delete',
  signal: AbortSignal,
): Promise<number> {
  const asked = verb === 'update' ? ({ method: 'PATCH', body: {} } as const) : ({ method: 'DELETE' } as const)
  const answer = await ask(`${path}?${query}&max=1&dry_run=true`, { ...asked, key: 'never', signal })
  return Number(valueAt(answer.data, 'matched') ?? 0)
}

/** Every record of a choice, page after page; a little more than `most` when there are more. */
export async function readMatching(
  { path, query }: Chosen,
  most: number,
  asked: Pick<Asked, 'signal' | 'onWait'>,
): Promise<readonly RecordData[]> {
  const rows: RecordData[] = []
  for (let cursor: string | null | undefined = 'first'; typeof cursor === 'string'; ) {
    const answer = await ask(`${path}?${query}&per_page=100&cursor=${encodeURIComponent(cursor)}`, asked)
    rows.push(...rowsIn(answer))
    cursor = rows.length > most ? null : answer.meta.pagination?.next_cursor
  }
  return rows
}

/** The most records that one request writes. */
const AT_MOST = 500
/** So many ids fit into an address. */
const NAMED = 100

/**
 * Writes the records that the query itself chooses, `rows` at most: the server judges it once more, so that nothing is
 * reached that does not match by now. More than one request takes are written in parts, each by the query and its ids.
 */
export async function writeMatching(
  { path, query }: Chosen,
  { change, rows, verb }: { readonly verb: 'update' | 'delete'; readonly change: Change; readonly rows: Rows },
  { onProgress, ...asked }: Doing,
): Promise<Outcome> {
  const outcome = nothingYet()
  const size = rows.length <= AT_MOST ? AT_MOST : NAMED
  for (let at = 0; at < rows.length; at += size) {
    const part = rows.slice(at, at + size)
    const chosen = size === AT_MOST ? query : narrowed(query, { id: { in: part.map(({ id = null }) => id) } })
    const address = `${path}?${chosen}&max=${part.length}&partial=true`
    const body = verb === 'update' ? { body: change } : {}
    const method = verb === 'update' ? 'PATCH' : 'DELETE'
    try {
      const { data } = await ask(address, { ...asked, ...body, method, key: newKey() })
      const { done, etags, refused } = toldOf(part, data)
      outcome.done.push(...done)
      outcome.refused.push(...refused)
      for (const [id, etag] of etags) outcome.etags.set(id, etag)
    } catch (error) {
      // What is done stays done, and can be taken back; the rest was not reached.
      if (outcome.done.length === 0) throw error
      const left = rows.slice(at).map((row) => ({ id: idOf(row), sentence: sentence(error) }))
      return { ...outcome, refused: [...outcome.refused, ...left] }
    }
    onProgress(Math.min(at + size, rows.length))
  }
  return outcome
}

type Rows = readonly RecordData[]

function toldOf(part: Rows, told: Json): Outcome {
  const listed = (name: string): readonly Json[] => {
    const list = valueAt(told, name)
    return Array.isArray(list) ? list : []
  }
  const named = listed('ids').map(String)
  const ids = new Set(named)
  const etags = new Map(listed('etags').map((etag, at) => [named[at] ?? '', String(etag)]))
  const refused = new Map(listed('refused').map((one) => [String(valueAt(one, 'id')), sentenceIn(one)]))
  const others = part.map(idOf).filter((id) => !ids.has(id))
  return {
    etags,
    done: part.filter((row) => ids.has(idOf(row))),
    refused: others.map((id) => ({ id, sentence: refused.get(id) ?? words().matchesNoMore })),
  }
}
