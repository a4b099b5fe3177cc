/** Who is signed in: a token that lives as long as the tab, and is kept nowhere else. */
import { useSyncExternalStore } from 'react'

export interface Session {
  readonly token: string | undefined
  /** What people call the account. */
  readonly name: string | undefined
  /** The server refused the token: its owner signs in again, and nothing that was typed is lost. */
  readonly ended: boolean
  /** Grows whenever answers may differ from those before. */
  readonly turn: number
}

let current: Session = { token: undefined, name: undefined, ended: false, turn: 0 }
const listeners = new Set<() => void>()

function become(next: Omit<Session, 'turn'>): void {
  current = { ...next, turn: current.turn + 1 }
  for (const listener of listeners) listener()
}

/** The session now. */
export function session(): Session {
  return current
}

export function useSession(): Session {
  return useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, session)
}

export function signedIn(token: string, name: string | undefined): void {
  become({ token, name, ended: false })
}

export function signedOut(): void {
  become({ token: undefined, name: undefined, ended: false })
}

/** Notes that the server refuses the token; an answer to an older token changes nothing. */
export function sessionEnded(token: string): void {
  if (current.token === token && !current.ended) become({ ...current, ended: true })
}
