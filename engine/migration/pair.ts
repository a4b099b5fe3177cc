/** A wanted table together with the present one, and which present column each wanted column is. */
import type { Catalog } from '../catalog/catalog.ts'
import { quoted as q } from '../filter/sql.ts'
import { type Identified, identified, ownOf } from './names/kept-names.ts'
import { type Effect, type Step, statementsOf } from './step.ts'
import type { Column, NamedTable, Present, SetAside, Table } from './table.ts'
import { typeChange } from './type-change.ts'

/** A wanted table with its present one, which may still have an earlier name. */
export interface Pair {
  readonly wanted: Table
  readonly actual: Table
  /** The column that was set aside last under each name, if its values fit the wanted type. */
  readonly aside: ReadonlyMap<string, Column>
  /** The kept names of the present table. */
  readonly names: NamedTable | undefined
  /** How the table was found, where it was found by its meaning or an earlier name. */
  readonly since?: Identified
  /** It was set aside, and is brought back. */
  readonly back: boolean
  /** All pairs of the plan, by the names of the wanted tables. */
  readonly pairs: ReadonlyMap<string, Pair>
}

/** The inputs of a plan other than the wanted tables. */
export interface Circumstances {
  readonly present: Present
  /** Today in UTC, `2026-01-31`, for the names of things set aside. */
  readonly day: string
  /** Whether indexes are made while others write; the embedded database has no others. */
  readonly concurrently: boolean
  /** Tables of earlier versions whose rows plugins take over. */
  readonly takenOver?: Catalog['takenOver'] | undefined
}

function isWanted({ wanted }: Pair, name: string): boolean {
  return wanted.columns.some((other) => other.name === name)
}

/** The column that `renamed_from` names, unless it is wanted itself. */
export function earlierColumn(pair: Pair, column: Column): Column | undefined {
  if (column.renamedFrom === undefined) return undefined
  // A belongs_to is renamed by its relation's name; its column has the `_id`.
  const earlier = [column.renamedFrom, ...(column.name.endsWith('_id') ? [`${column.renamedFrom}_id`] : [])]
  const free = earlier.filter((name) => !isWanted(pair, name))
  return pair.actual.columns.find((other) => free.includes(other.name))
}

/**
 * Whether the earlier column replaces another column of the wanted name, which has another meaning: it is not the result
 * of this rename.
 */
function takesPlace({ names }: Pair, column: Column, earlier: Column): boolean {
  const [same, other] = [ownOf(names?.columns, column.name), ownOf(names?.columns, earlier.name)]
  if (same === undefined || other === undefined) return false
  return !(same.former ?? []).some(({ name }) => name === earlier.name) && other.of.length > 0
}

/** The column with the same meaning as a wanted one, or with its name before, where no column has that name. */
export function identifiedColumn(pair: Pair, column: Column): Identified | undefined {
  const { actual, names } = pair
  if (names === undefined || column.generated !== undefined) return undefined
  const known = new Map(actual.columns.map((one) => [one.name, one]))
  if (known.has(column.name)) return undefined
  return identified(column, names.columns, (name) => known.has(name) && !isWanted(pair, name))
}

/** The present column of a wanted one: of the same name, of an earlier name, or set aside under its name. */
export function presentColumn(pair: Pair, column: Column): Column | undefined {
  const { actual, aside } = pair
  const same = actual.columns.find((other) => other.name === column.name)
  const earlier = earlierColumn(pair, column)
  if (same !== undefined) return earlier !== undefined && takesPlace(pair, column, earlier) ? earlier : same
  if (earlier !== undefined) return earlier
  const name = identifiedColumn(pair, column)?.name
  return actual.columns.find((other) => other.name === name) ?? aside.get(column.name)
}

/** Whether the present column of a name loses it to another column, and goes. */
export function isDisplaced(pair: Pair, name: string): boolean {
  const column = pair.wanted.columns.find((one) => one.name === name)
  if (column === undefined || !pair.actual.columns.some((one) => one.name === name)) return false
  return presentColumn(pair, column)?.name !== name
}

/** Whether no version of another YAML can work with the column yet, because this plan makes it or brings it back. */
export function isNew(pair: Pair, column: Column): boolean {
  const was = presentColumn(pair, column)
  return was === undefined || was === pair.aside.get(column.name) || pair.back
}

/** Whether the table and these columns have their names already, so that work on them waits for no rename. */
export function keepsNames(pair: Pair, names: readonly string[]): boolean {
  const { wanted, actual } = pair
  const isThere = (name: string) => {
    const column = wanted.columns.find((one) => one.name === name)
    return column !== undefined && presentColumn(pair, column)?.name === name
  }
  return wanted.name === actual.name && names.every(isThere)
}

/** Whether a new column of a table that keeps its name can be added before any other step. */
export function isAddedAhead(pair: Pair, column: Column): boolean {
  const isGiven = column.nullable || column.default !== undefined || column.identity
  const isPlain = column.generated === undefined && column.fill === undefined
  return keepsNames(pair, []) && presentColumn(pair, column) === undefined && isGiven && isPlain
}

