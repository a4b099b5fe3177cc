/** What a write is held to: the checks of its statement, the locks under which they are right, and the rules as people read of them. */
import type {
  Catalog,
  CountRule,
  Field,
  Filter,
  ForeignRule,
  Resource,
  SoleRule,
  WriteAction,
} from '../catalog/catalog.ts'
import { computedFields, meets, withFollowing } from '../catalog/stored.ts'
import { leaves } from '../filter/walk.ts'
import type { Span } from '../text/source.ts'
import type { Check, Lock, Unjudged, WriteShape } from './write-shape.ts'

/** The columns of a write: those that it gives values, or all of a row that goes or comes back. */
type Columns = ReadonlySet<string> | undefined

const NONE: ReadonlySet<string> = new Set()

/** The checks of a write, in the order in which their failures are told. */
export function checksOf(catalog: Catalog, plan: Unjudged): readonly Check[] {
  const { action, columns } = plan
  if (action === 'delete' || action === 'restore') return ruleChecks(plan, undefined)
  const plain = [
    ...referenceChecks(plan),
    ...missingChecks(plan),
    ...uniqueChecks(plan),
    ...scopeChecks(plan),
    ...(plan.clause?.where === undefined ? [] : [{ kind: 'policy' } as const]),
  ]
  if (plan.answer === 'checks') return plain
  return [...plain, ...fittingChecks(catalog, plan), ...moveChecks(plan), ...ruleChecks(plan, columns)]
}

type Held = Pick<WriteShape, 'action' | 'resource' | 'links' | 'leaving'>

/** The rules that a write of these columns is held to: of the record, of several records, and of others that look at it. */
function ruleChecks(write: Held, columns: Columns): readonly Check[] {
  const { action, links, resource } = write
  const rules = resource.rules.filter(
    (rule) =>
      rule.on.has(action) &&
      !meets(rule.links, links) &&
      (action !== 'update' || columns === undefined || meets(rule.reads, columns)),
  )
  const overlaps = action === 'delete' ? [] : resource.overlaps.filter((rule) => touches(rule, columns))
  return [
    ...rules.map((rule) => ({ kind: 'rule', rule, says: rule.says, at: rule.at }) as const),
    ...resource.counts.filter((rule) => counts(rule, action, columns)).flatMap((rule) => sidesOf(write, rule)),
    ...overlaps.map((rule) => ({ kind: 'turn', rule }) as const),
    ...resource.foreignRules
      .filter((foreign) => breaks(foreign, action, columns))
      .map((rule) => ({ kind: 'foreign', rule, says: rule.rule.says, at: undefined }) as const),
  ]
}

/** Too few may remain in the group that a record leaves, and too many come together in the one to which it comes. */
function sidesOf({ action, leaving }: Held, rule: CountRule): readonly Check[] {
  const { at, least, most, per, says } = rule
  const goes = per.some(({ column }) => leaving.has(column))
  const sides = [
    ...(least !== undefined && !goes && (action === 'update' || action === 'delete') ? (['least'] as const) : []),
    ...(most !== undefined && action !== 'delete' ? (['most'] as const) : []),
  ]
  return sides.map((side) => ({ kind: 'count', rule, side, says, at }))
}

function touches({ reads }: { readonly reads: ReadonlySet<string> }, columns: Columns): boolean {
  return columns === undefined || meets(reads, columns)
}

/** A record that comes may be one too many, one that goes one too few, one that changes both. */
function counts(rule: CountRule, action: WriteAction, columns: Columns): boolean {
  if (action === 'update') return touches(rule, columns)
  return action === 'delete' ? rule.least !== undefined : rule.most !== undefined
}

/** Whether a write can break a rule about other records; `columns` undefined: an update of any. */
export function breaks({ asked, reads }: ForeignRule, action: WriteAction, columns: Columns): boolean {
  // Nothing points at a record to come, and what others point at is not removed under them.
  if (action !== 'update') return asked
  return columns === undefined || meets(reads, columns)
}

/** The rules of the only one that a write of these columns may concern; undefined: of any. */
export function solesOf({ soles }: Resource, action: WriteAction, columns: Columns): readonly SoleRule[] {
  return action === 'delete' ? [] : soles.filter(({ reads }) => columns === undefined || meets(reads, columns))
}

function referenceChecks({ given, resource, trusted }: Unjudged): readonly Check[] {
  return given.flatMap((field) => {
    const relation = field.relation === undefined ? undefined : resource.relations.get(field.relation)
    if (relation?.kind !== 'belongs_to') return []
    // Of the record of the path it is known that the caller may see it, and not whether it may be chosen.
    if (trusted.has(field.name) && relation.where === undefined) return []
    return [{ kind: 'reference', relation } as const]
  })
}

/** A rule writes nothing when the record it selects is not there, or the actor does not have the value. */
function missingChecks({ assigned }: Unjudged): readonly Check[] {
  return assigned.flatMap(({ field, ...value }) => {
    const mayBeAbsent = 'selection' in value || value.operand.kind === 'actor'
    return !mayBeAbsent || field.nullable ? [] : [{ kind: 'missing', field } as const]
  })
}

function uniqueChecks({ given, resource }: Unjudged): readonly Check[] {
  // What the engine itself makes anew needs no look.
  const unique = given.filter((field) => field.unique && !(field === resource.key && field.readOnly))
  return unique.map((field) => ({ kind: 'unique', field }))
}

