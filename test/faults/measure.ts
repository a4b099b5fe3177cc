/** What fault tests measure of a service: its memory, what a content is, and all records of a list. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Restartable } from './restartable.ts'

/** The memory of the process, in MB. */
export function memory({ server }: Restartable): number {
  const status = readFileSync(`/proc/${server.child.pid}/status`, 'utf8')
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024)
}

/** By which contents are compared. */
export function hashOf(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}

/** All records of a list, by walking it with a cursor; throws when a page is not answered with 200. */
export async function walked<T>(
  address: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<readonly T[]> {
  const found: T[] = []
  for (let cursor: string | null = 'first'; cursor !== null; ) {
    const url = `${address}${address.includes('?') ? '&' : '?'}per_page=100&cursor=${encodeURIComponent(cursor)}`
    const answer = await fetch(url, { headers })
    if (answer.status !== 200) throw new Error(`${url} was answered ${answer.status}: ${await answer.text()}`)
    const page = (await answer.json()) as Page<T>
    found.push(...page.data)
    cursor = page.meta.pagination.next_cursor
  }
  return found
}

interface Page<T> {
  readonly data: readonly T[]
  readonly meta: { readonly pagination: { readonly next_cursor: string | null } }
}
