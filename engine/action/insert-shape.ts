/** What an insert writes beside the caller's values: by rule, by default, and what is missing all the same. */
import type { Actor } from '../actor.ts'
import type { Assignment, Catalog, Clause, Resource } from '../catalog/catalog.ts'
import { computedFields, tableFields } from '../catalog/stored.ts'
import { uuid7 } from '../field/uuid7.ts'
import type { WriteShape } from '../query/write-shape.ts'
import { type FieldValues, isWritable, sentence } from '../record/decode.ts'
import type { WriteInput } from './input.ts'
import { type KnownValues, without } from './lock.ts'
import { tellable } from './usable.ts'

/** What rules write beside the caller's values; a field of the scope that the caller names is checked instead. */
export function assignments(
  resource: Resource,
  clause: Clause | undefined,
  values: Readonly<FieldValues>,
): readonly Assignment[] {
  return [...resource.scopeSets.filter(({ field }) => !Object.hasOwn(values, field.name)), ...(clause?.set ?? [])]
}

/** The values with an id, where that is neither sent nor counted by the database. */
export function withId({ key }: Resource, values: Readonly<FieldValues>, now: Date): Readonly<FieldValues> {
  if (key.type.name !== 'uuid' || Object.hasOwn(values, key.name)) return values
  return { ...values, [key.name]: uuid7(now.getTime()) }
}

/** The values of a record to come that no rule decides. */
export function givenForSure(
  resource: Resource,
  values: Readonly<FieldValues>,
  clauses: readonly (Clause | undefined)[],
): KnownValues {
  const assigned = clauses.flatMap((clause) => assignments(resource, clause, values))
  const follows = resource.follows.flatMap(({ set }) => set)
  const yes = resource.soles.flatMap(({ field: { name } }) => resource.fields.get(name) ?? [])
  const defaults = Object.fromEntries(yes.map((field) => [field.name, field.default ?? null]))
  return without({ ...defaults, ...values }, new Set([...assigned, ...follows].map(({ field }) => field.name)))
}

/** What an insert takes from the values, and what rules and defaults put beside them. */
export function insertShape(
  catalog: Catalog,
  resource: Resource,
  values: Readonly<FieldValues>,
  clause: Clause | undefined,
): Pick<WriteShape, 'given' | 'assigned'> {
  const assigned = assignments(resource, clause, values)
  const fixed = new Set(assigned.map((assignment) => assignment.field.name))
  const given = [...resource.fields.values()].filter(
    (field) => Object.hasOwn(values, field.name) && !fixed.has(field.name) && field.stored === undefined,
  )
  const filled = [...assigned, ...defaultAssignments(catalog, resource, values, fixed)]
  // Rules are judged, and values follow, before the database would give the moments.
  const judged =
    resource.rules.length > 0 || resource.follows.length > 0 || computedFields(catalog, resource).length > 0
  const moments = !judged ? [] : defaultMoments(resource, values, filled)
  return { given, assigned: [...filled, ...moments] }
}

/** Defaults of absent fields: literals, and records that stand in by condition. */
function defaultAssignments(
  catalog: Catalog,
  resource: Resource,
  values: Readonly<FieldValues>,
  fixed: ReadonlySet<string>,
): readonly Assignment[] {
  const found: Assignment[] = []
  const owner = catalog.resources.get(resource.owner) ?? resource
  for (const field of tableFields(catalog, resource)) {
    if (Object.hasOwn(values, field.name) || fixed.has(field.name)) continue
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

/** The moments that the database itself gives to absent fields; a draft has to name them. */
export function defaultMoments(
  resource: Resource,
  values: Readonly<FieldValues>,
  assigned: readonly Assignment[],
): readonly Assignment[] {
  return [...resource.fields.values()].flatMap((field) => {
    const filled = Object.hasOwn(values, field.name) || assigned.some((assignment) => assignment.field === field)
    return field.defaultMoment === undefined || filled ? [] : [{ field, operand: { kind: field.defaultMoment } }]
  })
}

/** The errors of required fields that neither the caller nor a rule fills. */
export function missingErrors(
  actor: Actor,
  resource: Resource,
  { errors, values }: WriteInput,
  assigned: readonly Assignment[],
): Record<string, string[]> {
  const missing: Record<string, string[]> = {}
  const set = new Set(assigned.map((assignment) => assignment.field.name))
  for (const field of resource.fields.values()) {
    if (!field.required || !isWritable(field) || set.has(field.name)) continue
    if (Object.hasOwn(values, field.name) || Object.hasOwn(errors, field.name)) continue
    if (field.default !== undefined || field.defaultMoment !== undefined) continue
    const relation = field.relation === undefined ? undefined : resource.relations.get(field.relation)
    if (relation?.kind === 'belongs_to' && relation.default !== undefined) continue
    if (field.type.name === 'slug' && typeof field.options.own.from === 'string') continue
    missing[field.name] = [sentence(field, 'is required')]
  }
  return Object.keys(missing).length === 0 ? missing : tellable(actor, resource, missing)
}
