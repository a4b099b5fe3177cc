/** ⇄ Creating several records by one statement for each shape of bodies, where nothing asks for each record alone. */
import type { Clause, Filter, Resource } from '../catalog/catalog.ts'
import type { Row } from '../database/database.ts'
import { ApiError } from '../error.ts'
import type { JsonObject } from '../json.ts'
import { actorClass } from '../query/policy.ts'
import { compileInsertEach } from '../query/write-each.ts'
import type { FieldValues } from '../record/decode.ts'
import { decodeNew, madeSlugs, type NewRecord } from './create.ts'
import { attempt, changeSlots, noteChange, runCompiled, type Within } from './execution.ts'
import { hooksOf } from './hook-chain.ts'
import { parameter } from './input.ts'
import { insertShape } from './insert-shape.ts'
import { refusedByDatabase } from './outcome.ts'
import { isCounted, needsTransaction } from './read-back.ts'

/** A record to come; `fixed` are decoded values of fields that callers can't write. */
export interface NewEntry {
  readonly body: JsonObject
  readonly fixed?: JsonObject | undefined
}

/** Thrown so that nothing of it is kept: one of the records has to be looked at alone. */
class Alone extends Error {}

/**
 * Creates them all, and gives each as JSON text in its single shape, in order; none where that can't be done at once, or
 * where something is wrong with one of them: then each is to be created by itself.
 */
export async function createTogether(
  inner: Within,
  resource: Resource,
  entries: readonly NewEntry[],
): Promise<readonly string[]> {
  if (!isPlain(inner, resource)) return []
  try {
    return await attempt(inner, async (all) => {
      const texts: string[] = []
      for (const run of runsOf(await Promise.all(entries.map((entry) => decoded(all, resource, entry)))))
        texts.push(...(await insertEach(all, resource, run)))
      await noteChange(all, resource)
      return texts
    })
  } catch (error) {
    if (error instanceof Alone || (error instanceof ApiError && error.status < 500)) return []
    throw error
  }
}

/**
 * Whether records of a resource can be created at once: no hook, no rule and no link concerns each alone, and none of them
 * is judged by the others, which the statement would not see.
 */
function isPlain(inner: Within, resource: Resource): boolean {
  const { counts, relatedFollows, rules, soles } = resource
  if (hooksOf(inner, resource, 'create').length > 0 || isCounted(resource)) return false
  if (counts.length + soles.length + relatedFollows.length > 0) return false
  if (needsTransaction(inner.catalog, resource, [], { size: 0 })) return false
  return !rules.some(({ must, when }) => [must, when].some((filter) => filter !== undefined && looksAround(filter)))
}

function looksAround(filter: Filter): boolean {
  if (filter.kind === 'related') return true
  if (filter.kind === 'compare') return false
  return filter.kind === 'not' ? looksAround(filter.of) : filter.of.some(looksAround)
}

interface Plain {
  readonly values: FieldValues
  readonly clause: Clause | undefined
}

async function decoded(inner: Within, resource: Resource, { body, fixed = {} }: NewEntry): Promise<Plain> {
  const record: NewRecord = await decodeNew(inner, resource, body, undefined, fixed)
  const { children, clauses, fixed: said, input } = record
  if (children.size > 0 || input.many.size > 0 || madeSlugs(resource, input.values).length > 0) throw new Alone()
  // Where the first does not admit the record, another may, and each is looked at alone.
  return { values: { ...input.values, ...said }, clause: clauses[0] }
}

/** Records that follow each other and have the same fields and clause. */
function runsOf(records: readonly Plain[]): readonly (readonly Plain[])[] {
  const runs: Plain[][] = []
  let last: string | undefined
  for (const record of records) {
    const shape = shapeOf(record)
    if (shape === last) runs.at(-1)?.push(record)
    else runs.push([record])
    last = shape
  }
  return runs
}

function shapeOf({ clause, values }: Plain): string {
  return `${clause?.span.start ?? ''} ${Object.keys(values).sort().join()}`
}

async function insertEach(inner: Within, resource: Resource, run: readonly Plain[]): Promise<readonly string[]> {
  const { clause, values } = run[0]!
  const key = `insert each ${inner.bulk} ${resource.name} ${shapeOf(run[0]!)} ${actorClass(inner.actor)}`
  const { assigned, given } = insertShape(inner.catalog, resource, values, clause)
  // The rows of the statement are made of what was sent.
  if (given.length === 0) throw new Alone()
  const compiled = inner.statements.get(key, () =>
    compileInsertEach({ actor: inner.actor, catalog: inner.catalog }, resource, {
      given,
      assigned,
      clause,
      trusted: new Set(),
      bulk: inner.bulk,
    }),
  )
  const slots: Record<string, unknown> = { ...changeSlots(inner) }
  for (const field of given)
    slots[`f_${field.name}`] = run.map((one) => textOf(parameter(field, one.values[field.name] ?? null)))
  const rows = await refusedByDatabase(resource, () => runCompiled(inner, compiled, slots))
  if (rows.length !== run.length) throw new Alone()
  return inOrder(resource, run, rows).map((row) => compiled.serialize(row))
}

/** The rows in the order of the records: that of ids which the database counts, else the one in which the ids were given. */
function inOrder({ key }: Resource, run: readonly Plain[], rows: readonly Row[]): readonly Row[] {
  const ids = run.map(({ values }) => values[key.name])
  if (ids.some((id) => id === undefined)) return rows
  const places = new Map(ids.map((id, at) => [String(id), at]))
  return [...rows].sort(([a], [b]) => places.get(a ?? '')! - places.get(b ?? '')!)
}

/** A value as the text that a parameter of its own would have. */
function textOf(value: unknown): string | null {
  return value === null ? null : String(value)
}
