/** What the engine tells of itself while it runs, whoever listens. */

/** The part of pino that the engine and plugins use; never given a secret or a body. */
export interface Logger {
  debug(fields: object, message?: string): void
  info(fields: object, message?: string): void
  warn(fields: object, message?: string): void
  error(fields: object, message?: string): void
}
