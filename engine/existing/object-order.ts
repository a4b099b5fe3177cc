/** Puts the objects of a schema into an order in which each can be made after what it depends on. */
import { type Dependence, RANKS, type SchemaObject } from './schema-object.ts'

export interface Left {
  readonly key: string
  /** A needed object that no statement makes; undefined where the object itself cannot be written. */
  readonly without: string | undefined
}

/** Objects that are there without being made. */
export interface Given {
  /** Keys of objects that are there already. */
  readonly there?: ReadonlySet<string>
  /** Whether missing objects are made by hand first; otherwise the objects that need them are left out. */
  readonly asks?: boolean
}

export interface Order {
  readonly objects: readonly SchemaObject[]
  /** Without the parts of objects that are left out. */
  readonly left: readonly Left[]
  /** Keys of needed objects that no statement makes, where these are asked for. */
  readonly asked: readonly string[]
  /** Keys of the extensions that they need. */
  readonly extensions: readonly string[]
}

/** The owner of a part: a table owns its type, a constraint that of a partition, a domain its checks. */
const WITHIN: ReadonlySet<string> = new Set(['i', 'P'])
const PARTS = /^pg_(?:attrdef|constraint):/
const SCHEMA = 'pg_namespace:'
const EXTENSION = 'pg_extension:'
const RELATION = 'pg_class:'

interface Ways {
  /** The object, given key or extension that a key leads to; otherwise the last key on the way. */
  readonly end: (key: string) => string
  readonly isThere: (key: string) => boolean
}

function waysOf(
  objects: ReadonlyMap<string, SchemaObject>,
  dependences: readonly Dependence[],
  given: ReadonlySet<string>,
): Ways {
  const whole = new Map<string, string>()
  const extension = new Map<string, string>()
  for (const { from, on, kind } of dependences) {
    if (kind === 'e') extension.set(from, on)
    else if (WITHIN.has(kind) || (kind === 'a' && PARTS.test(from) && !whole.has(from))) whole.set(from, on)
  }
  const isThere = (key: string): boolean => objects.has(key) || given.has(key)
  const end = (key: string): string => {
    const seen = new Set<string>()
    let last = key
    for (let at = key; !seen.has(at); ) {
      const by = extension.get(at)
      if (by !== undefined) return by
      if (isThere(at)) return at
      seen.add(at)
      last = at
      at = whole.get(at) ?? at
    }
    return last
  }
  return { end, isThere }
}

interface Needs {
  readonly of: ReadonlyMap<string, ReadonlySet<string>>
  readonly extensions: ReadonlyMap<string, ReadonlySet<string>>
  /** Needed objects that no statement makes. */
  readonly missing: ReadonlyMap<string, ReadonlySet<string>>
}

function needsOf(objects: ReadonlyMap<string, SchemaObject>, dependences: readonly Dependence[], ways: Ways): Needs {
  const of = new Map([...objects].map(([key]) => [key, new Set<string>()]))
  const extensions = new Map([...objects].map(([key]) => [key, new Set<string>()]))
  const missing = new Map([...objects].map(([key]) => [key, new Set<string>()]))
  const note = (own: string, needed: string): void => {
    if (needed.startsWith(EXTENSION)) extensions.get(own)?.add(needed)
    else if (objects.has(needed) ? objects.get(needed)?.sql === undefined : !ways.isThere(needed))
      missing.get(own)?.add(needed)
    else if (objects.has(needed)) of.get(own)?.add(needed)
  }
  for (const [key, { needs = [] }] of objects) for (const needed of needs) note(key, ways.end(needed))
  for (const { from, on } of dependences) {
    const own = ways.end(from)
    if (on.startsWith(SCHEMA) || !objects.has(own)) continue
    const needed = ways.end(on)
    // A sequence is made before the table that has it.
    if (needed !== own && objects.get(own)?.rank !== RANKS.sequence) note(own, needed)
  }
  return { of, extensions, missing }
}

/** Objects that are left out, because they cannot be written, or need a missing object directly or indirectly. */
function leftOut(
  objects: ReadonlyMap<string, SchemaObject>,
  { of, missing }: Needs,
  isAsked: (needed: string, by: string) => boolean,
): ReadonlyMap<string, Left> {
  const left = new Map<string, Left>()
  for (const [key, object] of objects) {
    const without = [...(missing.get(key) ?? [])].find((needed) => !isAsked(needed, key))
    if (object.sql === undefined || without !== undefined) left.set(key, { key, without })
  }
  for (let before = -1; before < left.size; ) {
    before = left.size
    for (const [key, needs] of of) {
      const without = [...needs].find((one) => left.has(one))
      if (without !== undefined && objects.has(key) && !left.has(key)) left.set(key, { key, without })
    }
  }
  return left
}

/** The keys of objects and of all that they need, however far. */
function withNeeds(objects: readonly SchemaObject[], { of }: Needs): ReadonlySet<string> {
  const within = new Set(objects.map(({ key }) => key))
  // The loop also reaches keys that are added to the set meanwhile.
  for (const key of within) for (const needed of of.get(key) ?? []) within.add(needed)
  return within
}

/** The objects of the schema, and those of other schemas that they need. */
function needed(given: readonly SchemaObject[], needs: Needs): readonly SchemaObject[] {
  const own = given.filter(({ elsewhere }) => elsewhere === undefined)
  const within = withNeeds(own, needs)
  return given.filter(({ key, of = key }) => within.has(key) || within.has(of))
}

export function ordered(
  given: readonly SchemaObject[],
  dependences: readonly Dependence[],
  { there = new Set(), asks = false }: Given = {},
): Order {
  const objects = new Map(given.map((object) => [object.key, object]))
  const needs = needsOf(objects, dependences, waysOf(objects, dependences, there))
  const all = needed(given, needs)
  const tables = all.filter(({ rank }) => rank === RANKS.table)
  const within = withNeeds(tables, needs)
  // A table that is not in the dump cannot be filled, so only dumped tables ask for one.
  const isAsked = (needed: string, by: string): boolean => asks && (within.has(by) || !needed.startsWith(RELATION))
  const left = leftOut(new Map(all.map((object) => [object.key, object])), needs, isAsked)
  const waiting = all.filter(({ key }) => !left.has(key)).sort((a, b) => a.rank - b.rank || a.age - b.age)
  const made = new Set<string>()
  const found: SchemaObject[] = []
  while (waiting.length > 0) {
    const next = waiting.findIndex(({ key }) => [...(needs.of.get(key) ?? [])].every((one) => made.has(one)))
    // Functions that need each other in a circle have no better order.
    const [object] = waiting.splice(Math.max(next, 0), 1)
    if (object === undefined) break
    made.add(object.key)
    found.push(object)
  }
  const asked = new Set(found.flatMap(({ key }) => [...(needs.missing.get(key) ?? [])]))
  const isTold = ({ key }: Left): boolean => !left.has(objects.get(key)?.of ?? '')
  return {
    objects: found,
    left: [...left.values()].filter((one) => isTold(one) && !asked.has(one.key)),
    asked: [...asked],
    extensions: [...new Set(found.flatMap(({ key }) => [...(needs.extensions.get(key) ?? [])]))].sort(),
  }
}
