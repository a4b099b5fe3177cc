/** Which record a path names: by id, or by another of the resource's lookup fields. */
import type { Field, Resource } from '../catalog/catalog.ts'
import { ApiError } from '../error.ts'
import type { Json } from '../json.ts'
import { LIMITS } from '../limits.ts'

export interface Lookup {
  readonly field: Field
  readonly value: Json
}

/** The lookup that a program means: a number that can be an id is one, anything else is read as a path's text. */
export function lookupOf(resource: Resource, named: string | number): Lookup {
  const byId = typeof named === 'number' ? lookupBy(resource, resource.key, String(named)) : undefined
  return byId ?? readLookup(resource, String(named))
}

/**
 * The lookup that a path's text means: `number:10001` names the field, other texts go by the first field that takes
 * them. Throws record_not_found for a text that can name no record.
 */
export function readLookup(resource: Resource, text: string): Lookup {
  const named = resource.lookup.find((field) => text.startsWith(`${field.name}:`))
  const found =
    named === undefined
      ? resource.lookup.map((field) => lookupBy(resource, field, text)).find((one) => one !== undefined)
      : lookupBy(resource, named, text.slice(named.name.length + 1))
  if (found === undefined) throw notFound(resource)
  return found
}

function lookupBy(resource: Resource, field: Field, text: string): Lookup | undefined {
  if (field === resource.key)
    return /^[1-9]\d{0,9}$/.test(text) && Number(text) <= LIMITS.idMax ? { field, value: Number(text) } : undefined
  if (text === '' || text.includes('\0') || !text.isWellFormed()) return undefined
  const parsed = field.type.parse(text, field.options)
  return 'value' in parsed && parsed.value !== null ? { field, value: parsed.value } : undefined
}

/** 404 in the resource's own word. */
export function notFound(resource: Resource): ApiError {
  return new ApiError('record_not_found', { label: resource.label })
}
