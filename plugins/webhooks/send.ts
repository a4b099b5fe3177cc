/**
 * One request to a receiver ⇄: within a time, to a checked address, without following redirects and without reading the
 * body.
 */
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { answerTo, unlessAborted } from '../../engine/index.ts'
import { checkedLookup, ForbiddenAddress, hostOf, type Resolve, reachable, writtenWrong } from './address.ts'
import type { WebhookOptions } from './options.ts'

export interface Message {
  readonly address: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The answer of a receiver. */
export interface Answered {
  readonly status: number
  /** The pause of `Retry-After`, in milliseconds; undefined without one. */
  readonly retryInMs: number | undefined
}

/** The body of an answer is ignored; this many bytes may pass while the connection ends properly. */
const DRAIN_BYTES = 16_384
const DRAIN_MS = 1_000

/**
 * Sends a message and returns the status of the answer. Rejects without an answer: the receiver cannot be reached, does
 * not speak HTTP, is too slow, or its address leads into a private network, which the lookup of this very connection
 * judges.
 */
export async function post(
  { address, body, headers }: Message,
  options: WebhookOptions,
  { resolve, signal }: { readonly resolve: Resolve; readonly signal: AbortSignal },
): Promise<Answered> {
  const wrong = writtenWrong(address, options)
  if (wrong !== undefined) throw new ForbiddenAddress(String(wrong))
  const url = new URL(address)
  // Node does not look up IP addresses.
  if (isWrittenOut(url)) await reachable(hostOf(url), options, resolve)
  const late = AbortSignal.timeout(options.timeoutMs)
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest
  const ends = AbortSignal.any([signal, late])
  const sent = request(url, {
    method: 'POST',
    agent: false,
    lookup: checkedLookup(options, resolve),
    signal: ends,
    maxHeaderSize: DRAIN_BYTES,
    headers: {
      ...headers,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'user-agent': 'Plinth-Webhooks',
    },
  })
  sent.end(body)
  const answer = await unlessAborted(answerTo(sent), ends).catch((error: unknown) => {
    throw late.aborted ? new TooSlow(options.timeoutMs) : error
  })
  drain(answer)
  return { status: answer.statusCode ?? 0, retryInMs: retryIn(answer.headers['retry-after']) }
}

/** A receiver that did not answer in time. */
class TooSlow extends Error {
  /** The code for breakers. */
  readonly code = 'ETIMEDOUT'

  constructor(ms: number) {
    super(`The receiver did not answer within ${ms / 1000} s`)
  }
}

function isWrittenOut(url: URL): boolean {
  return /^[\d.]+$|:/.test(hostOf(url))
}

/** Lets the connection end properly where little follows, and cuts it where much follows, or nothing for long. */
function drain(answer: IncomingMessage): void {
  let bytes = 0
  const cut = setTimeout(() => answer.destroy(), DRAIN_MS).unref()
  answer.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > DRAIN_BYTES) answer.destroy()
  })
  // The status is the answer; how its body ends does not matter.
  answer.on('error', () => undefined)
  answer.on('close', () => clearTimeout(cut))
}

/** `Retry-After` (RFC 9110, 10.2.3), seconds or a date, in milliseconds. */
function retryIn(header: string | undefined): number | undefined {
  if (header === undefined) return undefined
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * 1_000
  const at = Date.parse(header)
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now())
}
