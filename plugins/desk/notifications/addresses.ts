/** Paths to the addresses of people without an account. */
import { type ActionPlace, endOf, type Field, pathOf, relatedPath } from '../../../engine/index.ts'

/** The path to an address, and to the first name of its owner. */
export interface AddressPaths {
  readonly address: string
  readonly firstName: string | undefined
}

/** The paths that an entry of `copies.to` means, or its mistake. */
export function addressesAt(
  { catalog, resource }: Pick<ActionPlace, 'catalog' | 'resource'>,
  path: string,
): AddressPaths | { readonly message: string; readonly hint?: string } {
  try {
    const { field } = pathOf(catalog, resource, path)
    if (field.relation === undefined && holdsAddresses(field)) return { address: path, firstName: undefined }
  } catch {
    // It is no field; perhaps a relation.
  }
  try {
    const { many, relations } = relatedPath(catalog, resource, path)
    const target = endOf(catalog, resource, relations)
    const email = target.fields.get('email')
    if (many === undefined && email !== undefined && holdsAddresses(email)) {
      const named = target.fields.has('first_name')
      return { address: `${path}.email`, firstName: named ? `${path}.first_name` : undefined }
    }
  } catch {
    // The path leads nowhere: the message below says so.
  }
  const hint = 'name a relation to a record with a field email, or a field of type email'
  return { message: `"${path}" leads to no e-mail address from "${resource.name}"`, hint }
}

function holdsAddresses({ options, type }: Field): boolean {
  return type.name === 'email' || (type.name === 'list' && options.own.of === 'email')
}
