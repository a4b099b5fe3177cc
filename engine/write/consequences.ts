/** ⇄ Writes of other records that follow from a write: the program itself makes them in the same transaction, as any other. */

import type { Lookup } from '../ask/lookup.ts'
import type { BelongsTo, Catalog, Field, RelatedFollow, Resource, WriteAction } from '../catalog/catalog.ts'
import { idOf, idSql, idType, keyOf, meets, targetOf, type WrittenBy } from '../catalog/stored.ts'
import type { Row } from '../database/database.ts'
import { ApiError, invalid } from '../error.ts'
import { and, quoted, slot, sql } from '../filter/sql.ts'
import type { Id } from '../id.ts'
import type { Json, JsonObject } from '../json.ts'
import { memo } from '../memo.ts'
import { solesOf } from '../plan/write-checks.ts'
import { type FieldValues, isWritable, misfit } from '../record/decode.ts'
import type { Records } from '../run/context.ts'
import { type Execution, runCompiled } from '../run/execution.ts'
import { type Compiled, compiled, type SelectScope } from '../statement/compiled.ts'
import { existenceSql } from '../statement/condition.ts'
import {
  compileConcerned,
  compileFollowing,
  leavingFollowsOf,
  lockOther,
  relatedFollowsOf,
} from '../statement/related-follow.ts'
import { compileLosers } from '../statement/write-check.ts'
import { lockEach } from './locks.ts'

/** Gives another record values. Throws conflict in its own sentences where it is refused, since its fields are none of the caller's body. */
export async function updateOther(around: Execution, target: Resource, id: Id, values: JsonObject): Promise<void> {
  await told(target, async () => {
    const { body, fixed } = writtenValues(target, values)
    await recordsOf(around, target).update(id, body, { fixed })
  })
}

/** Clears the key of another record, without regard to who may write it. Throws as `updateOther` does. */
export async function clearKey(around: Execution, target: Resource, id: Id, key: Field): Promise<void> {
  await told(target, async () => {
    await recordsOf(around, target).update(id, {}, { fixed: { [key.name]: null } })
  })
}

/** Creates another record. Throws as `updateOther` does. */
export async function createOther(around: Execution, target: Resource, values: JsonObject): Promise<void> {
  await told(target, async () => {
    const { body, fixed } = writtenValues(target, values)
    await recordsOf(around, target).create(body, fixed)
  })
}

/** Deletes another record. Throws conflict where that is refused. */
export async function deleteOther(around: Execution, target: Resource, id: Id): Promise<void> {
  await recordsOf(around, target).delete(id)
}

/** Records as the program itself writes them; others may still refer to what it changes. */
function recordsOf(around: Execution, { name }: Resource): Records {
  return around.contextOf({ ...around, sharesKeys: true }, {}).records(name, 'system')
}

async function told(target: Resource, write: () => Promise<void>): Promise<void> {
  try {
    await write()
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'validation_failed') throw error
    const sentences = Object.values(error.params.errors ?? {}).flat()
    throw new ApiError('conflict', { message: `${target.label}: ${sentences.join('; ')}` })
  }
}

/** Divides values by field, as JSON; throws validation_failed where a value that only the program may say does not fit. */
export function writtenValues(
  resource: Resource,
  values: JsonObject,
): { readonly body: JsonObject; readonly fixed: FieldValues } {
  const body: Record<string, Json> = {}
  const fixed: FieldValues = {}
  for (const [name, value = null] of Object.entries(values)) {
    const field = resource.fields.get(name)!
    if (isWritable(field)) body[name] = value
    else if (value === null) fixed[name] = null
    else {
      const found = field.type.decode(value, field.options)
      if (!('value' in found)) throw invalid({ [field.name]: [misfit(field, found)] })
      fixed[name] = found.value
    }
  }
  return { body, fixed }
}

type Stored = Readonly<Record<string, Json>>

/** A write of a record: as it is stored now (before a delete), and as it was before an update. */
interface Written {
  readonly by: WrittenBy | 'delete' | 'restore'
  readonly before?: Stored | undefined
  readonly after: Stored
}

/** Writes what follows in other records. Throws conflict where one of them is refused; then the whole write is. */
export async function followRelated(around: Execution, resource: Resource, written: Written): Promise<void> {
  if (resource.relatedFollows.length === 0) return
  const follows = relatedFollowsOf(resource, written.by, around.actor, changedColumns(resource, written))
  await followEach(around, resource, written.after.id as Id, follows)
}

/**
 * Writes what follows in the other records that a record leaves by an update, before it is made: for these it is as if the
 * record were deleted. `draft` gives the record as it will be. Throws as `followRelated` does.
 */
