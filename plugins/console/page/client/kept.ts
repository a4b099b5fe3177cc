/** Drafts that outlive a reload of their tab: kept for the address of their form, and nowhere else. */
import { isRecord, type Json, type RecordData } from './catalog.ts'

const PREFIX = 'plinth.draft.'

export interface Kept {
  readonly draft: RecordData
  /** The record that the draft began with. */
  readonly record?: RecordData
  readonly etag?: string | undefined
}

/** The draft of a form; undefined where there is none, or the browser keeps nothing. */
export function keptDraft(address: string): Kept | undefined {
  try {
    const kept = JSON.parse(sessionStorage.getItem(PREFIX + address) ?? 'null') as Json
    return isRecord(kept) && isRecord(kept.draft) ? (kept as object as Kept) : undefined
  } catch {
    return undefined
  }
}

/** Keeps a draft, or by undefined no longer. */
export function keepDraft(address: string, kept: Kept | undefined): void {
  try {
    if (kept === undefined) sessionStorage.removeItem(PREFIX + address)
    else sessionStorage.setItem(PREFIX + address, JSON.stringify(kept))
  } catch {
    // A browser that keeps nothing loses it with a reload, which it asks about first.
  }
}

/** Forgets all drafts: their owner signs out. */
export function forgetDrafts(): void {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(PREFIX)) sessionStorage.removeItem(key)
}
