/** ⇄ Writing a record under a unique value: it is changed where it is there, and created where it is not. */
import type { Field, Resource } from '../catalog/catalog.ts'
import { ApiError, invalid } from '../error.ts'
import type { Json, JsonObject } from '../json.ts'
import { mistake } from '../record/decode.ts'
import type { Execution } from '../run/execution.ts'
import type { Preconditions } from '../run/read-back.ts'
import { createRecord } from './create.ts'
import { updateRecord } from './update.ts'

function taken(): ApiError {
  return new ApiError('stale_version', { message: 'There is a record with this value already' })
}

/** The record as JSON text, and whether it is new. */
export interface Upserted {
  readonly text: string
  readonly created: boolean
}

/** Which record is meant: the one that has `value` in the unique `field`. */
export interface UniqueValue {
  readonly field: Field
  readonly value: Json
}

/**
 * Changes the live record that has the value, or creates one. When another request is faster with the same value, its
 * record is changed. Throws as changing and creating do; `If-Match` asks for a record that is there, `If-None-Match: *` for
 * one that is not: of a record that is there, what is sent is judged as a change of it.
 */
export async function upsertRecord(
  around: Execution,
  resource: Resource,
  unique: UniqueValue,
  body: JsonObject,
  preconditions: Preconditions,
): Promise<Upserted> {
  const { field, value } = unique
  const onlyNew = preconditions.ifNoneMatch?.trim() === '*'
  const names = new Set([field.name, ...namesBefore(resource, field)])
  const others = Object.fromEntries(Object.entries(body).filter(([name]) => !names.has(name)))
  for (const name of names) {
    const said = body[name]
    const decoded = said === undefined ? { value } : field.type.decode(said, field.options)
    if (!('value' in decoded) || decoded.value !== value)
      throw invalid({ [name]: [mistake(field, 'invalid', 'must be the value of the path')] })
  }
  const change = async (): Promise<Upserted | undefined> => {
    try {
      return { text: await updateRecord(around, resource, unique, others, preconditions), created: false }
    } catch (error) {
      if (error instanceof ApiError && error.code === 'record_not_found') return undefined
      if (error instanceof ApiError && error.code === 'stale_version' && onlyNew) throw taken()
      throw error
    }
  }
  const changed = await change()
  if (changed !== undefined) return changed
  if (preconditions.ifMatch !== undefined) throw new ApiError('stale_version')
  try {
    return { text: await createRecord(around, resource, { ...others, [field.name]: value }), created: true }
  } catch (error) {
    if (onlyNew && isTaken(error, field)) throw taken()
    // Inside a transaction the other's record could not be seen before it ends, and a failed statement has ended it.
    if (around.transaction !== undefined || !isTaken(error, field)) throw error
    // Who still finds none may not change what has the value: the refusal of the creation says that it is taken.
    const late = await change()
    if (late === undefined) throw error
    return late
  }
}

/** What clients of earlier versions call the field. */
function namesBefore({ earlier }: Resource, field: Field): readonly string[] {
  return [...(earlier?.keys ?? [])].flatMap(([before, present]) => (present === field.name ? [before] : []))
}

/** Whether a creation was refused for nothing but the value of the path. */
function isTaken(error: unknown, field: Field): boolean {
  const names = error instanceof ApiError ? Object.keys(error.params.errors ?? {}) : []
  return names.length === 1 && names[0] === field.name
}
