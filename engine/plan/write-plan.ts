/** Plans of writes, made of the fields that are given, by whom they are given, and what is answered. */
import type { Assignment, Catalog, Clause, Field, Follow, Resource, WriteAction } from '../catalog/catalog.ts'
import {
  computedFields,
  concerns,
  concernsUpdate,
  tableFields,
  type WrittenBy,
  withComputed,
  withFollowing,
} from '../catalog/stored.ts'
import { findsNew, showsElsewhere } from './reads-of-answer.ts'
import { checksOf, locksOf } from './write-checks.ts'
import type { Unjudged, WriteShape } from './write-shape.ts'

/** Names of fields, asked one by one. */
export interface Names {
  has(name: string): boolean
}

const NOTHING: ReadonlySet<never> = new Set<never>()

const PLAIN = {
  given: [],
  optional: NOTHING,
  trusted: NOTHING,
  assigned: [],
  clause: undefined,
  bulk: false,
  finds: undefined,
  told: false,
  leaving: NOTHING,
  links: NOTHING,
  linked: [],
} as const

/** What a request brings around the statement of its write. */
export interface Surroundings {
  /** The clauses that speak of the caller; which of them covers an update is known when its record is read. */
  readonly among: readonly Clause[]
  /** Whether a hook runs around it, which may name any field. */
  readonly hooked: boolean
  /** Whether it needs a transaction whatever it writes: for a hook, for records that are created with it, or for a quota. */
  readonly within: boolean
  /** The columns in which the record has no yes for sure, so that it takes none from another. */
  readonly never: ReadonlySet<string>
}

/** The surroundings of a write that brings nothing. */
const BARE: Surroundings = { among: [], hooked: false, within: false, never: NOTHING }

/** A plan with what follows from it, and what must hold. */
function completed(
  catalog: Catalog,
  decided: Omit<Unjudged, 'follows' | 'following' | 'columns'>,
  around: Surroundings = BARE,
): WriteShape {
  const { action, assigned, bulk, given, resource } = decided
  if (action === 'delete' || action === 'restore')
    return judged(catalog, { ...decided, follows: [], following: NOTHING, columns: NOTHING }, around)
  const by = action === 'create' && bulk ? 'import' : action
  const written = new Set([...given, ...assigned.map(({ field }) => field)].map(({ column }) => column))
  const follows = followSteps(catalog, resource, by, written)
  const following = followingColumns(catalog, resource, follows, written)
  return judged(catalog, { ...decided, follows, following, columns: new Set([...written, ...following]) }, around)
}

/** A plan with its checks, and what is needed around its statement. */
function judged(catalog: Catalog, plan: Unjudged, around: Surroundings): WriteShape {
  const { action, answer, columns, links, resource } = plan
  if (answer === 'draft') return { ...plan, checks: [], locks: [], may: columns, alone: true }
  const checks = checksOf(catalog, plan)
  if (answer === 'checks') return { ...plan, checks, locks: [], may: columns, alone: true }
  const { among, hooked, never, within } = around
  const set = among.flatMap((clause) => clause.set.map(({ field }) => field.column))
  const may =
    action === 'update' && set.length > 0 ? withFollowing(catalog, resource, action, [...columns, ...set]) : columns
  const written = action === 'update' ? may : undefined
  const locks = locksOf(catalog, { resource, action, columns: written, links, never })
  const ways = { links, locks, within }
  return { ...plan, checks, locks, may, alone: isAlone(catalog, resource, action, hooked ? undefined : may, ways) }
}

/** Whether the statement of a write is all of it; `columns` are those that it may write, undefined: any. */
function isAlone(
  catalog: Catalog,
  resource: Resource,
  action: WriteAction,
  columns: ReadonlySet<string> | undefined,
  { links, locks, within }: Pick<WriteShape, 'links' | 'locks'> & Pick<Surroundings, 'within'>,
): boolean {
  const { fields, relatedFollows } = resource
  if (within || links.size > 0 || locks.length > 0 || action === 'delete' || action === 'restore') return false
  if (action === 'create') return relatedFollows.length === 0 && !findsNew(resource)
  if (columns === undefined && locksOf(catalog, { resource, action, columns }).length > 0) return false
  const written = columns ?? new Set([...fields.values()].map(({ column }) => column))
  return (
    !relatedFollows.some((follow) => concernsUpdate(follow, written)) && !showsElsewhere(catalog, resource, written)
  )
}

