/** Derives the tables of a catalog: columns, keys, references, indexes, joining tables, and the engine's own. */

import type { Catalog, Field, Filter, Index, ManyToMany, OverlapRule, Resource } from '../catalog/catalog.ts'
import { bareColumns, generatedSql, storedFitsSql } from '../catalog/formula.ts'
import { idType, isStored, keptIdType, protectionOf, READ_TABLES, targetOf } from '../catalog/stored.ts'
import { flow } from '../definition/sentence.ts'
import { UUID7_DEFAULT } from '../field/uuid.ts'
import { quoted } from '../filter/sql.ts'
import { isName } from '../filter/text-forms.ts'
import { leaves } from '../filter/walk.ts'
import { memo } from '../memo.ts'
import { countedColumns, judgeOf, servedRows } from './catalog-meanings.ts'
import { literalDefault } from './ddl.ts'
import { fixedConditionSql, pathSql } from './fixed-condition.ts'
import { engineTables } from './own/engine-tables.ts'
import { namedIndex } from './sql-name.ts'
import type { Column, ForeignKey, Sequence, Table, TableIndex } from './table.ts'

function byName<T extends { readonly name: string }>(values: Iterable<T>): readonly T[] {
  const first = new Map<string, T>()
  for (const value of values) if (!first.has(value.name)) first.set(value.name, value)
  return [...first.values()]
}

const MOMENTS = Object.freeze({ now: 'now()', today: 'CURRENT_DATE' })

/** The types of ids that the database counts. */
const IDENTITIES: ReadonlySet<string> = new Set(['integer', 'bigint'])

function keyDefault({ key }: Resource, field: Field, type: string): string | undefined {
  return field === key && type === 'uuid' ? UUID7_DEFAULT : undefined
}

function columnOf(resource: Resource, field: Field): Column {
  const type = field.type.column(field.options)
  const generated = field.type.generated?.(field.options, resource.table).default
  const given = field.default === undefined || field.default === null ? undefined : literalDefault(type, field.default)
  return {
    name: field.column,
    type,
    // The formula decides about null; a computed column has no rule of its own.
    nullable: field.nullable || field.stored !== undefined,
    default:
      generated ??
      keyDefault(resource, field, type) ??
      (field.defaultMoment === undefined ? given : MOMENTS[field.defaultMoment]),
    identity: field === resource.key && IDENTITIES.has(type),
    of: field.relation === undefined ? [field.name] : [...new Set([`${field.relation}_id`, field.name])],
    ...(field.renamedFrom === undefined ? {} : { was: [field.renamedFrom, `${field.renamedFrom}_id`] }),
    ...fillOf(field, type),
    ...wordsOf(field),
    ...judged(field),
    ...protectOf(resource, field),
    ...(field.stored === undefined ? {} : { generated: generatedSql(field), fits: storedFitsSql(field) }),
    ...(field.renamedFrom === undefined ? {} : { renamedFrom: field.renamedFrom }),
  }
}

function protectOf(resource: Resource, field: Field): Pick<Column, 'protect'> {
  const protect = protectionOf(resource, field)
  return protect === undefined ? {} : { protect }
}

/** The words of an enum. The database does not judge them, but removing one changes stored rows. */
function wordsOf({ type, options: { own } }: Field): Pick<Column, 'words'> {
  const isEnum = type.name === 'enum' || (type.name === 'list' && own.of === 'enum')
  if (!isEnum || !Array.isArray(own.values)) return {}
  const becomes = own.becomes as Column['becomes']
  return { words: own.values.map(String), ...(becomes === undefined ? {} : { becomes }) }
}

function judged(field: Field): Pick<Column, 'judge'> {
  const judge = judgeOf(field)
  return judge === undefined ? {} : { judge }
}

/** The replacement of null: a value, or SQL over the columns of the row. */
function fillOf(field: Field, type: string): Partial<Column> {
  if (field.nullable) return {}
  if (field.backfill !== undefined)
    return { fill: literalDefault(type, field.backfill), fillShown: flow(field.backfill) }
  if (field.backfillFrom === undefined) return {}
  const { formula, shown } = field.backfillFrom
  const stored = { ...field, stored: { formula, reads: bareColumns(formula) } }
  const { words } = wordsOf(field)
  const value = generatedSql(stored)
  const list = words?.map((word) => `'${word.replaceAll("'", "''")}'`).join(', ')
  return {
    fill: `(${value})::${type}`,
    fillReads: [...stored.stored.reads],
    fillShown: shown,
    fillFits: list === undefined ? storedFitsSql(stored) : `(${value}) in (${list})`,
  }
}

