/** A body's JSON → values for the database, field by field; refuses unknown keys and wrong values, all at once. */

import type { Field } from '../catalog/catalog.ts'
import { inSentence } from '../catalog/name.ts'
import { isStored } from '../catalog/stored.ts'
import { isUnseen } from '../field/characters.ts'
import type { Refusal } from '../field/field-type.ts'
import { type FieldError, type FieldErrorCode, fieldError } from '../field-error.ts'
import type { Json, JsonObject } from '../json.ts'
import { LIMITS } from '../limits.ts'
import { memo } from '../memo.ts'
import { nearest } from '../text/nearest.ts'

/** Decoded values by field name. */
export type FieldValues = Record<string, Json>

/** Unknown keys of one body for which the nearest known one is sought: that is most of what refusing them costs. */
const SUGGESTED = 20

export interface DecodeOptions {
  /** Absent fields are left out instead of required or filled with their defaults. */
  readonly partial: boolean
  readonly unknownKeys: 'refuse' | 'ignore'
  /** Whether a field may be named where an unknown key is near to its name; any may if absent. */
  readonly mayName?: (field: Field) => boolean
}

export interface DecodedInput {
  /** By field name, only what the body names (and, unless partial, defaults). */
  readonly values: FieldValues
  /** By field name, in dot form inside lists. */
  readonly errors: Record<string, FieldError[]>
}

/**
 * Decodes a body against fields: strings are trimmed, "" is null, and read-only fields are left out.
 * Never throws for what a caller wrote.
 */
export function decodeInput(fields: readonly Field[], body: JsonObject, options: DecodeOptions): DecodedInput {
  const values: FieldValues = {}
  const errors: Record<string, FieldError[]> = {}
  const known = byName(fields)
  let unknown = 0
  for (const key of Object.keys(body)) {
    const field = known.get(key)
    if (field === undefined) {
      if (options.unknownKeys === 'ignore' || ++unknown > LIMITS.bodyErrors) continue
      const name = key.slice(0, LIMITS.unknownKeyLength)
      errors[name] = [unknownKey(name, unknown > SUGGESTED ? [] : namesOf(known, options))]
    } else if (isWritable(field)) decodeField(field, body[key] ?? null, values, errors)
  }
  if (!options.partial) {
    for (const field of fields) {
      if (!isWritable(field) || Object.hasOwn(body, field.name)) continue
      if (field.default !== undefined) values[field.name] = field.default
      else if (field.required) errors[field.name] = [mistake(field, 'required', 'is required')]
    }
  }
  return { values, errors }
}

/** The names that an answer may mention. */
function namesOf(known: ReadonlyMap<string, Field>, { mayName }: DecodeOptions): Iterable<string> {
  return mayName === undefined ? known.keys() : [...known].flatMap(([name, field]) => (mayName(field) ? [name] : []))
}

/** The fields by their names; made once for a list that is kept. */
const byName = memo(
  (fields: readonly Field[]): ReadonlyMap<string, Field> => new Map(fields.map((field) => [field.name, field])),
)

/** Whether clients may write a field at all: not computed, counted, generated or declared read-only. */
export const isWritable = memo(
  (field: Field): boolean => !field.readOnly && isStored(field) && field.type.generated === undefined,
)

/** `The first name field is required`, `The settings.theme field …`: how every error about a field reads. */
export function mistake(field: Pick<Field, 'name'>, code: FieldErrorCode, predicate: string): FieldError {
  return fieldError(code, `The ${field.name.replaceAll('_', ' ')} field ${predicate}`)
}

/** The mistake of a value that its type refuses. */
export function misfit(field: Pick<Field, 'name'>, { code = 'invalid', error }: Refusal): FieldError {
  return mistake(field, code, error)
}

/** The error of a body that names a record which does not exist, or not for this caller. */
export function invalidSelection(field: Field, relationLabel: string): FieldError {
  const label = relationLabel || field.name.replace(/_id$/, '').replaceAll('_', ' ')
  return fieldError('invalid_selection', `The selected ${inSentence(label)} is invalid`)
}

/** A text that shows nothing is empty. */
function shown(text: string): string {
  return isUnseen(text) ? '' : text
}

function decodeField(field: Field, given: Json, values: FieldValues, errors: Record<string, FieldError[]>): void {
  const { hidden, verbatim } = field.type
  const trimmed = typeof given === 'string' && verbatim !== true ? shown(given.trim()) : given
  if (trimmed === null || (trimmed === '' && (verbatim !== true || hidden === true))) {
    if (field.nullable) values[field.name] = null
    else if (field.required || given === '') errors[field.name] = [mistake(field, 'required', 'is required')]
    else errors[field.name] = [mistake(field, 'not_null', 'must not be null')]
    return
  }
  const decoded = field.type.decode(trimmed, field.options)
  if ('value' in decoded) {
    values[field.name] = decoded.value
    return
  }
  for (const one of [decoded, ...(decoded.others ?? [])]) {
    const key = one.at === undefined ? field.name : `${field.name}.${one.at}`
    errors[key] = [misfit({ name: key }, one)]
  }
}

/** The error of a body's key that is not known, with the nearest that is. */
export function unknownKey(key: string, known: Iterable<string>): FieldError {
  const found = nearest(key, [...known])
  return fieldError('unknown_field', `Unknown field "${key}"${found === undefined ? '' : `; did you mean "${found}"?`}`)
}
