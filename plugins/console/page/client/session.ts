/**
 * Who is signed in: by a cookie that no script reads, or, where there can be none, by a token that lives as long as the
 * tab and is kept nowhere else.
 */
import { useSyncExternalStore } from 'react'
import { newListeners } from './listeners.ts'
import type { Json } from './said.ts'

/** In the place of a token: the browser sends the cookie by itself. */
export const BY_COOKIE = ''

/** Says in every tab, and after a reload, that there is a cookie, and whose account it is for. */
const KEPT = 'plinth.cookie'

export interface Session {
  /** `BY_COOKIE` for a session by cookie; undefined: nobody is signed in. */
  readonly token: string | undefined
  /** The id of the account as JSON, by which its drafts are kept. */
  readonly account: string | undefined
  /** What people call the account. */
  readonly name: string | undefined
  /** The server refused the token: its owner signs in again, and nothing that was typed is lost. */
  readonly ended: boolean
  /** Grows whenever answers may differ from those before. */
  readonly turn: number
}

const known = localStorage.getItem(KEPT)

let current: Session = {
  token: known === null ? undefined : BY_COOKIE,
  account: known ?? undefined,
  name: undefined,
  ended: false,
  turn: 0,
}
const { add, tell } = newListeners()

function become(next: Omit<Session, 'turn'>): void {
  current = { ...next, turn: current.turn + 1 }
  tell()
}

/** The session now. */
export function session(): Session {
  return current
}

/** Calls `listener` when another session begins or this one ends. */
export const onSession = add

/** The id of the account; null where the session does not say it. */
export function accountId(): Json {
  try {
    return JSON.parse(current.account ?? 'null') as Json
  } catch {
    return null
  }
}

export function useSession(): Session {
  return useSyncExternalStore(onSession, session)
}

/** Begins a session; `account` is the id of its account as JSON. */
export function signedIn(token: string, account: string, name: string | undefined): void {
  if (token === BY_COOKIE) localStorage.setItem(KEPT, account)
  else localStorage.removeItem(KEPT)
  become({ token, account, name, ended: false })
}

/** Notes the name of an account whose session was there before the page. */
export function named(name: string): void {
  current = { ...current, name }
  tell()
}

export function signedOut(): void {
  localStorage.removeItem(KEPT)
  become({ token: undefined, account: undefined, name: undefined, ended: false })
}

/** Notes that the server refuses the session of a turn; an answer to an older one changes nothing. */
export function sessionEnded(turn: number): void {
  if (current.turn === turn && !current.ended) become({ ...current, ended: true })
}
