/** Short messages for people, which screen readers speak: what was done, and how to take it back. */
import { useSyncExternalStore } from 'react'
import { newListeners } from './listeners.ts'

export interface Notice {
  readonly id: number
  readonly text: string
  readonly action?: { readonly label: string; readonly run: () => void }
}

const SHOWN_MS = 20_000
let notices: readonly Notice[] = []
let last = 0
const listeners = newListeners()

function become(next: readonly Notice[]): void {
  notices = next
  listeners.tell()
}

export function useNotices(): readonly Notice[] {
  return useSyncExternalStore(listeners.add, () => notices)
}

export function dismiss(id: number): void {
  become(notices.filter((notice) => notice.id !== id))
}

/** Shows a message for twenty seconds, in place of the one before. */
export function notify(text: string, action?: Notice['action']): void {
  last += 1
  const id = last
  become([{ id, text, ...(action === undefined ? {} : { action }) }])
  // Nobody loses what they are about to press.
  const expire = (): void => {
    if (document.activeElement?.closest('.notices')) setTimeout(expire, SHOWN_MS)
    else dismiss(id)
  }
  setTimeout(expire, SHOWN_MS)
}
