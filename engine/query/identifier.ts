/** Records that the whole text of a search names: by their id, or by a unique field. They are found, and come first. */
import type { Actor } from '../actor.ts'
import type { Field, Resource, SortTerm } from '../catalog/catalog.ts'
import { isStored } from '../catalog/stored.ts'
import { integer } from '../field/integer.ts'
import { foldSql } from '../filter/fold.ts'
import { or, quoted, type Sql, slot, sql } from '../filter/sql.ts'
import { castType } from './comparison.ts'
import { lookupBy } from './lookup.ts'
import type { SortKey } from './order.ts'
import { filterable } from './policy.ts'

/** The fields by which a text can name a record, with their values as slots. */
export interface Identifiers {
  readonly fields: readonly Field[]
  readonly slots: Readonly<Record<string, unknown>>
}

const SLOT = 'identifier'

/** What the text of a search may be: the id as answers show it, or the value of a unique field that the caller may read. */
export function readIdentifiers(resource: Resource, actor: Actor, text: string): Identifiers {
  const whole = /^"([^"]*)"?$/u.exec(text)?.[1]?.trim() ?? text
  const within = namesIn(whole)
  const slots: Record<string, unknown> = {}
  const fields = identifiersOf(resource, actor).filter((field) => {
    const [named] = [whole, ...within].flatMap((one) => lookupBy(resource, field, one) ?? [])
    if (named === undefined) return false
    slots[slotOf(field)] = named.value
    if (!isText(field)) return true
    slots[slotOf(field, 'Within')] = within[0] ?? whole
    // An index knows a text as it is written; these are the ways in which most are.
    slots[slotOf(field, 'Small')] = whole.toLowerCase()
    slots[slotOf(field, 'Large')] = whole.toUpperCase()
    return true
  })
  return { fields, slots }
}

const SIGNED = /(?<![\p{L}\p{N}])#([\p{L}\p{N}][\p{L}\p{N}_-]*)/u
const LONG_NUMBER = /(?<![\p{L}\p{N}])\d{8,}(?![\p{L}\p{N}])/u
const ADDRESS = /^<?https?:\/\/[^\s/]+\/(\S*?)[>.,;]?$/iu
const AROUND = /^[\p{P}\p{S}\s]+|[\p{P}\p{S}\s]+$/gu

/**
 * What a text may name that was pasted from a mail, a notice or an address: the word behind a `#`, a long number, parts of
 * the address, the last first, and the text without the signs around it.
 */
export function namesIn(text: string): readonly string[] {
  const [path = ''] = (ADDRESS.exec(text)?.[1] ?? '').split(/[?#]/)
  const names = [
    SIGNED.exec(text)?.[1],
    LONG_NUMBER.exec(text)?.[0],
    ...path.split('/').reverse(),
    text.replace(AROUND, ''),
  ]
  return [...new Set(names)].filter((one): one is string => one !== undefined && one !== '' && one !== text)
}

function identifiersOf(resource: Resource, actor: Actor): readonly Field[] {
  const { fields, key, lookup } = resource
  const unique = [...fields.values()].filter((field) => field.unique)
  return [...new Set([key, ...lookup, ...unique])].filter(
    (field) =>
      isStored(field) &&
      field.type.hidden !== true &&
      field.show !== 'never' &&
      (field.type.wire === 'string' || field.type.wire === 'number') &&
      filterable({ relations: [], field }, actor),
  )
}

function isText(field: Field): boolean {
  return ['character varying', 'text'].includes(castType(field))
}

function slotOf({ name }: Field, writing = ''): string {
  return `${SLOT}${writing} ${name}`
}

/** Whether the text names the record by the field, for an index to find it. */
function namesSql(field: Field, alias: string): Sql {
  const value = (writing?: string): Sql => sql`${slot(slotOf(field, writing))}::${castType(field)}`
  const column = sql`${alias}.${quoted(field.column)}`
  if (!isText(field)) return sql`${column} = ${value()}`
  return sql`${column} in (${value()}, ${value('Small')}, ${value('Large')}, ${value('Within')})`
}

/** Whether the text of a search names the record. */
export function namedSql(fields: readonly Field[], alias: string): Sql {
  return sql`(${or(fields.map((field) => namesSql(field, alias)))})`
}

/** Whether the text is the value of one field of a record, in whatever letters. */
export function isValueSql(field: Field, alias: string): Sql {
  if (!isText(field)) return namesSql(field, alias)
  const column = sql`${alias}.${quoted(field.column)}`
  const folded = (writing?: string): Sql => sql`(select ${foldSql(sql`${slot(slotOf(field, writing))}::text`)})`
  return sql`${foldSql(column)} in (${folded()}, ${folded('Within')})`
}

/** 1 for a record that the text of a search names, 0 for others. */
export function namedFirstSql(fields: readonly Field[]): Sql {
  return sql`(case when ${or(fields.map((field) => isValueSql(field, 't')))} then 1 else 0 end)`
}

/** The order of a list in which a record that is named comes first. The first term is no field of the record. */
export function namedFirst({ key }: Resource, sort: readonly SortTerm[]): readonly SortTerm[] {
  return [madeUpTerm(key, '$named'), ...sort]
}

/** A term of a sort, greatest first, that is no field of the record but a number made for the search. */
export function madeUpTerm(key: Field, name: string): SortTerm {
  const options = { name, required: true, nullable: false, own: {} }
  const field = { ...key, name, type: integer, options, nullable: false }
  return { path: { relations: [], field }, direction: 'desc' }
}

/** The first key of a list in which a record that is named comes first. */
export function namedKey(fields: readonly Field[]): SortKey {
  return { sql: namedFirstSql(fields), cast: 'integer', nullable: false, direction: 'desc' }
}
