/** ⇄ Creating several records by one statement, where nothing asks for each record alone. */
import type { Clause, Resource } from '../catalog/catalog.ts'
import { idOf } from '../catalog/stored.ts'
import type { Row } from '../database/database.ts'
import { ApiError } from '../error.ts'
import type { Id } from '../id.ts'
import type { JsonObject } from '../json.ts'
import { memo } from '../memo.ts'
import { findsNew } from '../plan/reads-of-answer.ts'
import { planInsertEach } from '../plan/write-plan.ts'
import type { WritePlan } from '../plan/write-shape.ts'
import type { FieldValues } from '../record/decode.ts'
import { attempt, changeSlots, hooksOf, noteChange, runCompiled, type Within } from '../run/execution.ts'
import { type Compiled, parameterOf, type SelectScope } from '../statement/compiled.ts'
import { dependsOnTable } from '../statement/insert-depends-on-table.ts'
import { compileInsertEach, compileInsertOfEach } from '../statement/write-each.ts'
import { turns } from '../turns.ts'
import { decodeNew, madeSlugs } from './create.ts'
import { givenNames, withId } from './input.ts'
import { countCreated } from './quota.ts'
import { refusedByDatabase, undone } from './refusal.ts'
import { hasProtected, withProtected } from './write.ts'

/** A record to come; `fixed` are decoded values of fields that callers cannot write. */
export interface NewEntry {
  readonly body: JsonObject
  readonly fixed?: JsonObject | undefined
}

/**
 * Creates them all, and gives each as JSON text in its single shape, in order; none where that cannot be done at once, or
 * where something is wrong with one of them: then each is to be created by itself.
 */
export async function createTogether(
  inner: Within,
  resource: Resource,
  entries: readonly NewEntry[],
): Promise<readonly string[]> {
  if (!canTogether(inner, resource)) return []
  const work = (all: Within): Promise<readonly string[] | undefined> => insertTogether(all, resource, entries)
  return (await unlessRefused(() => attempt(inner, work, (texts) => texts !== undefined))) ?? []
}

/** The records as JSON texts; undefined where one of them has to be looked at alone, and then none is to be kept. */
async function insertTogether(
  all: Within,
  resource: Resource,
  entries: readonly NewEntry[],
): Promise<readonly string[] | undefined> {
  const records: Plain[] = []
  const giveWay = turns()
  for (const entry of entries) {
    const record = await decoded(all, resource, entry)
    if (record === undefined) return undefined
    records.push(record)
    await giveWay()
  }
  const texts: string[] = []
  for (const run of runsOf(resource, records)) {
    const some = await insertEach(all, resource, run)
    if (some === undefined) return undefined
    texts.push(...some)
  }
  await noteChange(all, resource)
  return texts
}

/** What became of one of several records: its id, what is wrong with it, or nothing where it has to be looked at alone. */
export type Made = Id | ApiError | undefined

/**
 * Creates those of several records with which nothing is wrong, and tells what became of each, in order. Throws where
 * something is wrong that only the database knows. Only where `canTogether`.
 */
export async function createThose(
  inner: Within,
  resource: Resource,
  entries: readonly NewEntry[],
): Promise<readonly Made[]> {
  const made: Made[] = []
  const records: Plain[] = []
  const giveWay = turns()
  for (const [at, entry] of entries.entries()) {
    await giveWay()
    const record = await refusable(() => decoded(inner, resource, entry))
    if (record instanceof ApiError) made[at] = record
    else if (record !== undefined) records.push({ ...record, at })
  }
  for (const run of runsOf(resource, records)) {
    const ids = await insertThose(inner, resource, run)
    for (const [nth, { at }] of run.records.entries()) made[at] = ids[nth]
  }
  await noteChange(inner, resource)
  return entries.map((_, at) => made[at])
}

/** What `work` gives; undefined where it is refused for what is wrong with a record. */
export async function unlessRefused<T>(work: () => Promise<T>): Promise<T | undefined> {
  const outcome = await refusable(work)
  return outcome instanceof ApiError ? undefined : outcome
}

