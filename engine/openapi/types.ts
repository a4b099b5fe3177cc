/** TypeScript types of every resource: the schemas of the document, printed as a programmer writes them. */
import { fieldLabel, inSentence } from '../catalog/name.ts'
import { withoutEarlierNames } from '../catalog/without.ts'
import { isObject, type JsonSchema } from '../json.ts'
import { atOnce, each, type Pieces } from '../turns.ts'
import { type Described, schemaPieces } from './document.ts'
import { mapChildren } from './schema.ts'
import { type TypeNames, typeNames } from './type-name.ts'

/** The source text of a module with, for every resource, its record, list record, and create and update input. */
export function typescript(described: Pick<Described, 'catalog' | 'hooks'>): string {
  return atOnce(modulePieces(described))
}

function* modulePieces(
  { hooks, ...described }: Pick<Described, 'catalog' | 'hooks'>,
  names = typeNames(withoutEarlierNames(described.catalog)),
  change = (schema: JsonSchema): JsonSchema => schema,
): Pieces<string> {
  const catalog = withoutEarlierNames(described.catalog)
  const schemas = yield* schemaPieces({ catalog, hooks }, names)
  const changed = Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, change(schema)]))
  const records = yield* recordPieces(catalog, names, changed)
  return `/** The records of ${catalog.name}, as its interface answers and takes them. Made by \`plinth types\`. */\n\n${records}`
}

/**
 * The declarations of each resource's record, list record, and create and update input, by name, and of further inputs.
 */
export function recordTypes(...given: Parameters<typeof recordPieces>): string {
  return atOnce(recordPieces(...given))
}

function* recordPieces(
  catalog: Described['catalog'],
  names: ReadonlyMap<string, TypeNames>,
  schemas: Readonly<Record<string, JsonSchema>>,
): Pieces<string> {
  const parts = yield* each(catalog.resources.values(), (resource) => {
    const { single, list, create, update } = names.get(resource.name)!
    const about = resource.description ?? `${resource.label}.`
    const writable = resource.actions.has('create') || resource.nested.some(({ actions }) => actions.includes('create'))
    return [
      alias(single, schemas[single], about),
      alias(list, schemas[list], `${resource.label}, as lists show it.`),
      ...(writable ? [alias(create, schemas[create], `What creates a ${inSentence(resource.label)}.`)] : []),
      ...(resource.actions.has('update')
        ? [alias(update, schemas[update], `What changes a ${inSentence(resource.label)}.`)]
        : []),
    ].join('\n')
  })
  // The input of a record that is created below another one, or together with it.
  const own = new Set([...names.values()].flatMap(({ create, list, single, update }) => [create, list, single, update]))
  const further = Object.keys(schemas).filter((name) => !own.has(name))
  return [...parts, ...further.map((name) => alias(name, schemas[name], BESIDE))].join('\n')
}

const BESIDE = 'What creates a record together with another one, or below it, which names the other.'

/**
 * A module for plugins, in pieces: it also declares the types in 'plinth', so that `records('bookings')` returns a
 * Booking.
 */
export function* typesOfRecords(described: Pick<Described, 'catalog' | 'hooks'>): Pieces<string> {
  const { catalog } = described
  const names = typeNames(catalog, ['Json', 'JsonObject'])
  const written = yield* modulePieces(described, names, withJson)
  const declared = new Set([...written.matchAll(/^export (?:interface|type) (\w+) /gm)].map(([, name]) => name))
  const known = (name: string): string => (declared.has(name) ? name : 'JsonObject')
  const lines = [...catalog.resources.keys()].map((name) => {
    const { single, list, create, update } = names.get(name)!
    const types = `record: ${single}; item: ${list}; create: ${known(create)}; update: ${known(update)}`
    return `    ${JSON.stringify(name)}: { ${types} }\n`
  })
  // What is declared in the module knows its names already.
  const imported = /\bJson\b/.test(written) ? "import type { Json } from 'plinth'" : "import 'plinth'"
  return `${imported}\n\n${written}\ndeclare module 'plinth' {\n  interface ResourceTypes {\n${lines.join('')}  }\n}\n`
}

const JSON_VALUE: JsonSchema = { $ref: '#/Json' }

