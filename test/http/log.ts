/** Loggers for tests: one that is silent, one that remembers. */
import type { Logger } from '../../engine/observe.ts'

/** Says nothing. */
export const quiet: Logger = { debug() {}, info() {}, warn() {}, error() {} }

export interface Line {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly fields: Readonly<Record<string, unknown>>
  readonly message: string | undefined
}

/** A logger and the lines it was given. */
export function remembering(): { readonly log: Logger; readonly lines: Line[] } {
  const lines: Line[] = []
  const at = (level: Line['level']) => (fields: object, message?: string) => {
    lines.push({ level, fields: { ...fields }, message })
  }
  return { log: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }, lines }
}