/** The record that a required relation gets in rows that name none. */
function chosen(catalog: Catalog, resource: Resource, field: Field): Partial<Column> {
  const relation = resource.relations.get(field.relation ?? '')
  if (relation?.kind !== 'belongs_to' || relation.backfill === undefined || field.nullable) return {}
  const target = targetOf(catalog, relation)
  const key = `o.${quoted(target.key.column)}`
  const condition = fixedConditionSql(relation.backfill, (path) => pathSql(catalog, path, 'o'))
  return {
    fill: `(select ${key} from ${quoted(target.table)} o where ${condition} order by ${key} limit 1)`,
    fillReads: [],
    fillTable: target.table,
    fillShown: `a record of ${target.name}`,
  }
}

/** The predicate of an index: it may only speak of the row's own fields. */
const predicate = memo((filter: Filter): string =>
  fixedConditionSql(filter, ({ relations, field }) => {
    if (relations.length > 0) throw new Error(`The condition of an index cannot follow relations to ${field.name}.`)
    return quoted(field.column)
  }),
)

function columnsIn(filter: Filter): readonly string[] {
  return leaves(filter).flatMap((leaf) => (leaf.kind === 'compare' ? [leaf.path.field.column] : []))
}

/** The index of a table as it is called there. */
export function indexOf(table: string, { kind, language, unique, fields, where }: Index): TableIndex {
  const columns = fields.map((field) => field.column)
  const range = kind === 'overlap' ? { range: rangeOf(fields.at(-1)) } : {}
  const alike =
    kind === 'names' || kind === 'looks' ? { alike: fields.flatMap(({ type }, at) => (isName(type) ? [at] : [])) } : {}
  const index = namedIndex(table, {
    kind,
    unique,
    columns,
    ...range,
    ...alike,
    ...(language === undefined ? {} : { language }),
    where: where && predicate(where),
  })
  return where === undefined ? index : { ...index, whereColumns: columnsIn(where) }
}

/** The name of the constraint behind a `no_overlap` rule. */
export function overlapName({ table }: Pick<Resource, 'table'>, { per, from, to, where, span }: OverlapRule): string {
  return indexOf(table, { fields: [...per, from, to], unique: false, where, kind: 'overlap', span }).name
}

function rangeOf(field: Field | undefined): 'days' | 'moments' {
  return field?.type.wire === 'date' ? 'days' : 'moments'
}

function references(catalog: Catalog, resource: Resource): ForeignKey[] {
  const found: ForeignKey[] = []
  for (const relation of resource.relations.values()) {
    if (relation.kind !== 'belongs_to' || !isStored(relation.field)) continue
    found.push({ column: relation.field.column, table: targetOf(catalog, relation).table, onDelete: relation.onDelete })
  }
  return found
}

function sequences(resource: Resource): Sequence[] {
  return [...resource.fields.values()].flatMap((field) => {
    const sequence = field.type.generated?.(field.options, resource.table).sequence
    return sequence === undefined ? [] : [sequence]
  })
}

/** The table of a resource, with the columns and indexes of other resources on the same table. */
function tableOf(catalog: Catalog, owner: Resource, standing: readonly Resource[]): Table {
  const all = [owner, ...standing.filter((resource) => resource !== owner)]
  const counted = countedColumns(catalog).get(owner.name)
  const columns = byName(
    all.flatMap((r) =>
      [...r.fields.values()].filter(isStored).map((field) => {
        const sources = counted?.get(field.column)
        const more = sources === undefined ? {} : { countedFrom: sources }
        return { ...columnOf(r, field), ...chosen(catalog, r, field), ...more }
      }),
    ),
  )
  const keys = all.flatMap((resource) => references(catalog, resource))
  return {
    name: owner.table,
    of: [owner.name],
    ...(owner.renamedFrom === undefined ? {} : { was: [owner.renamedFrom] }),
    columns,
    primaryKey: [owner.key.column],
    foreignKeys: keys.filter((key, i) => keys.findIndex((other) => other.column === key.column) === i),
    indexes: byName(all.flatMap((resource) => resource.indexes.map((index) => indexOf(owner.table, index)))),
    sequences: owner.existing ? [] : byName(all.flatMap(sequences)),
    ...(owner.existing ? { existing: true as const } : {}),
    ...(owner.renamedFrom === undefined ? {} : { renamedFrom: owner.renamedFrom }),
    served: servedRows(catalog, all),
  }
}

