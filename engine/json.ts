/** JSON as types, what tells a map apart from other values, and texts that already are JSON with their tags. */
import { createHash } from 'node:crypto'

export type Json = string | number | boolean | null | readonly Json[] | JsonObject

export interface JsonObject {
  readonly [key: string]: Json
}

/** Whether a value is a map of keys: no list, not null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A value as its JSON says it: what is undefined is left out, and what says itself as JSON has done so. */
export function asJson(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject
}

/** A JSON Schema, draft 2020-12 as ajv reads it. */
export type JsonSchema = { readonly [keyword: string]: unknown }

/** A text that is already JSON and goes onto the wire as it is. */
export class JsonText {
  readonly text: string
  /** The same in UTF-8, where somebody has made it already; a long answer is then encoded once. */
  readonly bytes: Buffer | undefined

  constructor(text: string, bytes?: Buffer) {
    this.text = text
    this.bytes = bytes
  }
}

/** The entity tag of JSON texts, without quotes: equal texts have equal tags. */
export function entityTag(...texts: readonly (string | Buffer)[]): string {
  const hash = createHash('sha1')
  for (const text of texts) hash.update(text)
  return hash.digest('base64url')
}

/**
 * Whether a header of entity tags names the one with this text: `*` names any, and so none where there is no text. Weak
 * tags count as strong ones, because a proxy that compresses makes tags weak, and the version they name is the same.
 */
export function namesTag(header: string, tag: string | undefined): boolean {
  if (header.trim() === '*') return true
  if (tag === undefined) return false
  // A tag may itself hold commas, so the list is read by its quotes.
  return header.match(/"[^"]*"/g)?.includes(`"${tag}"`) === true
}

/** The id of a record as it is answered: every record begins with it. */
export function idAtStart(text: string): number | string | undefined {
  const [, written] = /^\{"id":(\d+|"(?:[^"\\]|\\.)*")/.exec(text) ?? []
  return written === undefined ? undefined : (JSON.parse(written) as number | string)
}
