/** The types of a client for each resource: its records, the filters and conditions of its list, and its summary. */

import { takesSeveral } from '../../ask/filter-parameters.ts'
import type { Catalog, Field, Relation, Resource } from '../../catalog/catalog.ts'
import { inSentence } from '../../catalog/name.ts'
import { targetOf } from '../../catalog/stored.ts'
import type { JsonSchema } from '../../json.ts'
import { pathName } from '../../plan/plan.ts'
import { STEPS } from '../../plan/read-plan.ts'
import { listedItem } from '../../text/listed.ts'
import { movesMeta } from '../operation.ts'
import { comparable, rangeValue } from '../parameters.ts'
import { askedSchema } from '../record-schema.ts'
import type { TypeNames } from '../type-name.ts'
import { comment, typeOf, union } from '../types.ts'
import type { Offer } from './offer.ts'

/** The parts that the types of resources are made from. */
export interface ClientNames {
  readonly catalog: Catalog
  readonly names: ReadonlyMap<string, TypeNames>
  readonly schemas: Readonly<Record<string, JsonSchema>>
  /** Resource → the name of its collected types: `BookTypes`. */
  readonly types: ReadonlyMap<string, string>
}

/** The declarations of a resource's filters, and of all its types under one name. */
export function resourceTypes(given: ClientNames, resource: Resource, { does, unique }: Offer): string {
  const { catalog, names, schemas, types } = given
  const { create, filters, list, single, update } = names.get(resource.name)!
  const compared = [...resource.filters].map(([name, { field }]) => property(name, filterType(field)))
  const creates = resource.actions.has('create') || resource.nested.some(({ actions }) => actions.includes('create'))
  const included = [...resource.relations.values()].filter(
    ({ embed, show }) => embed !== undefined && (show === 'single' || show === 'asked'),
  )
  const members = [
    `record: ${single}`,
    `item: ${list}`,
    `whole: ${wholeType(resource, single, list, schemas)}`,
    `meta: ${metaType(movesMeta(resource))}`,
    `create: ${creates ? create : 'never'}`,
    `update: ${resource.actions.has('update') ? update : 'never'}`,
    `filters: ${filters}`,
    `parameters: ${objectOf(parameters(resource))}`,
    `where: ${filters} & ${objectOf(conditions(catalog, resource, types))}`,
    `sort: ${words([...resource.sort.keys.keys()])}`,
    `included: ${words(included.map(({ name }) => name))}`,
    `unique: ${words(unique)}`,
    `does: ${words(does)}`,
    ...summaryTypes(resource),
  ]
  return [
    `${comment(`What compares in lists of ${inSentence(resource.label)} records.`, '')}export interface ${filters} ${objectOf(compared, '')}\n`,
    `export interface ${types.get(resource.name)} extends Types {\n${members.map((member) => `  ${member}\n`).join('')}}\n`,
  ].join('\n')
}

/** The filters whose plain parameter is a list, and whose values may have its commas in them. */
export function partedFilters(resource: Resource): readonly string[] {
  const mayHaveCommas = ({ options, type }: Field): boolean => {
    const { enum: words, maxLength } = type.schema(options)
    return Array.isArray(words) ? words.some((word) => listedItem(String(word)) !== word) : maxLength !== undefined
  }
  return [...resource.filters].flatMap(([name, { field }]) =>
    takesSeveral(resource, field) && mayHaveCommas(field) ? [name] : [],
  )
}

/** A union of texts; `never` without any. */
export function words(texts: Iterable<string>): string {
  return union([...texts].map((text) => JSON.stringify(text))) || 'never'
}

/** The type of an answer's `meta`. */
export function metaType(meta: Readonly<Record<string, JsonSchema>>): string {
  const entries = Object.entries(meta)
  if (entries.length === 0) return 'AnswerMeta'
  const properties = entries.map(([name, schema]) => `readonly ${keyOf(name)}?: ${typeOf(schema, '  ')}`)
  return `AnswerMeta & { ${properties.join('; ')} }`
}

/** A name as a key of an object. */
export function keyOf(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name)
}

function property(name: string, type: string): string {
  return `readonly ${keyOf(name)}?: ${type}`
}

function objectOf(properties: readonly string[], indent = '  '): string {
  if (properties.length === 0) return '{}'
  return `{\n${properties.map((one) => `${indent}  ${one}\n`).join('')}${indent}}`
}

/** Comparisons with a name in the runtime; they include `undefined`, for callers with an optional value. */
const NAMED = [
  ['Choosable', ['eq', 'ne', 'in', 'not_in', 'null']],
  ['Ordered', ['eq', 'ne', 'in', 'not_in', 'lt', 'lte', 'gt', 'gte', 'between', 'null']],
  ['Textual', ['eq', 'ne', 'in', 'not_in', 'contains', 'starts_with', 'ends_with', 'null']],
] as const

