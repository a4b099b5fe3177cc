/**
 * Changes of lists while they happen. One tab of the browser follows the lists of all tabs by one connection and tells the
 * others; when it goes, another one takes its place.
 */
import { useEffect, useRef } from 'react'
import { openStream } from './api.ts'
import type { Json, RecordData } from './catalog.ts'
import { BY_COOKIE, onSession, session } from './session.ts'

/** What happened in a list; `reset`: the list is to be read again. */
export interface Told {
  readonly type: 'reset' | 'created' | 'changed' | 'deleted'
  /** The record, or of one that is gone its id. */
  readonly record?: RecordData
}

type Listener = (told: Told) => void
type Message =
  | { readonly kind: 'want'; readonly tab: string; readonly lists: readonly string[] }
  | { readonly kind: 'who' }
  | { readonly kind: 'told'; readonly list: string; readonly told: Told }

const NAME = 'plinth.live'
const BETWEEN = '|'
const NOWHERE = '-'
/** The most lists in one stream; the server takes 20 of a caller. */
const MOST = 16
const SETTLE_MS = 150
const AGAIN_MS = 1000
const LONGEST_WAIT_MS = 30_000
/** The server says something every 15 seconds; a connection without it is dead. */
const SILENT_MS = 40_000

const own = Math.random().toString(36).slice(2)
const listeners = new Map<string, Set<Listener>>()
/** The lists of other tabs, by tab; known to the leader. */
const others = new Map<string, readonly string[]>()
/** Where the leader is in each list. */
const places = new Map<string, string>()
/** Lists that the server does not let anybody follow. */
const refused = new Set<string>()
let path: string | undefined
let isLeading = false
let channel: BroadcastChannel | undefined
/** Ends the connection, so that the loop opens one for the lists of now. */
let renew: () => void = () => undefined

/** Follows a list as long as the component is there: the name of its resource with its filters. */
export function useTold(stream: string | undefined, list: string | undefined, listener: Listener): void {
  const latest = useRef(listener)
  latest.current = listener
  useEffect(() => {
    if (stream === undefined || list === undefined) return
    const hear: Listener = (told) => latest.current(told)
    begin(stream)
    const heard = listeners.get(list) ?? new Set()
    listeners.set(list, heard.add(hear))
    want()
    return () => {
      heard.delete(hear)
      if (heard.size === 0) listeners.delete(list)
      want()
    }
  }, [stream, list])
}

function begin(stream: string): void {
  if (path !== undefined) return
  path = stream
  onSession(() => {
    places.clear()
    refused.clear()
    renew()
  })
  addEventListener('online', () => renew())
  // A token belongs to its tab alone; a cookie is that of the whole browser.
  const isShared = session().token === BY_COOKIE && 'locks' in navigator && 'BroadcastChannel' in window
  if (!isShared) return void lead()
  channel = new BroadcastChannel(NAME)
  channel.onmessage = ({ data }: MessageEvent<Message>) => hear(data)
  addEventListener('pagehide', () => post({ kind: 'want', tab: own, lists: [] }))
  void navigator.locks.request(NAME, lead)
}

function post(message: Message): void {
  channel?.postMessage(message)
}

function hear(message: Message): void {
  if (message.kind === 'who') want()
  else if (message.kind === 'told') tell(message.list, message.told)
  else if (isLeading) {
    if (message.lists.length === 0) others.delete(message.tab)
    else others.set(message.tab, message.lists)
    settle()
  }
}

function tell(list: string, told: Told): void {
  for (const listener of listeners.get(list) ?? []) listener(told)
}

/** Says which lists this tab wants. */
function want(): void {
  if (isLeading) settle()
  else post({ kind: 'want', tab: own, lists: [...listeners.keys()] })
}

let settling = 0

/** Opens another connection once the lists are others for a moment. */
function settle(): void {
  clearTimeout(settling)
  settling = window.setTimeout(() => {
    if (wanted().join(' ') !== followed.join(' ')) renew()
  }, SETTLE_MS)
}

