/** Requests to the API: answers, refusals with a sentence for people, and waiting when the server asks for it. */
import { words } from '../words/words.ts'
import type { Can, Json, RecordData } from './catalog.ts'
import { newListeners } from './listeners.ts'
import { GONE, noteWrite } from './own.ts'
import { BY_COOKIE, session, sessionEnded } from './session.ts'

/** The path below which the application begins. */
export const ROOT = document.documentElement.dataset.root ?? ''

export interface Pagination {
  readonly total?: number
  readonly total_exact?: boolean
  next_cursor?: string | null
}

export interface Answer {
  readonly data: Json
  readonly meta: {
    readonly pagination?: Pagination
    readonly moves?: Readonly<Record<string, readonly string[]>>
    /** Of a list by the ids of its records. */
    readonly can?: Can | Readonly<Record<string, Can>>
  }
  readonly etag: string | undefined
  /** What the server says of what it did. */
  readonly message?: string | undefined
}

export interface Asked {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly body?: Json
  /** In place of `body`: parts with files. */
  readonly form?: FormData
  readonly ifMatch?: string | undefined
  /** The same key for each attempt, so that a creation is done once. */
  readonly key?: string
  readonly signal?: AbortSignal
  readonly headers?: Readonly<Record<string, string>>
  /** Whether the answer says what the caller may do. */
  readonly can?: boolean
  /** false: the browser neither takes the answer from what it keeps nor keeps it. */
  readonly isKept?: boolean
  /** Told how many seconds the server asks to wait. */
  readonly onWait?: (seconds: number) => void
}

/** A refusal of the server, or no answer at all (status 0). */
export class Refusal extends Error {
  readonly status: number
  /** By field. */
  readonly errors: Readonly<Record<string, readonly string[]>>

  constructor(status: number, message: string, errors: Refusal['errors'] = {}) {
    super(message)
    this.status = status
    this.errors = errors
  }
}

const LONGEST_WAIT = 60
const ATTEMPTS = 4

/** A new key for a piece of work; a page without https has no `randomUUID`. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** The address of a path of the API. */
export function addressOf(path: string): string {
  return `${ROOT}${path}`
}

const refusals = newListeners()

/** Calls `listener` when a write is refused for what the page did not expect: rights or fields may be others by now. */
export const onRefusal = refusals.add

const UNEXPECTED = new Set([403, 404, 410, 422])

/** Asks the API; waits and asks again when it is too busy. Throws Refusal, or the AbortError of `signal`. */
export async function ask(path: string, asked: Asked = {}): Promise<Answer> {
  const isWrite = asked.method !== undefined && asked.method !== 'GET' && !path.includes('dry_run=true')
  for (let attempt = 1; ; attempt += 1) {
    const sent = send(path, asked)
    if (isWrite) noteWrite(path, sent.then(versionLeft))
    const response = await sent
    const later = response.headers.get('retry-after')
    const seconds = Number(later ?? 2)
    // A limit without a time, such as that of stored files, does not pass by waiting.
    const isBusy = ((response.status === 429 && later !== null) || response.status === 503) && asked.key !== 'never'
    if (isWrite && UNEXPECTED.has(response.status)) refusals.tell()
    if (!isBusy || attempt === ATTEMPTS || seconds > LONGEST_WAIT)
      return answerOf(response, { path, method: asked.method ?? 'GET' })
    asked.onWait?.(seconds)
    await pause(seconds * 1000, asked.signal)
  }
}

/** The version that a write leaves; undefined: it was refused. */
function versionLeft({ headers, ok, status }: Response): string | undefined {
  if (!ok) return undefined
  return status === 204 ? GONE : (headers.get('etag') ?? '')
}

/** One JSON file of the application, such as its catalog. */
export async function read(path: string, signal: AbortSignal): Promise<Json> {
  const response = await send(path, { signal })
  if (!response.ok) await answerOf(response)
  return (await response.json()) as Json
}

/** What a request is refused for by a rule, and was not expected to be: why is asked by its path and its method. */
export interface RefusedRequest {
  readonly path: string
  readonly method: string
}

/** The last requests that a rule refused, by the sentence that people read. */
const refused = new Map<string, RefusedRequest>()

/** The request that was refused with this sentence; undefined where no rule refused one. */
export function refusedWith(text: string): RefusedRequest | undefined {
  return refused.get(text)
}

/** Why a path answers what it answers; of another method than GET nothing runs. The answer itself does not matter. */
export async function explained(
  path: string,
  { as, field, method }: { readonly as?: string; readonly field?: string; readonly method?: string },
  signal: AbortSignal,
): Promise<Json> {
  const quoted = (text: string): string => `"${text.replace(/["\\\r\n]/g, '')}"`
  const wish = [
    field === undefined ? 'explain' : `explain=${quoted(field)}`,
    ...(as === undefined ? [] : [`as=${quoted(as)}`]),
    ...(method === undefined ? [] : [`method=${method}`]),
  ]
  // What the browser keeps of the path may have another explanation.
  const response = await send(path, { signal, headers: { prefer: wish.join('; ') }, isKept: false })
  const { message, meta } = (await response.json()) as Envelope & { readonly meta?: { readonly explain?: Json } }
  return meta?.explain ?? { says: message ?? words().answered(response.status) }
}

