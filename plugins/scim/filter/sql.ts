/** Filters of SCIM as SQL conditions; values are parameters. */
import { refused } from '../error.ts'
import type { Comparison, Filter, Value } from './parse.ts'

/** An attribute by which a list can be filtered and sorted: an expression over the row `t`, and how its texts compare. */
export interface Attribute {
  readonly sql: string
  /** `text` compares without regard to case, `exact` with it. */
  readonly type: 'text' | 'exact' | 'boolean' | 'moment'
  /** The condition of an equality that an index knows, of the parameter with the value in lower case. */
  readonly equals?: (parameter: string) => string
}

/** An attribute whose values are rows of another table: SQL of whether one of them fulfils a condition. */
export interface Several {
  readonly some: (condition: string) => string
  readonly attributes: ReadonlyMap<string, Attribute>
}

/** What can be asked of a kind of resource, by names in lower case. */
export interface Known {
  readonly attributes: ReadonlyMap<string, Attribute>
  readonly several: ReadonlyMap<string, Several>
}

const SIGNS: Readonly<Partial<Record<Comparison, string>>> = { gt: '>', ge: '>=', lt: '<', le: '<=' }

/** The condition of a filter; adds its parameters to `values`. Throws invalidFilter for what cannot be asked. */
export function filterSql(known: Known, filter: Filter, values: unknown[]): string {
  switch (filter.kind) {
    case 'all':
    case 'any':
      return `(${filter.parts.map((part) => filterSql(known, part, values)).join(filter.kind === 'all' ? ' and ' : ' or ')})`
    case 'no':
      return `not coalesce(${filterSql(known, filter.part, values)}, false)`
    case 'some': {
      const several = known.several.get(filter.name)
      if (several === undefined) throw unknown(filter.name)
      return several.some(filterSql({ attributes: several.attributes, several: new Map() }, filter.where, values))
    }
    default:
      return about(known, filter, values)
  }
}

type About = Extract<Filter, { kind: 'compare' | 'present' }>

function about(known: Known, filter: About, values: unknown[]): string {
  const [name = '', sub = 'value'] = filter.name.split('.')
  const several = known.several.get(name)
  const attribute = (several === undefined ? known : several).attributes.get(several === undefined ? filter.name : sub)
  if (attribute === undefined) throw unknown(filter.name)
  const condition =
    filter.kind === 'present'
      ? presence(attribute)
      : comparison(attribute, filter.name, filter.by, filter.value, values)
  return several === undefined ? condition : several.some(condition)
}

function presence({ sql, type }: Attribute): string {
  return type === 'text' || type === 'exact' ? `coalesce(${sql}, '') <> ''` : `${sql} is not null`
}

function comparison(attribute: Attribute, name: string, by: Comparison, value: Value, values: unknown[]): string {
  if (value === null) {
    if (by !== 'eq' && by !== 'ne') throw refused('invalidFilter', `"${name}" ${by} null has no meaning`)
    return by === 'ne' ? presence(attribute) : `not (${presence(attribute)})`
  }
  const { type } = attribute
  if (type === 'boolean') return truth(attribute, name, by, value)
  if (type === 'moment') return moment(attribute, name, by, value, values)
  return words(attribute, by, String(value), values)
}

function truth({ sql }: Attribute, name: string, by: Comparison, value: Value): string {
  const wanted = String(value).toLowerCase()
  if ((wanted !== 'true' && wanted !== 'false') || (by !== 'eq' && by !== 'ne'))
    throw refused('invalidFilter', `"${name}" is true or false, and compares by eq and ne`)
  return `${sql} is ${by === 'ne' ? 'not ' : ''}${wanted}`
}

function moment({ sql }: Attribute, name: string, by: Comparison, value: Value, values: unknown[]): string {
  const time = new Date(String(value))
  const sign = by === 'eq' ? '=' : by === 'ne' ? '<>' : SIGNS[by]
  if (Number.isNaN(time.getTime()) || sign === undefined)
    throw refused(
      'invalidFilter',
      `"${name}" is a moment like 2026-01-31T12:00:00Z, and compares by eq, ne, gt, ge, lt and le`,
    )
  return `date_trunc('milliseconds', ${sql}) ${sign} $${values.push(time)}::timestamptz`
}

function words({ equals, sql, type }: Attribute, by: Comparison, value: string, values: unknown[]): string {
  const folded = type === 'text'
  const one = folded ? `lower(${sql})` : sql
  const other = `$${values.push(folded ? value.toLowerCase() : value)}::text`
  switch (by) {
    case 'eq':
      return equals === undefined ? `${one} = ${other}` : equals(other)
    case 'ne':
      return `${one} is distinct from ${other}`
    case 'co':
      return `position(${other} in ${one}) > 0`
    case 'sw':
      return `starts_with(${one}, ${other})`
    case 'ew':
      return `right(${one}, length(${other})) = ${other}`
    default:
      return `${one} ${SIGNS[by]} ${other}`
  }
}

function unknown(name: string): Error {
  return refused('invalidFilter', `Nothing can be asked of "${name}"`)
}

/** The order of a list: `sortBy` and `sortOrder`, then the id. */
export function orderSql({ attributes }: Known, by: string | null, order: string | null): string {
  if (by === null || by === '') return 't.id'
  const attribute = attributes.get(by)
  if (attribute === undefined) throw refused('invalidPath', `A list cannot be sorted by "${by}"`)
  const { sql, type } = attribute
  return `${type === 'text' ? `lower(${sql})` : sql} ${order?.toLowerCase() === 'descending' ? 'desc' : 'asc'} nulls last, t.id`
}
