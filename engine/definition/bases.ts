/** The bases of resources, by `of`: found once, for the check and for the passes that follow. */
import type { FieldType } from '../field/field-type.ts'
import { isObject, type Json, type JsonObject } from '../json.ts'
import type { Bases, Document } from './definition.ts'

/** The bases of parsed files. Of two files with the same name the first counts; whether a base exists is judged later. */
export function basesOf(documents: readonly Document<unknown>[]): Bases {
  const baseOf = new Map(
    [...byName(documents)].map(([name, { of }]) => [name, typeof of === 'string' ? of : undefined]),
  )
  const order = new Set<string>()
  const circles = new Map<string, readonly string[]>()
  const visit = (name: string, above: readonly string[]): void => {
    if (order.has(name)) return
    const base = baseOf.get(name)
    const chain = [...above, name]
    if (base !== undefined && chain.includes(base)) circles.set(name, [...chain.slice(chain.indexOf(base)), base])
    else if (base !== undefined && baseOf.has(base)) visit(base, chain)
    order.add(name)
  }
  for (const name of [...baseOf.keys()].sort()) visit(name, [])
  return { baseOf, order: [...order], circles }
}

/**
 * A resource with `of` may leave fields and relations empty, which means "as in the base". The check needs to know their
 * types, so each gets what its base says of it and cannot be without; places stay those of the file.
 */
export function completedByBase(
  documents: readonly Document<unknown>[],
  { baseOf, order }: Bases,
  fieldTypes: ReadonlyMap<string, FieldType>,
): readonly Document<unknown>[] {
  const written = byName(documents)
  const known = new Map<string, Parts>()
  const named = new Set(baseOf.values())
  for (const name of order)
    if (named.has(name)) known.set(name, withBase(written.get(name) ?? {}, known.get(baseOf.get(name) ?? '')))
  return documents.map((document) => {
    const { value } = document
    const base = isObject(value) && typeof value.of === 'string' ? known.get(value.of) : undefined
    if (!isObject(value) || base === undefined) return document
    const completed = PARTS.flatMap((part) =>
      isObject(value[part]) ? [[part, completedPart(value[part], part, base[part], fieldTypes)] as const] : [],
    )
    return { value: { ...value, ...Object.fromEntries(completed) }, place: document.place }
  })
}

const PARTS = ['fields', 'relations'] as const

/** What a resource and its bases say of each field and relation; the nearest one that says something counts. */
type Parts = Readonly<Record<(typeof PARTS)[number], Readonly<Record<string, JsonObject>>>>

function withBase(resource: JsonObject, base: Parts = { fields: {}, relations: {} }): Parts {
  const entries = (part: Json | undefined) =>
    Object.entries(isObject(part) ? part : {}).flatMap(([name, own]) => (isObject(own) ? [[name, own] as const] : []))
  return {
    fields: {
      ...base.fields,
      ...Object.fromEntries(entries(resource.fields).filter(([, own]) => own.type !== undefined)),
    },
    relations: { ...base.relations, ...Object.fromEntries(entries(resource.relations)) },
  }
}

function completedPart(
  written: JsonObject,
  part: keyof Parts,
  known: Parts[keyof Parts],
  fieldTypes: ReadonlyMap<string, FieldType>,
): JsonObject {
  const entries = Object.entries(written).map(([name, given]): [string, Json] => {
    const own = given ?? {}
    const base = Object.hasOwn(known, name) ? known[name] : undefined
    if (!isObject(own) || base === undefined) return [name, own]
    // Another type is the author's mistake; the base's options would add a second one.
    const isSame = own.type === undefined || own.type === base.type
    return [name, isSame ? { ...needed(base, part, fieldTypes), ...own } : own]
  })
  return Object.fromEntries(entries)
}

/** Only what a field or relation cannot be without: the passes take over the rest, with its own places. */
function needed(base: JsonObject, part: keyof Parts, fieldTypes: ReadonlyMap<string, FieldType>): JsonObject {
  const keys =
    part === 'fields'
      ? ['type', ...(fieldTypes.get(String(base.type))?.requires ?? [])]
      : ['belongs_to', 'has_many', 'many_to_many']
  return Object.fromEntries(keys.flatMap((key) => (base[key] === undefined ? [] : [[key, base[key]]])))
}

/** The first file of each resource, as written. */
function byName(documents: readonly Document<unknown>[]): ReadonlyMap<string, JsonObject> {
  const found = new Map<string, JsonObject>()
  for (const { value } of documents) {
    if (!isObject(value) || typeof value.resource !== 'string' || found.has(value.resource)) continue
    found.set(value.resource, value)
  }
  return found
}
