/** Bodies of clients of earlier versions: keys with earlier names get their present names. */
import { isDeepStrictEqual } from 'node:util'
import type { Resource } from '../catalog/catalog.ts'
import { type FieldError, fieldError } from '../field-error.ts'
import type { Json, JsonObject } from '../json.ts'
import type { FieldValues } from '../record/decode.ts'

/** A body under present names, and what it says otherwise under the earlier ones. */
export interface Renamed {
  readonly body: JsonObject
  /** By present name: values under an earlier name, where the body has another value under the present name. */
  readonly others?: JsonObject
}

/** Gives every value its present name; one that is there under both names with one value is there once. */
export function underPresentNames({ earlier }: Resource, body: JsonObject): Renamed {
  if (earlier === undefined || !Object.keys(body).some((key) => earlier.keys.has(key))) return { body }
  const present: Record<string, Json> = {}
  const others: Record<string, Json> = {}
  for (const [key, value] of Object.entries(body)) if (!earlier.keys.has(key)) present[key] = value
  for (const [key, name] of earlier.keys) {
    const value = body[key]
    if (value === undefined) continue
    if (!Object.hasOwn(present, name)) present[name] = value
    else if (!isDeepStrictEqual(present[name], value)) others[name] = value
  }
  return Object.keys(others).length === 0 ? { body: present } : { body: present, others }
}

/**
 * The values to write, where a client sent a record back with one of two names changed: what differs from the stored
 * record counts. Values that both differ are in `contradicting`, and so are all that the client cannot have read.
 */
export function settled(
  {
    others = {},
    values,
  }: { readonly values: Readonly<FieldValues>; readonly others?: Readonly<FieldValues> | undefined },
  stored: Readonly<Record<string, Json>>,
  isUnseen: (name: string) => boolean,
): { readonly values: FieldValues; readonly contradicting: readonly string[] } {
  const found: FieldValues = { ...values }
  const contradicting: string[] = []
  for (const [name, other] of Object.entries(others)) {
    const kept = stored[name] ?? null
    if (isUnseen(name)) contradicting.push(name)
    else if (isDeepStrictEqual(found[name], kept)) found[name] = other
    else if (!isDeepStrictEqual(other, kept)) contradicting.push(name)
  }
  return { values: found, contradicting }
}

/** What is said of values that are sent under two names and differ. */
export function contradictions({ earlier }: Resource, names: readonly string[]): Record<string, FieldError[]> {
  const before = (name: string) => [...(earlier?.keys ?? [])].find(([, present]) => present === name)?.[0] ?? name
  return Object.fromEntries(
    names.map((name) => {
      const said = `"${before(name)}" is the earlier name of "${name}", and has another value`
      return [name, [fieldError('invalid', said)]]
    }),
  )
}