async function refusable<T>(work: () => Promise<T>): Promise<T | ApiError> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return error
    throw error
  }
}

/**
 * Whether records of a resource can be created at once: no hook, no rule and no link concerns each alone, and none of them
 * is judged by the others, which the statement would not see.
 */
export function canTogether(inner: Within, resource: Resource): boolean {
  const { counts, existing, foreignRules, linkRules, relatedFollows, rules, soles } = resource
  if (hooksOf(inner, resource, 'create').length > 0 || rules.some(({ always }) => always)) return false
  if ([counts, foreignRules, linkRules, relatedFollows, soles].some((some) => some.length > 0)) return false
  if (findsNew(resource)) return false
  // A table of others need not have an index for each unique value.
  if (existing && [...resource.fields.values()].some((field) => field.unique && field !== resource.key)) return false
  return !dependsOnTable(inner, resource)
}

interface Plain {
  readonly values: Readonly<FieldValues>
  readonly clause: Clause | undefined
  /** Its place among all records. */
  readonly at: number
}

/** A record to come, decoded and allowed; undefined where it has to be looked at alone. Throws what is wrong with it. */
async function decoded(inner: Within, resource: Resource, { body, fixed }: NewEntry): Promise<Plain | undefined> {
  const { children, clauses, input } = await decodeNew(inner, resource, body, undefined, fixed)
  if (children.size > 0 || input.many.size > 0 || madeSlugs(resource, input.values).length > 0) return undefined
  const values = fixed === undefined ? input.values : { ...input.values, ...fixed }
  // Where the first does not admit the record, another may, and each is looked at alone.
  return { values: withId(resource, values, inner.now()), clause: clauses[0], at: 0 }
}

/** Records that one statement writes: they follow each other, and differ at most by what some of them lack. */
interface Run {
  readonly records: Plain[]
  /** The names of the fields that every record has. The database itself would give a missing one a value. */
  readonly solid: string
  /** The names that any of them has, with how many have it. */
  readonly counts: Map<string, number>
  /** Those that one of them has as a null, which is not the same as to lack it. */
  readonly nulls: Set<string>
}

function runsOf(resource: Resource, records: readonly Plain[]): readonly Run[] {
  const lacked = lackable(resource)
  const runs: Run[] = []
  for (const record of records) {
    const names = Object.keys(record.values)
    const solid = names.filter((name) => !lacked.has(name)).join()
    let run = runs.at(-1)
    if (run === undefined || run.solid !== solid || !joins(run, record, names)) {
      run = { records: [], solid, counts: new Map(), nulls: new Set() }
      runs.push(run)
    }
    run.records.push(record)
    for (const name of names) {
      run.counts.set(name, (run.counts.get(name) ?? 0) + 1)
      if (record.values[name] === null) run.nulls.add(name)
    }
  }
  return runs
}

function joins({ counts, nulls, records }: Run, { clause, values }: Plain, names: readonly string[]): boolean {
  if (records[0]?.clause !== clause) return false
  for (const name of nulls) if (!Object.hasOwn(values, name)) return false
  return names.every((name) => values[name] !== null || counts.get(name) === records.length)
}

/**
 * The fields that one record of a run may lack while another has them: the database gives them no value of its own, or
 * a moment.
 */
const lackable = memo((resource: Resource): ReadonlySet<string> => {
  // A table of others may have defaults that the YAML does not say.
  if (resource.existing) return new Set()
  const { fields, key, scopeSets } = resource
  const fixed = new Set(scopeSets.map(({ field }) => field))
  const found = [...fields.values()].filter(
    (field) => field !== key && !fixed.has(field) && field.type.generated === undefined && field.stored === undefined,
  )
  return new Set(found.map(({ name }) => name))
})

