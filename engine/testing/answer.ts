/** ⇄ One HTTP request of a test, and its answer. */
import { type IncomingHttpHeaders, request } from 'node:http'

/** What a server answered. */
export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** The body as text. */
  readonly text: string
  /** The parsed body; undefined where it is empty or no JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever an answer holds
  readonly body: any
  /** The record, or the records of a list. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever an answer holds
  readonly data: any
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever an answer holds
  readonly meta: any
  /** The mistakes of each field in a refused body; empty without mistakes. */
  readonly errors: Readonly<Record<string, readonly string[]>>
  /** The code of a refusal, `validation_failed`. */
  readonly code: string | undefined
  readonly message: string | undefined
}

/** A request's contents other than its path. */
export interface Sent {
  /** Sent as JSON, unless it is text or bytes. */
  readonly body?: unknown
  /** Sent as browsers send a form, instead of a body. */
  readonly form?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends one request on a connection of its own and waits for the whole answer. */
export function exchange(url: URL, method: string, { form, headers, ...given }: Sent): Promise<Answer> {
  const body = form === undefined ? given.body : new URLSearchParams(form).toString()
  const type = form === undefined ? 'application/json' : 'application/x-www-form-urlencoded'
  const raw = typeof body === 'string' || body instanceof Uint8Array
  const payload = body === undefined ? undefined : raw ? body : JSON.stringify(body)
  const sent = {
    accept: 'application/json',
    ...(payload === undefined ? {} : { 'content-type': type, 'content-length': Buffer.byteLength(payload) }),
    ...headers,
  }
  return new Promise((resolve, reject) => {
    const asked = request(url, { method, headers: sent, agent: false }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        resolve(answerOf(response.statusCode ?? 0, response.headers, Buffer.concat(chunks).toString('utf8')))
      })
    })
    asked.on('error', reject)
    asked.end(payload)
  })
}

function answerOf(status: number, headers: IncomingHttpHeaders, text: string): Answer {
  const isJson = /\bjson\b/.test(headers['content-type'] ?? '') && text !== ''
  const body = isJson ? JSON.parse(text) : undefined
  const { data, meta, errors = {}, code, message } = body ?? {}
  return Object.freeze({ status, headers, text, body, data, meta, errors, code, message })
}