export async function leaveRelated(
  around: Execution,
  resource: Resource,
  { id, record }: { readonly id: Id; readonly record: Stored },
  values: Stored,
  draft: () => Promise<Stored>,
): Promise<void> {
  const keys = resource.relatedFollows.filter(({ on }) => on.has('delete')).map(keyOf)
  if (keys.length === 0) return
  const setting = [...resource.follows, ...resource.policies.update].flatMap(
    (one): readonly { readonly field: Field }[] => one.set,
  )
  const decided = new Set([...setting, ...resource.updateSets].map(({ field }) => field.name))
  const next = keys.some(({ name }) => decided.has(name)) ? await draft() : values
  const moved = keys.filter(({ name }) => Object.hasOwn(next, name) && String(next[name]) !== String(record[name]))
  const follows = leavingFollowsOf(resource, around.actor, new Set(moved.map(({ column }) => column)))
  for (const follow of follows) {
    const { of } = follow
    const ids = [record[of.field.name], next[of.field.name]].filter((one) => one !== null && one !== undefined)
    // Both at once and in one order: of two records that change places, each would else wait for the other.
    if (of.relations.length === 0 && ids.length > 1) await lockEach(around, targetOf(around.catalog, follow), ids)
  }
  await followEach(around, resource, id, follows)
}

async function followEach(
  around: Execution,
  resource: Resource,
  id: Id,
  follows: readonly RelatedFollow[],
): Promise<void> {
  if (follows.length === 0) return
  const compiled = around.statements.get(compileConcerned, around, resource, follows)
  const [row = []] = await runCompiled(around, compiled, { id })
  const first = row.findIndex((other) => other !== null)
  if (first === -1) return
  // What an earlier entry changes may concern a later one.
  for (const [index, follow] of follows.entries())
    if (index >= first) await followOne(around, resource, follow, id, index === first ? row[first]! : undefined)
}

/** The columns in which the record is another than before. */
function changedColumns({ fields }: Resource, { before, after }: Written): ReadonlySet<string> {
  const changed = [...fields.values()].filter(
    ({ name }) => JSON.stringify(before?.[name] ?? null) !== JSON.stringify(after[name] ?? null),
  )
  return new Set(changed.map(({ column }) => column))
}

/** `found` is the other record where it is known already. */
async function followOne(
  around: Execution,
  resource: Resource,
  follow: RelatedFollow,
  id: Id,
  found: string | undefined,
): Promise<void> {
  const target = targetOf(around.catalog, follow)
  const compiled = around.statements.get(compileFollowing, around, resource, follow)
  const judge = async (): Promise<Row | undefined> => {
    const [row] = await runCompiled(around, compiled, { id })
    return row?.[0] === null ? undefined : row
  }
  let locked: string | undefined
  let other = found ?? textOf(await judge())
  let row: Row | undefined
  // What was read before the lock may be what another writer has just replaced.
  while (other !== undefined && other !== locked) {
    await around.runner.run({ text: lockOther(target) }, [other])
    locked = other
    row = await judge()
    other = textOf(row)
  }
  // What is on its way out itself needs no more values.
  const leaves = around.leaving?.some(({ id, table }) => table === target.table && String(id) === other)
  if (row !== undefined && other !== undefined && leaves !== true)
    await updateOther(around, target, idOf(target, other), JSON.parse(compiled.serialize(row)) as JsonObject)
}

/** PostgreSQL's text of the other record's id. */
function textOf(row: Row | undefined): string | undefined {
  return row?.[0] ?? undefined
}

/** A creation or an update; `columns` are those that it writes, undefined: it may write any. */
interface Taking {
  readonly resource: Resource
  readonly action: 'create' | 'update'
  readonly columns: ReadonlySet<string> | undefined
}

/** Takes the yes of each only record from the others for the record that was just stored; throws conflict where one may not lose it. */
export async function takeOver(
  around: Execution,
  { resource, action, columns }: Taking,
  stored: Readonly<Record<string, Json>>,
): Promise<void> {
  for (const rule of solesOf(resource, action, columns)) {
    const { field } = rule
    // A part of a table need not have the field of another part.
    if (Object.hasOwn(stored, field.name) && stored[field.name] !== true) continue
    const compiled = around.statements.get(compileLosers, { catalog: around.catalog }, resource, rule)
    const loser = around.catalog.resources.get(rule.resource)!
    for (const [id] of await runCompiled(around, compiled, { id: stored.id as Id }))
      await updateOther(around, loser, idOf(loser, id), { [field.name]: false })
  }
}

type Remove = (around: Execution, resource: Resource, lookup: Lookup) => Promise<void>

/** Records of another resource that lead to one that is removed. */
interface Followers {
  readonly resource: Resource
  readonly relation: BelongsTo
}