/** A schema in which a value of any type is a Json, so that JsonObject takes its records. */
function withJson(schema: JsonSchema): JsonSchema {
  if (typeOf(schema, '') === 'unknown') return { ...schema, ...JSON_VALUE }
  const { additionalProperties, items, properties, type } = schema
  const open = [type].flat().includes('object') && properties === undefined && typeof additionalProperties !== 'object'
  const whole = {
    ...schema,
    ...(open ? { additionalProperties: {} } : {}),
    ...(type === 'array' && items === undefined ? { items: {} } : {}),
  }
  return mapChildren(whole, (value, key) => {
    if (key === 'items' || key === 'additionalProperties') return isObject(value) ? withJson(value) : value
    if (!['properties', 'anyOf', 'oneOf', 'allOf'].includes(key)) return value
    return mapChildren(value, (part) => withJson(part as JsonSchema))
  }) as JsonSchema
}

/** An exported declaration of a schema's type. */
export function declaration(name: string, schema: JsonSchema = {}, about: string): string {
  const kind = schema.type === 'object' ? `interface ${name}` : `type ${name} =`
  return `${comment(about, '')}export ${kind} ${typeOf(schema, '')}\n`
}

/** The declaration of a record or a body: an alias, because JsonObject takes no interface. */
function alias(name: string, schema: JsonSchema = {}, about: string): string {
  return `${comment(about, '')}export type ${name} = ${typeOf(schema, '')}\n`
}

/** A schema as a type; objects on several lines, indented below `indent`. */
export function typeOf(schema: JsonSchema, indent: string): string {
  if (Array.isArray(schema.enum)) return union(schema.enum.map((word) => JSON.stringify(word)))
  if (typeof schema.$ref === 'string') return schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)
  if ('const' in schema) return JSON.stringify(schema.const)
  for (const choice of [schema.anyOf, schema.oneOf])
    if (Array.isArray(choice)) return union(choice.map((one: JsonSchema) => typeOf(one, indent)))
  if (Array.isArray(schema.allOf)) {
    const own = schema.properties === undefined ? [] : [objectType(schema, indent)]
    return [...schema.allOf.map((one: JsonSchema) => typeOf(one, indent)), ...own].join(' & ')
  }
  if (Array.isArray(schema.type)) return union(schema.type.map((type: string) => typeOf({ ...schema, type }, indent)))
  switch (schema.type) {
    case 'string':
      return schema.format === 'binary' ? 'Blob' : 'string'
    case 'integer':
    case 'number':
      return 'number'
    case 'boolean':
      return 'boolean'
    case 'null':
      return 'null'
    case 'array': {
      const item = typeOf((schema.items ?? {}) as JsonSchema, indent)
      return `readonly ${/ [|&] /.test(item) ? `(${item})` : item}[]`
    }
    case 'object':
      return objectType(schema, indent)
    default:
      return 'unknown'
  }
}

function objectType(schema: JsonSchema, indent: string): string {
  const required = new Set((schema.required ?? []) as readonly string[])
  const entries = Object.entries((schema.properties ?? {}) as Readonly<Record<string, JsonSchema>>)
  if (entries.length === 0 && schema.properties !== undefined) return '{}'
  if (entries.length === 0) {
    const { additionalProperties: value } = schema
    return `{ readonly [key: string]: ${typeof value === 'object' ? typeOf(value as JsonSchema, indent) : 'unknown'} }`
  }
  const inner = `${indent}  `
  const lines = entries.map(([name, property]) => {
    const key = /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name)
    const text = property.description
    // A comment that only repeats the name is left out.
    const about = typeof text !== 'string' || text === `${fieldLabel(name)}.` ? '' : comment(text, inner)
    return `${about}${inner}readonly ${key}${required.has(name) ? '' : '?'}: ${typeOf(property, inner)}\n`
  })
  return `{\n${lines.join('')}${indent}}`
}

/** A union of types, each once. */
export function union(types: readonly string[]): string {
  return [...new Set(types)].join(' | ')
}

/** A comment on lines of its own. */
export function comment(text: string, indent: string): string {
  return `${indent}/** ${text.replaceAll('*/', '*∕').replace(/\s+/g, ' ')} */\n`
}
