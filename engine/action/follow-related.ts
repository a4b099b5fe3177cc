/** ⇄ What follows from a write in other records, in its transaction: each is locked, judged again, and updated as by any other write. */
import type { RelatedFollow, Resource } from '../catalog/catalog.ts'
import type { WrittenBy } from '../catalog/following.ts'
import { idOf } from '../catalog/key.ts'
import type { Row } from '../database/database.ts'
import type { Id } from '../id.ts'
import type { Json, JsonObject } from '../json.ts'
import { actorClass } from '../query/policy.ts'
import { compileConcerned, compileFollowing, lockOther, relatedFollowsOf } from '../query/related-follow.ts'
import { updateOther } from './consequence.ts'
import { type Execution, runCompiled } from './execution.ts'

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
  if (follows.length === 0) return
  const id = written.after.id as Id
  const numbers = follows.map((follow) => resource.relatedFollows.indexOf(follow)).join()
  const key = `related ${resource.name} ${numbers} ${actorClass(around.actor)}`
  const compiled = around.statements.get(key, () => compileConcerned(around, resource, follows))
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
  const target = around.catalog.resources.get(follow.target)!
  const key = `following ${resource.name} ${resource.relatedFollows.indexOf(follow)} ${actorClass(around.actor)}`
  const compiled = around.statements.get(key, () => compileFollowing(around, resource, follow))
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