/** The parts of creating a record: `names` are the fields that have a value, the other words are those of the plan. */
export interface Insert
  extends Omit<Surroundings, 'among'>,
    Pick<WriteShape, 'resource' | 'clause' | 'bulk' | 'links' | 'answer'> {
  readonly names: readonly string[]
  readonly trusted: readonly string[]
}

/** The words of a creation that has none of these parts. */
export const PLAIN_INSERT = {
  hooked: false,
  within: false,
  never: NOTHING,
  links: NOTHING,
  trusted: [],
  bulk: false,
} as const

/** Plans creating a record; a draft names the moments too that the database itself would give. */
export function planInsert(catalog: Catalog, insert: Insert): WriteShape {
  const { hooked, names, never, trusted, within, ...parts } = insert
  const { answer, clause, resource } = parts
  const has = new Set(names)
  const { assigned, given } = insertedFields(catalog, resource, has, clause)
  const moments = answer === 'draft' ? defaultMoments(resource, has, assigned) : []
  return completed(
    catalog,
    {
      ...PLAIN,
      ...parts,
      action: 'create',
      given,
      trusted: new Set(trusted),
      assigned: [...assigned, ...moments],
    },
    { ...BARE, hooked, within, never },
  )
}

/** The parts of creating several records: each has the fields `names`, and some of them have those of `lacked`. */
export interface InsertEach extends Pick<WriteShape, 'resource' | 'clause' | 'bulk'> {
  readonly names: readonly string[]
  readonly lacked: readonly string[]
}

/** Plans creating several records by one statement. */
export function planInsertEach(catalog: Catalog, { lacked, names, ...parts }: InsertEach): WriteShape {
  const { clause, resource } = parts
  const has = new Set(names)
  const { assigned, given } = insertedFields(catalog, resource, has, clause)
  const fixed = new Set(assignments(resource, clause, has).map(({ field }) => field))
  const optional = [...resource.fields.values()].filter((field) => lacked.includes(field.name) && !fixed.has(field))
  const moments = defaultMoments(resource, has, assigned).filter(({ field }) => optional.includes(field))
  return completed(catalog, {
    ...PLAIN,
    ...parts,
    action: 'create',
    given: [...given, ...optional],
    optional: new Set(optional),
    assigned: [...assigned, ...moments],
    answer: 'record',
  })
}

/** The parts of changing a record: `names` are the fields that get a value, the other words are those of the plan. */
export interface Update
  extends Surroundings,
    Pick<WriteShape, 'resource' | 'clause' | 'finds' | 'told' | 'links' | 'leaving' | 'linked' | 'answer'> {
  readonly names: readonly string[]
}

/** The words of an update that has none of these parts. */
export const PLAIN_UPDATE = {
  ...BARE,
  finds: undefined,
  told: false,
  links: NOTHING as ReadonlySet<string>,
  leaving: NOTHING as ReadonlySet<string>,
  linked: [] as readonly string[],
} as const

/** Plans changing a record. */
export function planUpdate(catalog: Catalog, update: Update): WriteShape {
  const { among, hooked, names, never, within, ...parts } = update
  const { clause, resource } = parts
  const has = new Set(names)
  const set: readonly Assignment[] = clause?.set ?? []
  const fixed = new Set(set.map((assignment) => assignment.field.name))
  const given = writtenFields(resource, has, fixed)
  const further = resource.updateSets.filter(({ field }) => !has.has(field.name) && !fixed.has(field.name))
  const decided = { ...PLAIN, ...parts, action: 'update', given, assigned: [...set, ...further] } as const
  return completed(catalog, decided, { among, hooked, never, within })
}

/** Plans deleting or restoring a record. */
export function planRemoval(
  catalog: Catalog,
  parts: Pick<WriteShape, 'resource' | 'leaving' | 'answer'> & { readonly action: 'delete' | 'restore' },
): WriteShape {
  const { action, resource } = parts
  const sets = action === 'delete' ? resource.deleteSets : resource.restoreSets
  return completed(catalog, { ...PLAIN, ...parts, assigned: sets ?? [] })
}

/** Plans nothing: the record as it is stored. */
export function planNothing(catalog: Catalog, { resource }: Pick<WriteShape, 'resource'>): WriteShape {
  return completed(catalog, { ...PLAIN, action: 'delete', resource, answer: 'draft' })
}

/** Plans looking for what is wrong with values, of a record to come or one that is there, without writing them. */
export function planChecks(
  catalog: Catalog,
  {
    action,
    names,
    resource,
  }: { readonly action: 'create' | 'update'; readonly resource: Resource; readonly names: readonly string[] },
): WriteShape {
  const has = new Set(names)
  const given = [...resource.fields.values()].filter(({ name }) => has.has(name))
  return completed(catalog, { ...PLAIN, action, resource, given, answer: 'checks' })
}

