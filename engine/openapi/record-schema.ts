/** Schemas of a resource's records: in lists, in single answers, and in bodies. */

import { shown } from '../ask/policy.ts'
import type { Earlier, EmbedEntry, Field, Relation, Resource } from '../catalog/catalog.ts'
import type { Json, JsonSchema } from '../json.ts'
import type { Mode } from '../plan/read-plan.ts'
import { isWritable } from '../record/decode.ts'
import { manyFields } from '../write/input.ts'
import { exampleBody, exampleOf, mayRefuse } from './example.ts'
import { listOf, nullable, objectOf, type Property, repeats, unlimited } from './schema.ts'

/** The record in an answer; properties that only some callers may read are not required. */
export function recordSchema(resource: Resource, mode: Mode): JsonSchema {
  const properties: Property[] = []
  for (const field of resource.fields.values()) {
    const relation = field.relation === undefined ? undefined : resource.relations.get(field.relation)
    if (relation !== undefined) properties.push(...relationProperty(relation, mode))
    if (field.type.hidden !== true && shown(field.show, mode)) properties.push(fieldProperty(field))
  }
  for (const relation of resource.relations.values()) {
    if (relation.kind !== 'belongs_to') properties.push(...relationProperty(relation, mode))
  }
  return objectOf(properties, described(resource.description))
}

function fieldProperty(field: Field): Property {
  const access = field.read === undefined ? undefined : 'Only for those who may read it.'
  const schema = { ...valueSchema(field), ...annotations(field, access), ...formerly(field.earlier) }
  return { name: field.name, schema, required: field.read === undefined }
}

/**
 * A value of an answer, null included where it can be. Limits are left out, since records may be older than the present
 * limits. The form of the type itself stays, except where SQL computes the value.
 */
function valueSchema(field: Field): JsonSchema {
  const formed = field.computed === undefined && field.options.own.pattern === undefined
  const schema = unlimited(field.type.schema(field.options), formed ? ['pattern'] : [])
  return field.nullable && (field.count === undefined || field.total !== undefined) ? nullable(schema) : schema
}

/** The relations that only `include` adds. */
export function askedSchema(resource: Resource): JsonSchema {
  const asked = [...resource.relations.values()].filter(({ show }) => show === 'asked')
  return objectOf(asked.flatMap(embedded))
}

function relationProperty(relation: Relation, mode: Mode): readonly Property[] {
  return shown(relation.show, mode) ? embedded(relation) : []
}

function embedded(relation: Relation): readonly Property[] {
  if (relation.embed === undefined) return []
  const text = meaning(relation.name, relation.label, relation.description)
  const record = embedSchema(relation.embed)
  const schema =
    relation.kind === 'belongs_to'
      ? relation.field.nullable
        ? nullable(record)
        : record
      : relation.kind === 'has_many' && relation.first
        ? nullable(record)
        : listOf(record)
  return [
    {
      name: relation.name,
      schema: { ...schema, ...described(text), ...formerly(relation.earlier) },
      required: relation.read === undefined,
    },
  ]
}

function embedSchema(entries: readonly EmbedEntry[]): JsonSchema {
  return objectOf(
    entries.map(({ name, value, earlier }): Property => {
      if (value.kind === 'embed') {
        const schema = embedSchema(value.entries)
        const whole = value.relation.field.nullable ? nullable(schema) : schema
        return { name, schema: { ...whole, ...formerly(earlier) }, required: value.relation.read === undefined }
      }
      const { field, relations } = value.path
      const isOpen = [field, ...relations].every(({ read }) => read === undefined)
      const reached = relations.some((relation) => relation.field.nullable)
      const schema = valueSchema(field)
      const whole = reached ? nullable(schema) : schema
      return { name, schema: { ...whole, ...formerly(earlier) }, required: isOpen }
    }),
  )
}

/** The body of a write: fields of the resource, lists of ids of many-to-many relations, and the input of hooks. */
export function inputSchema(
  resource: Resource,
  action: 'create' | 'update',
  hookInput: readonly Field[],
  without?: Field,
): JsonSchema {
  const own = [...resource.fields.values()].filter(
    (field) => isWritable(field) && field !== without && !(action === 'update' && field.immutable),
  )
  const fields = [...own, ...manyFields(resource).map(([field]) => field), ...hookInput]
  const properties = fields.map((field) => ({
    name: field.name,
    schema: bodyValue(field, action, action === 'create' && isSetForSome(resource, field), resource.existing),
    required: action === 'create' && field.required && !isFilledIn(resource, field),
  }))
  const example = exampleBody(fields, properties)
  const shown = example === undefined || mayRefuse(resource, action, example) ? {} : { examples: [example] }
  return withEarlierKeys(resource, objectOf(properties, shown))
}

