/** What a server answered, as every test reads it. */
import type { ClientRequest, IncomingHttpHeaders } from 'node:http'

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly bytes: Buffer
  /** The parsed envelope; an empty object where the body is empty or not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever an answer holds
  readonly body: any
  /** Reads into the body by a dotted path, `data.user.id`; undefined where nothing is. */
  at(path: string): unknown
  /** `data` of a list. */
  readonly list: readonly Record<string, unknown>[]
  /** The sorted names of `data`. */
  readonly keys: readonly string[]
}

/** Waits for the whole answer to a request that has been ended. */
export function answerTo(request: ClientRequest): Promise<Answer> {
  return new Promise((resolve, reject) => {
    request.on('error', reject)
    request.on('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => resolve(answerOf(response.statusCode ?? 0, response.headers, Buffer.concat(chunks))))
    })
  })
}

function answerOf(status: number, headers: IncomingHttpHeaders, bytes: Buffer): Answer {
  const text = bytes.toString('utf8')
  const isJson = String(headers['content-type'] ?? '').includes('json') && text !== ''
  const body: unknown = isJson ? parsed(text) : {}
  const at = (path: string): unknown =>
    path.split('.').reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), body)
  const data = at('data')
  return {
    status,
    headers,
    text,
    bytes,
    body,
    at,
    list: Array.isArray(data) ? data : [],
    keys: isRecord(data) ? Object.keys(data).sort() : [],
  }
}

/** A server that is cut off may send half of its JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
