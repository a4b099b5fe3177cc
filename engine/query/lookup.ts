/** Which record a path names: by id, or by another of the resource's lookup fields. */
import type { Field, Resource } from '../catalog/catalog.ts'
import { ApiError } from '../error.ts'
import type { Json } from '../json.ts'
import { LIMITS } from '../limits.ts'

export interface Lookup {
  readonly field: Field
  readonly value: Json
}

/** The lookup that a path's text means; throws record_not_found for a text that can name no record. */
export function readLookup(resource: Resource, text: string): Lookup {
  for (const field of resource.lookup) {
    if (field === resource.key) {
      if (/^[1-9]\d{0,9}$/.test(text) && Number(text) <= LIMITS.idMax) return { field, value: Number(text) }
      continue
    }
    if (text === '' || text.includes('\0') || !text.isWellFormed()) continue
    const parsed = field.type.parse(text, field.options)
    if ('value' in parsed && parsed.value !== null) return { field, value: parsed.value }
  }
  throw notFound(resource)
}

/** 404 in the resource's own word. */
export function notFound(resource: Resource): ApiError {
  return new ApiError('record_not_found', { label: resource.label })
}
