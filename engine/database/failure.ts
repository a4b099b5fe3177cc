/**
 * Errors of the database for callers: SQLSTATEs and connection errors become an ApiError; bugs of our own stay as they
 * are. And a log of outages.
 */
import { ApiError } from '../error.ts'
import { type FieldError, fieldError } from '../field-error.ts'
import { LIMITS } from '../limits.ts'
import type { Logger } from '../observe.ts'
import type { Database } from './database.ts'

/** A refusal by the database that the written values caused. */
export interface Violation {
  readonly kind: 'unique' | 'foreign_key' | 'in_use' | 'not_null' | 'check' | 'value'
  /** SQLSTATE. */
  readonly code: string
  readonly table: string | undefined
  readonly constraint: string | undefined
  /** Columns that the database names, as it names them: `email`, `lower(email)`. */
  readonly columns: readonly string[]
}

/** The parts of pg's error that are read here. */
interface Reported {
  readonly code?: unknown
  readonly table?: unknown
  readonly column?: unknown
  readonly constraint?: unknown
  readonly detail?: unknown
  readonly message?: unknown
  readonly syscall?: unknown
  readonly cause?: unknown
  /** The error of the driver inside an error of Objection, which does not repeat its SQLSTATE. */
  readonly nativeError?: unknown
}

const RETRY_AFTER = 1

const INTEGRITY: Readonly<Record<string, Violation['kind']>> = {
  '23502': 'not_null',
  '23503': 'foreign_key',
  '23505': 'unique',
  '23514': 'check',
  '23P01': 'unique',
}

/**
 * SQLSTATEs that are no fault of the caller's and pass, by themselves or when an operator has acted: overload, shutdown,
 * cancelled, locked, out of connections, serialization, full or failing disk, read-only or demoted, not let in, no database.
 */
const PASSING = /^(08...|57P..|57014|55P03|55000|53...|58...|40001|40P01|25P03|25006|28...|3D000)$/
const SOCKET = /^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|ENOTFOUND|EAI_AGAIN)/
/** Messages of pg, its pool and Knex without a code; Knex writes the statement and a dash before messages of others. */
const LOST =
  /(?:^| - )(Connection terminated|Connection ended unexpectedly|Knex: Timeout acquiring a connection|timeout exceeded when trying to connect|timeout expired|Client has encountered a connection error|Client was closed|Cannot use a pool after calling end|The server does not support SSL)/

/** SQLSTATEs that other work in the same database causes normally: they are not logged. */
const IN_THE_WAY: ReadonlyMap<string | undefined, string> = new Map([
  ['55P03', 'Another change holds what this one needs; try again'],
  ['40001', 'Other changes came between the parts of this one, again and again; try again'],
  ['40P01', 'This change and others waited for each other, again and again; try again'],
])

/** Whether a failure says that the database is out, rather than that of one statement. */
export function isOutage(failure: unknown): boolean {
  return failure instanceof ApiError && failure.code === 'unavailable' && !IN_THE_WAY.has(failureCode(failure))
}

/** The error of the driver, inside the errors that wrap it. */
function reported(error: unknown): Reported {
  if (error instanceof ApiError) return reported(error.params.cause)
  const from: Reported = typeof error === 'object' && error !== null ? error : {}
  return from.nativeError === undefined ? from : reported(from.nativeError)
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** The SQLSTATE or system code of an error or of its cause. */
export function failureCode(error: unknown): string | undefined {
  const { code, cause } = reported(error)
  return text(code) ?? (cause === undefined ? undefined : failureCode(cause))
}

/** A table or a column that is not there. */
const NOT_THERE: ReadonlySet<string | undefined> = new Set(['42P01', '42703'])

/** A trigger or function raised it, or a view would not show the written row. */
const RAISED: ReadonlySet<string | undefined> = new Set(['P0001', '44000'])

/** Whether a rule of the database refuses a write: existing tables may have triggers and row security. */
export function isRefusedByRule(error: unknown): boolean {
  const code = failureCode(error)
  // The same code says that the user of the database lacks a right, which is no fault of the caller's.
  if (code === '42501') return / row-level security /.test(String(reported(error).message ?? ''))
  return RAISED.has(code)
}

/** The rows of a statement; undefined where a table or a column that it names is not there yet. */
export async function ifThere<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked
  } catch (error) {
    if (NOT_THERE.has(failureCode(error))) return undefined
    throw error
  }
}

/** Whether a transaction that failed so may succeed when it is simply run again (40001, 40P01). */
export function isRetryable(error: unknown): boolean {
  const code = failureCode(error)
  return code === '40001' || code === '40P01'
}

/** The wait before work is done again for the `nth` time, from 1: work that collided must not collide again. */
export function collisionPause(nth: number, random: () => number): number {
  return LIMITS.collisionPauseMs * 2 ** (nth - 1) * random()
}

/** The server has forgotten a prepared statement, or a migration changed what it returns: preparing it again helps. */
export function isStale(error: unknown): boolean {
  const code = failureCode(error)
  return code === '26000' || (code === '0A000' && String(reported(error).message ?? '').includes('cached plan'))
}

