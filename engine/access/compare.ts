/** What each caller gains and loses between two descriptions of access. */
import type { Actor } from '../actor.ts'
import { allowsAll, allowsOne } from '../ask/policy.ts'
import type { PolicyName } from '../definition/definition.ts'
import { POLICIES } from '../resolve/policies.ts'
import type { DescribedAccess, DescribedClause, DescribedResource } from './description.ts'
import type { KeptFilter } from './kept-filter.ts'

/** Somebody who may call: a role, or everyone without a token. */
export interface Caller {
  readonly name: string
  readonly actor: Actor
}

/** What a resource says of all its records: which of a table are its own, and which exist. */
export type Condition = 'scope' | 'live'

/** The records with which a caller may do something: none, all, or those for which one of the conditions holds. */
export interface Extent {
  readonly kind: 'none' | 'some' | 'all'
  readonly of: readonly KeptFilter[]
}

/** One thing that a caller may do otherwise than before. */
export interface AccessChange {
  readonly caller: string
  /** A resource, or the route for `call`. */
  readonly about: string
  readonly action: PolicyName | 'read' | 'open' | 'call'
  /** Only these fields, or the views that are opened; absent: the record as a whole. */
  readonly fields?: readonly string[]
  readonly before: Extent
  readonly after: Extent
  /** Writes get other values than before, whatever the body has. */
  readonly sets?: true
  /** Whether there was, or still is, such a resource or route. */
  readonly status: 'there' | 'new' | 'gone'
  /** Which conditions on all records of the resource are other than before; they are among those of the extents. */
  readonly others?: readonly Condition[]
  /** The fields in the condition that says which records exist. */
  readonly liveFields?: DescribedResource['liveFields']
  /** The places of the rules that decide now. */
  readonly places: readonly string[]
}

const NONE: Extent = { kind: 'none', of: [] }
const ALL: Extent = { kind: 'all', of: [] }
const NOTHING: DescribedResource = {
  policies: { view: [], create: [], update: [], delete: [], restore: [] },
  parts: {},
}

/** Every change, by resource, then by caller. A field that is new or gone is a change of the interface, and not reported here. */
export function compareAccess(
  older: DescribedAccess,
  newer: DescribedAccess,
  callers: readonly Caller[],
): readonly AccessChange[] {
  const names = [...new Set([...Object.keys(older.resources), ...Object.keys(newer.resources)])].sort()
  return [
    ...names.flatMap((about) => {
      const [before, now] = [older.resources[about], newer.resources[about]]
      const status = before === undefined ? 'new' : now === undefined ? 'gone' : 'there'
      const pair = { about, status, before: before ?? NOTHING, now: now ?? NOTHING } as const
      return callers.flatMap((caller) => compareResource({ ...pair, caller }))
    }),
    ...compareRoutes(older, newer, callers),
  ]
}

interface Pair {
  readonly about: string
  readonly status: AccessChange['status']
  readonly before: DescribedResource
  readonly now: DescribedResource
  readonly caller: Caller
}

function compareResource(pair: Pair): readonly AccessChange[] {
  return [
    ...POLICIES.flatMap((action) => comparePolicy(pair, action)),
    ...(pair.status === 'there' ? [...compareReading(pair), ...compareViews(pair)] : []),
  ]
}

function comparePolicy(pair: Pair, action: PolicyName): readonly AccessChange[] {
  const { about, status, before, now, caller } = pair
  const isWritten = action === 'create' || action === 'update'
  const others = otherConditions(before, now, action)
  const extent = (side: DescribedResource, field?: string): Extent =>
    extentOf(side, clausesOf(side, action, caller, field), others)
  const places = clausesOf(now, action, caller).flatMap(({ place }) => place ?? [])
  const whole = { before: extent(before), after: extent(now) }
  const said = { caller: caller.name, about, action, status, places, ...toldOf(before, others) }
  const sent = isWritten ? Object.keys(now.parts).filter((name) => now.parts[name]?.sent === true) : []
  const found: AccessChange[] = []
  if (differ(whole.before, whole.after)) {
    const covered = whole.before.kind === 'none' ? sent.filter((name) => extent(now, name).kind !== 'none') : sent
    const only = covered.length < sent.length ? { fields: covered } : {}
    found.push({ ...said, ...whole, ...only })
  }
  if (status !== 'there') return found
  const sets = [before, now].map((side) => clausesOf(side, action, caller).map(({ set = {} }) => JSON.stringify(set)))
  const isGranted = whole.before.kind !== 'none' && whole.after.kind !== 'none'
  if (isGranted && distinct(sets[0]!) !== distinct(sets[1]!)) found.push({ ...said, ...whole, sets: true })
  const groups = new Map<string, AccessChange>()
  for (const field of sent.filter((name) => before.parts[name]?.sent === true)) {
    const part = { before: extent(before, field), after: extent(now, field) }
    if (!differ(part.before, part.after) || keyOf(part) === keyOf(whole)) continue
    // A caller who could not write the record before reads which fields come with it.
    if (whole.before.kind === 'none' || whole.after.kind === 'none') continue
    const fields = [...(groups.get(keyOf(part))?.fields ?? []), field]
    groups.set(keyOf(part), { ...said, ...part, fields })
  }
  return [...found, ...groups.values()]
}

