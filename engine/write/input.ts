/** From a body to what may be written: decodes it, chooses the clauses that cover it, refuses fields that the caller may not write. */
import { isDeepStrictEqual } from 'node:util'
import type { Actor } from '../actor.ts'
import { allowsOne, clausesFor, readable } from '../ask/policy.ts'
import type { Assignment, Clause, Field, ManyToMany, Resource } from '../catalog/catalog.ts'
import { isStored, storedFields } from '../catalog/stored.ts'
import { ApiError } from '../error.ts'
import { FIELD_TYPES } from '../field/index.ts'
import { uuid7 } from '../field/uuid.ts'
import { type FieldError, fieldError } from '../field-error.ts'
import type { Id } from '../id.ts'
import type { Json, JsonObject } from '../json.ts'
import { memo } from '../memo.ts'
import { type Insert, PLAIN_INSERT, PLAIN_UPDATE, planInsert, planUpdate, type Update } from '../plan/write-plan.ts'
import type { WritePlan } from '../plan/write-shape.ts'
import { type DecodedInput, decodeInput, type FieldValues, isWritable } from '../record/decode.ts'
import type { BoundHook, Execution } from '../run/execution.ts'
import { underPresentNames } from './present-names.ts'

/** The body keys that write many-to-many relations, as fields: lists of distinct ids. */
export const manyFields = memo((resource: Resource): readonly (readonly [Field, ManyToMany])[] => {
  const relations = [...resource.relations.values()].filter((relation) => relation.kind === 'many_to_many')
  return relations.map((relation) => [idList(resource, relation), relation] as const)
})

/** The most links that a body sets at once: each is looked up, and tables of others may have many. */
const LINKS = 5_000

function idList(resource: Resource, relation: ManyToMany): Field {
  const own = { of: relation.ids, max_items: LINKS }
  return {
    ...resource.key,
    name: relation.writeAs,
    column: relation.writeAs,
    type: FIELD_TYPES.find((type) => type.name === 'list')!,
    options: { name: relation.writeAs, required: false, nullable: true, own },
    label: relation.label,
    readOnly: false,
    immutable: false,
    unique: false,
    nullable: true,
    required: false,
    write: relation.write,
  }
}

/** The links that a caller wants, as ids by relation. */
export type Links = ReadonlyMap<ManyToMany, readonly Id[]>

const NOWHERE: ReadonlySet<string> = new Set()

/** The joining tables of links. */
export function tablesOf(links: Links): ReadonlySet<string> {
  return links.size === 0 ? NOWHERE : new Set([...links.keys()].map(({ through }) => through.table))
}

/** The names of the relations of links. */
export function namesOf(links: Links): readonly string[] {
  return [...links.keys()].map(({ name }) => name)
}

/** A decoded body, split into what belongs to the record, to hooks, and to many-to-many relations. */
export interface WriteInput {
  readonly values: FieldValues
  readonly extra: FieldValues
  readonly many: Links
  readonly errors: Record<string, FieldError[]>
  /** Values under an earlier name, where the body has another under the present name. */
  readonly others?: FieldValues | undefined
  /** The body as it was sent; values that could not be decoded are compared with the stored record. */
  readonly body: JsonObject
  /** Values that cannot be written: they must be as the record is read. */
  readonly unwritable: Readonly<FieldValues>
}

interface Spoken {
  readonly own: readonly Field[]
  /** Those, the ones that are shown only, and the lists of links. */
  readonly fields: readonly Field[]
}

/** The fields that a body may speak of. */
const spokenFields = memo((resource: Resource): Spoken => {
  const own = storedFields(resource)
  const shownOnly = [...resource.fields.values()].filter((field) => !isStored(field))
  return { own, fields: [...own, ...shownOnly, ...manyFields(resource).map(([field]) => field)] }
})

/** Decodes a body for a resource and the hooks of one action. */
export function readInput(
  around: Execution,
  resource: Resource,
  hooks: readonly BoundHook[],
  sent: JsonObject,
): WriteInput {
  const { body, others } = resource.earlier === undefined ? { body: sent } : underPresentNames(resource, sent)
  const extras = hooks.flatMap((hook) => hook.input)
  const { fields: spoken, own } = spokenFields(resource)
  const lists = manyFields(resource)
  const embeds = Object.keys(body).some((key) => isEmbed(resource, key, body[key] ?? null))
  const known = embeds
    ? Object.fromEntries(Object.entries(body).filter(([key, value]) => !isEmbed(resource, key, value)))
    : body
  const fields = extras.length === 0 ? spoken : [...spoken, ...extras]
  const decoded: DecodedInput = decodeInput(fields, known, {
    partial: true,
    unknownKeys: around.catalog.strictness.unknownKeys,
    mayName: (field) => extras.includes(field) || isUsable(around.actor, resource, field),
  })
  const beside = others && decodeInput(own, others, { partial: true, unknownKeys: 'ignore' })
  const values: FieldValues = {}
  const extra: FieldValues = {}
  for (const [name, value] of Object.entries(decoded.values)) {
    if (extras.some((field) => field.name === name) && !own.some((field) => field.name === name)) extra[name] = value
    else values[name] = value
  }
  const many = new Map<Parameters<Links['get']>[0], readonly Id[]>()
  for (const [field, relation] of lists) {
    const ids = values[field.name]
    if (ids === undefined) continue
    delete values[field.name]
    many.set(relation, [...new Set((ids ?? []) as Id[])])
  }
  // An application that ignores unknown keys ignores these too.
  const compared = around.catalog.strictness.unknownKeys === 'refuse' ? unwritable(resource, body) : {}
  const errors = beside === undefined ? decoded.errors : { ...beside.errors, ...decoded.errors }
  return { values, extra, many, errors, others: beside?.values, body, unwritable: compared }
}