/** Whether these columns are there under their names and of their types before any step that does harm. */
export function isSettled(pair: Pair, names: readonly string[]): boolean {
  const then = new Map(pair.wanted.columns.map((one) => [one.name, one]))
  const isSame = (name: string): boolean => {
    const column = then.get(name)
    if (column === undefined) return false
    const was = presentColumn(pair, column)
    if (was === undefined) return isAddedAhead(pair, column)
    return was.name === name && column.type === was.type && column.generated === was.generated
  }
  return keepsNames(pair, []) && names.every(isSame)
}

/** Whether the sources of a column's values are final before any harmful step. */
export function isFilledAhead(pair: Pair, { fillReads = [], fillTable }: Column): boolean {
  return fillTable === undefined && isSettled(pair, fillReads)
}

/** Columns in the order of the YAML, with the sources of filled columns before these. */
export function sourcesFirst(columns: readonly Column[]): readonly Column[] {
  const byName = new Map(columns.map((column) => [column.name, column]))
  const seen = new Set<Column>()
  const withSources = (column: Column): readonly Column[] => {
    if (seen.has(column)) return []
    seen.add(column)
    const sources = (column.fillReads ?? []).flatMap((name) => byName.get(name) ?? [])
    return [...sources.filter(({ generated }) => generated === undefined).flatMap(withSources), column]
  }
  return columns.flatMap(withSources)
}

/**
 * Whether a column starts without its old values: they have no meaning in the new type, or the column becomes computed.
 */
export function startsAnew(pair: Pair, column: Column): boolean {
  const was = presentColumn(pair, column)
  if (startsComputed(was, column) || isComputedAnew(pair, column)) return true
  return (
    was !== undefined && was.type !== column.type && typeChange(column.name, was.type, column.type).kind === 'apart'
  )
}

/** Whether a column that was written becomes one that is computed, so that its values are set aside. */
export function startsComputed(was: Column | undefined, column: Column): boolean {
  return was !== undefined && was.generated === undefined && column.generated !== undefined
}

/** Whether a column that is computed has to be computed again. */
export function isComputedAnew(pair: Pair, column: Column): boolean {
  const was = presentColumn(pair, column)
  if (was?.generated === undefined || column.generated === undefined) return false
  const isSame = was.generated === column.generated && was.type === column.type && was.name === column.name
  return !isSame || isBelowMoved(pair, column)
}

/** Whether a wanted column is computed from a column that gets another type or name, so that it must go before. */
export function isBelowMoved(pair: Pair, column: Column): boolean {
  const was = presentColumn(pair, column)
  return was !== undefined && isOverMoved(pair, was)
}

/** Whether a present computed column is in the way of a new type or name of its sources: PostgreSQL allows neither. */
export function isOverMoved(pair: Pair, { generated = '', over = [] }: Column): boolean {
  // A text in quotes may be a name.
  const quoted = [...generated.matchAll(/"((?:[^"]|"")+)"/g)].map((match) => (match[1] ?? '').replaceAll('""', '"'))
  return quoted.some((name) => isMoved(pair, name)) || over.some((name) => isRetyped(pair, name))
}

/** Whether the column of a wanted name gets another type, or comes from another column. */
function isMoved(pair: Pair, name: string): boolean {
  const column = pair.wanted.columns.find((one) => one.name === name)
  const was = column && presentColumn(pair, column)
  return was !== undefined && (was.name !== name || was.type !== column?.type || startsComputed(was, column))
}

/** Whether a present column of this name gets another type. */
function isRetyped(pair: Pair, name: string): boolean {
  return pair.wanted.columns.some((column) => {
    const was = presentColumn(pair, column)
    return was?.name === name && (was.type !== column.type || startsComputed(was, column))
  })
}

/** The table that `renamed_from` names, unless it is wanted itself. */
export function earlierTable(wanted: readonly Table[], table: Table, { tables }: Present): Table | undefined {
  if (wanted.some((other) => other.name === table.renamedFrom)) return undefined
  return tables.find((other) => other.name === table.renamedFrom)
}

/**
 * Whether a joining table of the default name holds the links of another relation between the same two resources. Those of
 * a relation that had the wanted name before are its own, unless that relation is wanted too.
 */
function holdsOthers(wanted: readonly Table[], table: Table, kept: NamedTable | undefined): boolean {
  const { of = [], was = [], joins } = table
  if (joins === undefined || of.length === 0 || kept === undefined || kept.of.length === 0) return false
  const isLink = (name: string) => name.includes('.')
  if (!kept.of.every((name) => isLink(name) && !of.includes(name) && !was.includes(name))) return false
  const isServed = wanted.some((other) => kept.of.some((name) => other.of?.includes(name) || other.was?.includes(name)))
  return isServed || !of.some((name) => kept.before?.includes(name))
}

/** The table with the same meaning as a wanted one, or with its name before, where no table has that name. */
function identifiedTable(wanted: readonly Table[], table: Table, present: Present): Identified | undefined {
  const { names, tables, owned } = present
  if (names === undefined) return undefined
  const there = new Set(tables.map(({ name }) => name))
  const isWanted = (name: string) =>
    wanted.some((other) => other.name === name && !holdsOthers(wanted, other, names[name]))
  const isFree = (name: string) => there.has(name) && owned.has(name) && !isWanted(name)
  return identified(table, names, isFree)
}

