/**
 * Sends one statement over a pg connection with the least work: no column descriptions, rows as the text that arrived.
 */
import type { ClientBase, Connection } from 'pg'
import { LIMITS } from '../limits.ts'
import { memo } from '../memo.ts'
import type { Row, Statement } from './database.ts'
import { isStale } from './failure.ts'

/** A statement on the wire. */
export interface Running {
  readonly client: ClientBase
  /** Monotonic, in milliseconds; infinite for one that may take as long as it takes. */
  readonly startedAt: number
  /** Whether the last look found that the server is not at work on it. */
  suspected: boolean
}

/** How a connection that is watched is used. */
interface Watched {
  readonly running: Set<Running>
  /** The connection's own `query`, which notes nothing. */
  readonly query: (statement: unknown) => void
}

/** Whether and how a connection is watched. */
const useOf = memo((_: ClientBase): { watched?: Watched } => ({}))

/** Has the statements of a connection kept in `running` while they wait for an answer. */
export function watchClient(client: ClientBase, running: Set<Running>, query: Watched['query']): void {
  useOf(client).watched = { running, query }
}

/** Notes that a statement has been sent; a `patient` one is never overdue. */
export function began(client: ClientBase, patient: boolean): Running {
  const entry = { client, startedAt: patient ? Number.POSITIVE_INFINITY : performance.now(), suspected: false }
  useOf(client).watched?.running.add(entry)
  return entry
}

/** Notes that a statement has been answered. */
export function ended(entry: Running): void {
  useOf(entry.client).watched?.running.delete(entry)
}

type Done = (error: Error | null, rows: readonly Row[]) => void

/**
 * The query interface of pg, called while the answer arrives; the methods are shared, so one query is one small object.
 */
interface Pending {
  readonly statement: Statement
  readonly values: readonly unknown[]
  readonly rows: Row[]
  readonly callback: Done
  readonly running: Running
  taken: number
  failed: boolean
  submit(connection: Connection): Error | null
  handleDataRow(message: { fields: Row }): void
  handleCommandComplete(): void
  handleRowDescription(): void
  handlePortalSuspended(connection: Connection): void
  handleEmptyQuery(): void
  handleCopyInResponse(connection: Connection & { sendCopyFail(reason: string): void }): void
  handleCopyData(): void
  handleReadyForQuery(): void
  handleError(error: Error, connection: Connection): void
}

/** The prepared statements of open connections. */
const kept = new Set<ReadonlyMap<string, string>>()

/** How many statements the connections of this process keep prepared, all together. */
export function preparedStatements(): number {
  let count = 0
  for (const names of kept) count += names.size
  return count
}

const EXECUTE = Object.freeze({})

/** Names prepared on a connection with their text, the least recently used first. */
const namesOf = memo((_: Connection) => new Map<string, string>())

/** The same of a connection that is open. */
const openNamesOf = memo((connection: Connection) => {
  const names = namesOf(connection)
  kept.add(names)
  connection.once('end', () => kept.delete(names))
  return names
})

/** Parses the statement under its name where this connection has not yet, and closes the one it replaces. */
function prepare(connection: Connection, name: string, text: string): void {
  const names = openNamesOf(connection)
  const known = names.get(name)
  if (known === text) {
    names.delete(name)
    names.set(name, text)
    return
  }
  // Closing a name that is not there is no error: it makes a half-failed earlier attempt harmless.
  connection.close({ type: 'S', name }, true)
  if (names.size >= LIMITS.namedStatements) {
    const oldest = names.keys().next().value
    if (oldest !== undefined) {
      names.delete(oldest)
      connection.close({ type: 'S', name: oldest }, true)
    }
  }
  connection.parse({ name, text, types: [] }, true)
  names.set(name, text)
}

function submit(this: Pending, connection: Connection): Error | null {
  const { name = '', text } = this.statement
  const { stream } = connection
  stream.cork?.()
  try {
    if (name === '') connection.parse({ name, text, types: [] }, true)
    else prepare(connection, name, text)
    connection.bind({ statement: name, values: this.values.map(parameter) }, true)
    connection.execute(EXECUTE, true)
    connection.sync()
  } finally {
    stream.uncork?.()
  }
  return null
}

function handleReadyForQuery(this: Pending): void {
  if (this.failed) return
  ended(this.running)
  this.callback(null, this.rows)
}

function handleError(this: Pending, error: Error, connection: Connection): void {
  if (this.failed) return
  this.failed = true
  ended(this.running)
  // Whether the failed attempt left the name prepared is unknown: the next one closes it and parses again. A stale one
  // was prepared before the tables changed, as all others on this connection may have been.
  if (isStale(error)) namesOf(connection).clear()
  else if (this.statement.name !== undefined) namesOf(connection).delete(this.statement.name)
  this.callback(error, this.rows)
}

function handleDataRow(this: Pending, message: { fields: Row }): void {
  const { take } = this.statement
  if (take === undefined) this.rows.push(message.fields)
  else take(message.fields, this.taken++)
}

function nothing(): void {}

function refuseCopy(connection: Connection & { sendCopyFail(reason: string): void }): void {
  connection.sendCopyFail('COPY needs a stream')
}

function sync(connection: Connection): void {
  connection.sync()
}

/**
 * Sends one statement; `done` gets pg's text of each column of each row, or the error as pg gave it.
 * A `patient` one is never overdue. With a name the statement is parsed once per connection, among at most LIMITS.namedStatements kept by recent use.
 */
export function send(
  client: ClientBase,
  statement: Statement,
  values: readonly unknown[],
  done: Done,
  patient = false,
): void {
  const pending: Pending = {
    statement,
    values,
    rows: [],
    callback: done,
    running: began(client, patient),
    taken: 0,
    failed: false,
    submit,
    handleDataRow,
    handleCommandComplete: nothing,
    handleRowDescription: nothing,
    handlePortalSuspended: sync,
    handleEmptyQuery: nothing,
    handleCopyInResponse: refuseCopy,
    handleCopyData: nothing,
    handleReadyForQuery,
    handleError,
  }
  const direct = useOf(client).watched?.query
  if (direct === undefined) client.query(pending)
  else direct(pending)
}

/** A parameter as PostgreSQL reads it: text, bytes or null; lists become array literals, objects JSON. */
export function parameter(value: unknown): string | Buffer | null {
  switch (typeof value) {
    case 'string':
      return value
    case 'number':
    case 'boolean':
    case 'bigint':
      return String(value)
    case 'object':
      if (value === null) return null
      if (Array.isArray(value)) return arrayLiteral(value)
      if (Buffer.isBuffer(value)) return value
      if (value instanceof Date) return value.toISOString()
      return JSON.stringify(value)
    default:
      return null
  }
}

function arrayLiteral(values: readonly unknown[]): string {
  return `{${values.map(arrayElement).join(',')}}`
}

function arrayElement(value: unknown): string {
  if (Array.isArray(value)) return arrayLiteral(value)
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  const text = parameter(value)
  if (text === null) return 'NULL'
  return `"${String(text).replace(/[\\"]/g, '\\$&')}"`
}
