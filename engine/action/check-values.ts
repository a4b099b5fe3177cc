/** ⇄ Judges values that records are to get later: whether each fits its field and names what is there, whatever the record is. */
import type { Resource } from '../catalog/catalog.ts'
import type { FieldError, FieldErrors } from '../field-error.ts'
import type { JsonObject } from '../json.ts'
import { isWritable, mistake } from '../record/decode.ts'
import { type Execution, hooksOf } from './execution.ts'
import { readInput } from './input.ts'
import { furtherErrors } from './refusal.ts'

/**
 * What is wrong with the values of a body for `create` or `update`, by field; empty when nothing is. Required fields may be
 * left out, an unknown key is always a mistake, and what only a record can show (its policy, rules, moves) is not judged.
 */
export async function checkValues(
  around: Execution,
  resource: Resource,
  action: 'create' | 'update',
  body: JsonObject,
): Promise<FieldErrors> {
  const { catalog } = around
  const strict = {
    ...around,
    catalog: { ...catalog, strictness: { ...catalog.strictness, unknownKeys: 'refuse' } },
  } as const
  const input = readInput(strict, resource, hooksOf(around, resource, action), body)
  const errors: Record<string, readonly FieldError[]> = { ...input.errors }
  for (const name of Object.keys(input.unwritable))
    errors[name] = [mistake({ name }, 'not_writable', 'cannot be written')]
  for (const name of action === 'update' ? Object.keys(input.values) : []) {
    const field = resource.fields.get(name)
    if (field !== undefined && (field.immutable || !isWritable(field)))
      errors[name] = [mistake(field, 'not_writable', 'cannot be changed')]
  }
  return { ...(await furtherErrors(around, resource, input.values, input.many, undefined)), ...errors }
}