function wanted(): readonly string[] {
  const all = new Set([...listeners.keys(), ...[...others.values()].flat()])
  return [...all].filter((list) => !refused.has(list)).slice(-MOST)
}

let followed: readonly string[] = []

/** Follows for all tabs, until this one goes. */
async function lead(): Promise<never> {
  isLeading = true
  post({ kind: 'who' })
  let failures = 0
  for (;;) {
    const stop = new AbortController()
    const woken = new Promise<void>((resolve) => {
      renew = () => {
        stop.abort()
        resolve()
      }
    })
    followed = wanted()
    for (const list of places.keys()) if (!followed.includes(list)) places.delete(list)
    if (followed.length === 0 || session().ended) {
      await woken
      continue
    }
    const waitMs = await follow(followed, stop.signal)
    failures = waitMs === undefined ? failures + 1 : 0
    if (stop.signal.aborted) continue
    const pauseMs = waitMs ?? Math.min(LONGEST_WAIT_MS, 1000 * 2 ** failures)
    await Promise.race([woken, new Promise((resolve) => setTimeout(resolve, pauseMs))])
  }
}

/** One connection; gives after how many milliseconds to come back, or undefined where nobody answers. */
async function follow(lists: readonly string[], signal: AbortSignal): Promise<number | undefined> {
  const known = lists.map((list) => places.get(list) ?? NOWHERE)
  const lastId = known.every((place) => place === NOWHERE) ? undefined : known.join(BETWEEN)
  const query = lists.map((list) => `of=${encodeURIComponent(list)}`).join('&')
  let waitMs: number | undefined
  let silent = setTimeout(renew, SILENT_MS)
  try {
    const response = await openStream(`${path}?${query}`, lastId, signal)
    if (!response.ok || response.body === null) return await refusal(response, lists)
    waitMs = AGAIN_MS
    for await (const { data, event, id } of blocks(response.body)) {
      clearTimeout(silent)
      silent = setTimeout(renew, SILENT_MS)
      const next = id?.split(BETWEEN)
      if (next?.length === lists.length) note(lists, next)
      if (data !== undefined) hand(lists, event ?? '', JSON.parse(data) as { of: number; data: Json })
    }
  } catch {
    // It was cut, or never there.
  } finally {
    clearTimeout(silent)
  }
  return waitMs
}

/** Where the lists are by now. */
function note(lists: readonly string[], next: readonly string[]): void {
  for (const [at, list] of lists.entries()) {
    const place = next[at] ?? NOWHERE
    if (place !== NOWHERE) places.set(list, place)
  }
}

/** What to do about a refusal: leave out the list that cannot be followed, and wait otherwise. */
async function refusal(response: Response, lists: readonly string[]): Promise<number> {
  const { errors = {} } = (await response.json().catch(() => ({}))) as { errors?: Record<string, unknown> }
  const wrong = Object.keys(errors).flatMap((name) => /^of\.(\d+)/.exec(name)?.[1] ?? [])
  for (const at of wrong) refused.add(lists[Number(at)] ?? '')
  if (wrong.length > 0) return 0
  return Number(response.headers.get('retry-after') ?? LONGEST_WAIT_MS / 1000) * 1000
}

function hand(
  lists: readonly string[],
  type: string,
  { data, of }: { readonly of: number; readonly data: Json },
): void {
  const list = lists[of]
  if (list === undefined) return
  const told: Told = { type: type as Told['type'], ...(type === 'reset' ? {} : { record: data as RecordData }) }
  tell(list, told)
  post({ kind: 'told', list, told })
}

type Block = Readonly<Partial<Record<string, string>>>

/** The fields of each block of an event stream. */
async function* blocks(body: ReadableStream<Uint8Array>): AsyncGenerator<Block> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    text += decoder.decode(part.value, { stream: true })
    const whole = text.split('\n\n')
    text = whole.pop() ?? ''
    for (const block of whole)
      yield Object.fromEntries(
        block.split('\n').flatMap((line) => {
          const [, name, value = ''] = /^(\w+): ?(.*)$/.exec(line) ?? []
          return name === undefined ? [] : [[name, value]]
        }),
      )
  }
}