/** Whether a present table loses its name to a wanted one, and goes. */
export function losesName(wanted: readonly Table[], { name }: Table, { names }: Present): boolean {
  return wanted.some((table) => table.name === name && holdsOthers(wanted, table, names?.[name]))
}

/** The present table of a wanted one: under its name, an earlier name, or set aside. */
function presentTable(
  wanted: readonly Table[],
  table: Table,
  present: Present,
): (Pick<Pair, 'actual' | 'back'> & Partial<Pick<Pair, 'since'>>) | undefined {
  const named = (name: string | undefined) => present.tables.find((other) => other.name === name)
  const same = holdsOthers(wanted, table, present.names?.[table.name]) ? undefined : named(table.name)
  const plain = same ?? earlierTable(wanted, table, present)
  if (plain !== undefined) return { actual: plain, back: false }
  const since = identifiedTable(wanted, table, present)
  const identical = named(since?.name)
  if (since !== undefined && identical !== undefined) return { actual: identical, back: false, since }
  const aside = asideTable(wanted, table, present)
  return aside === undefined ? undefined : { actual: aside, back: true }
}

/** The last one that was set aside under the wanted name, or else the last one with the wanted meaning. */
function lastAside(
  among: readonly SetAside[],
  { of = [], was = [] }: Pick<Table, 'of' | 'was'>,
  hasName: (one: SetAside) => boolean,
  meaningOf: (one: SetAside) => readonly string[] | undefined,
): SetAside | undefined {
  const meant = (one: SetAside): boolean =>
    meaningOf(one)?.some((name) => of.includes(name) || was.includes(name)) === true
  return among.findLast(hasName) ?? among.findLast(meant)
}

/** Whether the key of a table that was set aside is the wanted one, whose columns may have other names by now. */
function hasSameKey(wanted: Table, actual: Table, names: NamedTable | undefined): boolean {
  const pair: Pair = { wanted, actual, names, aside: new Map(), back: true, pairs: new Map() }
  const present = wanted.primaryKey.map((name) => {
    const column = wanted.columns.find((one) => one.name === name)
    return column && presentColumn(pair, column)?.name
  })
  return present.join() === actual.primaryKey.join()
}

function asideTable(wanted: readonly Table[], table: Table, { names, setAside }: Present): Table | undefined {
  const own = setAside.filter((one) => one.column === undefined && !holdsOthers(wanted, table, names?.[one.name]))
  const last = lastAside(
    own,
    table,
    (one) => one.table === table.name,
    (one) => names?.[one.name]?.of,
  )?.content
  return last && 'primaryKey' in last && hasSameKey(table, last, names?.[last.name]) ? last : undefined
}

/** The column that was set aside last for each wanted one, where its values fit the wanted type. */
function asideColumns(wanted: Table, actual: Table, { setAside, names }: Present): ReadonlyMap<string, Column> {
  const found = new Map<string, Column>()
  const own = setAside.filter((one) => one.table === actual.name && one.column !== undefined)
  for (const column of wanted.columns) {
    const last = lastAside(
      own,
      column,
      (one) => one.column === column.name,
      (one) => names?.[actual.name]?.columns[one.name]?.of,
    )?.content
    if (last === undefined || !('type' in last) || column.generated !== undefined) continue
    if (last.type === column.type || typeChange(last.name, last.type, column.type).kind === 'free')
      found.set(column.name, last)
  }
  return found
}

/** The wanted tables that are there, by their wanted names. */
export function pairsOf(wanted: readonly Table[], present: Present): ReadonlyMap<string, Pair> {
  const pairs = new Map<string, Pair>()
  for (const table of wanted) {
    const found = presentTable(wanted, table, present)
    if (found === undefined) continue
    const names = present.names?.[found.actual.name]
    pairs.set(table.name, { wanted: table, ...found, aside: asideColumns(table, found.actual, present), names, pairs })
  }
  return pairs
}

/** The present name of a wanted column; undefined where it is added, or starts without its old values. */
export function nameNow(pair: Pair, name: string): string | undefined {
  const column = pair.wanted.columns.find((one) => one.name === name)
  return column === undefined || startsAnew(pair, column) ? undefined : presentColumn(pair, column)?.name
}

/** A rule over a new column disturbs no other version of the YAML; over present columns it may. */
export function effectOn(pair: Pair, columns: readonly string[]): Effect {
  const isAdded = (name: string) => pair.wanted.columns.some((column) => column.name === name && isNew(pair, column))
  return columns.some(isAdded) ? 'adds' : 'changes'
}

/** A step that adds a column: ahead of the transaction where no other step has to come before it. */
export function addedWhen(step: Step, isAhead: boolean, { wanted }: Pair, { name }: Column): Step {
  if (!isAhead) return step
  const undo = [`alter table ${q(wanted.name)} drop column if exists ${q(name)}`]
  return { ...step, work: { kind: 'prepared', ahead: statementsOf(step), undo, sql: [] } }
}
