/** Examples of values and of bodies: what a type takes, and what no rule refuses as far as the YAML can tell. */
import type { Field, Resource } from '../catalog/catalog.ts'
import type { Json, JsonObject } from '../json.ts'
import { truthOf } from '../resolve/judge/truth.ts'
import type { Property } from './schema.ts'

const DAY = '2026-01-31'
const TEXTS = [
  '2026-01-31T09:30:00.000000Z',
  DAY,
  'ada@example.com',
  'https://example.com/page',
  '#ff8800',
  '12.50',
  '12',
  'in-progress',
] as const

/** Texts to try as examples, for fields whose schema only says "a string". */
const PLAIN: readonly Json[] = ['in-progress', '12.50', '12']

/** A value that the field takes, in the form of answers; undefined when no guess fits, or when the field holds a name of the application. */
export function exampleOf(field: Field): Json | undefined {
  if (field.default !== undefined && field.default !== null) return field.default
  if (field.holds !== undefined) return undefined
  for (const guess of guesses(field)) {
    const decoded = field.type.decode(guess, field.options)
    if ('value' in decoded) return decoded.value
  }
  return undefined
}

function guesses(field: Field): readonly Json[] {
  const schema = field.type.schema(field.options)
  const { own } = field.options
  if (Array.isArray(schema.enum)) return schema.enum as readonly Json[]
  switch (schema.type) {
    case 'boolean':
      return [true]
    case 'integer':
    case 'number':
      return [1, Number(own.min ?? 0), Number(own.max ?? 0)]
    case 'array':
      return [...TEXTS, 'printer', 1, true].map((item) => [item])
    case 'string':
      if (own.start !== undefined) return [String(own.start)]
      if (schema.writeOnly === true) return ['correct horse battery']
      if (schema.format !== undefined) return TEXTS
      return schema.pattern === undefined ? [field.label, ...PLAIN] : [...TEXTS, '1', String(own.min), field.label]
    default:
      return []
  }
}

/**
 * A body to begin with: the required properties, or one other. Ids of records that may not exist are left out; undefined
 * where nothing is left.
 */
export function exampleBody(fields: readonly Field[], properties: readonly Property[]): JsonObject | undefined {
  const isNeeded = properties.some(({ required }) => required)
  const body: Record<string, Json> = {}
  for (const [index, field] of fields.entries()) {
    const required = properties[index]?.required === true
    const plain = field.relation === undefined && field.write === undefined && field.default === undefined
    const isTaken = required || (!isNeeded && plain && Object.keys(body).length === 0)
    const example = isTaken ? exampleOf(field) : undefined
    if (example !== undefined) body[field.name] = example
    else if (required) return undefined
  }
  return Object.keys(body).length === 0 ? undefined : body
}

/** Whether a rule of the resource may refuse a write of this body. A change is judged by the rules over what it changes. */
export function mayRefuse(resource: Resource, action: 'create' | 'update', body: JsonObject): boolean {
  const fields = [...resource.fields.values()].filter(({ name }) => Object.hasOwn(body, name))
  if (resource.moves.some(({ field }) => fields.includes(field))) return true
  const rules = resource.rules.filter(({ on }) => on.has(action))
  if (action === 'update') return rules.some(({ reads }) => fields.some(({ column }) => reads.has(column)))
  const known = (field: Field): Json | undefined => valueIn(resource, body, field)
  return rules.some(({ must, reads, when }) => {
    if (when !== undefined && truthOf(when, known) === false) return false
    // What the program gives of its own is right without the body.
    return !(truthOf(must, known) ?? !fields.some(({ column }) => reads.has(column)))
  })
}

/** The value that a new record of this body has; undefined where something else gives it. */
function valueIn(resource: Resource, body: JsonObject, field: Field): Json | undefined {
  const sent = body[field.name] ?? field.default
  if (sent !== undefined) return sent
  const relation = field.relation === undefined ? undefined : resource.relations.get(field.relation)
  const isGiven =
    field.defaultMoment !== undefined ||
    field.stored !== undefined ||
    field.type.generated !== undefined ||
    (relation?.kind === 'belongs_to' && relation.default !== undefined) ||
    resource.scopeSets.some((one) => one.field === field) ||
    resource.policies.create.some(({ set }) => set.some((one) => one.field === field)) ||
    resource.follows.some(({ set }) => set.some((one) => one.field === field))
  return isGiven ? undefined : null
}
