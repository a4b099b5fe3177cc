/**
 * Examines the queries of lists ⇄: PostgreSQL plans each filter, sort key, search and relation over the present data,
 * without running it. Sequential scans are discouraged in these plans; a table that is still read whole, without an
 * index for the query, is a finding.
 */
import { SYSTEM } from '../actor.ts'
import { readListQuery } from '../ask/list.ts'
import type { BelongsTo, Catalog, Field, Filter, FilterPath, Index, Resource } from '../catalog/catalog.ts'
import { endOf, isStored } from '../catalog/stored.ts'
import type { Database, Runner } from '../database/database.ts'
import { print, quoted as q } from '../filter/sql.ts'
import { isObject, type Json } from '../json.ts'
import { inspect } from '../migration/inspect.ts'
import { createPlans } from '../plan/plan.ts'
import { type Compiled, parameterValues } from '../statement/compiled.ts'
import { fieldSql } from '../statement/condition.ts'
import { compileCount, compilePage } from '../statement/list.ts'
import { placeOf } from '../text/source.ts'
import { type Finding, ok, type Thresholds } from './finding.ts'
import { rowsOf } from './growth.ts'

/** One thing that callers may ask of a list. */
interface Asked {
  readonly resource: Resource
  /** For people: `the filter status.name`. */
  readonly what: string
  readonly query: readonly (readonly [string, string])[]
  /** A condition in addition to those of the query. */
  readonly filters?: readonly Filter[]
  /** The statement whose plan shows whether there is an index, and the part of the plan that shows it. */
  readonly of: 'count' | 'page' | 'order'
  /** The table that is read by a key anyway, which says nothing of this. */
  readonly except: string | undefined
  /** The columns that it reads, and their resource. */
  readonly field: Field | undefined
  readonly holder: Resource
  /** The indexes that help, each by its kind, table and first column; a computed value has none. */
  readonly reads: readonly string[]
}

/** Rows from which a rare value is taken. */
const SAMPLED = 1_000
/** Above so many rows a query that reads all of them fails rather than being slow. */
const HUGE = 50

export async function lookAtQueries(
  database: Database,
  catalog: Catalog,
  now: Date,
  { largeRows }: Pick<Thresholds, 'largeRows'>,
): Promise<readonly Finding[]> {
  return database.session(async (runner) => {
    const tables = [...new Set([...catalog.resources.values()].map(({ table }) => table))]
    const counts = await rowsOf(runner, tables, largeRows)
    const large = new Map([...counts].filter(([, rows]) => rows >= largeRows))
    if (large.size === 0) return [ok(`no table has ${largeRows.toLocaleString('en')} rows, so any query is quick`)]
    const found: Finding[] = []
    let looked = 0
    await runner.run({ text: 'begin read only' }, [])
    try {
      await runner.run({ text: 'set local enable_seqscan = off' }, [])
      const indexed = await indexedColumns(runner)
      for (const asked of await askedOf(catalog, runner, large)) {
        looked += 1
        if (asked.reads.every((one) => indexed.has(one))) continue
        const slow = await slowTable(catalog, runner, asked, now, large)
        if (slow !== undefined) found.push(told(asked, slow, large.get(slow) ?? 0, largeRows))
      }
    } finally {
      await runner.run({ text: 'rollback' }, [])
    }
    return found.length > 0 ? found : [ok(`${looked} filters, sort keys, searches and relations are found by an index`)]
  })
}

/** The valid indexes that the engine has made, by kind, table and first column. */
async function indexedColumns(runner: Runner): Promise<ReadonlySet<string>> {
  const { tables } = await inspect(runner)
  const names = tables.flatMap(({ indexes, name, primaryKey }) => [
    `btree ${name}.${primaryKey[0]}`,
    ...indexes.map(({ columns, kind }) => `${kind} ${name}.${columns[0]}`),
  ])
  return new Set(names)
}

function indexName(kind: Index['kind'], { table }: Resource, field: Field): string {
  return isStored(field) ? `${kind} ${table}.${field.column}` : 'none'
}

/** The resource whose field a path ends in. */
function holderOf(catalog: Catalog, resource: Resource, { relations, through }: FilterPath): Resource {
  return endOf(catalog, resource, relations.length === 0 && through ? [through.many] : relations)
}