/** The values that rules add to the caller's. A field of the scope that the caller names is checked instead. */
export function assignments(resource: Resource, clause: Clause | undefined, names: Names): readonly Assignment[] {
  return [...resource.scopeSets.filter(({ field }) => !names.has(field.name)), ...(clause?.set ?? [])]
}

/** The named fields that a statement writes from what the caller gave. */
function writtenFields(resource: Resource, names: Names, fixed: Names): readonly Field[] {
  return [...resource.fields.values()].filter(
    (field) => names.has(field.name) && !fixed.has(field.name) && field.stored === undefined,
  )
}

/** The fields that an insert takes from the values, and those that rules and defaults add. */
function insertedFields(
  catalog: Catalog,
  resource: Resource,
  names: Names,
  clause: Clause | undefined,
): Pick<WriteShape, 'given' | 'assigned'> {
  const assigned = assignments(resource, clause, names)
  const fixed = new Set(assigned.map((assignment) => assignment.field.name))
  const filled = [...assigned, ...defaultAssignments(catalog, resource, names, fixed)]
  // Rules are judged, and values follow, before the database would give the moments, which a table of others may not do.
  const judged =
    resource.existing ||
    resource.rules.length > 0 ||
    resource.follows.length > 0 ||
    computedFields(catalog, resource).length > 0
  const moments = !judged ? [] : defaultMoments(resource, names, filled)
  return { given: writtenFields(resource, names, fixed), assigned: [...filled, ...moments] }
}

/** Defaults of absent fields: literals, and records that a condition selects. */
function defaultAssignments(catalog: Catalog, resource: Resource, names: Names, fixed: Names): readonly Assignment[] {
  const found: Assignment[] = []
  const owner = catalog.resources.get(resource.owner) ?? resource
  for (const field of tableFields(catalog, resource)) {
    if (names.has(field.name) || fixed.has(field.name)) continue
    const holder = resource.fields.has(field.name) ? resource : owner
    const relation = field.relation === undefined ? undefined : holder.relations.get(field.relation)
    if (relation?.kind === 'belongs_to' && relation.default !== undefined) {
      found.push({ field, selection: { resource: relation.target, where: relation.default } })
    } else if (field.default !== undefined) {
      found.push({ field, operand: { kind: 'literal', value: field.default } })
    }
  }
  return found
}

/** The moments that the database itself gives to absent fields. */
function defaultMoments(resource: Resource, names: Names, assigned: readonly Assignment[]): readonly Assignment[] {
  return [...resource.fields.values()].flatMap((field) => {
    const filled = names.has(field.name) || assigned.some((assignment) => assignment.field === field)
    return field.defaultMoment === undefined || filled ? [] : [{ field, operand: { kind: field.defaultMoment } }]
  })
}

/** The entries that a write of these columns concerns. One that reads what an earlier one sets comes in a later step. */
export function followSteps(
  catalog: Catalog,
  resource: Resource,
  by: WrittenBy,
  columns: ReadonlySet<string>,
): readonly (readonly Follow[])[] {
  const steps: Follow[][] = []
  const written = new Set(withComputed(catalog, resource, columns))
  let setHere = new Set<string>()
  for (const follow of resource.follows) {
    if (!concerns(follow, by, written)) continue
    if (steps.length === 0 || [...follow.reads].some((column) => setHere.has(column))) {
      steps.push([])
      setHere = new Set()
    }
    steps.at(-1)!.push(follow)
    for (const column of withComputed(catalog, resource, columnsSet([follow]))) {
      setHere.add(column)
      written.add(column)
    }
  }
  return steps
}

/** The columns that a step sets. */
export function columnsSet(step: readonly Follow[]): ReadonlySet<string> {
  return new Set(step.flatMap(({ set }) => set.map(({ field }) => field.column)))
}

/** The columns that get values because these are written: those that follow, and those that the database computes. */
export function followingColumns(
  catalog: Catalog,
  resource: Resource,
  steps: readonly (readonly Follow[])[],
  columns: ReadonlySet<string>,
): ReadonlySet<string> {
  const set = steps.flatMap((step) => [...columnsSet(step)])
  const written = new Set([...columns, ...set])
  const computed = [...withComputed(catalog, resource, written)].filter((column) => !written.has(column))
  return new Set([...set, ...computed])
}
