/** Conditions on values that are no record, such as what an outside server says of somebody: in the words of the YAML, over fields that a plugin declares. */
import { SYSTEM } from '../actor.ts'
import type { Catalog, Field, Filter } from '../catalog/catalog.ts'
import type { FieldDefinition } from '../definition/definition.ts'
import type { Json, JsonObject } from '../json.ts'
import { resolveFields } from '../resolve/fields.ts'
import { appended, heldSql } from './readable.ts'
import { type ReadCondition, readCondition } from './written-condition.ts'

/** A form of values: conditions over them, and the values of a JSON object that fit it. */
export interface ValueForm {
  /** Reads a condition; a mistake has its place below the condition. */
  read(written: Json): ReadCondition
  /** The value of every field; null where there is none, or none of its type. */
  decode(given: JsonObject): JsonObject
}

/** The form of values with these fields; `name` is what mistakes call it. Throws for a field that cannot be. */
export function valueForm(
  catalog: Catalog,
  name: string,
  definitions: Readonly<Record<string, FieldDefinition>>,
): ValueForm {
  const { value: fields, diagnostics } = resolveFields(definitions, catalog.fieldTypes)
  if (fields === undefined) throw new Error(diagnostics.map(({ message }) => message).join('; '))
  const byName = new Map<string, Field>(fields.map((field) => [field.name, field]))
  const form = { name, owner: name, fields: byName, relations: new Map() }
  return {
    read: (written) => readCondition(catalog, form, written, { field: () => true, everyRecord: () => true }),
    decode: (given) => Object.fromEntries(fields.map((field) => [field.name, decoded(field, given[field.name])])),
  }
}

function decoded({ options, type }: Field, value: Json | undefined): Json {
  if (value === undefined || value === null) return null
  const result = type.decode(value, options)
  return 'value' in result ? result.value : null
}

/**
 * The SQL condition that a condition of `read` holds for decoded values; `given` is a jsonb expression of them. Its
 * parameters are added to `values`.
 */
export function valuesHoldSql(
  { catalog, now }: { readonly catalog: Catalog; readonly now: () => Date },
  condition: Filter,
  given: string,
  values: unknown[],
): string {
  return `(${appended(heldSql(condition, given), values, { catalog, actor: SYSTEM, now })}) is true`
}
