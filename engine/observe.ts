/** The log of a process. */
import { type DestinationStream, destination, pino } from 'pino'
import type { Settings } from './settings.ts'
import { printable, visible } from './text/visible.ts'

/** The part of pino that the engine and plugins use; never given a secret or a body. */
export interface Logger {
  debug(fields: object, message?: string): void
  info(fields: object, message?: string): void
  warn(fields: object, message?: string): void
  error(fields: object, message?: string): void
}

/** Longer messages are SQL with its values, which may be anything. */
const MESSAGE_LENGTH = 500
/** Lines are written together: a separate write for each request would cost as much as answering it. */
const BUFFER_BYTES = 16_000
const FLUSH_MS = 500

/** An error for the log, without the bindings, rows and bodies that libraries attach to their errors. */
function describe(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return String(error).slice(0, MESSAGE_LENGTH)
  const code: unknown = Reflect.get(error, 'code')
  const stack = error.stack?.slice(error.stack.indexOf('\n    at ') + 1)
  return {
    type: error.name,
    message: error.message.slice(0, MESSAGE_LENGTH),
    ...(typeof code === 'string' ? { code } : {}),
    ...(stack === undefined ? {} : { stack }),
    ...(error.cause === undefined || depth > 3 ? {} : { cause: describe(error.cause, depth + 1) }),
  }
}

const LEVELS: Readonly<Record<number, string>> = { 20: 'debug', 30: 'info', 40: 'warn', 50: 'error' }

function shown(value: unknown): string {
  return visible(typeof value === 'string' && /^[^\s"]+$/.test(value) ? value : (JSON.stringify(value) ?? ''))
}

/** One JSON line of the log for a person: time, level, message, fields, and a stack below. */
export function renderLine(line: string): string {
  const { level, time, msg = '', err, ...fields }: Record<string, unknown> = JSON.parse(line)
  const clock = new Date(Number(time)).toISOString().slice(11, 23)
  const pairs = Object.entries(fields).map(([name, value]) => ` ${name}=${shown(value)}`)
  const first = `${clock} ${(LEVELS[Number(level)] ?? 'log').padEnd(5)} ${visible(String(msg))}${pairs.join('')}\n`
  if (typeof err !== 'object' || err === null) return err === undefined ? first : `${first}    ${shown(err)}\n`
  const { type, message, stack }: { type?: unknown; message?: unknown; stack?: unknown } = err
  return `${first}    ${visible(`${type}: ${message}`)}\n${stack === undefined ? '' : `${printable(String(stack))}\n`}`
}

function terminal(write: (text: string) => void): DestinationStream {
  return { write: (line) => write(renderLine(line)) }
}

/**
 * The process's logger at the settings' level: JSON lines in production, else lines for a terminal.
 * `write`, when given, gets the text instead of standard output.
 */
export function createLogger(
  settings: Pick<Settings, 'logLevel' | 'production'>,
  write?: (text: string) => void,
): Logger {
  const options = {
    level: settings.logLevel,
    base: null,
    serializers: { err: (error: unknown) => describe(error) },
  }
  if (!settings.production) return pino(options, terminal(write ?? ((text) => void process.stdout.write(text))))
  if (write !== undefined) return pino(options, { write })
  return pino(options, destination({ dest: 1, sync: false, minLength: BUFFER_BYTES, periodicFlush: FLUSH_MS }))
}
