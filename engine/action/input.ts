/** From a body to what may be written: decoded, its clause chosen, fields that the caller may not write refused. */
import { isDeepStrictEqual } from 'node:util'
import type { Actor } from '../actor.ts'
import type { Assignment, Clause, Field, ManyToMany, Resource } from '../catalog/catalog.ts'
import { ApiError } from '../error.ts'
import type { Json, JsonObject } from '../json.ts'
import { type DecodedInput, decodeInput } from '../record/decode.ts'
import type { BoundHook, Execution } from './execution.ts'
import { manyFields } from './many.ts'
import { allowsOne } from './policy.ts'
import { storedFields } from './write-statement.ts'

export type Values = Record<string, Json>

/** A decoded body, split into what belongs to the record, to hooks, and to many-to-many relations. */
export interface Input {
  readonly values: Values
  readonly extra: Values
  readonly many: ReadonlyMap<ManyToMany, readonly number[]>
  readonly errors: Record<string, string[]>
}

/** Decodes a body for a resource and the hooks of one action. */
export function readInput(around: Execution, resource: Resource, hooks: readonly BoundHook[], body: JsonObject): Input {
  const own = storedFields(resource)
  const extras = hooks.flatMap((hook) => hook.input)
  const lists = manyFields(resource)
  const shownOnly = [...resource.fields.values()].filter(
    (field) => field.computed !== undefined || field.count !== undefined,
  )
  // Embedded objects come back in a body that was read first; like other read-only parts they are ignored.
  const embeds = [...resource.relations.values()]
    .filter((relation) => relation.embed !== undefined)
    .map((relation) => relation.name)
  const known = Object.fromEntries(
    Object.entries(body).filter(([key]) => !embeds.includes(key) || resource.fields.has(key)),
  )
  const fields = [...own, ...shownOnly, ...lists.map(([field]) => field), ...extras]
  const decoded: DecodedInput = decodeInput(fields, known, {
    partial: true,
    unknownKeys: around.catalog.strictness.unknownKeys,
  })
  const values: Values = {}
  const extra: Values = {}
  for (const [name, value] of Object.entries(decoded.values)) {
    if (extras.some((field) => field.name === name) && !own.some((field) => field.name === name)) extra[name] = value
    else values[name] = value
  }
  const many = new Map<ManyToMany, readonly number[]>()
  for (const [field, relation] of lists) {
    const ids = values[field.name]
    if (ids === undefined) continue
    delete values[field.name]
    many.set(relation, [...new Set((ids ?? []) as number[])])
  }
  return { values, extra, many, errors: decoded.errors }
}

/**
 * The clause under which the caller may write just these fields: the first that covers them.
 * Throws forbidden that names the field in the way when none does.
 */
export function chooseClause(
  clauses: readonly Clause[],
  actor: Actor,
  resource: Resource,
  values: Readonly<Values>,
): Clause | undefined {
  if (actor.kind === 'system') return undefined
  let inTheWay: string | undefined
  for (const clause of clauses) {
    const refused = Object.keys(values).find((name) => !covers(clause, actor, resource, name, values[name] ?? null))
    if (refused === undefined) return clause
    inTheWay ??= refused
  }
  throw new ApiError('forbidden', { message: `You may not set the field ${inTheWay}` })
}

function covers(clause: Clause, actor: Actor, resource: Resource, name: string, value: Json): boolean {
  if (clause.fields === undefined || clause.fields.has(name)) return true
  const set = clause.set.find((assignment) => assignment.field.name === name)
  if (set !== undefined && 'operand' in set) return isDeepStrictEqual(value, operandValue(set, actor))
  return holdsDefault(resource.fields.get(name), value)
}

function operandValue(assignment: Extract<Assignment, { operand: unknown }>, actor: Actor): Json | undefined {
  const { operand } = assignment
  if (operand.kind === 'literal') return operand.value
  if (operand.kind === 'actor') return operand.attribute === undefined ? actor.id : actor.attributes[operand.attribute]
  return undefined
}

/** Whether a value is what the field would hold had it not been sent. */
function holdsDefault(field: Field | undefined, value: Json): boolean {
  return field !== undefined && isDeepStrictEqual(value, field.default ?? null)
}

/** Refuses fields that the caller's role may not write; on create the default may be sent. Throws forbidden. */
export function refuseGuarded(actor: Actor, resource: Resource, values: Readonly<Values>, creating: boolean): void {
  for (const [name, value] of Object.entries(values)) {
    const field = resource.fields.get(name)
    if (field === undefined || allowsOne(field.write, actor)) continue
    if (creating && holdsDefault(field, value)) continue
    const needed = field.write?.find((access) => access.kind === 'permission')
    throw new ApiError('forbidden', {
      message:
        needed?.kind === 'permission'
          ? `You need the permission ${needed.permission} to set the field ${name}`
          : `You may not set the field ${name}`,
    })
  }
}

/** The part of `values` that differs from the stored record; equal values are no change, however they were written. */
export function changedValues(
  resource: Resource,
  values: Readonly<Values>,
  stored: Readonly<Record<string, Json>>,
): Values {
  const changed: Values = {}
  for (const [name, value] of Object.entries(values)) {
    const field = resource.fields.get(name)
    if (field !== undefined && !same(field, value, stored[name] ?? null)) changed[name] = value
  }
  return changed
}

function same(field: Field, value: Json, stored: Json): boolean {
  if (value === null || stored === null) return value === stored
  if (isDeepStrictEqual(value, stored)) return true
  const canonical = field.type.decode(stored, field.options)
  return 'value' in canonical && isDeepStrictEqual(value, canonical.value)
}

/** A decoded value as a statement's parameter: JSON columns as text, everything else as it is. */
export function parameter(field: Field, value: Json): unknown {
  return field.type.wire === 'json' && value !== null ? JSON.stringify(value) : value
}

/** The slots `f_<name>` of values. */
export function valueSlots(resource: Resource, values: Readonly<Values>): Record<string, unknown> {
  const slots: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(values)) {
    const field = resource.fields.get(name)
    if (field !== undefined) slots[`f_${name}`] = parameter(field, value)
  }
  return slots
}
