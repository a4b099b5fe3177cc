/**
 * Who is signed in: by a cookie that no script reads, or, where there can be none, by a token that lives as long as the
 * tab and is kept nowhere else.
 */
import { useSyncExternalStore } from 'react'
import { forgetDrafts } from './kept.ts'

/** In the place of a token: the browser sends the cookie by itself. */
export const BY_COOKIE = ''

/** Says in every tab, and after a reload, that there is a cookie. */
const KEPT = 'plinth.cookie'

export interface Session {
  /** `BY_COOKIE` for a session by cookie; undefined: nobody is signed in. */
  readonly token: string | undefined
  /** What people call the account. */
  readonly name: string | undefined
  /** The server refused the token: its owner signs in again, and nothing that was typed is lost. */
  readonly ended: boolean
  /** Grows whenever answers may differ from those before. */
  readonly turn: number
}

let current: Session = {
  token: localStorage.getItem(KEPT) === null ? undefined : BY_COOKIE,
  name: undefined,
  ended: false,
  turn: 0,
}
const listeners = new Set<() => void>()

function become(next: Omit<Session, 'turn'>): void {
  current = { ...next, turn: current.turn + 1 }
  for (const listener of listeners) listener()
}

/** The session now. */
export function session(): Session {
  return current
}

/** Calls `listener` when another session begins or this one ends. */
export function onSession(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function useSession(): Session {
  return useSyncExternalStore(onSession, session)
}

export function signedIn(token: string, name: string | undefined): void {
  if (token === BY_COOKIE) localStorage.setItem(KEPT, 'yes')
  else localStorage.removeItem(KEPT)
  become({ token, name, ended: false })
}

/** Notes the name of an account whose session was there before the page. */
export function named(name: string): void {
  current = { ...current, name }
  for (const listener of listeners) listener()
}

export function signedOut(): void {
  forgetDrafts()
  localStorage.removeItem(KEPT)
  become({ token: undefined, name: undefined, ended: false })
}

/** Notes that the server refuses the session of a turn; an answer to an older one changes nothing. */
export function sessionEnded(turn: number): void {
  if (current.turn === turn && !current.ended) become({ ...current, ended: true })
}