/** The clauses that speak of the caller; of a field, those that let it be sent. */
function clausesOf(
  { policies, parts }: DescribedResource,
  action: PolicyName,
  { actor }: Caller,
  field?: string,
): readonly DescribedClause[] {
  const speaking = policies[action].filter(({ access }) => allowsAll(access, actor))
  if (field === undefined) return speaking
  if (!allowsOne(parts[field]?.write, actor)) return []
  return speaking.filter(
    ({ fields, set }) => (fields === undefined || fields.includes(field)) && set?.[field] === undefined,
  )
}

function toldOf({ liveFields }: DescribedResource, others: readonly Condition[]): Partial<AccessChange> {
  if (others.length === 0) return {}
  return others.includes('live') && liveFields !== undefined ? { others, liveFields } : { others }
}

/** The conditions that are not the same on both sides; what may be restored is what does not exist. */
function otherConditions(before: DescribedResource, now: DescribedResource, action: PolicyName): readonly Condition[] {
  const isOther = (name: Condition) => JSON.stringify(before[name]) !== JSON.stringify(now[name])
  const isKnown = before.live !== undefined && now.live !== undefined && action !== 'restore'
  return [...(isOther('scope') ? (['scope'] as const) : []), ...(isKnown && isOther('live') ? (['live'] as const) : [])]
}

/** A scope, or what exists, is a condition like others where it is not the same on both sides. */
function extentOf(side: DescribedResource, clauses: readonly DescribedClause[], others: readonly Condition[]): Extent {
  if (clauses.length === 0) return NONE
  const all = clauses.some(({ where }) => where === undefined)
  const filters = all ? [] : [...new Map(clauses.map(({ where }) => [JSON.stringify(where), where!])).values()]
  const within = others.flatMap((name) => side[name] ?? [])
  const [only, ...more] = all ? within : [...within, { kind: 'or', of: filters } as const]
  if (within.length === 0 || only === undefined) return all ? ALL : { kind: 'some', of: filters }
  return { kind: 'some', of: [more.length === 0 ? only : { kind: 'and', of: [only, ...more] }] }
}

function compareReading({ about, status, before, now, caller }: Pair): readonly AccessChange[] {
  const sees = [before, now].every((side) => clausesOf(side, 'view', caller).length > 0)
  if (!sees) return []
  const both = Object.keys(now.parts).filter((name) => before.parts[name] !== undefined)
  const reads = (side: DescribedResource, name: string) => allowsOne(side.parts[name]?.read, caller.actor)
  return [true, false].flatMap((gained): readonly AccessChange[] => {
    const fields = both.filter((name) => reads(now, name) === gained && reads(before, name) !== gained)
    if (fields.length === 0) return []
    const [from, to] = gained ? [NONE, ALL] : [ALL, NONE]
    return [{ caller: caller.name, about, action: 'read', fields, before: from, after: to, status, places: [] }]
  })
}

/** Views that callers have no more, or have now; one that is new is a change of the interface. */
function compareViews({ about, status, before, now, caller }: Pair): readonly AccessChange[] {
  const has = (side: DescribedResource, name: string): boolean => {
    const access = side.views?.[name]
    if (access === undefined || clausesOf(side, 'view', caller).length === 0) return false
    return access === null || access.some((clause) => allowsAll(clause, caller.actor))
  }
  const names = Object.keys(before.views ?? {})
  return [true, false].flatMap((gained): readonly AccessChange[] => {
    const views = names.filter((name) => has(now, name) === gained && has(before, name) !== gained)
    if (views.length === 0) return []
    const [from, to] = gained ? [NONE, ALL] : [ALL, NONE]
    return [{ caller: caller.name, about, action: 'open', fields: views, before: from, after: to, status, places: [] }]
  })
}

function compareRoutes(
  older: DescribedAccess,
  newer: DescribedAccess,
  callers: readonly Caller[],
): readonly AccessChange[] {
  const both = Object.keys(newer.routes).filter((route) => older.routes[route] !== undefined)
  return both.flatMap((about) =>
    callers.flatMap(({ name, actor }): readonly AccessChange[] => {
      const [before, after] = [older, newer].map(({ routes }) => {
        const access = routes[about]!
        return access === 'public' || allowsOne(access, actor) ? ALL : NONE
      })
      if (before === after) return []
      return [{ caller: name, about, action: 'call', before: before!, after: after!, status: 'there', places: [] }]
    }),
  )
}

function differ(before: Extent, after: Extent): boolean {
  return key(before) !== key(after)
}

/** Extents that admit the same by the same conditions have one key, whatever their order. */
function key({ kind, of }: Extent): string {
  return `${kind} ${distinct(of.map((filter) => JSON.stringify(filter)))}`
}

function distinct(texts: readonly string[]): string {
  return [...new Set(texts)].sort().join()
}

/** What two changes have in common that go from the same conditions to the same others. */
export function keyOf({ before, after }: Pick<AccessChange, 'before' | 'after'>): string {
  return `${key(before)} → ${key(after)}`
}
