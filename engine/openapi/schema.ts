/** The few forms of JSON Schema that documents are made of: objects, lists, and values that may be null. */
import { fieldLabel } from '../catalog/name.ts'
import type { JsonSchema } from '../json.ts'

/** A property with whether answers always have it, and bodies must. */
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
 * A node with its items or values changed; the node itself where none of them is, because copies of what stays the same
 * would be most of a large document. What is no list and no object stays.
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

/** Whether a label says no more than the name that it stands beside: `Status` beside `status_id`. */
export function repeats(label: string, name: string): boolean {
  const plain = fieldLabel(name)
  return label === plain || `${label} id` === plain
}

/** A reference to a schema among the document's components. */
export function schemaRef(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` }
}

/** Schemas with a shorter text are written out, because a reference would save nothing. */
const SHORTEST = 90

/** Whether a reference in the place of a schema with this text is shorter. */
export function isWorthReference(text: string): boolean {
  return text.length >= SHORTEST
}

/** The description, which says something of the place, and the value. */
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

/** A schema without limits, those of its items too; `keep` names keywords that stay. */
export function unlimited(schema: JsonSchema, keep: readonly string[] = []): JsonSchema {
  const kept = Object.entries(schema).filter(([word]) => keep.includes(word) || !LIMITS_OF_BODIES.includes(word))
  const bare = Object.fromEntries(kept)
  return typeof bare.items === 'object' ? { ...bare, items: unlimited(bare.items as JsonSchema, keep) } : bare
}