/** The plan of writing the records of a run. */
function planOf({ bulk, plans }: Within, resource: Resource, { counts, nulls, records }: Run): WritePlan {
  const [{ clause, values }] = records as [Plain]
  const lacks = lackable(resource)
  const isOptional = (name: string): boolean => lacks.has(name) && !nulls.has(name)
  const names = givenNames(resource, values).filter((name) => !isOptional(name))
  const lacked = [...resource.fields.keys()].filter((name) => counts.has(name) && isOptional(name))
  return plans.get(planInsertEach, { resource, clause, bulk, names, lacked })
}

/** Runs the statement that writes the records of a run; throws what the database refuses. */
async function runInsert<T extends Compiled>(
  inner: Within,
  plan: WritePlan,
  run: Run,
  compile: (scope: SelectScope, plan: WritePlan) => T,
): Promise<{ readonly compiled: T; readonly rows: readonly Row[] }> {
  const { resource } = plan
  const { records } = await protectedRun(inner, resource, run)
  const compiled = inner.statements.get(compile, { actor: inner.actor, catalog: inner.catalog }, plan)
  const slots: Record<string, unknown> = { ...changeSlots(inner) }
  for (const field of plan.given)
    slots[`f_${field.name}`] = records.map(({ values }) => textOf(parameterOf(field, values[field.name] ?? null)))
  try {
    return { compiled, rows: await runCompiled(inner, compiled, slots) }
  } catch (error) {
    throw refusedByDatabase(inner.actor, plan, error) ?? error
  }
}

/** The records with their secrets as they are kept. */
async function protectedRun(inner: Within, resource: Resource, run: Run): Promise<Run> {
  if (!hasProtected(inner, resource)) return run
  const records = run.records.map(async (one) => ({ ...one, values: await withProtected(inner, resource, one.values) }))
  return { ...run, records: await Promise.all(records) }
}

/** The records of a run as JSON texts; undefined where one of them has to be looked at alone. */
async function insertEach(inner: Within, resource: Resource, run: Run): Promise<readonly string[] | undefined> {
  const plan = planOf(inner, resource, run)
  // The rows of the statement are made of what was sent.
  if (plan.given.length === 0) return undefined
  await countCreated(
    inner,
    run.records.map(({ values }) => values),
  )
  const { compiled, rows } = await runInsert(inner, plan, run, compileInsertEach)
  if (rows.length !== run.records.length) return undefined
  return inOrder(resource, run.records, rows).map((row) => compiled.serialize(row))
}

/** The rows in the order of the records: that of ids which the database counts, else the one in which the ids were given. */
function inOrder({ key }: Resource, records: readonly Plain[], rows: readonly Row[]): readonly Row[] {
  const ids = records.map(({ values }) => values[key.name])
  if (ids.some((id) => id === undefined)) return rows
  const places = new Map(ids.map((id, at) => [String(id), at]))
  return [...rows].sort(([a], [b]) => places.get(a ?? '')! - places.get(b ?? '')!)
}

/** The ids of the records of a run, in order; none for those that are not written. */
async function insertThose(inner: Within, resource: Resource, run: Run): Promise<readonly (Id | undefined)[]> {
  const plan = planOf(inner, resource, run)
  if (plan.given.length === 0) return run.records.map(() => undefined)
  const { rows } = await runInsert(inner, plan, run, compileInsertOfEach)
  const [row] = rows
  const refused = new Set((row?.[1] ?? '').split(',').map(Number))
  const counted = (row?.[0] ?? '').split(',')
  if (Number(row?.[2]) !== run.records.filter((_, at) => !refused.has(at + 1)).length) throw undone()
  let next = 0
  await countCreated(
    inner,
    run.records.filter((_, at) => !refused.has(at + 1)).map(({ values }) => values),
  )
  return run.records.map(({ values }, at) => {
    if (refused.has(at + 1)) return undefined
    return (values[resource.key.name] as Id | undefined) ?? idOf(resource, counted[next++])
  })
}

/** A value as the text that a parameter of its own would have. */
function textOf(value: unknown): string | null {
  return value === null ? null : String(value)
}
