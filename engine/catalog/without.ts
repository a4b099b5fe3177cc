/** Catalogs as a whole: frozen, without earlier names, and without one part to see its purpose. */
import type { Catalog, EmbedEntry, Relation, Resource } from './catalog.ts'

/** The same catalog where nothing had another name. */
export function withoutEarlierNames(catalog: Catalog): Catalog {
  if (![...catalog.resources.values()].some(({ earlier }) => earlier !== undefined)) return catalog
  return { ...catalog, resources: new Map([...catalog.resources].map(([name, one]) => [name, present(one)])) }
}

function present(resource: Resource): Resource {
  const { names } = resource.earlier ?? {}
  const known = <T>(entries: ReadonlyMap<string, T>): ReadonlyMap<string, T> =>
    names === undefined ? entries : new Map([...entries].filter(([name]) => !names.has(name)))
  const fields = [...resource.fields].filter(([, field]) => field.earlier === undefined)
  const relations = [...resource.relations].filter(([, relation]) => relation.earlier === undefined)
  return {
    ...resource,
    earlier: undefined,
    fields: new Map(fields),
    relations: new Map(relations.map(([name, relation]): [string, Relation] => [name, embedding(relation)])),
    filters: known(resource.filters),
    sort: { ...resource.sort, keys: known(resource.sort.keys) },
    summary: resource.summary && { by: known(resource.summary.by), of: known(resource.summary.of) },
  }
}

function embedding(relation: Relation): Relation {
  return relation.embed === undefined ? relation : { ...relation, embed: entriesOf(relation.embed) }
}

function entriesOf(entries: readonly EmbedEntry[]): readonly EmbedEntry[] {
  return entries.flatMap((entry): readonly EmbedEntry[] => {
    if (entry.earlier !== undefined) return []
    const { name, value } = entry
    return value.kind === 'embed' ? [{ name, value: { ...value, entries: entriesOf(value.entries) } }] : [entry]
  })
}

/** The field types of a catalog and the texts that were written are shared with it. */
type Kept = (value: object) => boolean

/** What becomes of parts of a catalog: a part that is nothing is missing, and others have these values of keys. */
export type Changes = ReadonlyMap<object, 'nothing' | Readonly<Record<string, unknown>>>

/**
 * The same catalog with changed parts. What is missing is missing in lists, with entries that are in a list because of it
 * (`rule`), and as the value of a key is undefined. Nothing of it is an object of the other catalog but types and places.
 */
export function changedCatalog(catalog: Catalog, changes: Changes): Catalog {
  const types = new Set<object>(catalog.fieldTypes.values())
  const kept: Kept = (value) => types.has(value) || isPlace(value)
  return deepFreeze(copied(catalog, { changes, kept, made: new Map() }) as Catalog, kept)
}

interface Copying {
  readonly changes: Changes
  readonly kept: Kept
  readonly made: Map<object, object>
}

function isPlace(value: object): boolean {
  return 'source' in value && 'start' in value && 'end' in value
}

function copied(value: unknown, copying: Copying): unknown {
  const { changes, kept, made } = copying
  if (typeof value !== 'object' || value === null || kept(value)) return value
  const change = changes.get(value)
  if (change === 'nothing') return undefined
  const known = made.get(value)
  if (known !== undefined) return known
  if (Array.isArray(value)) {
    const list: unknown[] = []
    made.set(value, list)
    for (const item of value) if (!isGone(item, changes)) list.push(copied(item, copying))
    return list
  }
  if (value instanceof Map) {
    const map = new Map()
    made.set(value, map)
    for (const [key, item] of value) map.set(copied(key, copying), copied(item, copying))
    return map
  }
  if (value instanceof Set) {
    const set = new Set()
    made.set(value, set)
    for (const item of value) set.add(copied(item, copying))
    return set
  }
  const object: Record<string, unknown> = {}
  made.set(value, object)
  for (const [name, item] of Object.entries({ ...value, ...change })) object[name] = copied(item, copying)
  return object
}

function isGone(item: unknown, changes: Changes): boolean {
  if (typeof item !== 'object' || item === null) return false
  const because = 'rule' in item && typeof item.rule === 'object' ? item.rule : undefined
  return [item, because].some((one) => changes.get(one as object) === 'nothing')
}

/**
 * Freezes everything reachable, circles included. `keep` are values of others (field types, places in sources)
 * that stay as they are.
 */
export function deepFreeze<T>(value: T, keep: (value: object) => boolean, seen: Set<object> = new Set()): T {
  if (typeof value !== 'object' || value === null || seen.has(value) || keep(value)) return value
  seen.add(value)
  if (value instanceof Map) {
    for (const [key, item] of value) {
      deepFreeze(key, keep, seen)
      deepFreeze(item, keep, seen)
    }
    // What plugins give is the same for the next catalog.
    if (!Object.isFrozen(value)) Object.assign(value, { set: refuse, delete: refuse, clear: refuse })
  } else if (value instanceof Set) {
    for (const item of value) deepFreeze(item, keep, seen)
    if (!Object.isFrozen(value)) Object.assign(value, { add: refuse, delete: refuse, clear: refuse })
  } else {
    // Their values as a list would be most of what this makes.
    for (const key in value) deepFreeze(value[key], keep, seen)
  }
  Object.freeze(value)
  return value
}

/** `Object.freeze` does not reach what a Map or Set holds, so their changing methods go. */
function refuse(): never {
  throw new TypeError('A catalog cannot be changed')
}