/** Whether the connection that gave this error, or the error that an ApiError was made of, is of no further use. */
export function isConnectionLost(error: unknown): boolean {
  const from = reported(error)
  const code = failureCode(error)
  if (code === undefined) return LOST.test(text(from.message) ?? '')
  // The socket file of a server that is not there, and no other file.
  if (code === 'ENOENT') return from.syscall === 'connect'
  // A server that has become read-only has a successor, which the next connection may reach.
  return /^(08...|57P0[1-5]|25P03|25006)$/.test(code) || SOCKET.test(code)
}

/**
 * The violation behind an error, whether pg's own or the ApiError made of it; undefined for any other error.
 * A row still referenced from elsewhere is `in_use`, a reference to nothing is `foreign_key`.
 */
export function violation(error: unknown): Violation | undefined {
  const from = reported(error)
  const code = text(from.code)
  if (code === undefined || !/^2[23][0-9A-Z]{3}$/.test(code)) return undefined
  const detail = text(from.detail) ?? ''
  const named = columnsOf(/^Key \((.+?)\)=\(/.exec(detail)?.[1] ?? '')
  const kind = INTEGRITY[code] ?? 'value'
  const column = text(from.column)
  return Object.freeze({
    kind: kind === 'foreign_key' && detail.includes('is still referenced') ? 'in_use' : kind,
    code,
    table: text(from.table),
    constraint: text(from.constraint),
    columns: column === undefined ? named : [column],
  })
}

/** A type in an expression, with the words that it may have. */
const TYPE =
  /::\s*(?:character varying|double precision|bit varying|"(?:[^"]|"")+"|[\w.]+)(?: with(?:out)? time zone)?/g

/** The columns in the key of an index: its columns, and those that its expressions name, which are neither functions nor types. */
function columnsOf(key: string): readonly string[] {
  const plain = key.replaceAll(/'(?:[^']|'')*'/g, '').replaceAll(TYPE, '')
  const words = plain.matchAll(/("(?:[^"]|"")+"|[\p{L}_][\p{L}\p{N}_$]*)(\s*\()?/gu)
  // A column with the name of a keyword is in quotes.
  const names = [...words].flatMap(([, word = '', call]) =>
    call === undefined ? [word.replace(/^"(.*)"$/, '$1')] : [],
  )
  return [...new Set(names)]
}

const MISTAKES: Readonly<Record<Exclude<Violation['kind'], 'in_use'>, (field: string) => FieldError>> = {
  unique: (field) => fieldError('taken', `The ${field} has already been taken`),
  foreign_key: (field) => fieldError('invalid_selection', `The selected ${field} is invalid`),
  not_null: (field) => fieldError('required', `The ${field} is required`),
  check: (field) => fieldError('invalid', `The ${field} is invalid`),
  value: (field) => fieldError('invalid', `The ${field} is invalid`),
}

/** The answer to a violation without a better one of the resource: 422 by column, 409 when in use. */
function violationAnswer(found: Violation, cause: unknown): ApiError {
  const { kind } = found
  if (kind === 'in_use') return new ApiError('conflict', { message: 'The record is still in use', cause })
  const columns = found.columns.length > 0 ? found.columns : [found.constraint ?? 'record']
  const errors = Object.fromEntries(columns.map((name) => [name, [MISTAKES[kind](name.replace(/_/g, ' '))]]))
  return new ApiError('validation_failed', { errors, cause })
}

/**
 * A database error as the error of a caller: `unavailable` with Retry-After when it passes by itself, `validation_failed`
 * or `conflict` (the violation still readable through `violation`) when values caused it, and the unchanged error otherwise.
 */
export function databaseFailure(error: unknown): unknown {
  if (error instanceof ApiError) return error
  const found = violation(error)
  if (found) return violationAnswer(found, error)
  const code = failureCode(error)
  const message = IN_THE_WAY.get(code)
  if (message !== undefined) {
    return new ApiError('unavailable', { message, retryAfter: RETRY_AFTER, cause: error })
  }
  if (isConnectionLost(error) || (code !== undefined && PASSING.test(code))) {
    return new ApiError('unavailable', { retryAfter: RETRY_AFTER, cause: error })
  }
  return error
}

const QUIET_MS = 10_000

/** Counts one failure of an outage; `now` is a monotonic time in milliseconds. */
export type NoteFailure = (error: unknown, now: number) => void

/** A log of an outage with at most one line in ten seconds, with the count of failures since the last one. */
export function outageLog(log: Logger, message = 'database unavailable'): NoteFailure {
  let lastAt = Number.NEGATIVE_INFINITY
  let unwritten = 0
  return (error, now) => {
    unwritten += 1
    if (now - lastAt < QUIET_MS) return
    const failures = unwritten
    lastAt = now
    unwritten = 0
    const reason = error instanceof Error ? error.message : String(error)
    log.error({ code: failureCode(error), reason, failures }, message)
  }
}

/** Asks the database where the error looks like an outage, as a statement that takes too long does too. */
export async function stillServes(database: Pick<Database, 'ping'>, error: unknown): Promise<boolean> {
  const outage = isConnectionLost(error) || (error instanceof ApiError && error.code === 'unavailable')
  if (!outage) return true
  return database.ping().then(
    () => true,
    () => false,
  )
}
