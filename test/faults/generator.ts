/** A load generator in a process of its own, on bare sockets, because it must stay ahead of the server that it loads. */
import { connect, type Socket } from 'node:net'
import type { Load, LoadFigures } from './load.ts'

/** How often due requests are sent, in milliseconds. */
const TICK_MS = 4
/** How long answers are waited for when the last request has been sent. */
const PATIENCE_MS = 20_000
const PROBE_MS = 50
const MOST_PASSED_MS = 100

interface Line {
  readonly socket: Socket
  /** What arrived of the answer so far. */
  received: Buffer
  /** Of the request under way; undefined while the connection is idle. */
  asked: { readonly at: number; readonly done: (status: number, ms: number) => void } | undefined
  used: boolean
}

/** The length of a whole answer; undefined while its headers are not all there. */
function lengthOf(received: Buffer): number | undefined {
  const end = received.indexOf('\r\n\r\n')
  if (end === -1) return undefined
  const head = received.toString('latin1', 0, end).toLowerCase()
  return end + 4 + Number(/\r\ncontent-length: *(\d+)/.exec(head)?.[1] ?? 0)
}

class Lines {
  readonly #host: string
  readonly #port: number
  readonly #idle: Line[] = []
  open = 0

  constructor(url: string) {
    const { hostname, port } = new URL(url)
    this.#host = hostname
    this.#port = Number(port)
  }

  /** Sends a request; `done` gets the status, or what LoadFigures.statuses says. */
  ask(text: string, done: (status: number, ms: number) => void): void {
    const line = this.#idle.pop() ?? this.#connect()
    line.asked = { at: performance.now(), done }
    line.socket.write(text, 'latin1')
  }

  #connect(): Line {
    const socket = connect(this.#port, this.#host).setNoDelay(true)
    const line: Line = { socket, received: Buffer.alloc(0), asked: undefined, used: false }
    this.open += 1
    socket.on('data', (chunk: Buffer) => {
      line.received = line.received.length === 0 ? chunk : Buffer.concat([line.received, chunk])
      const length = lengthOf(line.received)
      if (length === undefined || line.received.length < length) return
      const status = Number(line.received.toString('latin1', 9, 12))
      const closes = /\r\nconnection: close\r\n/i.test(line.received.toString('latin1', 0, 1_000))
      line.received = Buffer.alloc(0)
      line.used = true
      this.#answered(line, status)
      if (closes) socket.destroy()
      else this.#idle.push(line)
    })
    let refused = false
    socket.on('error', (error) => {
      refused = Reflect.get(error, 'code') === 'ECONNREFUSED'
    })
    socket.on('end', () => socket.destroy())
    socket.on('close', () => {
      this.open -= 1
      const at = this.#idle.indexOf(line)
      if (at !== -1) this.#idle.splice(at, 1)
      this.#answered(line, refused ? -1 : line.used ? 0 : -2)
    })
    return line
  }

  #answered(line: Line, status: number): void {
    const { asked } = line
    line.asked = undefined
    asked?.done(status, performance.now() - asked.at)
  }

  close(): void {
    for (const { socket } of this.#idle.splice(0)) socket.destroy()
  }
}

function percentile(sorted: readonly number[], part: number): number {
  return Math.round((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0) * 10) / 10
}

function spread(times: number[]): { readonly p50: number; readonly p99: number; readonly most: number } {
  times.sort((a, b) => a - b)
  return { p50: percentile(times, 0.5), p99: percentile(times, 0.99), most: percentile(times, 1) }
}

async function generate(load: Load): Promise<LoadFigures> {
  const { host } = new URL(load.url)
  const lines = new Lines(load.url)
  const headers = Object.entries({ ...load.headers, Host: host })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
  let at = Date.now() % 1_000_000_000
  const next = (): string => {
    at += 1
    const { method, path, body } = load.requests[at % load.requests.length]!
    const content = body?.replaceAll('{n}', String(at))
    const framing =
      content === undefined ? '' : `Content-Type: application/json\r\nContent-Length: ${content.length}\r\n`
    return `${method} ${path} HTTP/1.1\r\n${headers}${framing}\r\n${content ?? ''}`
  }
  const good: number[] = []
  const refusals: number[] = []
  const probes: number[] = []
  const statuses: Record<string, number> = {}
  let sent = 0
  let waiting = 0
  let goodWithin = 0
  const started = performance.now()
  let end = started + load.seconds * 1_000
  process.once('message', () => {
    end = performance.now()
  })

  const send = (then?: () => void): void => {
    sent += 1
    waiting += 1
    lines.ask(next(), (status, ms) => {
      waiting -= 1
      statuses[status] = (statuses[status] ?? 0) + 1
      if (status >= 200 && status < 300) {
        good.push(ms)
        if (performance.now() <= end) goodWithin += 1
      } else if (status === 503) refusals.push(ms)
      then?.()
    })
  }
  let tickedAt = started
  let ownLag = 0
  const probe = setInterval(() => {
    const text = `GET /livez HTTP/1.1\r\nHost: ${host}\r\n\r\n`
    lines.ask(text, (status, ms) => probes.push(status === 200 ? ms : Number.POSITIVE_INFINITY))
  }, PROBE_MS)
  if (load.connections !== undefined) {
    const again = (): void => {
      if (performance.now() < end) send(() => setTimeout(again, (load.pauseMs ?? 0) * Math.random() * 2))
    }
    for (let i = 0; i < load.connections; i++) again()
  }
  let due = 0
  while (performance.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, TICK_MS))
    const passed = performance.now() - tickedAt
    tickedAt = performance.now()
    ownLag = Math.max(ownLag, passed)
    // What a starved generator did not send it does not make up for: that would be a burst, and starve it more.
    due += (Math.min(passed, MOST_PASSED_MS) / 1_000) * (load.rate ?? 0)
    for (; due >= 1; due--) send()
  }
  clearInterval(probe)
  while (waiting > 0 && performance.now() < end + PATIENCE_MS) await new Promise((resolve) => setTimeout(resolve, 20))
  lines.close()
  return {
    sent,
    statuses: { ...statuses, ...(waiting > 0 ? { late: waiting } : {}) },
    perSecond: Math.round(goodWithin / ((end - started) / 1_000)),
    good: spread(good),
    refused: spread(refusals),
    livez: spread(probes),
    ownLagMs: Math.round(ownLag),
  }
}

// Whoever asked for it has gone.
process.once('disconnect', () => process.exit(1))
process.once('message', (load: Load) => {
  void generate(load).then((figures) => process.send?.(figures, () => process.exit(0)))
})
