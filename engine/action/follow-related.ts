/** ⇄ What follows from a write in other records, in its transaction: each is locked, judged again, and updated as by any other write. */
import type { Field, RelatedFollow, Resource } from '../catalog/catalog.ts'
import { keyOf, type WrittenBy } from '../catalog/following.ts'
import { idOf } from '../catalog/key.ts'
import { targetOf } from '../catalog/target.ts'
import type { Row } from '../database/database.ts'
import type { Id } from '../id.ts'
import type { Json, JsonObject } from '../json.ts'
import {
  compileConcerned,
  compileFollowing,
  leavingFollowsOf,
  lockOther,
  relatedFollowsOf,
} from '../query/related-follow.ts'
import { updateOther } from './consequence.ts'
import { type Execution, runCompiled } from './execution.ts'
import { lockEach } from './lock-read.ts'

type Stored = Readonly<Record<string, Json>>

/** A write of a record: as it is stored now (before a delete), and as it was before an update. */
interface Written {
  readonly by: WrittenBy | 'delete' | 'restore'
  readonly before?: Stored
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
