/** ⇄ A whole list as batches of rows: the same conditions as its pages, read by key, one batch ahead of who takes them. */
import type { BelongsTo, Catalog, FieldPath, Resource } from '../catalog/catalog.ts'
import type { Row } from '../database/database.ts'
import { invalid } from '../error.ts'
import { wireJson } from '../field/wire.ts'
import { createBinder } from '../query/binder.ts'
import { orderSql } from '../query/collection.ts'
import { fieldSql, quoted } from '../query/condition.ts'
import { afterSql } from '../query/cursor.ts'
import { type ListQuery, readListQuery } from '../query/list-query.ts'
import { actorClass, reach, refusal } from '../query/policy.ts'
import { type Compiled, listConditions, plainPage, sortKeys } from '../query/read-statement.ts'
import { filterable, joiner, type SelectScope } from '../query/scope.ts'
import { searchConditions } from '../query/search.ts'
import type { Execution } from './execution.ts'
import { runCompiled } from './read.ts'

/** Rows of one batch: few at first for a quick start, then as many as fit the size; each number is a statement. */
const BATCH_ROWS = [100, 500, 2_000] as const
/** Characters of one batch, so that long texts don't fill the memory. */
const BATCH_LENGTH = 1_048_576

const PAGING = ['page', 'per_page', 'cursor']

/** The batches of a list; refuses like the list does, and paging, which has no meaning here. */
export async function* streamRows(
  execution: Execution,
  resource: Resource,
  columns: readonly string[],
  query: Iterable<readonly [string, string]>,
): AsyncGenerator<readonly Row[], void> {
  const { actor, catalog } = execution
  if (reach(resource.policies.view, actor).kind === 'none') throw refusal(resource.policies.view, actor)
  const paths = columns.map((column) => pathOf(catalog, resource, column))
  const list = readListQuery(catalog, resource, actor, [...unpaged(catalog, query), ['cursor', 'first']])
  const read = (place: Place): Promise<Batch> => {
    const reading = readBatch(execution, resource, list, paths, place)
    // A batch read ahead for somebody who has gone fails unheard; whoever still awaits it hears of it.
    reading.catch(() => undefined)
    return reading
  }
  let next: Promise<Batch> | undefined = read({ after: undefined, rung: 0 })
  while (next !== undefined) {
    const batch: Batch = await next
    next = batch.next && read(batch.next)
    yield batch.rows
  }
}

function unpaged(catalog: Catalog, query: Iterable<readonly [string, string]>): (readonly [string, string])[] {
  const given = [...query]
  const paged = given.filter(([name, value]) => PAGING.includes(name) && value !== '')
  if (paged.length > 0 && catalog.strictness.unknownParameters === 'refuse')
    throw invalid(Object.fromEntries(paged.map(([name]) => [name, ['All records are given at once, without pages']])))
  return given.filter(([name]) => !PAGING.includes(name))
}

/** The path of a column such as `status.name`: to-one relations, then a field; throws when there is none. */
export function pathOf(catalog: Catalog, resource: Resource, column: string): FieldPath {
  const words = column.split('.')
  const relations: BelongsTo[] = []
  let at: Resource | undefined = resource
  for (const word of words.slice(0, -1)) {
    const relation = at?.relations.get(word)
    if (relation?.kind !== 'belongs_to') throw new Error(`${resource.name} has no column ${column}`)
    relations.push(relation)
    at = catalog.resources.get(relation.target)
  }
  const field = at?.fields.get(words.at(-1) ?? '')
  if (field === undefined || field.count !== undefined) throw new Error(`${resource.name} has no column ${column}`)
  return { relations, field }
}

/** Where a batch begins, and how many rows it may have. */
interface Place {
  readonly after: readonly (string | null)[] | undefined
  readonly rung: number
}

interface Batch {
  readonly rows: readonly Row[]
  /** undefined: this was the last one. */
  readonly next: Place | undefined
}

async function readBatch(
  execution: Execution,
  resource: Resource,
  list: ListQuery,
  paths: readonly FieldPath[],
  { after, rung }: Place,
): Promise<Batch> {
  const { actor, catalog, statements } = execution
  const size = BATCH_ROWS[rung] ?? BATCH_ROWS[0]
  const nulls = after?.map((value) => (value === null ? 'n' : 'v')).join('')
  const words = paths.map(({ relations, field }) => [...relations, field].map((part) => part.name).join('.'))
  const key = `rows ${resource.name} ${words.join()} ${size} ${nulls ?? ''} ${list.key} ${actorClass(actor)}`
  const compiled = statements.get(key, () => compileRows({ catalog, actor }, resource, list, paths, size, nulls))
  const slots: Record<string, unknown> = { ...list.slots }
  after?.forEach((value, i) => {
    slots[`k${i}`] = value
  })
  const found = await runCompiled(execution, compiled, slots, list.adhoc || list.search)
  const place = found.length < size ? undefined : found.at(-1)?.slice(paths.length)
  const rows = answered(found, paths)
  return { rows, next: place && { after: place, rung: rungAfter(rows) } }
}

/** Rows with the texts of their columns as answers write them, without the quotes of JSON; the cursor's columns cut off. */
function answered(found: readonly Row[], paths: readonly FieldPath[]): readonly Row[] {
  const written = paths.flatMap(({ field: { type } }, at) =>
    type.wire === 'timestamp' || type.wire === 'boolean' ? [{ at, wire: type.wire }] : [],
  )
  return found.map((row) => {
    const texts = row.slice(0, paths.length)
    for (const { at, wire } of written) {
      const text = texts[at] ?? null
      if (text !== null) texts[at] = wireJson(wire, text).replaceAll('"', '')
    }
    return texts
  })
}

/** The most rows whose texts, as long as those of the last batch, stay within its length. */
function rungAfter(rows: readonly Row[]): number {
  let length = 0
  for (const row of rows) for (const cell of row) length += cell === null ? 0 : cell.length
  const fitting = (BATCH_LENGTH * rows.length) / Math.max(1, length)
  return Math.max(
    0,
    BATCH_ROWS.findLastIndex((size) => size <= fitting),
  )
}

function compileRows(
  { catalog, actor }: Pick<SelectScope, 'catalog' | 'actor'>,
  resource: Resource,
  list: ListQuery,
  paths: readonly FieldPath[],
  size: number,
  nulls: string | undefined,
): Compiled {
  const binder = createBinder()
  const scope: SelectScope = { catalog, actor, binder }
  const where = listConditions(scope, resource, undefined, undefined, list)
  if (list.search) {
    // One OR instead of a union: the rows are walked in the order of the list, once over all batches.
    const sources = searchConditions(scope, resource.search, 't', binder.slot('search'))
    where.push(sources.length === 0 ? 'false' : `(${sources.join(' or ')})`)
  }
  const sorted = sortKeys(scope, list.sort)
  if (nulls !== undefined) where.push(afterSql(sorted, nulls, (i) => binder.slot(`k${i}`)))
  const joins: string[] = []
  const join = joiner(catalog, joins)
  const columns = paths.map((path) => {
    if (!filterable(path, actor)) return 'null'
    return fieldSql(path.field, path.relations.reduce(join, 't'), binder)
  })
  const text = plainPage(
    {
      table: quoted(resource.table),
      where,
      sorted,
      limit: `limit ${size}`,
      columns: [...columns, ...sorted.map((sort) => sort.sql)].join(', '),
      joins: joins.join(' '),
    },
    orderSql(scope, list.sort, 't'),
    false,
  )
  return { statement: { text }, sources: binder.sources }
}
