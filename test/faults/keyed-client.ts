/** A client that sends a request with an Idempotency-Key again until it has a final answer, and what it finds afterwards. */

import { setTimeout as sleep } from 'node:timers/promises'
import { walked } from './measure.ts'

/** How long a client sends a request again before it gives up, above the slowest start, and the pause between two attempts, in milliseconds. */
const PATIENCE_MS = 120_000
const PAUSE_MS = 100

export interface Sent {
  readonly status: number
  /** Seconds of Retry-After; undefined where the answer has none. */
  readonly retryAfter: string | undefined
  readonly replayed: boolean
  readonly text: string
}

/** One attempt; undefined where no answer came. */
export async function send(url: string, path: string, title: string): Promise<Sent | undefined> {
  const headers = { 'content-type': 'application/json', 'idempotency-key': title }
  const body = JSON.stringify(path === '/api/notes' ? { title, stars: 1 } : { title })
  try {
    const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body, signal: AbortSignal.timeout(20_000) })
    return {
      status: answer.status,
      retryAfter: answer.headers.get('retry-after') ?? undefined,
      replayed: answer.headers.has('idempotency-replayed'),
      text: await answer.text(),
    }
  } catch {
    return undefined
  }
}

/** Whether a client may send the same request again: no answer, or one that says so. */
export function passes(sent: Sent | undefined): boolean {
  return sent === undefined || (sent.retryAfter !== undefined && [409, 503].includes(sent.status))
}

/** Sends a request until an answer is final. */
export async function insist(url: () => string, path: string, title: string): Promise<Sent> {
  let sent: Sent | undefined
  for (const begun = performance.now(); performance.now() - begun < PATIENCE_MS; ) {
    sent = await send(url(), path, title)
    if (sent !== undefined && !passes(sent)) return sent
    await sleep(PAUSE_MS)
  }
  throw new Error(`${path} ${title} had no final answer, last ${JSON.stringify(sent)}`)
}

/** How often each title is stored. */
export async function stored({ url }: { readonly url: string }): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>()
  for (const { title } of await walked<{ readonly title: string }>(`${url}/api/notes`))
    found.set(title, (found.get(title) ?? 0) + 1)
  return found
}

/** Of titles that must be stored once: how many are missing, and how many are there more often. */
export function judge(titles: readonly string[], there: ReadonlyMap<string, number>) {
  return {
    lost: titles.filter((title) => !there.has(title)).length,
    doubled: titles.filter((title) => (there.get(title) ?? 0) > 1).length,
  }
}
