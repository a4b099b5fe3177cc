/** The hook that writes an activity, in the transaction of the change itself. */
import type { Field, HookContext, Json, Next, Resource } from '../../engine/index.ts'
import { seenBy } from './seen-by.ts'

const DONE = { create: 'created', update: 'updated', delete: 'deleted', restore: 'restored' } as const

type Values = Readonly<Record<string, Json>> | undefined

/** `activity.record`, around every write: what changed by it, and on whose account. */
export async function record(context: HookContext, next: Next): Promise<void> {
  await next()
  const { action, caller, model, now, resource } = context
  const moves = action === 'create' || action === 'update'
  const changes = moves ? changesOf(resource, context.record, context.result) : []
  if (action === 'update' && changes.length === 0) return
  const id = context.result?.id ?? context.record?.id
  if (typeof id !== 'number') return
  await model('activities')
    .query()
    .insert({
      resource: resource.owner,
      record_id: id,
      action: DONE[action],
      user_id: caller.id,
      changes,
      seen_by: await seenBy(context),
      created_at: now(),
    })
}

function changesOf(resource: Resource, before: Values, after: Values): readonly object[] {
  return [...resource.fields.values()].flatMap((field) => {
    if (!isKept(resource, field)) return []
    const [from, to] = [before?.[field.name] ?? null, after?.[field.name] ?? null]
    return JSON.stringify(from) === JSON.stringify(to) ? [] : [{ field: field.name, from, to }]
  })
}

/** What people write and may read again: no secrets, nothing hidden, computed or derived, no key. */
function isKept(resource: Resource, field: Field): boolean {
  if (field === resource.key || field.readOnly || field.type.name === 'secret' || field.show === 'never') return false
  if (field.computed !== undefined || field.count !== undefined) return false
  return !resource.updateSets.some((set) => set.field.name === field.name)
}