function filterType(field: Field): string {
  const { operators } = field.type
  const value = typeOf(comparable(field), '')
  const [name] =
    NAMED.find(([, known]) => known.length === operators.length && known.every((one) => operators.includes(one))) ?? []
  if (name !== undefined) return `${name}<${value}>`
  const own = words(operators)
  if (operators.includes('eq')) return `Compared<${value}, ${own}>`
  // Without `eq` a plain value means `contains`, where the field has that.
  const plain = operators.includes('contains') ? 'string | ' : ''
  return `${plain}null | undefined | Pick<Operators<${value}>, ${own}>`
}

/** Parameters of a list other than its filters. */
function parameters(resource: Resource): readonly string[] {
  return [
    ...(resource.search.length === 0
      ? []
      : [property('search', 'string | undefined'), property('snippets', 'boolean | undefined')]),
    ...[...resource.ranges].flatMap(([prefix, field]) =>
      ['from', 'to'].map((end) => property(`${prefix}_${end}`, `${typeOf(rangeValue(field), '')} | undefined`)),
    ),
    ...[...resource.specials].map(([name, { values }]) => property(name, `${words(values.keys())} | undefined`)),
  ]
}

/** The keys of `where` other than filters: the id, relations by their keys, and related records. */
function conditions(catalog: Catalog, resource: Resource, types: ClientNames['types']): readonly string[] {
  const filters = [...resource.filters]
  const known = new Set(filters.map(([name]) => name))
  const { key } = resource
  const own = known.has(key.name) ? [] : [property(key.name, filterType(key))]
  const further = [...resource.relations.values()].flatMap((relation): readonly string[] => {
    if (known.has(relation.name)) return []
    if (relation.kind === 'belongs_to') {
      const isFilter = filters.some(([, path]) => path.field === relation.field && path.relations.length === 0)
      return isFilter ? [property(relation.name, filterType(relation.field))] : []
    }
    return manyConditions(catalog, resource, relation, types)
  })
  return [...own, ...further]
}

function manyConditions(
  catalog: Catalog,
  { filters }: Resource,
  relation: Exclude<Relation, { kind: 'belongs_to' }>,
  types: ClientNames['types'],
): readonly string[] {
  const over = [...filters.values()].filter(
    ({ through }) => through?.many === relation && through.relations.length === 0,
  )
  const target = targetOf(catalog, relation)
  if (relation.show === 'never' && over.length === 0) return []
  const also = over
    .map(({ field, relations }) => [pathName({ relations, field }), field] as const)
    .filter(([name]) => !target.filters.has(name))
    .map(([name, field]) => property(name, filterType(field)))
  const condition = `${types.get(target.name)}['where']${also.length === 0 ? '' : ` & { ${also.join('; ')} }`}`
  return [property(relation.name, `Related<${condition}> | undefined`)]
}

/** The names that `fields` may hold. */
function wholeType(
  resource: Resource,
  single: string,
  list: string,
  schemas: Readonly<Record<string, JsonSchema>>,
): string {
  const namesIn = (schema: JsonSchema | undefined): readonly string[] => Object.keys(Object(schema?.properties))
  const alone = namesIn(schemas[single])
  const listed = namesIn(schemas[list]).some((name) => !alone.includes(name))
  const asked = askedSchema(resource)
  return [
    single,
    ...(listed ? [`Omit<${list}, keyof ${single}>`] : []),
    ...(namesIn(asked).length === 0 ? [] : [typeOf(asked, '  ')]),
  ].join(' & ')
}

/** The terms of a summary, and those among them that name a relation. */
function summaryTypes({ relations, summary }: Resource): readonly string[] {
  const { by, of } = summary ?? { by: new Map<string, Field>(), of: new Map<string, Field>() }
  const terms = [...by].flatMap(([name, field]) => {
    const { wire } = field.type
    if (wire !== 'date' && wire !== 'timestamp') return [name]
    const steps = STEPS.filter((step) => step !== 'hour' || wire === 'timestamp')
    return [name, ...steps.map((step) => `${name}:${step}`)]
  })
  const keys = [...by].flatMap(([name, field]) => {
    const relation = field.relation === undefined ? undefined : relations.get(field.relation)
    return relation?.embed === undefined ? [] : [`${keyOf(name)}: ${JSON.stringify(relation.name)}`]
  })
  return [`by: ${words(terms)}`, `of: ${words(of.keys())}`, `keys: ${objectOf(keys)}`]
}
