/** The one shape of every JSON answer: success, data or message and errors, meta. */
import type { ApiError } from '../error.ts'
import { JsonText } from '../json.ts'
import { fieldErrorCodes } from './field-error.ts'
import type { Answer } from './parts.ts'
import type { Reply } from './route.ts'

export const JSON_TYPE = 'application/json; charset=utf-8'

/** The start of `meta` at one moment: `"timestamp":"…","version":"v1"`. */
export type Stamp = (at: Date) => string

/** How `meta` begins in an app: its version is the prefix's last segment where that names one (`/api/v1`). */
export function stampFor(prefix: string, version: string): Stamp {
  const segment = prefix.slice(prefix.lastIndexOf('/') + 1)
  const shown = JSON.stringify(/^v\d/.test(segment) ? segment : version)
  // The clock counts milliseconds; the contract writes microseconds.
  return (at) => `"timestamp":"${at.toISOString().slice(0, -1)}000Z","version":${shown}`
}

function json(value: unknown): string {
  if (value instanceof JsonText) return value.text
  return JSON.stringify(value) ?? 'null'
}

function metaOf(stamp: string, extra: Reply['meta']): string {
  let text = stamp
  for (const key in extra) {
    if (extra[key] !== undefined) text += `,${JSON.stringify(key)}:${json(extra[key])}`
  }
  return text
}

const OPENING = '{"success":true,"data":'

function closing(reply: Reply, stamp: string): string {
  const message = reply.message === undefined ? '' : `,"message":${JSON.stringify(reply.message)}`
  return `${message},"meta":{${metaOf(stamp, reply.meta)}}}`
}

/** The text of a success; `stamp` is what Stamp gave. */
export function successText(reply: Reply, stamp: string): string {
  return OPENING + json(reply.data) + closing(reply, stamp)
}

const OPENING_BYTES = Buffer.from(OPENING)

/** The body of a success, in bytes where the data comes so. */
function successBody(reply: Reply, stamp: string): string | Buffer {
  const bytes = reply.data instanceof JsonText ? reply.data.bytes : undefined
  if (bytes === undefined) return successText(reply, stamp)
  return Buffer.concat([OPENING_BYTES, bytes, Buffer.from(closing(reply, stamp))])
}

/** The text of a refusal; the request id is told where the caller can do nothing but report it. */
export function refusalText(error: ApiError, stamp: string, requestId?: string): string {
  const { errors } = error.params
  const fields =
    errors === undefined
      ? ''
      : `,"errors":${JSON.stringify(errors)},"error_codes":${JSON.stringify(fieldErrorCodes(errors))}`
  const id = requestId === undefined || error.status < 500 ? '' : `,"request_id":${JSON.stringify(requestId)}`
  return `{"success":false,"message":${JSON.stringify(error.message)},"code":"${error.code}"${fields},"meta":{${stamp}${id}}}`
}

function refusalHeaders(error: ApiError): Readonly<Record<string, string>> {
  const { retryAfter, allow } = error.params
  if (error.status === 401) return { 'WWW-Authenticate': 'Bearer' }
  if (allow !== undefined) return { Allow: allow.join(', ') }
  if (retryAfter !== undefined || error.status === 503) return { 'Retry-After': String(Math.max(1, retryAfter ?? 1)) }
  return {}
}

/** A refusal as it is sent. */
export function refusal(error: ApiError, stamp: string, requestId: string): Answer {
  return {
    status: error.status,
    headers: refusalHeaders(error),
    type: JSON_TYPE,
    body: refusalText(error, stamp, requestId),
  }
}

/** A handler's reply as it is sent; `status` is the route's own. */
export function answerOf(reply: Reply, status: number, stamp: string): Answer {
  const headers: Record<string, string> = { ...reply.headers }
  if (reply.etag !== undefined) headers.ETag = `"${reply.etag}"`
  const given = reply.status ?? status
  if (given === 204) return { status: given, headers }
  if (reply.raw !== undefined) return { status: given, headers, type: reply.raw.type, body: reply.raw.body }
  return { status: given, headers, type: JSON_TYPE, body: successBody(reply, stamp) }
}