/** The meaning of a column of a joining table: one side, with its place where both sides are the same resource. */
function sideOf(side: Resource, other: Resource | undefined, place: 'from' | 'to'): Pick<Column, 'of' | 'was'> {
  const named = (name: string) => (side === other ? `${name}.${place}` : name)
  return { of: [named(side.name)], ...(side.renamedFrom === undefined ? {} : { was: [named(side.renamedFrom)] }) }
}

/** The names that a many_to_many has and had, of both sides where the other names the same table. */
function linksOf(catalog: Catalog, table: string): Pick<Table, 'of' | 'was' | 'joins'> {
  const all = [...catalog.resources.values()].flatMap((resource) =>
    [...resource.relations.values()].flatMap((relation) =>
      relation.kind === 'many_to_many' && relation.through.table === table ? [{ resource, relation }] : [],
    ),
  )
  const now = all.filter(({ relation }) => relation.earlier === undefined)
  const of = now.map(({ resource, relation }) => `${resource.name}.${relation.name}`)
  const was = all.flatMap(({ resource, relation }) =>
    [resource.name, ...(resource.renamedFrom === undefined ? [] : [resource.renamedFrom])].map(
      (name) => `${name}.${relation.name}`,
    ),
  )
  const isNamed = now.some(({ relation }) => relation.through.named === true)
  return { of, was: was.filter((name) => !of.includes(name)), ...(isNamed ? {} : { joins: true as const }) }
}

/** A many_to_many's table: the two ids are its key, and the way back has an index. */
function joiningTable(catalog: Catalog, resource: Resource, relation: ManyToMany): Table {
  const { table, from, to } = relation.through
  const target = targetOf(catalog, relation)
  const column = (name: string, type: string, side: Pick<Column, 'of' | 'was'>): Column => ({
    name,
    type,
    nullable: false,
    default: undefined,
    identity: false,
    ...side,
  })
  return {
    name: table,
    ...linksOf(catalog, table),
    columns: [
      column(from, idType(resource), sideOf(resource, target, 'from')),
      column(to, idType(target), sideOf(target, resource, 'to')),
    ],
    primaryKey: [from, to],
    foreignKeys: [
      { column: from, table: resource.table, onDelete: 'cascade' },
      { column: to, table: target.table, onDelete: 'cascade' },
    ],
    indexes: [namedIndex(table, { kind: 'btree', unique: false, columns: [to, from], where: undefined })],
    sequences: [],
    ...(resource.existing ? { existing: true as const } : {}),
  }
}

/** The catalog that tables were derived from. */
const originOf = memo((_: readonly Table[]): { catalog?: Catalog } => ({}))

/** The catalog that tables were derived from; undefined for those that were changed since. */
export function catalogOf(wanted: readonly Table[]): Catalog | undefined {
  return originOf(wanted).catalog
}

/**
 * Every table that the catalog needs, in the order of their names. Pure; joining tables that both sides name appear
 * once.
 */
export const tables = memo((catalog: Catalog): readonly Table[] => {
  const resources = [...catalog.resources.values()]
  const standing = new Map<string, Resource[]>()
  for (const resource of resources) {
    const known = standing.get(resource.table)
    if (known === undefined) standing.set(resource.table, [resource])
    else known.push(resource)
  }
  const owners = resources.filter(({ name, owner, table }) => owner === name && !READ_TABLES.has(table))
  const own = owners.map((owner) => tableOf(catalog, owner, standing.get(owner.table) ?? []))
  const joining = resources.flatMap((resource) =>
    [...resource.relations.values()].flatMap((relation) =>
      relation.kind === 'many_to_many' ? [joiningTable(catalog, resource, relation)] : [],
    ),
  )
  const all = byName([...own, ...joining, ...engineTables(keptIdType(catalog))])
  const wanted = Object.freeze([...all].sort((a, b) => (a.name < b.name ? -1 : 1)))
  originOf(wanted).catalog = catalog
  return wanted
})
