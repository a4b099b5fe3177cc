/** Texts that nobody has sent yet: kept for seven days by account and place, until they are sent or their owner signs out. */
import { useEffect, useState } from 'react'
import { isRecord, type Json, type RecordData } from './catalog.ts'
import { session } from './session.ts'

const PREFIX = 'plinth.draft.'
const KEPT_MS = 7 * 24 * 3_600_000

export interface Kept {
  readonly draft: RecordData
  /** The record that the draft began with. */
  readonly record?: RecordData
  readonly etag?: string | undefined
}

function keyOf(place: string): string {
  return `${PREFIX}${session().account ?? ''} ${place}`
}

/** The draft of a place, which is the address of a form or the path that it writes to; undefined where there is none. */
export function keptDraft(place: string): Kept | undefined {
  try {
    const kept = JSON.parse(localStorage.getItem(keyOf(place)) ?? 'null') as Json
    return isRecord(kept) && isRecord(kept.draft) && isFresh(kept) ? (kept as object as Kept) : undefined
  } catch {
    return undefined
  }
}

function isFresh({ at }: RecordData): boolean {
  return typeof at === 'number' && Date.now() - at < KEPT_MS
}

/** Keeps a draft, or by undefined no longer. */
export function keepDraft(place: string, kept: Kept | undefined): void {
  try {
    if (kept === undefined) localStorage.removeItem(keyOf(place))
    else localStorage.setItem(keyOf(place), JSON.stringify({ ...kept, at: Date.now() }))
  } catch {
    // A browser that keeps nothing loses it with a reload, which forms ask about first.
  }
}

/** A draft as state of a component, which is back after a reload, without a connection, and after another sign-in. */
export function useKeptDraft(place: string): readonly [RecordData, (next: RecordData) => void] {
  const [draft, setDraft] = useState<RecordData>(() => keptDraft(place)?.draft ?? {})
  useEffect(() => setDraft(keptDraft(place)?.draft ?? {}), [place])
  const become = (next: RecordData): void => {
    setDraft(next)
    const isEmpty = Object.values(next).every((value) => value === null || value === '')
    keepDraft(place, isEmpty ? undefined : { draft: next })
  }
  return [draft, become]
}

/** Forgets the drafts of the account that signs out. */
export function forgetDrafts(): void {
  forget((key) => key.startsWith(keyOf('')))
}

function forget(is: (key: string) => boolean): void {
  for (const key of Object.keys(localStorage)) if (key.startsWith(PREFIX) && is(key)) localStorage.removeItem(key)
}

/** Forgets what is too old, of every account. */
export function forgetOldDrafts(): void {
  forget((key) => {
    try {
      const kept = JSON.parse(localStorage.getItem(key) ?? 'null') as Json
      return !isRecord(kept) || !isFresh(kept)
    } catch {
      return true
    }
  })
}