/** The written field by which a record could be outside the resource's scope; none where the scope fixes all it speaks of. */
function scopeChecks({ action, answer, assigned, given, resource }: Unjudged): readonly Check[] {
  if (resource.scope === undefined || answer === 'checks') return []
  const spoken = [...rootFields(resource.scope)]
  const fixed = new Set(assigned.map((assignment) => assignment.field.name))
  const sent = spoken.find((field) => given.some(({ name }) => name === field.name))
  const field = sent ?? (action === 'update' ? undefined : spoken.find(({ name }) => !fixed.has(name)))
  return field === undefined ? [] : [{ kind: 'scope', field }]
}

/** The fields of the record itself that a filter looks at. */
function rootFields(filter: Filter): ReadonlySet<Field> {
  const fields = leaves(filter).map(
    (leaf) => leaf.path.relations[0]?.field ?? (leaf.kind === 'compare' ? leaf.path.field : undefined),
  )
  return new Set(fields.filter((field) => field !== undefined))
}

/** Without them the database itself would refuse the value, and name no field. */
function fittingChecks(catalog: Catalog, { columns, given, resource }: Unjudged): readonly Check[] {
  return computedFields(catalog, resource)
    .filter(({ stored }) => meets(stored!.reads, columns))
    .map((field) => ({ kind: 'fits', field, from: given.filter(({ column }) => field.stored?.reads.has(column)) }))
}

function moveChecks({ action, given, resource }: Unjudged): readonly Check[] {
  if (action !== 'update') return []
  const sent = new Set(given.map(({ column }) => column))
  return resource.moves.filter(({ field }) => sent.has(field.column)).map((moves) => ({ kind: 'move', moves }))
}

/** A write whose locks are asked for; `columns` are those that it writes, undefined: the row goes or comes back as a whole. */
export interface LockedWrite {
  readonly resource: Resource
  readonly action: WriteAction
  readonly columns: Columns
  /** The joining tables whose pairs are written with it. */
  readonly links?: ReadonlySet<string>
  /** The columns in which it leaves no yes. */
  readonly never?: ReadonlySet<string>
}

/**
 * The locks that a write takes before its statement, so that it sees what others of the same rules have written. Among them
 * are those under which records are written that lose their yes to it.
 */
export function locksOf(catalog: Catalog, write: LockedWrite): readonly Lock[] {
  const { action, columns, never = NONE, resource } = write
  if (action === 'delete' || action === 'restore') return ownLocks(write)
  const own = ownLocks(write)
  const losses = solesOf(resource, action, columns).filter(({ field }) => !never.has(field.column))
  const further = losses.flatMap((rule) => lossLocks(catalog, rule))
  return [...own, ...further.filter(({ name }) => !own.some((one) => one.name === name && one.per.length === 0))]
}

function ownLocks({ action, columns, links = NONE, never = NONE, resource }: LockedWrite): readonly Lock[] {
  const counted = resource.counts.filter((rule) => counts(rule, action, columns))
  const soles = solesOf(resource, action, columns).filter(({ field }) => !never.has(field.column))
  const own = resource.rules.filter(
    (rule) =>
      rule.always && rule.on.has(action) && (action !== 'update' || touches(rule, columns) || meets(rule.links, links)),
  )
  const others = resource.foreignRules.filter((foreign) => breaks(foreign, action, columns))
  const linked = resource.linkRules.filter(({ through }) => links.has(through))
  const named = [...others, ...linked].map(({ rule, table }) => lockName({ table }, rule.name))
  return [
    ...[...counted, ...soles].map(({ name, per }) => ({ name: lockName(resource, name), per })),
    ...own.map(({ name }) => ({ name: lockName(resource, name), per: [] })),
    ...named.map((name) => ({ name, per: [] })),
  ]
}

/** The locks of the update by which a record loses its yes: whole rules, because its groups are not known before it is locked. */
function lossLocks(catalog: Catalog, { field, resource: name }: SoleRule): readonly Lock[] {
  const loser = catalog.resources.get(name)!
  const sets = loser.updateSets.map((set) => set.field.column)
  const columns = withFollowing(catalog, loser, 'update', [field.column, ...sets])
  const locks = ownLocks({ resource: loser, action: 'update', columns, never: new Set([field.column]) })
  return locks.map(({ name }) => ({ name, per: [] }))
}

/** The name of the lock of a rule of a table. */
export function lockName({ table }: Pick<Resource, 'table'>, rule: string): string {
  return `plinth rule ${table}.${rule}`
}

/** A rule as people read of it. */
interface ApplicableRule {
  readonly name: string
  readonly says: string
  readonly at: Field | undefined
  readonly span: Span
}

/** The rules that speak of an action: of the record itself, of several records, and those of others that look at it. */
export function applicableRules(resource: Resource, action: WriteAction): readonly ApplicableRule[] {
  const counts = resource.counts.filter(({ least, most }) => {
    if (action === 'delete') return least !== undefined
    return action === 'update' || most !== undefined
  })
  const linked = action === 'create' || action === 'update' ? resource.linkRules : []
  const distant = [...resource.foreignRules.filter((foreign) => breaks(foreign, action, undefined)), ...linked]
  const others = distant
    .filter(({ rule }, i) => !resource.rules.includes(rule) && distant.findIndex((one) => one.rule === rule) === i)
    .map(({ rule }) => ({ ...rule, at: undefined }))
  return [
    ...resource.rules.filter(({ on }) => on.has(action)),
    ...counts,
    ...(action === 'delete' ? [] : resource.overlaps),
    ...others,
  ]
}
