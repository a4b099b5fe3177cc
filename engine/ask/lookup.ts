/** Which record a path names: by id, or by another of the resource's lookup fields. */
import type { Actor } from '../actor.ts'
import type { Field, Resource } from '../catalog/catalog.ts'
import { ApiError } from '../error.ts'
import { isBigint } from '../field/bigint.ts'
import { isUuid } from '../field/uuid.ts'
import type { Id } from '../id.ts'
import type { Json } from '../json.ts'
import { LIMITS } from '../limits.ts'
import { readable } from './policy.ts'

export interface Lookup {
  readonly field: Field
  readonly value: Json
}

/** The lookup that a program means: a number that can be an id is one, anything else is read as a path's text. */
export function lookupOf(resource: Resource, named: Id, actor: Actor): Lookup {
  const byId = typeof named === 'number' ? lookupBy(resource, resource.key, String(named)) : undefined
  return byId ?? readLookup(resource, String(named), actor)
}

/**
 * The lookup that a path's text means: `number:10001` names the field, other texts go by the first field that takes
 * them; a name that the field had before is one of its names. A field that the actor may not read names nothing, or every
 * guess of a value would be answered. Throws record_not_found for a text that can name no record.
 */
export function readLookup(resource: Resource, text: string, actor: Actor): Lookup {
  const known = resource.lookup.filter((field) => field === resource.key || readable(field, actor))
  const [name = '', ...rest] = text.split(':')
  const present = resource.earlier?.keys.get(name) ?? name
  const named = rest.length === 0 ? undefined : known.find((field) => field.name === present)
  const [fields, value] = named === undefined ? [known, text] : [[named], rest.join(':')]
  for (const field of fields) {
    const found = lookupBy(resource, field, value)
    if (found !== undefined) return found
  }
  throw notFound(resource)
}

/** The lookup by one field; undefined where the text can be no value of it. */
export function lookupBy(resource: Resource, field: Field, text: string): Lookup | undefined {
  if (field === resource.key && !isId(resource, text)) return undefined
  if (text === '' || text.includes('\0') || !text.isWellFormed()) return undefined
  const parsed = field.type.parse(text, field.options)
  return 'value' in parsed && parsed.value !== null ? { field, value: parsed.value } : undefined
}

/** Whether a text has the form of an id. Leading zeros and signs would give a record a second address. */
function isId({ existing, key }: Resource, text: string): boolean {
  // Other programs may count from 0, or below it.
  if (existing && key.type.wire === 'number')
    return /^(0|-?[1-9]\d{0,9})$/.test(text) && Number(text) <= LIMITS.idMax && Number(text) >= -LIMITS.idMax - 1
  switch (key.type.name) {
    case 'integer':
      return /^[1-9]\d{0,9}$/.test(text) && Number(text) <= LIMITS.idMax
    case 'bigint':
      return (existing ? /^(0|-?[1-9]\d{0,18})$/ : /^[1-9]\d{0,18}$/).test(text) && isBigint(text)
    case 'uuid':
      return isUuid(text.toLowerCase())
    default:
      return true
  }
}

/** 404 in the resource's own word. */
export function notFound(resource: Resource): ApiError {
  return new ApiError('record_not_found', { label: resource.label })
}
