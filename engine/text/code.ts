/** Every code a diagnostic can carry, with its cause in one sentence; a code is never reused. */

export const DIAGNOSTIC_CODES = {
  yaml_syntax: 'The file is not well-formed YAML.',
  unknown_key: 'A key that nothing reads.',
} as const

/** A code of the engine, or one of a plugin's own, written `plugin/code`. */
export type DiagnosticCode = keyof typeof DIAGNOSTIC_CODES | `${string}/${string}`
