/** The forms of JSON Schema in documents: objects, lists, and values that may be null. */
import { fieldLabel } from '../catalog/name.ts'
import type { JsonSchema } from '../json.ts'

/** A property; `required`: answers always have it, and bodies must. */
export interface Property {
  readonly name: string
  readonly schema: JsonSchema
  readonly required: boolean
}

/** An object of these properties, in their order. */
export function objectOf(properties: readonly Property[], more: JsonSchema = {}): JsonSchema {
  const required = properties.filter((property) => property.required).map((property) => property.name)
  return {
    type: 'object',
    ...more,
    properties: Object.fromEntries(properties.map(({ name, schema }) => [name, schema])),
    ...(required.length === 0 ? {} : { required }),
  }
}

export function listOf(items: JsonSchema): JsonSchema {
  return { type: 'array', items }
}

/** The same value, or null. */
export function nullable(schema: JsonSchema): JsonSchema {
  const { type, enum: words } = schema
  if (Object.keys(schema).length === 0) return schema
  const wider = words === undefined ? {} : { enum: [...(words as readonly unknown[]), null] }
  if (typeof type === 'string') return { ...schema, type: [type, 'null'], ...wider }
  if (Array.isArray(type)) return { ...schema, type: type.includes('null') ? type : [...type, 'null'], ...wider }
  return { anyOf: [schema, { type: 'null' }] }
}

/**
 * A node with its items or values changed. An unchanged node is returned itself, because copies of unchanged parts
 * would be most of a large document. Other values than lists and objects stay.
 */
export function mapChildren(node: unknown, change: (value: unknown, key: string) => unknown): unknown {
  if (typeof node !== 'object' || node === null) return node
  let changed: Record<string, unknown> | undefined
  for (const [key, value] of Object.entries(node)) {
    const next = change(value, key)
    if (next === value) continue
    changed ??= (Array.isArray(node) ? [...node] : { ...node }) as Record<string, unknown>
    changed[key] = next
  }
  return changed ?? node
}

/** Whether a label only repeats the name next to it: `Status` and `status_id`. */
export function repeats(label: string, name: string): boolean {
  const plain = fieldLabel(name)
  return label === plain || `${label} ID` === plain
}

/** A reference to a schema of the components. */
export function schemaRef(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` }
}

/** Schemas with a shorter text are written out, because a reference would save nothing. */
const SHORTEST = 90

/** Whether a reference is shorter than a schema with this text. */
export function isWorthReference(text: string): boolean {
  return text.length >= SHORTEST
}

/** The description, which belongs to the place, and the rest. */
export function split(schema: JsonSchema): readonly [about: JsonSchema, value: JsonSchema] {
  const { description, ...value } = schema
  return description === undefined ? [{}, schema] : [{ description }, value]
}

const LIMITS_OF_BODIES = [
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
  'uniqueItems',
  'pattern',
]

/** A schema without limits, also for its items; `keep` names keywords that stay. */
export function unlimited(schema: JsonSchema, keep: readonly string[] = []): JsonSchema {
  const kept = Object.entries(schema).filter(([word]) => keep.includes(word) || !LIMITS_OF_BODIES.includes(word))
  const bare = Object.fromEntries(kept)
  return typeof bare.items === 'object' ? { ...bare, items: unlimited(bare.items as JsonSchema, keep) } : bare
}
