/** ⇄ The only record with a yes: the one that had it loses it by an update of its own, in the transaction of the write that takes it. */
import type { Catalog, Resource, SoleRule } from '../catalog/catalog.ts'
import { withFollowing } from '../catalog/following.ts'
import { idOf } from '../catalog/key.ts'
import type { Id } from '../id.ts'
import type { Json } from '../json.ts'
import { type Lock, solesOf } from '../plan/write-checks.ts'
import { compileLosers } from '../query/sole.ts'
import { updateOther } from './consequence.ts'
import { type Execution, runCompiled } from './execution.ts'
import { type KnownValues, ruleLocks } from './lock.ts'

/** A creation or an update, as far as it is known. */
export interface Taking {
  readonly resource: Resource
  readonly action: 'create' | 'update'
  /** The columns that it writes; undefined: it may write any. */
  readonly columns: ReadonlySet<string> | undefined
  /** Values that the record will have for sure. */
  readonly known: KnownValues
}

/** The columns in which the record has no yes afterwards, so that it takes none. */
export function withoutYes({ resource, known }: Taking): ReadonlySet<string> {
  const never = resource.soles.filter(({ field }) => Object.hasOwn(known, field.name) && known[field.name] !== true)
  return new Set(never.map(({ field }) => field.column))
}

/**
 * The locks of a write, among them those under which the records are written that may lose their yes. These are whole rules,
 * because the groups of such a record are not known before it is locked.
 */
export function takingLocks(catalog: Catalog, taking: Taking, links: ReadonlySet<string>): readonly Lock[] {
  const { action, columns, resource } = taking
  const never = withoutYes(taking)
  const own = ruleLocks(resource, action, columns, { links, never })
  const losses = solesOf(resource, action, columns).filter(({ field }) => !never.has(field.column))
  return [...own, ...losses.flatMap((rule) => lossLocks(catalog, rule))]
}

function lossLocks(catalog: Catalog, { field, resource: name }: SoleRule): readonly Lock[] {
  const loser = catalog.resources.get(name)!
  const sets = loser.updateSets.map((set) => set.field.column)
  const columns = withFollowing(catalog, loser, 'update', [field.column, ...sets])
  return ruleLocks(loser, 'update', columns, { never: new Set([field.column]) }).map((lock) => ({ ...lock, per: [] }))
}

/** Takes the yes of each only record from the others for the record that was just stored; throws conflict where one may not lose it. */
export async function takeOver(
  around: Execution,
  { resource, action, columns }: Omit<Taking, 'known'>,
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
