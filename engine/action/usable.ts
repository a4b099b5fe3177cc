/** Which fields a caller may use: those that answers show it, and those that it may write. A refusal names no others. */
import type { Actor } from '../actor.ts'
import type { Field, Resource } from '../catalog/catalog.ts'
import { type FieldError, fieldError } from '../field-error.ts'
import { allowsOne, clausesFor, readable } from '../query/policy.ts'
import { isWritable } from '../record/decode.ts'

const WRITES = ['create', 'update'] as const

/** Whether the actor may read a field of the resource, or write it. */
export function isUsable(actor: Actor, resource: Resource, field: Field): boolean {
  if (actor.kind === 'system' || (readable(field, actor) && field.show !== 'never')) return true
  if (!isWritable(field) || !allowsOne(field.write, actor)) return false
  const clauses = WRITES.flatMap((name) => clausesFor(resource.policies[name], actor))
  return clauses.some(({ fields }) => fields === undefined || fields.has(field.name))
}

/** Errors as they are told: what is wrong with a field that the caller may not use is said of the record. */
export function tellable(
  actor: Actor,
  resource: Resource,
  errors: Readonly<Record<string, FieldError[]>>,
): Record<string, FieldError[]> {
  const isTold = (name: string): boolean => {
    const field = resource.fields.get(name)
    return field === undefined || isUsable(actor, resource, field)
  }
  const told = Object.entries(errors).filter(([key]) => isTold(key.split('.', 1)[0] ?? ''))
  if (told.length === Object.keys(errors).length) return errors
  const ofRecord = { record: [fieldError('invalid', 'A value that you may not set stands in the way')] }
  return { ...Object.fromEntries(told), ...ofRecord }
}
