/**
 * ⇄ Files at an S3-compatible server: signed requests that stream, tried again where the server or the way to it failed.
 *
 * aws4fetch (88 kB) signs, and the rest is here: the SDK of AWS installs 22 MB in 26 packages.
 */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type IncomingMessage, request as overHttp } from 'node:http'
import { request as overHttps } from 'node:https'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { AwsV4Signer } from 'aws4fetch'
import { ApiError, answerTo, type Breaker, shortFile } from '../../engine/index.ts'
import type { Source, Storage, Stored } from './storage.ts'

export interface S3Settings {
  /** Leaves the server alone while it does not answer. */
  readonly breaker: Breaker
  readonly endpoint: string
  readonly region: string
  readonly bucket: string
  readonly accessKey: string
  readonly secretKey: string
}

/** The longest silence of a server, in milliseconds. */
const SILENCE_MS = 15_000
/** How often a request is sent, and the pause after the first failure, in milliseconds; it doubles. */
const TRIES = 3
const PAUSE_MS = 200
/** The limit of an answer that is read whole: an error, or a page of a list. */
const ANSWER_BYTES = 4_194_304

/** The name of the server's breaker. */
export const S3 = 's3'
/** The time until the answer to a call must begin, in milliseconds, and the additional time for each megabyte sent. */
const CALL_MS = 60_000
const MEGABYTE_MS = 15_000

interface Call {
  readonly method: 'PUT' | 'GET' | 'DELETE'
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly source?: Source
}

/** The storage in a bucket, addressed by path, which every server understands. */
export function s3Storage(settings: S3Settings): Storage {
  const pathOf = (key: string): string => `/${settings.bucket}/${key.split('/').map(encodeURIComponent).join('/')}`
  return {
    description: `${settings.endpoint}/${settings.bucket}`,
    put: async (key, source) => {
      const headers = {
        'x-amz-content-sha256': await sha256(source),
        'content-length': String(source.bytes),
        'content-type': source.type,
      }
      await finished(await ask(settings, { method: 'PUT', path: pathOf(key), headers, source }))
    },
    read: async (key) => {
      const response = await ask(settings, { method: 'GET', path: pathOf(key) })
      if (response.statusCode !== 404) return body(response)
      response.destroy()
      return undefined
    },
    move: (from, to) => move(settings, pathOf(from), pathOf(to)),
    remove: async (key) => {
      await finished(await ask(settings, { method: 'DELETE', path: pathOf(key) }))
    },
    list: (prefix) => list(settings, prefix),
  }
}

/** The hash by which the server checks the file; throws unavailable where this disk has only a part of it. */
async function sha256({ path, bytes }: Source): Promise<string> {
  const hash = createHash('sha256')
  const input = createReadStream(path)
  await pipeline(input, hash)
  if (input.bytesRead !== bytes) throw shortFile(path, bytes, input.bytesRead)
  return hash.digest('hex')
}

/** Copied, then removed: at any moment the file is at one of the places. The server dates the copy. */
async function move(settings: S3Settings, from: string, to: string): Promise<boolean> {
  const headers = { 'x-amz-copy-source': from, 'content-length': '0' }
  const response = await ask(settings, { method: 'PUT', path: to, headers })
  const answer = await read(response)
  if (response.statusCode === 404) return false
  // A copy that fails on the way has status 200 with an error in the body.
  if (!answer.includes('CopyObjectResult')) {
    const cause = new Error(`the file storage did not copy: ${codeOf(answer)}`)
    throw new ApiError('unavailable', { retryAfter: 5, cause })
  }
  await finished(await ask(settings, { method: 'DELETE', path: from }))
  return true
}

/** Sends a call, unless the server is left alone for a while; failures are 503. */
function ask(settings: S3Settings, call: Call): Promise<IncomingMessage> {
  return settings.breaker.run(() => tryCall(settings, call))
}

