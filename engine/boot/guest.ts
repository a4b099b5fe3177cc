/** Resources on another's table may leave a field or relation empty, "as there": what must be said is filled in before the check. */
import type { Document } from '../definition/definition.ts'
import type { FieldType } from '../field/field-type.ts'
import { isObject, type Json, type JsonObject } from '../json.ts'

/** Completes the fields and relations of every `of` resource with the type and target that its base says; places stay. */
export function fillGuests(
  documents: readonly Document<unknown>[],
  fieldTypes: ReadonlyMap<string, FieldType>,
): readonly Document<unknown>[] {
  // Of two with one name the first counts; the other is told as a duplicate.
  const byName = new Map(
    documents
      .toReversed()
      .flatMap(({ value }) =>
        isObject(value) && typeof value.resource === 'string' ? [[value.resource, value] as const] : [],
      ),
  )
  return documents.map((document) => {
    const { value } = document
    if (!isObject(value) || typeof value.of !== 'string') return document
    const filled: Record<string, Json> = { ...value }
    for (const part of ['fields', 'relations'] as const) {
      if (isObject(value[part])) filled[part] = fillPart(value, part, byName, fieldTypes)
    }
    return { value: filled, place: document.place }
  })
}

function fillPart(
  guest: JsonObject,
  part: 'fields' | 'relations',
  byName: ReadonlyMap<string, JsonObject>,
  fieldTypes: ReadonlyMap<string, FieldType>,
): JsonObject {
  const entries = Object.entries(guest[part] as JsonObject).map(([name, written]): [string, Json] => {
    const own = written ?? {}
    if (!isObject(own)) return [name, own]
    const base = inherited(guest, part, name, byName, new Set())
    // Another type is the author's mistake; the base's options beside it would be a second one.
    const keeps = base !== undefined && (own.type === undefined || own.type === base.type)
    return [name, keeps ? { ...needed(base, part, fieldTypes), ...own } : own]
  })
  return Object.fromEntries(entries)
}

/** The nearest base that says something of the field or relation. */
function inherited(
  guest: JsonObject,
  part: 'fields' | 'relations',
  name: string,
  byName: ReadonlyMap<string, JsonObject>,
  seen: Set<JsonObject>,
): JsonObject | undefined {
  const base = typeof guest.of === 'string' ? byName.get(guest.of) : undefined
  if (base === undefined || seen.has(base)) return undefined
  seen.add(base)
  const there = isObject(base[part]) ? base[part][name] : undefined
  if (isObject(there) && (there.type !== undefined || part === 'relations')) return there
  return inherited(base, part, name, byName, seen)
}

/** Only what a field or relation can't be without: the rest is inherited later, with its own places. */
function needed(
  base: JsonObject,
  part: 'fields' | 'relations',
  fieldTypes: ReadonlyMap<string, FieldType>,
): JsonObject {
  const keys =
    part === 'fields'
      ? ['type', ...(fieldTypes.get(String(base.type))?.requires ?? [])]
      : ['belongs_to', 'has_many', 'many_to_many']
  return Object.fromEntries(keys.flatMap((key) => (base[key] === undefined ? [] : [[key, base[key]]])))
}
