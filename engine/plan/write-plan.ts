/** What one write does, as a value: which fields it gives, by whom they are given, and what it answers. */
import type { Assignment, Catalog, Clause, Field, Resource } from '../catalog/catalog.ts'
import { computedFields, tableFields } from '../catalog/stored.ts'
import { followingColumns, followSteps } from './follow-steps.ts'
import { checksOf } from './write-checks.ts'
import type { WriteShape } from './write-shape.ts'

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

/** A plan with what follows from it, and what it is held to. */
function completed(
  catalog: Catalog,
  decided: Omit<WriteShape, 'follows' | 'following' | 'columns' | 'checks'>,
): WriteShape {
  const { action, answer, assigned, bulk, given, resource } = decided
  if (action === 'delete' || action === 'restore') {
    const whole = { ...decided, follows: [], following: NOTHING, columns: NOTHING }
    return { ...whole, checks: answer === 'draft' ? [] : checksOf(catalog, whole) }
  }
  const by = action === 'create' && bulk ? 'import' : action
  const written = new Set([...given, ...assigned.map(({ field }) => field)].map(({ column }) => column))
  const follows = followSteps(catalog, resource, by, written)
  const following = followingColumns(catalog, resource, follows, written)
  const whole = { ...decided, follows, following, columns: new Set([...written, ...following]) }
  return { ...whole, checks: answer === 'draft' ? [] : checksOf(catalog, whole) }
}

/** The parts of creating a record: `names` are the fields that have a value, the other words are those of the plan. */
export interface Insert extends Pick<WriteShape, 'resource' | 'clause' | 'bulk' | 'links' | 'answer'> {
  readonly names: readonly string[]
  readonly trusted: readonly string[]
}

/** Plans creating a record; a draft names the moments too that the database itself would give. */
export function planInsert(catalog: Catalog, { names, trusted, ...parts }: Insert): WriteShape {
  const { answer, clause, resource } = parts
  const has = new Set(names)
  const { assigned, given } = insertedFields(catalog, resource, has, clause)
  const moments = answer === 'draft' ? defaultMoments(resource, has, assigned) : []
  return completed(catalog, {
    ...PLAIN,
    ...parts,
    action: 'create',
    given,
    trusted: new Set(trusted),
    assigned: [...assigned, ...moments],
  })
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
  extends Pick<WriteShape, 'resource' | 'clause' | 'finds' | 'told' | 'links' | 'leaving' | 'linked' | 'answer'> {
  readonly names: readonly string[]
}

/** The words of an update that has none of these parts. */
export const PLAIN_UPDATE = {
  finds: undefined,
  told: false,
  links: NOTHING as ReadonlySet<string>,
  leaving: NOTHING as ReadonlySet<string>,
  linked: [] as readonly string[],
} as const

/** Plans changing a record. */
export function planUpdate(catalog: Catalog, { names, ...parts }: Update): WriteShape {
  const { clause, resource } = parts
  const has = new Set(names)
  const set: readonly Assignment[] = clause?.set ?? []
  const fixed = new Set(set.map((assignment) => assignment.field.name))
  const given = writtenFields(resource, has, fixed)
  const further = resource.updateSets.filter(({ field }) => !has.has(field.name) && !fixed.has(field.name))
  return completed(catalog, { ...PLAIN, ...parts, action: 'update', given, assigned: [...set, ...further] })
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

/** What rules write beside the caller's values; a field of the scope that the caller names is checked instead. */
export function assignments(resource: Resource, clause: Clause | undefined, names: Names): readonly Assignment[] {
  return [...resource.scopeSets.filter(({ field }) => !names.has(field.name)), ...(clause?.set ?? [])]
}

/** The named fields that a statement writes from what the caller gave. */
function writtenFields(resource: Resource, names: Names, fixed: Names): readonly Field[] {
  return [...resource.fields.values()].filter(
    (field) => names.has(field.name) && !fixed.has(field.name) && field.stored === undefined,
  )
}

/** What an insert takes from the values, and what rules and defaults put beside them. */
function insertedFields(
  catalog: Catalog,
  resource: Resource,
  names: Names,
  clause: Clause | undefined,
): Pick<WriteShape, 'given' | 'assigned'> {
  const assigned = assignments(resource, clause, names)
  const fixed = new Set(assigned.map((assignment) => assignment.field.name))
  const filled = [...assigned, ...defaultAssignments(catalog, resource, names, fixed)]
  // Rules are judged, and values follow, before the database would give the moments.
  const judged =
    resource.rules.length > 0 || resource.follows.length > 0 || computedFields(catalog, resource).length > 0
  const moments = !judged ? [] : defaultMoments(resource, names, filled)
  return { given: writtenFields(resource, names, fixed), assigned: [...filled, ...moments] }
}

/** Defaults of absent fields: literals, and records that stand in by condition. */
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