/** Saves an answer as a file, under the name that it has. */
export async function download(path: string, signal: AbortSignal): Promise<void> {
  const response = await send(path, { signal, headers: { accept: '*/*' } })
  if (!response.ok) await answerOf(response)
  const link = document.createElement('a')
  link.href = URL.createObjectURL(await response.blob())
  link.download = /filename="?([^";]+)/.exec(response.headers.get('content-disposition') ?? '')?.[1] ?? ''
  link.click()
  URL.revokeObjectURL(link.href)
}

/** Opens a stream of events, from the last one that is known. */
export function openStream(path: string, lastEventId: string | undefined, signal: AbortSignal): Promise<Response> {
  return send(path, { signal, headers: lastEventId === undefined ? {} : { 'last-event-id': lastEventId } })
}

async function send(
  path: string,
  { body, can, form, headers: more = {}, ifMatch, isKept, key, method = 'GET', signal }: Asked,
): Promise<Response> {
  const { token, turn } = session()
  // A browser that does not say which page sends a request is believed by this header, which no other site can send.
  const headers = new Headers({ accept: 'application/json', 'x-plinth': '1', ...more })
  if (token !== undefined && token !== BY_COOKIE) headers.set('authorization', `Bearer ${token}`)
  if (body !== undefined) headers.set('content-type', 'application/json')
  if (can === true) headers.set('prefer', 'can')
  if (ifMatch !== undefined) headers.set('if-match', ifMatch)
  if (key !== undefined && key !== 'never') headers.set('idempotency-key', key)
  const init: RequestInit = { method, headers, signal: signal ?? null, credentials: 'same-origin' }
  if (isKept === false) init.cache = 'no-store'
  if (body !== undefined) init.body = JSON.stringify(body)
  else if (form !== undefined) init.body = form
  try {
    const response = await fetch(addressOf(path), init)
    if (response.status === 401 && token !== undefined) sessionEnded(turn)
    return response
  } catch (error) {
    if (signal?.aborted === true) throw error
    throw new Refusal(0, words().noConnection)
  }
}

interface Envelope {
  readonly data?: Json
  readonly meta?: Answer['meta']
  readonly message?: string
  readonly errors?: Refusal['errors']
}

async function answerOf(response: Response, request?: RefusedRequest): Promise<Answer> {
  const envelope: Envelope =
    response.status === 204
      ? {}
      : await response.json().then(
          (body: Envelope) => body,
          () => {
            // An answer that is cut off says nothing; a refusal is one without its words, too.
            if (response.ok) throw new Refusal(0, words().noConnection)
            return {}
          },
        )
  const text = response.ok ? '' : sentenceOf(response, envelope)
  if (response.status === 403 && request !== undefined) refused.set(text, request)
  if (!response.ok) throw new Refusal(response.status, text, envelope.errors)
  const { data = null, message, meta = {} } = envelope
  return { data, meta, message, etag: response.headers.get('etag') ?? undefined }
}

function sentenceOf({ headers, status }: Response, { message }: Envelope): string {
  if (status === 401 && session().token !== undefined) return words().sessionEnded
  const seconds = headers.get('retry-after')
  if (status === 429 && (seconds !== null || message === undefined)) return words().tooMany(Number(seconds ?? 60))
  if (status === 503) return words().unavailable
  return message ?? words().answered(status)
}

function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds)
    signal?.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(signal.reason)
    })
  })
}

/** The sentence of a failed request for people. */
export function sentence(error: unknown): string {
  return error instanceof Error ? error.message : words().noConnection
}

/** The same with what is said of each part of the request. */
export function sentences(error: unknown): string {
  const said = error instanceof Refusal ? [...new Set(Object.values(error.errors).flat())] : []
  return said.length === 0 ? sentence(error) : said.join('. ')
}

/** Whether nobody waits for the answer any more. */
export function isAborted(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError'
}

/** `data` of an answer that is one record. */
export function recordIn({ data }: Answer): RecordData {
  return data as RecordData
}

/** What the caller may do to the record of an answer; undefined where the answer does not say. */
export function canIn({ meta }: Answer): Can | undefined {
  const { can } = meta
  return can !== undefined && Array.isArray(can.update) ? (can as Can) : undefined
}

/** `data` of an answer that is a list. */
export function rowsIn({ data }: Answer): readonly RecordData[] {
  return Array.isArray(data) ? (data as readonly RecordData[]) : []
}
