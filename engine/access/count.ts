/** How many of the present records a change of access concerns ⇄: one statement for each policy that changed. */
import { SYSTEM } from '../actor.ts'
import type { Catalog, Field, FieldPath, Filter, Resource } from '../catalog/catalog.ts'
import { typed } from '../catalog/stored.ts'
import type { Row, Runner } from '../database/database.ts'
import { failureCode } from '../database/failure.ts'
import { FIELD_TYPES } from '../field/index.ts'
import { and, join, quoted, type Sql, sql } from '../filter/sql.ts'
import { comparedPaths, comparisons } from '../filter/walk.ts'
import { LIMITS } from '../limits.ts'
import { type Compiled, compiled, parameterValues } from '../statement/compiled.ts'
import { conditionSql, holdsSql } from '../statement/condition.ts'
import { type AccessChange, type Extent, keyOf } from './compare.ts'
import { linkedAgain } from './kept-filter.ts'

/** Why records were not counted: the conditions compare with the caller, the database lacks what they name, or it would take too long. */
type Uncounted = 'caller' | 'not there' | 'too many'

/** How many records a change gives and takes; of a table with more than LIMITS.plannedRecords, at least so many. */
type Concerned =
  | { readonly gains: number; readonly loses: number; readonly atLeast: boolean }
  | { readonly uncounted: Uncounted }

/** A change with what it comes to; without `concerned` it is about no stored records. */
export interface CountedChange extends AccessChange {
  readonly concerned?: Concerned
}

interface Asking {
  readonly catalog: Catalog
  readonly runner: Runner
  readonly now: Date
}

/** The changes with the records that each concerns. */
export async function counted(asking: Asking, changes: readonly AccessChange[]): Promise<readonly CountedChange[]> {
  const known = new Map<string, ReadonlyMap<string, Concerned>>()
  const out: CountedChange[] = []
  for (const change of changes) {
    const resource = asking.catalog.resources.get(change.about)
    if (!isAboutRecords(change) || resource === undefined) {
      out.push(change)
      continue
    }
    const policy = `${change.about} ${change.action}`
    const together = changes.filter((one) => isAboutRecords(one) && `${one.about} ${one.action}` === policy)
    const concerned = known.get(policy) ?? (await concernedBy(asking, resource, together))
    known.set(policy, concerned)
    out.push({ ...change, concerned: concerned.get(keyOf(change))! })
  }
  return out
}

/** What was never served has no records that anybody gains, and a record to come is none. */
function isAboutRecords({ action, status, sets }: AccessChange): boolean {
  return status === 'there' && sets !== true && !UNCOUNTED.has(action)
}

const UNCOUNTED: ReadonlySet<string> = new Set(['create', 'read', 'open', 'call'])

interface Asked {
  readonly key: string
  readonly before: Sql
  readonly after: Sql
}

async function concernedBy(
  { catalog, runner, now }: Asking,
  resource: Resource,
  changes: readonly AccessChange[],
): Promise<ReadonlyMap<string, Concerned>> {
  const found = new Map<string, Concerned>()
  const asked: Asked[] = []
  for (const change of new Map(changes.map((one) => [keyOf(one), one])).values()) {
    const known = withFields(resource, change.liveFields)
    const [before, after] = [change.before, change.after].map((extent) => extentSql(catalog, known, extent))
    if (typeof before === 'string' || typeof after === 'string')
      found.set(keyOf(change), { uncounted: [before, after].find((one) => typeof one === 'string') as Uncounted })
    else asked.push({ key: keyOf(change), before: before!, after: after! })
  }
  if (asked.length === 0) return found
  const { statement, parameters } = compileConcerned(catalog, resource, changes[0]!, asked)
  const answer = await answered(runner.run(statement, parameterValues(parameters, { actor: SYSTEM, now, slots: {} })))
  for (const [at, { key }] of asked.entries()) {
    if (typeof answer === 'string') found.set(key, { uncounted: answer })
    else {
      const [all = 0, ...numbers] = answer.map(Number)
      const [gains = 0, loses = 0] = numbers.slice(at * 2)
      found.set(key, { gains, loses, atLeast: all > LIMITS.plannedRecords })
    }
  }
  return found
}

/** Compiles how many records are looked at, and of each pair of conditions how many come and how many go. */
function compileConcerned(
  catalog: Catalog,
  { table, scope, live }: Resource,
  { action, others = [] }: AccessChange,
  asked: readonly Asked[],
): Compiled {
  const lives: Filter | undefined = live !== undefined && action === 'restore' ? { kind: 'not', of: live } : live
  // A condition that is another one by now is among those that are compared.
  const both = [...(others.includes('scope') ? [] : [scope]), ...(others.includes('live') ? [] : [lives])]
  const exist = both.flatMap((filter) => (filter === undefined ? [] : [conditionSql(catalog, filter, 't')]))
  const judged = asked.flatMap(({ before, after }, i) => [sql`${before} as ${`b${i}`}`, sql`${after} as ${`a${i}`}`])
  const counts = asked.flatMap((_, i) => [
    sql`count(*) filter (where ${`a${i}`} and not ${`b${i}`})`,
    sql`count(*) filter (where ${`b${i}`} and not ${`a${i}`})`,
  ])
  const looked = sql`select ${join(judged)} from ${quoted(table)} t where ${and(exist)} limit ${LIMITS.plannedRecords + 1}`
  return compiled(sql`select count(*), ${join(counts)} from (${looked}) r`)
}

/** The resource with fields that are gone, whose columns are there still. */
function withFields(resource: Resource, gone: AccessChange['liveFields'] = {}): Resource {
  const fields = Object.entries(gone).flatMap(([name, { column, type: word }]): (readonly [string, Field])[] => {
    const type = FIELD_TYPES.find((one) => one.name === word)
    if (type === undefined || resource.fields.has(name)) return []
    const options = { name, required: false, nullable: true, own: {} }
    return [[name, { name, column, ...typed(type, options), nullable: true } as Field]]
  })
  return fields.length === 0 ? resource : { ...resource, fields: new Map([...resource.fields, ...fields]) }
}

function extentSql(catalog: Catalog, resource: Resource, { kind, of }: Extent): Sql | Uncounted {
  if (kind !== 'some') return sql`${String(kind === 'all')}`
  const filters = of.map((filter) => linkedAgain(catalog, resource, filter))
  if (filters.includes(undefined)) return 'not there'
  const linked = filters as readonly Filter[]
  if (linked.some(speaksOfCaller)) return 'caller'
  return holdsSql(catalog, { kind: 'or', of: linked }, 't')
}

/** A condition of another day may compare what cannot be compared any more. */
async function answered(rows: Promise<readonly Row[]>): Promise<Row | Uncounted> {
  try {
    const [row = []] = await rows
    return row
  } catch (error) {
    const code = failureCode(error) ?? ''
    if (code === '57014') return 'too many'
    if (/^(42|22)/.test(code)) return 'not there'
    throw error
  }
}

/** Whether a condition compares with the caller, or with a value that is computed for the caller. */
function speaksOfCaller(filter: Filter): boolean {
  return comparisons(filter).some(
    (one) => one.operand.kind === 'actor' || one.operand.kind === 'before' || comparedPaths(one).some(isForCaller),
  )
}

function isForCaller({ field }: FieldPath): boolean {
  const { computed, count }: Field = field
  return count !== undefined || computed?.includes('{actor}') === true
}
