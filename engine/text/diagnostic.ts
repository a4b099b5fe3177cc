/** What is wrong with what an author wrote: a code, a sentence, a place and a hint, as data. */
import type { DiagnosticCode } from './code.ts'
import type { Span } from './source.ts'

/**
 * One complaint about YAML, options or the environment.
 * `expected` lists the words or forms that would be accepted; `hint` says what to do.
 */
export interface Diagnostic {
  readonly code: DiagnosticCode
  readonly message: string
  readonly span?: Span
  readonly expected?: readonly string[]
  readonly hint?: string
  readonly severity?: 'error' | 'warning'
}

/** What a boot stage returns: it collects complaints and never throws for an author's mistake. */
export interface Collected<T> {
  readonly value?: T
  readonly diagnostics: readonly Diagnostic[]
}
