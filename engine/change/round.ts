/** One round of a listener ⇄: in one transaction it takes its place, works a batch of changes, and moves on. */

import { SYSTEM } from '../actor.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { Transaction } from '../database/database.ts'
import { executionOf, type Foundation, inTransaction, runLeft, type Work } from '../run/execution.ts'
import type { Change, Listen } from './listener.ts'
import {
  advance,
  type Due,
  defer,
  deferredWorked,
  dueAgain,
  type HeldPlace,
  isFarBehind,
  lockPlace,
  readBatch,
} from './log.ts'

/** A listener with its name. */
export interface Named {
  readonly name: string
  readonly listen: Listen
}

/** The outcome of a round: more may wait, nothing waits, or another instance works the listener. */
export type Outcome = 'more' | 'idle' | 'taken'

/** The options of a round. */
export interface Round {
  /** At most so many changes, and so many more where they complete the writes of one request. */
  readonly most: number
  readonly rest: number
  /** Changes that failed when they were alone in their batch, by id, with the reason: they are put off. */
  readonly poison: ReadonlyMap<number, string>
  /** The wait before a change that failed so often is tried again, in milliseconds. */
  readonly pauseMs: (attempt: number) => number
  /** Called before the listener gets changes; `deferred` says how often one that was put off has been tried. */
  readonly begins: (changes: readonly Change[], deferred?: number) => void
}

/** Rejects with the error of the listener; nothing has happened then. */
export async function runRound(foundation: Foundation, listener: Named, round: Round): Promise<Outcome> {
  const left: Work[] = []
  const { name, listen } = listener
  const requestId = `listener:${name}`
  const call = executionOf(foundation, { actor: SYSTEM, requestId, afterCommit: (work) => void left.push(work) })
  const outcome = await inTransaction(call, async (inner) => {
    const { transaction } = inner
    const place = await lockPlace(transaction, name)
    if (place === undefined) return 'taken'
    const work: Works = async (changes, deferred) => {
      let isIdle = false
      if (changes.length === 0) return isIdle
      round.begins(changes, deferred)
      await listen(inner, changes, () => {
        isIdle = true
      })
      return isIdle
    }
    if (place.retries && (await workDeferred(transaction, foundation.catalog, name, work))) return 'more'
    const words = foundation.catalog.listeners.get(name) ?? []
    return workNext(transaction, foundation.catalog, { name, words }, place, round, work)
  })
  await runLeft(call, left)
  return outcome
}

/** Works changes; says whether there is nothing to do at present. */
type Works = (changes: readonly Change[], deferred?: number) => Promise<boolean>

/** Works one change that was put off; false when none can be worked now. */
async function workDeferred(transaction: Transaction, catalog: Catalog, name: string, work: Works): Promise<boolean> {
  const due = await dueAgain(transaction, catalog, name)
  if (due === undefined) return false
  await deferredWorked(transaction, name, due.change)
  await work([due.change], due.attempt)
  return true
}

/** Works the next changes. */
async function workNext(
  transaction: Transaction,
  catalog: Catalog,
  { name, words }: { readonly name: string; readonly words: readonly string[] },
  place: HeldPlace,
  round: Round,
  work: Works,
): Promise<Outcome> {
  const batch = await readBatch(transaction, catalog, { name, words, place, most: round.most, rest: round.rest })
  const { due } = batch
  const isIdle = await work(await putOff(transaction, name, due, round))
  const { more, next } = isIdle ? { more: false, next: batch.end } : batch
  // A part of the log that is under way has an end, also where nothing more of it is left.
  if (due.length > 0 || place.upto !== null || isFarBehind(place, next)) await advance(transaction, name, next)
  return more ? 'more' : 'idle'
}

/** Defers failed changes and later ones of the same record; returns the others. */
async function putOff(
  transaction: Transaction,
  name: string,
  due: readonly Due[],
  { pauseMs, poison }: Round,
): Promise<readonly Change[]> {
  const ready: Change[] = []
  const waiting = new Set<string>()
  for (const { behind, change } of due) {
    const record = `${change.resource} ${change.recordId}`
    const error = poison.get(change.id)
    if (error === undefined && !behind && !waiting.has(record)) {
      ready.push(change)
      continue
    }
    waiting.add(record)
    const attempt = error === undefined || behind ? 0 : 1
    await defer(transaction, name, change, { attempt, error: error ?? null, inMs: attempt === 0 ? 0 : pauseMs(1) })
  }
  return ready
}

const REASON_LENGTH = 500

/** The error, for operators. */
export function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replaceAll('\0', '').slice(0, REASON_LENGTH)
}
