/** JSON bodies ⇄: what may come in, how much of it, and whether it can be used; the refusals are 413, 415 and 400. */
import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import type { Context, Middleware } from 'koa'
import { ApiError } from '../error.ts'
import { isObject, type JsonObject } from '../json.ts'
import { LIMITS } from '../limits.ts'

const JSON_MEDIA = /^application\/(?:[\w.!#$&^+-]+\+)?json$/
const UTF8 = /^charset\s*=\s*"?utf-?8"?$/

/** Whether a request brings a body at all; `Content-Length: 0` does not. */
export function hasBody(request: IncomingMessage): boolean {
  if (request.headers['transfer-encoding'] !== undefined) return true
  const length = request.headers['content-length']
  return length !== undefined && Number(length) > 0
}

/** The media type and its parameters in small letters; nothing where the header is longer than any that is meant. */
function mediaOf(request: IncomingMessage): readonly string[] {
  const header = request.headers['content-type'] ?? ''
  if (header.length > LIMITS.contentTypeLength) return []
  return header.split(';').map((part) => part.trim().toLowerCase())
}

function isJson(request: IncomingMessage): boolean {
  const [type = '', ...parameters] = mediaOf(request)
  const named = parameters.filter((parameter) => parameter !== '')
  return JSON_MEDIA.test(type) && named.length <= 1 && named.every((parameter) => UTF8.test(parameter))
}

export function isMultipart(request: IncomingMessage): boolean {
  const [type, ...parameters] = mediaOf(request)
  return type === 'multipart/form-data' && parameters.length > 0
}

/** Reads on for a while after a refusal: a client that is still sending would otherwise see a reset, not the answer. */
export function discard(request: IncomingMessage): void {
  let bytes = 0
  request.unpipe()
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > LIMITS.refusedBytes) request.destroy()
  })
  request.resume()
}

function tooLarge(request: IncomingMessage): ApiError {
  discard(request)
  return new ApiError('payload_too_large')
}

/** Refuses by what the headers declare: 413 over `bytes`, then 415 for a type that the route does not take. */
export function checkDeclared(request: IncomingMessage, bytes: number, kind: 'json' | 'multipart'): void {
  if (!hasBody(request)) return
  if (Number(request.headers['content-length'] ?? 0) > bytes) throw tooLarge(request)
  if (!isJson(request) && !(kind === 'multipart' && isMultipart(request))) throw new ApiError('unsupported_media_type')
}

function property(error: unknown, name: string): unknown {
  return typeof error === 'object' && error !== null ? Reflect.get(error, name) : undefined
}

/** What a failed read means for the caller. */
function readFailure(error: unknown, request: IncomingMessage): ApiError {
  if (property(error, 'status') === 413) return tooLarge(request)
  discard(request)
  if (property(error, 'status') === 415) return new ApiError('unsupported_media_type')
  // Broken compression, a length that was not kept, a connection that ended: no body that could be understood.
  return new ApiError('malformed_body', { cause: error })
}

function parse(bytes: Buffer): JsonObject {
  // A decoder would put U+FFFD in the place of broken UTF-8, and so change what the caller wrote.
  if (!isUtf8(bytes)) throw new ApiError('malformed_body')
  const text = bytes.toString('utf8')
  if (text === '') return {}
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new ApiError('malformed_body')
  }
  if (!isObject(value)) throw new ApiError('malformed_body', { message: 'The body must be a JSON object' })
  return value
}

/** Reads the JSON object of a request, `{}` when there is no body; `bytes` counts after decompression. */
export type ReadJson = (ctx: Context) => Promise<JsonObject>

/**
 * A reader for bodies of at most `bytes`. koa-body collects and inflates; it is asked for plain text because its own
 * JSON parser refuses `__proto__` as malformed, and in binary because its text decoder hides broken UTF-8.
 */
export function jsonReader(bytes: number): ReadJson {
  let loading: Promise<Middleware> | undefined
  // Loaded with the first body: importing koa-body takes 90 ms that a start need not wait for.
  const load = async () => {
    const { koaBody } = await import('koa-body')
    return koaBody({
      text: true,
      textTypes: ['*/*'],
      textLimit: bytes,
      encoding: 'binary',
      json: false,
      urlencoded: false,
      multipart: false,
    })
  }
  return async (ctx) => {
    if (!hasBody(ctx.req)) return {}
    loading ??= load()
    const collect = await loading
    try {
      await collect(ctx, async () => {})
    } catch (error) {
      throw readFailure(error, ctx.req)
    }
    const collected: unknown = Reflect.get(ctx.request, 'body')
    return parse(Buffer.from(typeof collected === 'string' ? collected : '', 'latin1'))
  }
}