/** Sends a call until the answer is no failure of the server; 404 is an answer. */
async function tryCall(settings: S3Settings, call: Call): Promise<IncomingMessage> {
  let cause: unknown
  for (let attempt = 0; attempt < TRIES; attempt++) {
    if (attempt > 0) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS * 2 ** (attempt - 1)))
    try {
      const response = await send(settings, call)
      const status = response.statusCode ?? 0
      if (status < 300 || (status === 404 && call.source === undefined)) return response
      cause = new Error(`the file storage answered ${status}: ${codeOf(await read(response))}`)
      if (status < 500 && status !== 429) break
    } catch (error) {
      cause = error
    }
  }
  throw new ApiError('unavailable', { retryAfter: 5, cause })
}

async function send({ endpoint, region, accessKey, secretKey }: S3Settings, call: Call): Promise<IncomingMessage> {
  const signer = new AwsV4Signer({
    method: call.method,
    url: `${endpoint}${call.path}`,
    headers: { ...call.headers },
    accessKeyId: accessKey,
    secretAccessKey: secretKey,
    service: 's3',
    region,
  })
  const { url, headers } = await signer.sign()
  const request = (url.protocol === 'https:' ? overHttps : overHttp)(url, {
    method: call.method,
    headers: Object.fromEntries(headers.entries()),
    timeout: SILENCE_MS,
  })
  request.on('timeout', () => request.destroy(silence()))
  // A server that sends a byte now and then is never silent.
  const megabytes = (call.source?.bytes ?? 0) / 1_048_576
  const late = setTimeout(() => request.destroy(silence()), CALL_MS + megabytes * MEGABYTE_MS).unref()
  request.once('response', () => clearTimeout(late))
  request.once('close', () => clearTimeout(late))
  const answered = answerTo(request)
  if (call.source === undefined) request.end()
  // A refusal may come before everything is sent; that answer counts, not the broken connection.
  else pipeline(createReadStream(call.source.path), request).catch(() => undefined)
  return answered
}

function silence(): Error {
  return Object.assign(new Error('the file storage is silent'), { code: 'ETIMEDOUT' })
}

/** The body as a stream; it ends with an error when the server falls silent. */
function body(response: IncomingMessage): Readable {
  response.setTimeout(SILENCE_MS, () => response.destroy(silence()))
  return response
}

async function finished(response: IncomingMessage): Promise<void> {
  await read(response)
}

async function read(response: IncomingMessage): Promise<string> {
  let bytes = 0
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > ANSWER_BYTES) response.destroy(new Error('the file storage answers too much'))
  })
  // A server that sends a byte now and then is never silent.
  const late = setTimeout(() => response.destroy(silence()), CALL_MS).unref()
  response.once('close', () => clearTimeout(late))
  return text(body(response))
}

function codeOf(answer: string): string {
  return elementOf(answer, 'Code') ?? 'no code'
}

function elementOf(xml: string, tag: string): string | undefined {
  const value = new RegExp(`<${tag}>([^<]*)</${tag}>`).exec(xml)?.[1]
  return value?.replace(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => ENTITIES[name] ?? '')
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

async function* list(settings: S3Settings, prefix: string): AsyncGenerator<Stored, void> {
  let token: string | undefined
  do {
    const query = new URLSearchParams({ 'list-type': '2', prefix, ...(token && { 'continuation-token': token }) })
    const answer = await read(await ask(settings, { method: 'GET', path: `/${settings.bucket}?${query}` }))
    for (const [, entry = ''] of answer.matchAll(/<Contents>(.*?)<\/Contents>/gs)) {
      const key = elementOf(entry, 'Key')
      if (key !== undefined) yield { key, since: new Date(elementOf(entry, 'LastModified') ?? Number.NaN) }
    }
    token = elementOf(answer, 'IsTruncated') === 'true' ? elementOf(answer, 'NextContinuationToken') : undefined
  } while (token !== undefined)
}
