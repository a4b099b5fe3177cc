/** Parameters: the names of records in paths, the queries of lists, and those of plugins' routes. */

import { takesSeveral } from '../ask/filter-parameters.ts'
import type { Catalog, Field, Resource } from '../catalog/catalog.ts'
import { inSentence } from '../catalog/name.ts'
import type { Json, JsonSchema } from '../json.ts'
import { LIMITS } from '../limits.ts'
import { writtenPath } from '../plan/plan.ts'
import { listedItem } from '../text/listed.ts'
import { formerly } from './record-schema.ts'
import { objectOf, repeats, schemaRef } from './schema.ts'
import { pascal, type TypeNames } from './type-name.ts'

/** One parameter in the document. */
export type Parameter = { readonly [key: string]: unknown }

function query(name: string, description: string | undefined, schema: JsonSchema, more: Parameter = {}): Parameter {
  return { name, in: 'query', ...(description === undefined ? {} : { description }), schema, ...more }
}

/** The `{id}` of a resource's path: a number, or a text where other fields can name a record too. */
export function recordParameter(resource: Resource): Parameter {
  const names = resource.lookup.map((field) => field.name)
  const only = names.length === 1 && resource.lookup[0] === resource.key
  const { options, type } = resource.key
  const own = type.schema(options)
  const schema = only ? own : { type: own.type === 'string' ? 'string' : ['integer', 'string'] }
  const named = only ? '' : ` \`${names.at(-1)}:…\` says which it is.`
  const description = `The ${names.join(' or ')} of the ${inSentence(resource.label)}.${named}`
  return { name: 'id', in: 'path', required: true, description, schema }
}

/** All parameters of a resource's list; `filters` is the name of the schema with its operators. */
export function listParameters(
  catalog: Pick<Catalog, 'limits'>,
  resource: Resource,
  filters: string,
): readonly Parameter[] {
  return [
    ...choiceParameters(catalog, resource, filters),
    ...(resource.search.length === 0 ? [] : [SNIPPETS]),
    ...pagingParameters(catalog),
    ...projectionParameters(resource),
  ]
}

/** Parameters that choose the parts of each record. */
export function projectionParameters(resource: Resource): readonly Parameter[] {
  const more = [...resource.relations.values()].filter(
    ({ embed, show }) => embed !== undefined && (show === 'single' || show === 'asked'),
  )
  const names = more.map(({ name }) => `\`${name}\``).join(', ')
  return [
    FIELDS,
    OMIT,
    ...(more.length === 0
      ? []
      : [words('include', `Related records too: ${names}. A number in brackets bounds how many.`)]),
  ]
}

function words(name: string, description: string, example?: string): Parameter {
  const items = { type: 'array', items: { type: 'string' } }
  const shown = example === undefined ? {} : { example: [example] }
  return query(name, description, items, { style: 'form', explode: false, ...shown })
}

/** Parameters that choose and order the records: those of a list without its pages. */
export function choiceParameters(
  catalog: Pick<Catalog, 'limits'>,
  resource: Resource,
  filters: string,
): readonly Parameter[] {
  return [
    ...filterParameters(resource, filters),
    ...(resource.search.length === 0
      ? []
      : [
          query(
            'search',
            `Words, or parts of words, in ${searched(resource)}.${otherForms(resource)}${resource.ranked ? ' The best come first.' : ''}`,
            {
              type: 'string',
              maxLength: catalog.limits.searchLength ?? LIMITS.searchLength,
            },
          ),
        ]),
    whereParameter(resource),
    ...sortParameters(catalog, resource),
  ]
}

const FIELDS = words('fields', 'Only these fields and embedded ones, as in `id,status.name`.', 'id')

const OMIT = words('omit', 'Without these.', 'id')

const SNIPPETS = query('snippets', 'Whether `meta.search` shows the words of a search in pieces of their texts.', {
  type: 'boolean',
})

/** A condition that each list takes whose ids are whole numbers. */
const CONDITION = { any: [{ id: { lt: 100 } }, { not: { id: [101, 102] } }] }

function takesCondition({ key }: Resource): boolean {
  return key.type.name === 'integer' || key.type.name === 'bigint'
}

function whereParameter(resource: Resource): Parameter {
  return query(
    'where',
    'A condition as JSON; **Conditions** at the head of this document explains it.',
    { type: 'string' },
    takesCondition(resource) ? { example: JSON.stringify(CONDITION) } : {},
  )
}

function otherForms({ language }: Resource): string {
  return language === undefined ? '' : ` Other forms of a word, by the endings of ${language}, are found too.`
}

