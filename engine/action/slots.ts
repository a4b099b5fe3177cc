/** Values of a record as the slots of a statement, each secret sealed or hashed where they are stored. */
import type { Field, Resource } from '../catalog/catalog.ts'
import { protectedFields } from '../catalog/stored.ts'
import type { Json } from '../json.ts'
import type { FieldValues } from '../record/decode.ts'
import { protectedSecret } from '../seal.ts'
import type { Execution } from './execution.ts'

/** Whether values of the resource must be protected before they are written. */
export function hasProtected({ catalog }: Pick<Execution, 'catalog'>, resource: Resource): boolean {
  return protectedFields(catalog, resource).length > 0
}

/** The values with each secret sealed or hashed. */
export async function withProtected(
  { catalog, settings }: Pick<Execution, 'catalog' | 'settings'>,
  resource: Resource,
  values: Readonly<FieldValues>,
): Promise<Readonly<FieldValues>> {
  const changed: Record<string, Json> = {}
  for (const { field, how } of protectedFields(catalog, resource)) {
    const value = values[field.name]
    if (typeof value === 'string') changed[field.name] = await protectedSecret(settings, how, value)
  }
  return { ...values, ...changed }
}

/** A decoded value as a statement's parameter: JSON columns as text, everything else as it is. */
export function parameter(field: Field, value: Json): unknown {
  return field.type.wire === 'json' && value !== null ? JSON.stringify(value) : value
}

/** The slots `f_<name>` of values. */
export function valueSlots(resource: Resource, values: Readonly<FieldValues>): Record<string, unknown> {
  const slots: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(values)) {
    const field = resource.fields.get(name)
    if (field !== undefined) slots[`f_${name}`] = parameter(field, value)
  }
  return slots
}

/** Resources without a secret, which most are: their values are kept as they are sent. */
const open = new WeakSet<Resource>()

/** The slots `f_<name>` of values that are stored, with each secret sealed or hashed. */
export async function keptSlots(
  around: Pick<Execution, 'catalog' | 'settings'>,
  resource: Resource,
  values: Readonly<FieldValues>,
): Promise<Record<string, unknown>> {
  if (open.has(resource)) return valueSlots(resource, values)
  if (hasProtected(around, resource)) return valueSlots(resource, await withProtected(around, resource, values))
  open.add(resource)
  return valueSlots(resource, values)
}