/** The part of a body that cannot be written; its values are compared with the record, never stored. */
function unwritable(resource: Resource, body: JsonObject): Readonly<FieldValues> {
  const found: Record<string, Json> = {}
  for (const [key, value] of Object.entries(body)) {
    const field = resource.fields.get(key)
    if (field === undefined ? isEmbed(resource, key, value) : !isWritable(field)) found[key] = value
  }
  return found
}

/** Whether a key is an embedded record of answers. A plain value there is left to the check for unknown keys. */
function isEmbed(resource: Resource, key: string, value: Json): boolean {
  if (resource.fields.has(key) || resource.relations.get(key)?.embed === undefined) return false
  return typeof value === 'object'
}

/**
 * The clauses under which the caller may write just these fields, in order; the system needs none. On create a
 * field may also be sent with its default.
 * Throws forbidden that names the field in the way when no clause covers them.
 */
export function coveringClauses(
  clauses: readonly Clause[],
  actor: Actor,
  resource: Resource,
  values: Readonly<FieldValues>,
  creating: boolean,
): readonly (Clause | undefined)[] {
  const found = coveredBy(clauses, actor, resource, values, creating)
  if (found.covering.length > 0) return found.covering
  throw new ApiError('forbidden', { message: `You may not set the field ${found.refused}` })
}

/** The clauses that cover the values, in order, and the first field that the first clause does not cover. */
export function coveredBy(
  clauses: readonly Clause[],
  actor: Actor,
  resource: Resource,
  values: Readonly<FieldValues>,
  creating: boolean,
): { readonly covering: readonly (Clause | undefined)[]; readonly refused: string | undefined } {
  if (actor.kind === 'system') return { covering: [undefined], refused: undefined }
  const refused = clauses.map((clause) =>
    Object.keys(values).find((name) => !covers(clause, actor, resource, name, values[name] ?? null, creating)),
  )
  return { covering: clauses.filter((_, i) => refused[i] === undefined), refused: refused[0] }
}

/** Whether a clause covers at least one of the values of an update. */
export function coversPart(clause: Clause, actor: Actor, resource: Resource, values: Readonly<FieldValues>): boolean {
  return Object.entries(values).some(([name, value]) => covers(clause, actor, resource, name, value, false))
}

function covers(
  clause: Clause,
  actor: Actor,
  resource: Resource,
  name: string,
  value: Json,
  creating: boolean,
): boolean {
  // A value that the clause sets may be sent as the clause sets it. Another value would be dropped without a word, so it is not covered.
  const set = clause.set.find((assignment) => assignment.field.name === name)
  if (set !== undefined) return 'operand' in set && isDeepStrictEqual(value, operandValue(set, actor))
  if (clause.fields === undefined || clause.fields.has(name)) return true
  return creating && holdsDefault(resource, name, value)
}

function operandValue(assignment: Extract<Assignment, { operand: unknown }>, actor: Actor): Json | undefined {
  const { operand } = assignment
  if (operand.kind === 'literal') return operand.value
  if (operand.kind === 'actor') return operand.attribute === undefined ? actor.id : actor.attributes[operand.attribute]
  return undefined
}

/** What assignments write, as far as it is known without the database. */
export function assignedValues(assigned: readonly Assignment[], actor: Actor): FieldValues {
  const values: FieldValues = {}
  for (const assignment of assigned) {
    const value = 'operand' in assignment ? operandValue(assignment, actor) : undefined
    if (value !== undefined) values[assignment.field.name] = value
  }
  return values
}

/** Whether a value is the one that the record would have without it. */
function holdsDefault(resource: Resource, name: string, value: Json): boolean {
  const field = resource.fields.get(name)
  if (field === undefined) return Array.isArray(value) && value.length === 0
  return isDeepStrictEqual(value, field.default ?? null)
}

