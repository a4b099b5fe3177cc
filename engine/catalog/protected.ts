/** Which secrets are kept otherwise than they are sent. */
import { memo } from '../memo.ts'
import type { Protection } from '../seal.ts'
import type { Catalog, Field, Resource } from './catalog.ts'
import { isStored, tableFields } from './stored.ts'

/** How a secret is kept: sealed unless the YAML says otherwise, or the table is somebody else's; undefined: as it is sent. */
export function protectionOf({ existing }: Pick<Resource, 'existing'>, field: Field): Protection | undefined {
  if (field.type.name !== 'secret' || !isStored(field)) return undefined
  const { protect = existing ? 'as_sent' : 'sealed' } = field.options.own
  return protect === 'sealed' || protect === 'hashed' ? protect : undefined
}

/** A field that is kept otherwise than it is sent. */
export interface ProtectedField {
  readonly field: Field
  readonly how: Protection
}

/** The fields of a resource's table that are kept otherwise than they are sent. */
export const protectedFields = memo((catalog: Catalog, resource: Resource): readonly ProtectedField[] =>
  tableFields(catalog, resource).flatMap((field) => {
    const how = protectionOf(resource, field)
    return how === undefined ? [] : [{ field, how }]
  }),
)