/** Everything that lists over large tables are declared to do, with values of the data. */
async function askedOf(
  catalog: Catalog,
  runner: Runner,
  large: ReadonlyMap<string, number>,
): Promise<readonly Asked[]> {
  const all: Asked[] = []
  for (const resource of catalog.resources.values()) {
    for (const [name, path] of resource.filters)
      all.push(...(await askedByFilter(catalog, runner, resource, name, path)))
    for (const relation of resource.relations.values()) {
      if (relation.kind === 'belongs_to') all.push(...(await askedByRelation(runner, resource, relation)))
    }
    const plain = { resource, field: undefined, holder: resource, except: undefined }
    for (const [name, path] of resource.sort.keys) {
      const { field, relations } = path
      const holder = holderOf(catalog, resource, path)
      const reads = [relations.length === 0 ? indexName('btree', resource, field) : 'none']
      all.push({ ...plain, what: `the sort key ${name}`, query: [['sort', name]], of: 'order', field, holder, reads })
    }
    const phrase = await phraseOf(catalog, runner, resource)
    const kinds = resource.language === undefined ? (['trigram'] as const) : (['trigram', 'stems'] as const)
    const reads = resource.search.flatMap((path) =>
      kinds.map((kind) => indexName(kind, holderOf(catalog, resource, path), path.field)),
    )
    const field = resource.search.find((path) => !isStored(path.field))?.field
    const search = { ...plain, what: 'the search', of: 'page', field, reads } as const
    if (phrase !== undefined) all.push({ ...search, query: [['search', phrase]] })
  }
  return all.filter(({ resource, holder }) => large.has(resource.table) || large.has(holder.table))
}

async function askedByFilter(
  catalog: Catalog,
  runner: Runner,
  resource: Resource,
  name: string,
  path: FilterPath,
): Promise<readonly Asked[]> {
  const { field } = path
  const holder = holderOf(catalog, resource, path)
  if (!field.type.operators.includes('eq')) return []
  const value = await sampleOf(runner, holder, field)
  if (value === undefined) return []
  const except = holder === resource ? undefined : resource.table
  return [
    {
      resource,
      what: `the filter ${name}`,
      query: [[name, value]],
      of: 'count',
      except,
      field,
      holder,
      reads: [indexName('btree', holder, field)],
    },
  ]
}

async function askedByRelation(
  runner: Runner,
  resource: Resource,
  { field, name }: BelongsTo,
): Promise<readonly Asked[]> {
  if (!isStored(field) || resource.filters.has(field.name)) return []
  const value = await sampleOf(runner, resource, field)
  if (value === undefined) return []
  const operand = { kind: 'literal', value: field.type.wire === 'number' ? Number(value) : value } as const
  const filters = [{ kind: 'compare', path: { relations: [], field }, operator: 'eq', operand }] as const
  const asked = { resource, query: [], filters, field, holder: resource, except: undefined }
  const reads = [indexName('btree', resource, field)]
  return [{ ...asked, what: `the relation ${name}`, of: 'count', reads }]
}

/** A value that few rows have, the longest of them, as a query string writes it. */
async function sampleOf(runner: Runner, { table }: Resource, field: Field): Promise<string | undefined> {
  const { text, parameters } = print(fieldSql(field, 'o'))
  if (parameters.length > 0) return undefined
  const value =
    field.type.wire === 'timestamp' ? `to_char(v at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')` : 'v::text'
  const sampled = `select ${value} from (select ${text} as v from ${q(table)} o limit ${SAMPLED}) s
    where v is not null group by v
    order by count(*), length(v::text) desc, v desc limit 1`
  return tried(runner, async () => (await runner.run({ text: sampled }, []))[0]?.[0] ?? undefined)
}

/** A search that finds few records: the beginning of a text of the data, as a phrase. */
async function phraseOf(catalog: Catalog, runner: Runner, resource: Resource): Promise<string | undefined> {
  for (const path of resource.search) {
    const { field } = path
    const holder = holderOf(catalog, resource, path)
    const text = await sampleOf(runner, holder, field)
    const phrase = text?.replaceAll('"', ' ').trim().slice(0, 40)
    if (phrase !== undefined && /[\p{L}\p{N}]{3}/u.test(phrase)) return `"${phrase}"`
  }
  return undefined
}