/** The same body with earlier names; where a key is required, either name will do. */
function withEarlierKeys({ earlier }: Resource, body: JsonSchema): JsonSchema {
  if (earlier === undefined) return body
  const {
    properties,
    required = [],
    ...more
  } = body as {
    readonly properties: Readonly<Record<string, JsonSchema>>
    readonly required?: readonly string[]
  } & JsonSchema
  const twins = [...earlier.keys].filter(([, name]) => properties[name] !== undefined)
  if (twins.length === 0) return body
  const added = twins.map(([key, name]) => {
    const { default: _, ...schema } = properties[name] as Readonly<Record<string, Json>>
    return [key, { ...schema, ...formerly({ instead: name, ...earlier.names.get(key) }) }] as const
  })
  const either = twins.filter(([, name]) => required.includes(name))
  const left = required.filter((name) => !either.some(([, other]) => other === name))
  return {
    ...more,
    properties: { ...properties, ...Object.fromEntries(added) },
    ...(left.length === 0 ? {} : { required: left }),
    ...(either.length === 0
      ? {}
      : { allOf: either.map(([key, name]) => ({ anyOf: [{ required: [name] }, { required: [key] }] })) }),
  }
}

/** Describes an earlier name by the present one. */
export function formerly(earlier: Earlier | undefined): JsonSchema {
  if (earlier === undefined) return {}
  const until = earlier.until === undefined ? '' : `, which may be used until ${earlier.until}`
  return { deprecated: true, description: `The earlier name of \`${earlier.instead}\`${until}.` }
}

/** The properties of a body, or of a part of it, by its fields. */
export function fieldsSchema(fields: readonly Field[], partial: boolean): JsonSchema {
  const writable = fields.filter(isWritable)
  const properties = writable.map((field) => ({
    name: field.name,
    schema: bodyValue(field, 'create'),
    required: !partial && field.required && field.default === undefined,
  }))
  const example = exampleBody(writable, properties)
  return objectOf(properties, example === undefined ? {} : { examples: [example] })
}

function isFilledIn(resource: Resource, field: Field): boolean {
  if (field.default !== undefined || field.defaultMoment !== undefined) return true
  const relation = field.relation === undefined ? undefined : resource.relations.get(field.relation)
  if (relation?.kind === 'belongs_to' && relation.default !== undefined) return true
  return resource.scopeSets.some((set) => set.field.name === field.name) || isSetForSome(resource, field)
}

/** Whether a rule fills the field for some callers who may create: they can leave out a key that others must send. */
function isSetForSome(resource: Resource, field: Field): boolean {
  return resource.policies.create.some((clause) => clause.set.some((set) => set.field.name === field.name))
}

/**
 * A value of a body with its description. A default is described in words: generators of clients take a property with
 * `default` for one that is always there, and would require it of every caller.
 */
function bodyValue(field: Field, action: 'create' | 'update', filled = false, existing = false): JsonSchema {
  const schema = shownText(field.type.input?.(field.options) ?? field.type.schema(field.options), field, existing)
  const guard = field.write === undefined ? undefined : 'Only for those who may set it.'
  const rule = filled ? 'A rule fills it in for some callers.' : undefined
  const without = action === 'update' || field.default === undefined ? undefined : field.default
  const usual = without === undefined ? undefined : `\`${JSON.stringify(without)}\` if absent.`
  return {
    ...(field.nullable ? nullable(schema) : schema),
    ...annotations(field, guard, rule, usual),
  }
}

/** An empty text means null, so a text that must not be null has a character; the tables of others keep empty texts. */
function shownText(schema: JsonSchema, { nullable: isNullable, type }: Field, existing: boolean): JsonSchema {
  if (isNullable || existing || type.verbatim === true || schema.type !== 'string') return schema
  const isLonger = schema.enum !== undefined || schema.format !== undefined || Number(schema.minLength ?? 0) > 0
  return isLonger ? schema : { ...schema, minLength: 1 }
}

/** The description of a value, unless its name says it all, and an example where people would have to guess. */
function annotations(field: Field, ...notes: readonly (string | undefined)[]): JsonSchema {
  const about = meaning(field.name, field.label, field.description)
  const text = [about, ...notes].filter((part) => part !== undefined).join(' ')
  const example = 'pattern' in field.type.schema(field.options) ? exampleOf(field) : undefined
  return { ...(text === '' ? {} : { description: text }), ...(example === undefined ? {} : { examples: [example] }) }
}

/** The description of a field or a relation; none where its label only repeats its name. */
function meaning(name: string, label: string, description: string | undefined): string | undefined {
  if (description !== undefined) return sentence(description)
  return repeats(label, name) ? undefined : sentence(label)
}

function described(text: string | undefined): JsonSchema {
  return text === undefined ? {} : { description: text }
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}
