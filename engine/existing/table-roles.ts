/** The role of each table: a resource, a many-to-many relation, a part of the records of another, or none. */
import { fitsEnum } from './column.ts'
import type { ColumnFacts, DatabaseFacts, ReferenceFacts, TableFacts } from './facts.ts'
import { isNameable } from './free-name.ts'
import type { Remark } from './remark.ts'

export type IdType = 'integer' | 'bigint' | 'uuid' | 'string'

/** A table with a key of one column. */
export interface Keyed {
  readonly table: TableFacts
  readonly key: { readonly column: ColumnFacts; readonly type: IdType }
}

/** A table of pairs: its key is two references, and it has no other data of people. */
export interface Joining {
  readonly table: TableFacts
  readonly sides: readonly [one: Reference, other: Reference]
}

/** A table whose rows are shown inside the records that they refer to. */
export interface Inside {
  readonly table: TableFacts
  readonly parent: Reference
}

/** A reference of one column to the key of a table that is a resource. */
export interface Reference {
  readonly column: string
  readonly target: string
  readonly onDelete: ReferenceFacts['onDelete']
}

export interface Standing {
  readonly keyed: ReadonlyMap<string, Keyed>
  readonly joining: readonly Joining[]
  readonly inside: readonly Inside[]
  readonly remarks: readonly Remark[]
}

const KINDS: Readonly<Record<string, string>> = {
  v: 'is a view, without a key',
  m: 'is a materialized view, without a key',
  f: 'is a table of another server',
}

function idTypeOf({ type, kind, words }: ColumnFacts): IdType | undefined {
  if (kind === 'e') return fitsEnum(words ?? []) ? 'string' : undefined
  if (kind !== 'b') return undefined
  if (/^(?:\w+\.|"[^"]+"\.)?citext$/.test(type)) return 'string'
  if (type === 'smallint' || type === 'integer') return 'integer'
  if (type === 'bigint' || type === 'uuid') return type
  return type === 'text' || /^character( varying)?(\(\d+\))?$/.test(type) ? 'string' : undefined
}

/** Why a table is no resource; undefined where it can be one. */
function obstacle({ name, primaryKey }: TableFacts, key: ColumnFacts | undefined): string | undefined {
  if (primaryKey.length === 0) return 'has no primary key'
  if (key === undefined) return `has a primary key of several columns (${primaryKey.join(', ')})`
  if (idTypeOf(key) === undefined) return `has a primary key of the type ${key.type}`
  if (!isNameable(name)) return 'has a name that the YAML cannot write'
  return isNameable(key.name) ? undefined : `has a primary key (${key.name}) whose name the YAML cannot write`
}

function keyOf({ primaryKey, columns }: TableFacts): ColumnFacts | undefined {
  return primaryKey.length === 1 ? columns.find(({ name }) => name === primaryKey[0]) : undefined
}

/** The references of a table that lead to the one key of a resource, one for each column. */
export function referencesOf({ references }: TableFacts, keyed: ReadonlyMap<string, Keyed>): readonly Reference[] {
  const found = new Map<string, Reference>()
  for (const { columns, table, targets, otherSchema, onDelete } of references) {
    const [column] = columns
    const key = otherSchema ? undefined : keyed.get(table)?.key.column.name
    if (column === undefined || columns.length > 1 || key === undefined || targets[0] !== key || found.has(column))
      continue
    found.set(column, { column, target: table, onDelete })
  }
  return [...found.values()]
}

/** A moment that the database notes by itself, as most programs do. */
function isNoted(column: ColumnFacts): boolean {
  return column.default !== null && column.type.startsWith('timestamp')
}

function joiningOf(table: TableFacts, references: readonly Reference[]): Joining | undefined {
  const { primaryKey, columns, name, may } = table
  if (primaryKey.length !== 2 || !isNameable(name) || !primaryKey.every(isNameable) || !may.insert || !may.delete)
    return undefined
  const [one, other] = primaryKey.map((column) => references.find((reference) => reference.column === column))
  const others = columns.filter((column) => !primaryKey.includes(column.name))
  return one !== undefined && other !== undefined && others.every(isNoted) ? { table, sides: [one, other] } : undefined
}

/** The reference whose records best show a row: one in its key, or else one that every row has. */
function parentOf({ primaryKey, columns }: TableFacts, references: readonly Reference[]): Reference | undefined {
  const isSet = (column: string) => columns.some(({ name, nullable }) => name === column && !nullable)
  const inKey = primaryKey.flatMap((column) => references.find((reference) => reference.column === column) ?? [])
  return inKey[0] ?? references.find(({ column }) => isSet(column)) ?? references[0]
}

/** Sorts the tables of a database. */
export function rolesOf({ tables, user }: Pick<DatabaseFacts, 'tables' | 'user'>): Standing {
  const remarks: Remark[] = []
  const readable = tables.filter(({ name, kind, may }) => {
    const other = KINDS[kind] ?? (may.select ? undefined : `may not be read by the user ${user}`)
    if (other !== undefined) remarks.push({ table: name, what: other, done: 'left out' })
    return other === undefined
  })
  const keyed = new Map<string, Keyed>()
  for (const table of readable) {
    const column = keyOf(table)
    const type = column && idTypeOf(column)
    if (column === undefined || type === undefined || obstacle(table, column) !== undefined) continue
    keyed.set(table.name, { table, key: { column, type } })
  }
  const joining: Joining[] = []
  const inside: Inside[] = []
  for (const table of readable.filter(({ name }) => !keyed.has(name))) {
    const references = referencesOf(table, keyed)
    const pair = joiningOf(table, references)
    const parent = parentOf(table, references)
    if (pair !== undefined) joining.push(pair)
    else if (parent !== undefined) inside.push({ table, parent })
    else remarks.push({ table: table.name, what: obstacle(table, keyOf(table)) ?? 'has no key', done: 'left out' })
  }
  return { keyed, joining, inside, remarks }
}

/** The reason why a table that is shown inside others is no resource. */
export function whyInside(table: TableFacts): string {
  return obstacle(table, keyOf(table)) ?? 'has no key'
}
