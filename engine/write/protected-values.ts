/** Secrets that a write sends, as they are kept. */
import type { Resource } from '../catalog/catalog.ts'
import { protectedFields } from '../catalog/stored.ts'
import type { Json } from '../json.ts'
import type { FieldValues } from '../record/decode.ts'
import type { Execution } from '../run/execution.ts'
import { protectedSecret } from '../seal.ts'

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
