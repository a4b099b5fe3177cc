/** Bodies as JSON, forms and bytes ⇄: which are taken, and up to which size; the refusals are 413, 415, 400 and 422. */
import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import type { Context, Middleware } from 'koa'
import { ApiError } from '../error.ts'
import { type FieldError, type FieldErrorCode, type FieldErrors, fieldError } from '../field-error.ts'
import { isObject, type JsonObject } from '../json.ts'
import { INEXACT, inexactNumbers, SUSPECT } from '../json-number.ts'
import { LIMITS } from '../limits.ts'
import { memo } from '../memo.ts'
import type { BodyKind, RawBody } from './route.ts'

const JSON_MEDIA = /^application\/(?:[\w.!#$&^+-]+\+)?json$/
const UTF8 = /^charset\s*=\s*"?utf-?8"?$/

/** Whether a request has a body; one with `Content-Length: 0` has none. */
export function hasBody(request: IncomingMessage): boolean {
  if (request.headers['transfer-encoding'] !== undefined) return true
  const length = request.headers['content-length']
  return length !== undefined && Number(length) > 0
}

/** The media type and its parameters in lower case; empty when the header is longer than any real one. */
function mediaOf(request: IncomingMessage): readonly string[] {
  const header = request.headers['content-type'] ?? ''
  if (header.length > LIMITS.contentTypeLength) return []
  return header.split(';').map((part) => part.trim().toLowerCase())
}

/** The type of a form as browsers encode it. */
export const FORM_TYPE = 'application/x-www-form-urlencoded'

/** Whether the media type is one of text in UTF-8 that `fits`. */
function isText(request: IncomingMessage, fits: (type: string) => boolean): boolean {
  const [type = '', ...parameters] = mediaOf(request)
  const named = parameters.filter((parameter) => parameter !== '')
  return fits(type) && named.length <= 1 && named.every((parameter) => UTF8.test(parameter))
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

/** Whether a kind of body may have the type of a request. */
const TAKES: Readonly<Record<Exclude<BodyKind, 'none'>, (request: IncomingMessage) => boolean>> = {
  json: (request) => isText(request, (type) => JSON_MEDIA.test(type)),
  form: (request) => isText(request, (type) => type === FORM_TYPE),
  multipart: (request) => TAKES.json(request) || isMultipart(request),
  raw: ({ headers }) => (headers['content-type'] ?? '').length <= LIMITS.contentTypeLength,
}

/** Refuses by the headers: 413 over `bytes`, then 415 for a type that the route does not take. */
export function checkDeclared(request: IncomingMessage, bytes: number, kind: Exclude<BodyKind, 'none'>): void {
  if (!hasBody(request)) return
  if (Number(request.headers['content-length'] ?? 0) > bytes) throw tooLarge(request)
  if (!TAKES[kind](request)) throw new ApiError('unsupported_media_type')
}

function property(error: unknown, name: string): unknown {
  return typeof error === 'object' && error !== null ? Reflect.get(error, name) : undefined
}

/** The error that the caller gets when reading the body failed. */
function readFailure(error: unknown, request: IncomingMessage, kind: ReadKind): ApiError {
  if (property(error, 'status') === 413) return tooLarge(request)
  discard(request)
  if (property(error, 'status') === 415) return new ApiError('unsupported_media_type')
  // Broken compression, a wrong Content-Length or a closed connection: the body cannot be read.
  return malformed(kind, error)
}

function malformed(kind: ReadKind, cause?: unknown): ApiError {
  const message = { json: undefined, form: 'Malformed form body', raw: 'The body cannot be read' }[kind]
  return new ApiError('malformed_body', {
    ...(message !== undefined && { message }),
    ...(cause !== undefined && { cause }),
  })
}

/** The places of numbers that JavaScript cannot hold exactly; they are reported with the other mistakes of the body. */
const inexactIn = memo((_: JsonObject): { places: ReturnType<typeof inexactNumbers> } => ({ places: [] }))

function parse(bytes: Buffer): JsonObject {
  // A decoder would replace broken UTF-8 by U+FFFD, and so change what the caller wrote.
  if (!isUtf8(bytes)) throw malformed('json')
  const text = bytes.toString('utf8')
  if (text === '') return {}
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new ApiError('malformed_body')
  }
  if (!isObject(value)) throw new ApiError('malformed_body', { message: 'The body must be a JSON object' })
  if (SUSPECT.test(text)) inexactIn(value).places = inexactNumbers(text, LIMITS.bodyErrors)
  return value
}

/** The names and texts of a form (URL Standard, section 5.1); a name that comes more than once has a list of texts. */
function parseForm(bytes: Buffer): JsonObject {
  if (!isUtf8(bytes)) throw malformed('form')
  const text = bytes.toString('utf8')
  try {
    // URLSearchParams would replace what is no UTF-8.
    if (text.includes('%')) decodeURIComponent(text)
  } catch {
    throw malformed('form')
  }
  const values = new Map<string, string[]>()
  for (const [name, value] of new URLSearchParams(text)) {
    const given = values.get(name)
    if (given === undefined) values.set(name, [value])
    else given.push(value)
  }
  return Object.fromEntries([...values].map(([name, given]) => [name, given.length === 1 ? given[0]! : given]))
}

/** The kinds that are read into memory. */
type ReadKind = 'json' | 'form' | 'raw'

/** The body of a request: `body` is `{}` where there is none, and for raw bodies. */
export interface ReadBody {
  readonly body: JsonObject
  readonly raw: RawBody | undefined
}

/** A reader of bodies of one kind, of at most `bytes` after decompression. */
export function bodyReader(kind: ReadKind, bytes: number): (ctx: Context) => Promise<ReadBody> {
  const collect = collector(kind, bytes)
  if (kind !== 'raw') {
    const read = kind === 'json' ? parse : parseForm
    return async (ctx) => ({ body: hasBody(ctx.req) ? read(await collect(ctx)) : {}, raw: undefined })
  }
  return async (ctx) => {
    const type = ctx.req.headers['content-type'] ?? ''
    return { body: {}, raw: { type, bytes: hasBody(ctx.req) ? await collect(ctx) : Buffer.alloc(0) } }
  }
}

/**
 * Collects the bytes of a body. koa-body collects and inflates; it is asked for plain text because its own JSON parser
 * refuses `__proto__` as malformed, and in binary because its text decoder hides broken UTF-8.
 */
function collector(kind: ReadKind, bytes: number): (ctx: Context) => Promise<Buffer> {
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
    loading ??= load()
    const collect = await loading
    try {
      await collect(ctx, async () => {})
    } catch (error) {
      throw readFailure(error, ctx.req, kind)
    }
    const collected: unknown = Reflect.get(ctx.request, 'body')
    // It leaves alone what has no type that it can read.
    if (typeof collected === 'string') return Buffer.from(collected, 'latin1')
    discard(ctx.req)
    throw new ApiError('unsupported_media_type')
  }
}

/** NUL, which PostgreSQL cannot store, and half a surrogate pair, which no UTF-8 can express. */
const UNUSABLE = /[\0\ud800-\udfff]/u

/** Errors by path; without a prototype, since `__proto__` may be one of the paths. */
function noErrors(): Record<string, FieldError[]> {
  return Object.create(null)
}

/** The errors found so far; they are counted separately, because counting keys at every step costs more than the check itself. */
interface Findings {
  readonly errors: Record<string, FieldError[]>
  count: number
  /** The keys from the root of the body to the value that is checked now. */
  readonly at: (string | number)[]
}

function note(findings: Findings, code: FieldErrorCode, sentence: (path: string) => string): void {
  // A long key would be repeated in the path of every error below it.
  const path = findings.at.map((key) => String(key).slice(0, LIMITS.unknownKeyLength)).join('.')
  findings.errors[path] = [fieldError(code, sentence(path))]
  findings.count += 1
}

function walk(value: unknown, findings: Findings): void {
  if (findings.count >= LIMITS.bodyErrors) return
  if (typeof value === 'string') {
    if (UNUSABLE.test(value)) note(findings, 'not_text', (path) => `The ${path} contains characters that are not text`)
    return
  }
  if (typeof value !== 'object' || value === null) return
  const { at } = findings
  if (at.length >= LIMITS.jsonDepth) throw new ApiError('malformed_body')
  // Object.entries would copy them all, and a body may hold a hundred thousand.
  const depth = at.length
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      at[depth] = index
      walk(value[index], findings)
    }
  } else {
    for (const key of Object.keys(value)) {
      at[depth] = key
      if (key === '__proto__') note(findings, 'unknown_field', (path) => `The ${path} is not a known field`)
      else if (UNUSABLE.test(key)) note(findings, 'not_text', () => 'A key contains characters that are not text')
      else walk(Reflect.get(value, key), findings)
    }
  }
  at.length = depth
}

/**
 * The mistakes in the texts, numbers and keys of a body, by path in dot form, at most LIMITS.bodyErrors; throws
 * malformed_body where it is nested too deep.
 */
export function inspectBody(body: JsonObject): FieldErrors {
  const findings: Findings = { errors: noErrors(), count: 0, at: [] }
  walk(body, findings)
  for (const place of findings.count < LIMITS.bodyErrors ? inexactIn(body).places : [])
    note({ ...findings, at: [...place] }, 'invalid', (path) => `The ${path} ${INEXACT}`)
  return findings.errors
}
