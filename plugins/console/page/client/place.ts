/** The address of the page: which screen it names, how screens change it, and what keeps people from losing changes. */

import { useSyncExternalStore } from 'react'
import { ROOT } from './api.ts'
import { keepDraft } from './kept.ts'
import { newListeners } from './listeners.ts'

export interface Place {
  /** The parts below /console, decoded: resource, record, list below the record. */
  readonly parts: readonly string[]
  readonly query: URLSearchParams
  readonly address: string
}

const BASE = `${ROOT}/console`
const { add: subscribe, tell } = newListeners()

function readPlace(): Place {
  const { pathname, search } = location
  const parts = pathname
    .slice(BASE.length)
    .split('/')
    .filter((part) => part !== '')
  return { parts: parts.map(decoded), query: new URLSearchParams(search), address: pathname + search }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

let place = readPlace()
/** Whether a form has changes that nobody saved. */
let unsaved = false
/** Where a form was left for, until its owner decides. */
let leaving: string | undefined

export function usePlace(): Place {
  return useSyncExternalStore(subscribe, () => place)
}

/** Where its owner wants to go although a form has changes. */
export function useLeaving(): string | undefined {
  return useSyncExternalStore(subscribe, () => leaving)
}

/** The address of a screen. */
export function hrefOf(parts: readonly string[], query?: URLSearchParams | Readonly<Record<string, string>>): string {
  const path = [BASE, ...parts.map(encodeURIComponent)].join('/')
  const text = new URLSearchParams(query).toString()
  return text === '' ? path : `${path}?${text}`
}

/** Shows another screen; asks first when a form has changes. */
export function go(address: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  if (unsaved && !replace) {
    leaving = address
    tell()
    return
  }
  if (replace) history.replaceState(null, '', address)
  else history.pushState(null, '', address)
  place = readPlace()
  tell()
}

/** Says whether a form has changes that would be lost. */
export function setUnsaved(is: boolean): void {
  unsaved = is
}

/** Answers the question that `useLeaving` asks. */
export function leave(really: boolean): void {
  const address = leaving
  leaving = undefined
  if (really) {
    unsaved = false
    keepDraft(place.address, undefined)
  }
  if (really && address !== undefined) go(address)
  else tell()
}

addEventListener('popstate', () => {
  if (unsaved) {
    const wanted = location.pathname + location.search
    history.pushState(null, '', place.address)
    leaving = wanted
  } else place = readPlace()
  tell()
})
addEventListener('beforeunload', (event) => {
  if (unsaved) event.preventDefault()
})
