/** ⇄ A whole list as batches of rows: the conditions are those of its pages, and each batch is read while the one before is used. */
import type { BelongsTo, Catalog, FieldPath, Resource } from '../catalog/catalog.ts'
import { PROJECTION_PARAMETERS } from '../catalog/list-parameter.ts'
import type { Row } from '../database/database.ts'
import { invalid } from '../error.ts'
import { wireJson } from '../field/wire.ts'
import { pathName } from '../query/filter-shape.ts'
import { type ListQuery, readListQuery } from '../query/list-query.ts'
import { compileRows } from '../query/list-statement.ts'
import { actorClass, requireClause } from '../query/policy.ts'
import { type Execution, runCompiled } from './execution.ts'

/** Rows of one batch: few at first for a quick start, then as many as the length allows. Each size is a statement of its own. */
const BATCH_ROWS = [100, 500, 2_000] as const
/** Characters of one batch, so that long texts don't fill the memory. */
const BATCH_LENGTH = 1_048_576

const UNFIT = ['page', 'per_page', 'cursor', ...PROJECTION_PARAMETERS]

/** The batches of a list; refuses like the list does, and paging, which has no meaning here. */
export async function* streamRows(
  execution: Execution,
  resource: Resource,
  columns: readonly string[],
  query: Iterable<readonly [string, string]>,
): AsyncGenerator<readonly Row[], void> {
  const { actor, catalog } = execution
  requireClause(resource.policies.view, actor)
  const paths = columns.map((column) => pathOf(catalog, resource, column))
  const list = readListQuery(catalog, resource, actor, [...unpaged(catalog, query), ['cursor', 'first']])
  const read = (place: Place): Promise<Batch> => {
    const reading = readBatch(execution, resource, list, paths, place)
    // When the reader has gone, nobody awaits this batch, and its failure must not end the process. Who awaits it still gets the failure.
    reading.catch(() => undefined)
    return reading
  }
  let next: Promise<Batch> | undefined = read({ after: undefined, step: 0 })
  while (next !== undefined) {
    const batch: Batch = await next
    next = batch.next && read(batch.next)
    yield batch.rows
  }
}

function unpaged(catalog: Catalog, query: Iterable<readonly [string, string]>): (readonly [string, string])[] {
  const given = [...query]
  const paged = given.filter(([name, value]) => UNFIT.includes(name) && value !== '')
  if (paged.length > 0 && catalog.strictness.unknownParameters === 'refuse')
    throw invalid(
      Object.fromEntries(
        paged.map(([name]) => [name, ['All records are given at once, without pages, and with columns of their own']]),
      ),
    )
  return given.filter(([name]) => !UNFIT.includes(name))
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

/** Where a batch begins, and which of the sizes it has. */
interface Place {
  readonly after: readonly (string | null)[] | undefined
  readonly step: number
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
  { after, step }: Place,
): Promise<Batch> {
  const size = BATCH_ROWS[step] ?? BATCH_ROWS[0]
  const nulls = after?.map((value) => (value === null ? 'n' : 'v')).join('')
  const key = `rows ${resource.name} ${paths.map(pathName).join()} ${size} ${nulls ?? ''} ${list.key} ${actorClass(execution.actor)}`
  const compiled = execution.statements.get(
    key,
    () => compileRows(execution, resource, list, paths, size, nulls),
    list.madeUp,
  )
  const slots: Record<string, unknown> = { ...list.slots }
  after?.forEach((value, i) => {
    slots[`k${i}`] = value
  })
  const found = await runCompiled(execution, compiled, slots, list.adhoc || list.search !== undefined)
  const place = found.length < size ? undefined : found.at(-1)?.slice(paths.length)
  const rows = answered(found, paths)
  return { rows, next: place && { after: place, step: stepAfter(rows) } }
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

/** The largest size at which a batch stays within its length, if its texts are as long as those of the last one. */
function stepAfter(rows: readonly Row[]): number {
  let length = 0
  for (const row of rows) for (const cell of row) length += cell === null ? 0 : cell.length
  const fitting = (BATCH_LENGTH * rows.length) / Math.max(1, length)
  return Math.max(
    0,
    BATCH_ROWS.findLastIndex((size) => size <= fitting),
  )
}