function searched(resource: Resource): string {
  const names = resource.search.filter((path) => path.field.show !== 'never').map(writtenPath)
  return names.length === 0 ? 'its texts' : names.join(', ')
}

function filterParameters(resource: Resource, filters: string): readonly Parameter[] {
  const plain = [...resource.filters].map(([name, { field }]) => {
    const earlier = resource.earlier?.names.get(name)
    return earlier === undefined
      ? plainFilter(resource, name, field)
      : { ...plainFilter(resource, name, field), ...(formerly(earlier) as Parameter) }
  })
  const ranges = [...resource.ranges].flatMap(([prefix, field]) => [
    query(`${prefix}_from`, `Only with \`${field.name}\` on or after this.`, rangeValue(field)),
    query(`${prefix}_to`, `Only with \`${field.name}\` on or before this.`, rangeValue(field)),
  ])
  const specials = [...resource.specials].map(([name, { values }]) =>
    query(name, 'Only the records of this view.', { type: 'string', enum: [...values.keys()] }),
  )
  if (resource.filters.size === 0) return [...ranges, ...specials]
  // Exploded, as usual, each property of this object is a parameter of its own.
  const operators = query('operators', 'More comparisons, each by its own name.', schemaRef(filters), { example: {} })
  return [...plain, ...ranges, ...specials, operators]
}

function plainFilter(resource: Resource, name: string, field: Field): Parameter {
  const { operators } = field.type
  const about = inSentence(field.label)
  if (!operators.includes('eq')) {
    return operators.includes('contains')
      ? query(name, `Only where ${about} contains this.`, { type: 'string' })
      : query(name, `Only by its operators: ${operators.map((word) => `\`${name}[${word}]\``).join(', ')}.`, {
          type: 'string',
        })
  }
  const only = repeats(field.label, name) ? undefined : `Only with this ${about}.`
  const one = comparable(field)
  if (!takesSeveral(resource, field)) return query(name, only, one)
  const items = Array.isArray(one.enum) ? { ...one, enum: one.enum.map((word) => listedItem(String(word))) } : one
  return query(name, only, { type: 'array', items })
}

/** Filter → the operators beyond its plain parameter, such as `status_id[ne]`, with their values. */
function operatorSchemas(resource: Resource): ReadonlyMap<string, JsonSchema> {
  const schemas = [...resource.filters].map(([name, { field }]) => {
    const operators = field.type.operators.filter(
      (operator) => operator !== 'eq' && (operator !== 'in' || !takesSeveral(resource, field)),
    )
    const properties = operators.map((operator) => {
      return { name: `${name}[${operator}]`, schema: operand(field, operator), required: false }
    })
    return [name, objectOf(properties)] as const
  })
  return new Map(schemas)
}

function operand(field: Field, operator: string): JsonSchema {
  switch (operator) {
    case 'null':
      return { type: 'boolean' }
    case 'in':
    case 'not_in':
    case 'between':
    case 'contains':
    case 'starts_with':
    case 'ends_with':
      return { type: 'string' }
    default:
      return comparable(field)
  }
}

/** The value of a comparison: of its type without limits, because a query may ask for any value. */
export function comparable(field: Field): JsonSchema {
  const { type, enum: words, format } = field.type.schema(field.options)
  if (field.type.day !== undefined) return { type: 'string' }
  return {
    ...(type === undefined ? { type: 'string' } : { type }),
    ...(words === undefined ? {} : { enum: words }),
    ...(format === 'date' ? { format } : {}),
  }
}

/** The value at an end of a range. */
export function rangeValue(field: Field): JsonSchema {
  return field.type.day === undefined ? comparable(field) : { type: 'string', format: 'date' }
}

function sortParameters({ limits }: Pick<Catalog, 'limits'>, resource: Resource): readonly Parameter[] {
  const keys = [...resource.sort.keys.keys()]
  if (keys.length === 0) return []
  const items = { type: 'string', enum: keys.flatMap((key) => [key, `-${key}`]) }
  const usual = resource.sort.default
    .map(({ path, direction }) => {
      const name = [...path.relations.map((relation) => relation.name), path.field.name].join('.')
      return `${direction === 'desc' ? '-' : ''}${name}`
    })
    .join(',')
  return [
    query(
      'sort',
      `The keys to sort by, downwards with a minus; \`${usual}\` if absent.`,
      { type: 'array', items, maxItems: limits.sortKeys ?? LIMITS.sortKeys },
      { style: 'form', explode: false },
    ),
    ORDER,
  ]
}

const ORDER = query('order', 'The direction of the keys without a minus.', { type: 'string', enum: ['asc', 'desc'] })

const PAGE = query('page', 'The page; 1 if absent.', { type: 'integer', minimum: 1 })

