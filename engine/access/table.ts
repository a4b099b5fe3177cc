/** Who may do what now ⇄: for each role and each policy no records, some or all, with how many that are and the clauses that say so. */
import type { Catalog, Resource } from '../catalog/catalog.ts'
import type { Runner } from '../database/database.ts'
import type { PolicyName } from '../definition/definition.ts'
import { asJson, type JsonObject } from '../json.ts'
import { POLICIES } from '../resolve/policies.ts'
import { placeOf, writtenAt } from '../text/source.ts'
import { callersOf } from './callers.ts'
import { type Caller, compareAccess } from './compare.ts'
import { type CountedChange, counted } from './count.ts'
import { type DescribedAccess, type DescribedResource, describeAccess } from './description.ts'
import { UNCOUNTED_WORDS } from './sentence.ts'

/** What a caller may do by one policy. */
interface Cell {
  readonly kind: 'none' | 'some' | 'all'
  /** How many records that are at present; null: they depend on who asks, were not counted, or are none that exist yet. */
  readonly records: number | null
  /** Whether there are more than were counted. */
  readonly atLeast?: true
  /** Why `records` is null. */
  readonly uncounted?: string
  /** Only these fields may be written. */
  readonly fields?: readonly string[]
  /** The clauses that speak of the caller, by their places among those of the policy. */
  readonly clauses: readonly number[]
}

/** The table as JSON, of all resources or of one. Callers are everyone without a token, and the roles of the database. */
export async function accessTable(
  asking: { readonly catalog: Catalog; readonly runner: Runner; readonly now: Date },
  only?: string,
): Promise<JsonObject> {
  const { catalog, now, runner } = asking
  const described = describeAccess(catalog, [], true)
  const callers = await callersOf(catalog, runner, now, [described])
  const resources = Object.entries(described.resources).filter(([name]) => only === undefined || name === only)
  const within: DescribedAccess = { resources: Object.fromEntries(resources), routes: {} }
  const granted = await counted(asking, compareAccess(withoutPolicies(within), within, callers))
  const rows = resources.map(([name, { policies }]): [string, JsonObject] => {
    const resource = catalog.resources.get(name)!
    const own = granted.filter(({ about, sets }) => about === name && sets !== true)
    const actions = POLICIES.filter((action) => policies[action].length > 0)
    return [name, rowOf(resource, actions, own, callers)]
  })
  return asJson({ callers: callers.map(callerAsJson), resources: Object.fromEntries(rows) })
}

/** What callers may do where no policy is there yet: what they gain by the policies is all that they may. */
function withoutPolicies({ resources, routes }: DescribedAccess): DescribedAccess {
  const none: DescribedResource['policies'] = { view: [], create: [], update: [], delete: [], restore: [] }
  return {
    routes,
    resources: Object.fromEntries(
      Object.entries(resources).map(([name, resource]) => [name, { ...resource, policies: none }]),
    ),
  }
}

function callerAsJson({ actor, name }: Caller) {
  return { name, role: actor.role, permissions: [...actor.permissions].sort() }
}

function rowOf(
  resource: Resource,
  actions: readonly PolicyName[],
  granted: readonly CountedChange[],
  callers: readonly Caller[],
): JsonObject {
  const entries = actions.map((action) => {
    const clauses = resource.policies[action].map(({ span }) => ({ text: writtenAt(span), place: placeOf(span) }))
    const places = clauses.map(({ place }) => place)
    const cells = callers.map(({ name }) => {
      const change = granted.find((one) => one.caller === name && one.action === action)
      return [name, cellOf(change, places)] as const
    })
    return [action, { clauses, cells: Object.fromEntries(cells) }] as const
  })
  return asJson({ label: resource.plural, actions: Object.fromEntries(entries) })
}

function cellOf(change: CountedChange | undefined, places: readonly string[]): Cell {
  if (change === undefined) return { kind: 'none', records: null, clauses: [] }
  const { after, concerned, fields, places: speaking } = change
  const clauses = [...new Set(speaking)].map((place) => places.indexOf(place)).filter((at) => at >= 0)
  const said = { kind: after.kind, clauses, ...(fields === undefined ? {} : { fields }) }
  if (concerned === undefined) return { ...said, records: null }
  if ('uncounted' in concerned) return { ...said, records: null, uncounted: UNCOUNTED_WORDS[concerned.uncounted] }
  return { ...said, records: concerned.gains, ...(concerned.atLeast ? { atLeast: true } : {}) }
}