/**
 * Writes what goes with the record, and what stays without it, before it is removed; `remove` deletes one record for good.
 * The database itself does the rest: what nothing hears of, and what was deleted before. Throws conflict where one is refused.
 */
export async function writeFollowers(around: Execution, resource: Resource, id: Id, remove: Remove): Promise<void> {
  const followers = followersOf(around.catalog, resource)
  if (followers.length === 0) return
  const inner = { ...around, leaving: [...(around.leaving ?? []), { table: resource.table, id }] }
  for (const { relation, resource: other } of followers) {
    const found = around.statements.get(compileFollowers, around, resource, other, relation)
    for (const [text] of await runCompiled(inner, found, { id })) {
      const lookup = { field: other.key, value: idOf(other, text) }
      if (relation.onDelete === 'cascade') await remove(inner, other, lookup)
      else await clearKey(inner, other, lookup.value, relation.field)
    }
  }
}

function compileFollowers(scope: SelectScope, resource: Resource, other: Resource, relation: BelongsTo): Compiled {
  const id = idSql(other, 't')
  const key = sql`t.${quoted(relation.field.column)} = ${slot('id')}::${idType(resource)}`
  const where = and([key, ...existenceSql(scope, other, 't')])
  return compiled(sql`select ${id} from ${quoted(other.table)} t where ${where} order by ${id}`)
}

/** The keys by which a record belongs to records that are removed for good. */
export function leavingKeys(
  { catalog, leaving = [] }: Execution,
  { relations }: Resource,
  record: Readonly<Record<string, Json>>,
): ReadonlySet<string> {
  if (leaving.length === 0) return new Set()
  const keys = [...relations.values()].flatMap((relation) => {
    if (relation.kind !== 'belongs_to') return []
    const { table } = targetOf(catalog, relation)
    const goes = leaving.some((one) => one.table === table && one.id === record[relation.field.name])
    return goes ? [relation.field.column] : []
  })
  return new Set(keys)
}

/** Whether anything hears of what goes with a record of the resource. */
export function isFollowed(catalog: Catalog, resource: Resource): boolean {
  return followersOf(catalog, resource).length > 0
}

/** The followers of a resource whose writes are heard. */
const followersOf = memo((catalog: Catalog, resource: Resource): readonly Followers[] =>
  pointingAt(catalog, resource).filter((one) => isHeard(catalog, one, [])),
)

function pointingAt(catalog: Catalog, { table }: Resource): readonly Followers[] {
  return [...catalog.resources.values()].flatMap((resource) =>
    resource.owner !== resource.name
      ? []
      : [...resource.relations.values()].flatMap((relation) =>
          relation.kind === 'belongs_to' &&
          relation.onDelete !== 'restrict' &&
          relation.earlier === undefined &&
          targetOf(catalog, relation).table === table
            ? [{ resource, relation }]
            : [],
        ),
  )
}

/** Whether anything is judged, follows or is told of a record of the resource that comes or goes. */
export function isPairHeard(resource: Resource): boolean {
  const { cached, counts, follows, foreignRules, hooks, logged, relatedFollows, rules, soles } = resource
  if (logged || cached || hooks.create.length + hooks.delete.length > 0) return true
  return [counts, follows, foreignRules, relatedFollows, rules, soles].some((some) => some.length > 0)
}

/** Whether anything is judged, follows or is told of what becomes of such records. */
function isHeard(catalog: Catalog, { relation, resource }: Followers, before: readonly Resource[]): boolean {
  const { cached, hooks, logged, updateSets } = resource
  const goes = relation.onDelete === 'cascade'
  const action = goes ? 'delete' : 'update'
  if (logged || cached || hooks[action].length > 0 || (!goes && updateSets.length > 0)) return true
  if (isJudged(resource, action, relation.field.column)) return true
  if (!goes || before.includes(resource)) return false
  return pointingAt(catalog, resource).some((one) => isHeard(catalog, one, [...before, resource]))
}

function isJudged(resource: Resource, action: WriteAction & ('delete' | 'update'), column: string): boolean {
  const columns = new Set([column])
  const { counts, follows, foreignRules, overlaps, relatedFollows, rules, soles } = resource
  if (relatedFollows.some(({ on }) => on.has(action)) || foreignRules.length > 0) return true
  if (action === 'delete')
    return rules.some(({ on }) => on.has(action)) || counts.some(({ least }) => least !== undefined)
  const reading = [...rules.filter(({ on }) => on.has(action)), ...counts, ...soles, ...overlaps]
  return follows.some(({ on }) => on.has(action)) || reading.some(({ reads }) => meets(reads, columns))
}