/** Refuses fields and links that the caller's role may not write; on create the default may be sent. Throws forbidden. */
export function refuseGuarded(
  actor: Actor,
  resource: Resource,
  values: Readonly<FieldValues>,
  creating: boolean,
): void {
  const lists = manyFields(resource).map(([field]) => field)
  for (const [name, value] of Object.entries(values)) {
    const field = resource.fields.get(name) ?? lists.find((list) => list.name === name)
    if (field === undefined || allowsOne(field.write, actor)) continue
    if (creating && holdsDefault(resource, name, value)) continue
    const needed = field.write?.find((access) => access.kind === 'permission')
    throw new ApiError('forbidden', {
      message:
        needed?.kind === 'permission'
          ? `You need the permission ${needed.permission} to set the field ${name}`
          : `You may not set the field ${name}`,
    })
  }
}

/**
 * Represents a value that could not be decoded. It equals no default and nothing that a rule sets, so it needs the
 * right to write the field.
 */
const MALFORMED: Json = Object.freeze({})

/** All that a caller wants to write: the values, the links under their body keys, and what is malformed. */
export function wanted(
  resource: Resource,
  values: Readonly<FieldValues>,
  { many, errors }: Pick<WriteInput, 'many' | 'errors'>,
): FieldValues {
  const links = [...many].map(([relation, ids]) => [relation.writeAs, ids] as const)
  const lists = manyFields(resource).map(([field]) => field.name)
  const malformed = Object.keys(errors)
    .map((key) => key.replace(/\.\d+.*$/, ''))
    .filter((name) => resource.fields.has(name) || lists.includes(name))
  return { ...values, ...Object.fromEntries([...links, ...malformed.map((name) => [name, MALFORMED] as const)]) }
}

/** The values with an id, where that is neither sent nor counted by the database. */
export function withId({ key }: Resource, values: Readonly<FieldValues>, now: Date): Readonly<FieldValues> {
  if (key.type.name !== 'uuid' || Object.hasOwn(values, key.name)) return values
  return { ...values, [key.name]: uuid7(now.getTime()) }
}

/** The names that have a value, asked one by one. */
export function namesIn(values: Readonly<FieldValues>): { has(name: string): boolean } {
  return { has: (name) => Object.hasOwn(values, name) }
}

/** The names of fields that have a value, in the order of the resource, so that equal ones are the same part of a plan. */
export function givenNames({ fields }: Resource, values: Readonly<FieldValues>): readonly string[] {
  return [...fields.keys()].filter((name) => Object.hasOwn(values, name))
}

/** Whether values have the same names, whatever they are. */
export function haveSameNames(one: Readonly<FieldValues>, other: Readonly<FieldValues>): boolean {
  const names = Object.keys(one)
  return names.length === Object.keys(other).length && names.every((name) => Object.hasOwn(other, name))
}

/** The plan of creating the record with these values, under one clause. */
export function insertPlan(
  { bulk, plans }: Execution,
  {
    answer,
    clause,
    hooked = PLAIN_INSERT.hooked,
    links = PLAIN_INSERT.links,
    never = PLAIN_INSERT.never,
    resource,
    trusted = PLAIN_INSERT.trusted,
    within = PLAIN_INSERT.within,
  }: Pick<Insert, 'resource' | 'clause' | 'answer'> & Partial<Insert>,
  values: Readonly<FieldValues>,
): WritePlan {
  const names = givenNames(resource, values)
  // Each creation asks for its plan, and parts that are spread into one object were seen in profiles.
  return plans.get(planInsert, { resource, clause, answer, hooked, within, never, links, trusted, bulk, names })
}

/** The plan of giving a record these values, under one clause. */
export function updatePlan(
  { plans }: Execution,
  parts: Pick<Update, 'resource' | 'clause' | 'answer'> & Partial<Update>,
  values: Readonly<FieldValues>,
): WritePlan {
  return plans.get(planUpdate, { ...PLAIN_UPDATE, ...parts, names: givenNames(parts.resource, values) })
}

const WRITES = ['create', 'update'] as const

/** Whether the actor may read a field of the resource, or write it. */
export function isUsable(actor: Actor, resource: Resource, field: Field): boolean {
  if (actor.kind === 'system' || (readable(field, actor) && field.show !== 'never')) return true
  if (!isWritable(field) || !allowsOne(field.write, actor)) return false
  const clauses = WRITES.flatMap((name) => clausesFor(resource.policies[name], actor))
  return clauses.some(({ fields }) => fields === undefined || fields.has(field.name))
}

/** Errors as they are told: what is wrong with a field that the caller may not use is said of the record. */
export function tellable(
  actor: Actor,
  resource: Resource,
  errors: Readonly<Record<string, FieldError[]>>,
): Record<string, FieldError[]> {
  const isTold = (name: string): boolean => {
    const field = resource.fields.get(name)
    return field === undefined || isUsable(actor, resource, field)
  }
  const told = Object.entries(errors).filter(([key]) => isTold(key.split('.', 1)[0] ?? ''))
  if (told.length === Object.keys(errors).length) return errors
  const ofRecord = { record: [fieldError('invalid', 'A value that you may not set stands in the way')] }
  return { ...Object.fromEntries(told), ...ofRecord }
}
