/** Many records at once: each change by itself, with what is refused told below its id, and the way back. */
import { type Asked, ask, newKey, rowsIn } from './api.ts'
import { idOf, isRecord, type Json, type RecordData, type Resource, valueAt } from './catalog.ts'

export interface Refused {
  readonly id: string
  readonly sentence: string
}

export interface Outcome {
  /** The records as they are now; of a delete as they were. */
  readonly done: readonly RecordData[]
  readonly refused: readonly Refused[]
}

type Change = { readonly [name: string]: Json }
type Verb = 'update' | 'delete' | 'restore'

/** One operation for each record, in the order in which they are sent. */
export interface Work {
  readonly verb: Verb
  readonly records: readonly { readonly id: Json; readonly change?: Change }[]
}

const AT_ONCE = 50

interface Doing extends Pick<Asked, 'signal' | 'onWait'> {
  readonly onProgress: (done: number) => void
}

/** Does the work in parts, so that its reader sees how far it is. Each part is done once, however often it is sent. */
export async function doMany(
  batch: string,
  { records, verb }: Work,
  { onProgress, ...asked }: Doing,
): Promise<Outcome> {
  const outcome = { done: [] as RecordData[], refused: [] as Refused[] }
  for (let at = 0; at < records.length; at += AT_ONCE) {
    const part = records.slice(at, at + AT_ONCE)
    const body = { [verb]: part.map(({ change, id }) => (change === undefined ? id : { ...change, id })) }
    const answer = await ask(`${batch}?partial=true`, { ...asked, method: 'POST', body, key: newKey() })
    const told = valueAt(answer.data, verb)
    for (const [place, one] of (Array.isArray(told) ? told : []).entries()) {
      const id = String(part[place]?.id ?? '')
      const status = Number(valueAt(one, 'status'))
      if (status < 300)
        outcome.done.push(isRecord(valueAt(one, 'data')) ? (valueAt(one, 'data') as RecordData) : { id })
      else outcome.refused.push({ id, sentence: sentenceIn(one) })
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

/** How many records a change of the list's own query would reach; `most` is what its reader was shown. */
export async function countMatching(path: string, choice: string, most: number, signal: AbortSignal): Promise<number> {
  const query = `${choice}&max=${most}&dry_run=true`
  const answer = await ask(`${path}?${query}`, { method: 'PATCH', body: {}, key: 'never', signal })
  return Number(valueAt(answer.data, 'matched') ?? 0)
}

/** Every record of a choice, page after page; a little more than `most` when there are more. */
export async function readMatching(
  path: string,
  choice: string,
  most: number,
  asked: Asked,
): Promise<readonly RecordData[]> {
  const rows: RecordData[] = []
  for (let cursor: string | null | undefined = 'first'; typeof cursor === 'string'; ) {
    const answer = await ask(`${path}?${choice}&per_page=100&cursor=${encodeURIComponent(cursor)}`, asked)
    rows.push(...rowsIn(answer))
    cursor = rows.length > most ? null : answer.meta.pagination?.next_cursor
  }
  return rows
}

/** The records among these that are still as a change left them: what somebody else has changed since stays. */
export async function stillThere(
  { path, list }: Resource,
  left: readonly RecordData[],
  read: (record: RecordData) => Json,
): Promise<ReadonlySet<string>> {
  const same = new Set<string>()
  for (let at = 0; at < left.length; at += AT_ONCE) {
    const part = left.slice(at, at + AT_ONCE)
    const rows =
      list?.filters.id?.several === true
        ? rowsIn(await ask(`${path}?id=${part.map(idOf).join(',')}&per_page=${AT_ONCE}`))
        : await Promise.all(
            part.map(async (one) => (await ask(`${path}/${encodeURIComponent(idOf(one))}`)).data as RecordData),
          )
    const now = new Map(rows.map((row) => [idOf(row), row]))
    for (const one of part) {
      const row = now.get(idOf(one))
      if (row !== undefined && JSON.stringify(read(row)) === JSON.stringify(read(one))) same.add(idOf(one))
    }
  }
  return same
}
