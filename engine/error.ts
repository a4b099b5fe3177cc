/** The one kind of error a request stage throws, and the table of its codes. */
import { type FieldErrors, translatedErrors } from './field-error.ts'
import type { JsonObject } from './json.ts'

interface ErrorKind {
  readonly status: number
  /** When it is answered, for the documents. */
  readonly when: string
  /** The sentence for the caller; `{name}` takes a parameter. */
  readonly message: string
  /** The sentence where no parameter gives one. */
  readonly otherwise?: string
}

/** Code → status and sentence. A code is never reused for another meaning. */
export const ERRORS = {
  malformed_body: {
    status: 400,
    when: 'the body is not JSON, is nested too deeply, or is no object',
    message: '{message}',
    otherwise: 'Malformed JSON request body',
  },
  bad_request: {
    status: 400,
    when: 'something else about the request cannot be understood, such as an empty `Idempotency-Key`',
    message: '{message}',
  },
  unauthenticated: {
    status: 401,
    when: 'the token is missing, invalid, expired or revoked',
    message: 'Unauthenticated',
  },
  invalid_credentials: { status: 401, when: 'a login with a wrong e-mail or password', message: 'Invalid credentials' },
  forbidden: {
    status: 403,
    when: 'no rule lets this caller do this, or use this record or field',
    message: '{message}',
    otherwise: 'Forbidden',
  },
  second_factor_required: {
    status: 403,
    when: 'the account must have a second factor and has none: `POST /auth/factors/totp` begins to set one up',
    message: '{message}',
    otherwise: 'Your account needs a second factor: set one up first',
  },
  proof_required: {
    status: 403,
    when: 'this act needs a fresh proof of who is signed in: `POST /auth/again`, then the same request once more',
    message: 'Prove once more who you are',
  },
  record_not_found: { status: 404, when: 'there is no such record', message: '{label} not found' },
  route_not_found: { status: 404, when: 'there is no such path', message: 'Route not found' },
  method_not_allowed: { status: 405, when: 'the path knows other methods: see `Allow`', message: 'Method Not Allowed' },
  not_acceptable: {
    status: 406,
    when: '`Accept-Encoding` refuses the plain form and names no coding that the server has; nothing was done',
    message: 'None of the content codings that Accept-Encoding allows is there',
  },
  request_timeout: { status: 408, when: 'the request did not arrive in time', message: 'Request Timeout' },
  conflict: {
    status: 409,
    when: 'the state of something is in the way, and the sentence names it; with `Retry-After`: a request with this `Idempotency-Key` is still running',
    message: '{message}',
  },
  stale_version: {
    status: 412,
    when: 'the record has changed since its `ETag` was read; or it exists although `If-None-Match` asks for none or another version; or it has no version that `If-Match` could name',
    message: '{message}',
    otherwise: 'The record has changed since it was read; read it again and repeat the change',
  },
  payload_too_large: { status: 413, when: 'the body is larger than the route takes', message: 'Payload too large' },
  unsupported_media_type: {
    status: 415,
    when: 'the body is of another type than the route takes: JSON, and on routes that say so multipart, a form, or any bytes',
    message: 'Unsupported media type',
  },
  validation_failed: {
    status: 422,
    when: '`errors` says what is wrong with each field or parameter',
    message: 'Validation failed',
  },
  too_many_requests: {
    status: 429,
    when: 'too many requests: see `Retry-After`; if another limit was reached, the sentence names it',
    message: '{message}',
    otherwise: 'Too Many Requests',
  },
  headers_too_large: {
    status: 431,
    when: "the request's headers are too large",
    message: 'Request header fields too large',
  },
  server_error: {
    status: 500,
    when: 'our fault; `meta.request_id` finds the request in the log',
    message: 'Server error',
  },
  unavailable: {
    status: 503,
    when: 'the service is overloaded, its database is out, or other changes held what this request needs through several attempts: see `Retry-After`; the sentence names any cause but the database',
    message: '{message}',
    otherwise: 'Service unavailable',
  },
} as const satisfies Record<string, ErrorKind>

export type ErrorCode = keyof typeof ERRORS

export interface ErrorParams {
  readonly message?: string
  readonly label?: string
  /** Only for `validation_failed`. */
  readonly errors?: FieldErrors
  /** Seconds; becomes `Retry-After`. */
  readonly retryAfter?: number
  /** Only for `method_not_allowed`: becomes `Allow`. */
  readonly allow?: readonly string[]
  /** Only for `/readyz`: what was looked at, and what was found. */
  readonly checks?: Readonly<Record<string, string>>
  /** Why a rule refused, for those whom app.yaml lets ask. */
  readonly explain?: JsonObject
  /** What went wrong, for the log and never for the caller. */
  readonly cause?: unknown
}

/** A refusal with its code; caught in one place, http/, and made an envelope there. */
export class ApiError extends Error {
  readonly code: ErrorCode
  readonly status: number
  readonly params: ErrorParams

  constructor(code: ErrorCode, params: ErrorParams = {}) {
    const kind: ErrorKind = ERRORS[code]
    const sentence = kind.message.replace(/\{(\w+)\}/g, (_, name: 'message' | 'label') => params[name] ?? '')
    super(sentence || (kind.otherwise ?? code), params.cause === undefined ? {} : { cause: params.cause })
    this.code = code
    this.status = kind.status
    this.params = params
  }

  /** The same refusal with the sentences that `say` gives; this one where there is nothing that gives others. */
  translated(say: ((sentence: string) => string) | undefined): ApiError {
    if (say === undefined) return this
    const { errors } = this.params
    const told = errors === undefined ? {} : { errors: translatedErrors(errors, say) }
    const error = new ApiError(this.code, { ...this.params, ...told })
    error.message = say(this.message)
    return error
  }
}

/** What went wrong, in the sentence that the error has for people; of a database that is out, with its reason. Never for an answer. */
export function sentenceOf(error: unknown): string {
  const cause = error instanceof ApiError && error.code === 'unavailable' ? error.params.cause : undefined
  if (cause !== undefined) return `The database is out: ${sentenceOf(cause)}`
  // Where a name has several addresses, Node gives one error for each of them, and none for all.
  if (error instanceof AggregateError && error.message === '') return error.errors.map(sentenceOf).join('; ')
  return error instanceof Error ? error.message : String(error)
}

const FILE_REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'a part of its path is no folder',
  EISDIR: 'it is a folder',
  EACCES: 'this user may not',
  EPERM: 'this user may not',
  EROFS: 'the disk takes no writes',
  ENOSPC: 'the disk is full',
}

/** Why a file or folder could not be read or written, without the words of the system where there are others. */
export function fileReason(error: unknown): string {
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined
  return (typeof code === 'string' ? FILE_REASONS[code] : undefined) ?? sentenceOf(error)
}

/** Whether an error says for certain that nothing was done; after any other one what was begun may have been committed. */
export function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && error.status < 500
}

/** A 422 with its errors by field, the commonest refusal. */
export function invalid(errors: FieldErrors): ApiError {
  return new ApiError('validation_failed', { errors })
}