/** The result, or undefined where the database refuses; the transaction goes on. */
async function tried<T>(runner: Runner, work: () => Promise<T>): Promise<T | undefined> {
  await runner.run({ text: 'savepoint doctor' }, [])
  try {
    return await work()
  } catch {
    await runner.run({ text: 'rollback to savepoint doctor' }, [])
    return undefined
  }
}

/** The large table that has to be read whole; undefined where none has. */
async function slowTable(
  catalog: Catalog,
  runner: Runner,
  { resource, query, filters = [], of, except }: Asked,
  now: Date,
  large: ReadonlyMap<string, number>,
): Promise<string | undefined> {
  const read = await tried(runner, async () => {
    const scope = { catalog, actor: SYSTEM }
    const { plan: wanted, slots } = readListQuery({ ...scope, plans: createPlans(catalog) }, resource, query)
    const list = { ...wanted, filters: [...wanted.filters, ...filters] }
    const { statement, parameters }: Compiled =
      of === 'count'
        ? compileCount(scope, { ...list, total: { by: 'count', cap: undefined } })
        : compilePage(scope, list)
    const values = parameterValues(parameters, { actor: SYSTEM, now, slots })
    const [row] = await runner.run({ text: `explain (format json) ${statement.text}` }, values)
    const plan = planIn(row?.[0] ?? '[{}]')
    return of === 'order' ? wholeSorts(plan) : wholeReads(plan)
  })
  return [...(read ?? [])].find((table) => large.has(table) && table !== except)
}

function told({ resource, what, field, holder, of }: Asked, table: string, rows: number, largeRows: number): Finding {
  const place = placeOf((field ?? resource).span)
  return {
    level: rows >= largeRows * HUGE ? 'problem' : 'warning',
    message: `${what} of ${resource.name} reads all ${rows.toLocaleString('en')} rows of ${table}`,
    advice: cure(field, resource, holder, of),
    place,
  }
}

function cure(field: Field | undefined, resource: Resource, holder: Resource, of: Asked['of']): string {
  if (field === undefined) return 'see whether `plinth plan` would make an index'
  if (!isStored(field))
    return `a computed field has no index: give ${field.name} a formula in \`stored\`, or take it out`
  if (of === 'order' && holder !== resource)
    return `take it out of \`sort.keys\`, or keep the value in a field of ${resource.name} as well`
  if (of === 'order' && field.type.name === 'text')
    return `take ${field.name} out of \`sort.keys\`: texts have no order that an index keeps`
  if (field.type.name === 'text' || field.type.wire === 'json')
    return `take the filter out, or let people search ${field.name}`
  return `write \`indexes: [[${field.name}]]\` into the file of ${holder.name}`
}

interface PlanNode {
  readonly type: string
  readonly table: string | undefined
  /** Whether it finds rows by an index instead of going through all of them. */
  readonly finds: boolean
  readonly below: readonly PlanNode[]
}

/** The root of `explain (format json)`. */
function planIn(text: string): PlanNode {
  const [root] = JSON.parse(text) as readonly [{ readonly Plan: Json }]
  return nodeOf(root.Plan)
}

function nodeOf(plan: Json): PlanNode {
  const node = isObject(plan) ? plan : {}
  const table = node['Relation Name']
  return {
    type: String(node['Node Type']),
    table: typeof table === 'string' ? table : undefined,
    finds: node['Index Cond'] !== undefined,
    below: Array.isArray(node.Plans) ? node.Plans.map(nodeOf) : [],
  }
}

/** The tables that are read from one end to the other below a node. */
function wholeReads(node: PlanNode): ReadonlySet<string> {
  const found = node.below.flatMap((one) => [...wholeReads(one)])
  return new Set(isWholeRead(node) && node.table !== undefined ? [node.table, ...found] : found)
}

function isWholeRead({ type, finds, below }: PlanNode): boolean {
  if (type === 'Seq Scan') return true
  if (type === 'Index Scan' || type === 'Index Only Scan') return !finds
  // Below it are the scans of indexes, which name no table.
  return type === 'Bitmap Heap Scan' && !below.some(isFound)
}

function isFound({ finds, below }: PlanNode): boolean {
  return finds || below.some(isFound)
}

/** The tables whose rows are all read and sorted. */
function wholeSorts(node: PlanNode): ReadonlySet<string> {
  if (node.type === 'Sort') return wholeReads(node)
  return new Set(node.below.flatMap((one) => [...wholeSorts(one)]))
}