const CURSOR = query(
  'cursor',
  'Reads page after page without a total: `first`, then the `next_cursor` of each answer. Not with `page`.',
  { type: 'string' },
)

function pagingParameters({ limits }: Pick<Catalog, 'limits'>): readonly Parameter[] {
  const { perPageDefault = LIMITS.perPageDefault, perPageMax = LIMITS.perPageMax } = limits
  return [
    PAGE,
    query(
      'per_page',
      `Records on a page; ${perPageDefault} if absent. More than ${perPageMax} are served as ${perPageMax}, as \`meta.pagination.per_page\` then says: go on with the next page.`,
      {
        type: 'integer',
        minimum: 1,
      },
    ),
    CURSOR,
  ]
}

/** The body of a list's query: what every list takes, in addition to its filters. */
export function listQuery(resource: Resource): JsonSchema {
  return takesCondition(resource)
    ? { ...LIST_QUERY, example: { where: CONDITION, sort: ['-id'], per_page: 10 } }
    : LIST_QUERY
}

const LIST_QUERY: JsonSchema = {
  type: 'object',
  description: "The list's parameters by name; several values of a filter as a list.",
  properties: {
    where: { type: 'object', description: '**Conditions** at the head of this document explains it.' },
    search: { type: 'string' },
    snippets: { type: 'boolean' },
    sort: { type: ['string', 'array'], items: { type: 'string' } },
    order: { enum: ['asc', 'desc'] },
    page: { type: 'integer', minimum: 1 },
    per_page: { type: 'integer', minimum: 1, description: 'Above the largest page, it is the largest page.' },
    cursor: { type: 'string' },
    fields: { type: 'array', items: { type: 'string' } },
    omit: { type: 'array', items: { type: 'string' } },
    include: { type: 'array', items: { type: 'string' } },
  },
}

/** The query parameters of a plugin's route, by its fields. */
export function queryParameters(fields: readonly Field[]): readonly Parameter[] {
  return fields.map((field) => {
    const schema = field.type.input?.(field.options) ?? field.type.schema(field.options)
    const fallback: Json | undefined = field.default
    return query(
      field.name,
      field.description ?? `${field.label}.`,
      { ...schema, ...(fallback === undefined || fallback === null ? {} : { default: fallback }) },
      field.required && field.default === undefined ? { required: true } : {},
    )
  })
}

/** A parameter of a path that names no record of the catalog; `words` are the only values that it takes. */
export function pathParameter(name: string, words?: readonly string[]): Parameter {
  const schema =
    words === undefined
      ? { type: 'string', ...(name === 'id' ? { minLength: 1 } : {}) }
      : { type: 'string', enum: words }
  return { name, in: 'path', required: true, description: `The ${name.replaceAll('_', ' ')} in the path.`, schema }
}

/**
 * The schemas of filters by name, and those that they refer to; `taken` are names of other schemas. An operator that
 * several lists share is one schema.
 */
export function filterSchemas(
  resources: readonly Resource[],
  names: ReadonlyMap<string, TypeNames>,
  taken: readonly string[],
): Readonly<Record<string, JsonSchema>> {
  const lists = resources.filter(({ filters }) => filters.size > 0)
  const all = lists.map((resource) => ({ name: names.get(resource.name)!.filters, of: operatorSchemas(resource) }))
  const times = new Map<string, number>()
  for (const { of } of all) {
    for (const schema of of.values()) {
      const text = JSON.stringify(schema)
      times.set(text, (times.get(text) ?? 0) + 1)
    }
  }
  const used = new Set(taken)
  const shared = new Map<string, string>()
  const schemas: Record<string, JsonSchema> = {}
  for (const { name, of } of all) {
    const refs: JsonSchema[] = []
    const own: Record<string, unknown> = {}
    for (const [filter, schema] of of) {
      const text = JSON.stringify(schema)
      if ((times.get(text) ?? 0) < 2) Object.assign(own, schema.properties)
      else {
        const part = shared.get(text) ?? freeName(filter, used)
        shared.set(text, part)
        used.add(part)
        schemas[part] = schema
        refs.push(schemaRef(part))
      }
    }
    const rest = { type: 'object', properties: own }
    schemas[name] =
      refs.length === 0
        ? { ...rest, additionalProperties: false }
        : { allOf: Object.keys(own).length === 0 ? refs : [...refs, rest], unevaluatedProperties: false }
  }
  return schemas
}

function freeName(filter: string, used: ReadonlySet<string>): string {
  const name = `${pascal(filter)}Operators`
  let free = name
  for (let number = 2; used.has(free); number += 1) free = `${name}${number}`
  return free
}
