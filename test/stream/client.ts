/** A reader of a stream, as a program writes one: it keeps what the events tell it, and goes on where it was. */
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { until } from '../support/wait.ts'

/** One event, parsed as WHATWG HTML, 9.2.6 says. */
export interface StreamEvent {
  readonly event: string
  readonly id: string
  readonly data: { readonly id?: number; readonly reason?: string; readonly [field: string]: unknown }
}

export interface Reading {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  /** All that has come so far, as text. */
  readonly text: () => string
  readonly events: readonly StreamEvent[]
  /** Of the last event, or of a sign of life after it. */
  readonly lastId: () => string
  readonly ended: () => boolean
  /** The names and record ids of events from the `from`th on: `created 7`. */
  told(from?: number): readonly string[]
  /** Waits for so many events. */
  come(count: number): Promise<void>
  /** Takes nothing more from the connection. */
  pause(): void
  close(): void
}

/** Opens a stream; resolves with its headers. */
export function follow(
  address: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Reading> {
  return new Promise((resolve, reject) => {
    const request: ClientRequest = httpRequest(new URL(path, address), { headers, agent: false }, (response) =>
      resolve(reading(request, response)),
    )
    request.once('error', reject)
    request.end()
  })
}

function reading(request: ClientRequest, response: IncomingMessage): Reading {
  const events: StreamEvent[] = []
  let text = ''
  let rest = ''
  let lastId = ''
  let ended = false
  const take = (block: string): void => {
    const fields = new Map<string, string>()
    for (const line of block.split('\n')) {
      const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? []
      fields.set(name, value)
    }
    lastId = fields.get('id') ?? lastId
    const data = fields.get('data')
    if (data !== undefined) events.push({ event: fields.get('event') ?? 'message', id: lastId, data: JSON.parse(data) })
  }
  response.setEncoding('utf8')
  response.on('data', (chunk: string) => {
    text += chunk
    const blocks = (rest + chunk).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) take(block)
  })
  const end = (): void => {
    ended = true
  }
  request.on('error', end)
  response.on('error', end)
  response.on('close', end)
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text: () => text,
    events,
    lastId: () => lastId,
    ended: () => ended,
    told: (from = 0) => events.slice(from).map(({ event, data }) => `${event} ${data.id ?? data.reason}`),
    come: (count) => until(() => events.length >= count),
    pause: () => response.pause(),
    close: () => request.destroy(),
  }
}
