/** Listener: tells people of what the key `notify` of resources names, all of it in the order of the writes. */
import {
  type Catalog,
  type Change,
  isObject,
  type JsonObject,
  type ListenerContext,
  memo,
  type Resource,
} from '../../../engine/index.ts'
import { listOf, type Notice, noticeOf } from './notice.ts'
import { fieldOf } from './notify-key.ts'
import type { Occasion } from './occasion.ts'
import { type Plan, planOf } from './plan.ts'
import { explainOf, tellOf } from './telling.ts'

/** One entry of a resource's `notify`: which writes it is about. */
interface Told {
  readonly on: readonly string[]
  /** The fields of which an update must have changed one; undefined: any. */
  readonly changed: ReadonlySet<string> | undefined
  readonly notice: Notice
}

interface Telling {
  readonly told: readonly Told[]
  readonly plan: Plan
}

/** What is told of a resource, read once; undefined for most. */
const tellingOf = memo((catalog: Catalog, name: string): Telling | undefined => {
  const resource = catalog.resources.get(name)
  if (resource === undefined || !isObject(resource.keys.notify)) return undefined
  const told = Object.entries(resource.keys.notify).flatMap(([entry, given]) =>
    isObject(given) ? [toldBy(catalog, resource, entry, given)] : [],
  )
  return {
    told,
    plan: planOf(
      catalog,
      resource,
      told.map(({ notice }) => notice),
    ),
  }
})

function toldBy(catalog: Catalog, resource: Resource, name: string, given: JsonObject): Told {
  const changed = given.changed === undefined ? undefined : listOf(given.changed).map((one) => fieldOf(resource, one))
  return {
    on: listOf(given.on).map(String),
    changed: changed && new Set(changed.flatMap((one) => one ?? [])),
    notice: noticeOf(catalog, resource, given, name),
  }
}

/** Nothing of one of many: who imports ten thousand records tells their people so, once. */
function occasionOf(catalog: Catalog, change: Change): Occasion | undefined {
  const telling = tellingOf(catalog, change.resource)
  if (telling === undefined || change.bulk) return undefined
  const notices = telling.told.filter((one) => isOf(one, change)).map(({ notice }) => notice)
  const { actorId, recordId: record } = change
  return notices.length === 0 ? undefined : { plan: telling.plan, record, change, actorId, notices }
}

function isOf({ changed, on }: Told, { action, fields }: Change): boolean {
  if (!on.includes(action)) return false
  return action !== 'update' || changed === undefined || fields.some(({ field }) => changed.has(field))
}

/** `notifications.tell`: one listener for all, so that a person's list has the order of the writes. */
export async function tell(context: ListenerContext, changes: readonly Change[]): Promise<void> {
  await tellOf(
    context,
    changes.flatMap((change) => occasionOf(context.catalog, change) ?? []),
  )
}

/** For `plinth explain`: who is told of a change as things are now, and who is not; nothing is written. */
export async function explainTelling(context: ListenerContext, change: Change): Promise<readonly string[]> {
  if (change.bulk) return ['an import tells nobody of each record']
  const occasion = occasionOf(context.catalog, change)
  if (occasion === undefined) return [`tells nobody: ${reasonOf(context, change)}`]
  const lines = (await explainOf(context, [occasion])).map(({ kind, text }) => `${kind}: ${text}`)
  if (lines.length === 0) lines.push('tells nobody: there is nobody whom it concerns')
  return [...lines, ...unassignedIn(context, change)]
}

function reasonOf({ catalog }: ListenerContext, { action, resource }: Change): string {
  const told = (tellingOf(catalog, resource)?.told ?? []).filter(({ on }) => on.includes(action))
  if (told.length === 0) return 'notify names nothing that is told of this write'
  return `nothing of ${[...new Set(told.flatMap(({ changed }) => [...(changed ?? [])]))].join(', ')} has changed`
}

/** Why of a ticket that nobody is assigned to any more is told elsewhere, or not at all. */
function unassignedIn({ catalog }: ListenerContext, { action, fields, resource }: Change): readonly string[] {
  const assignee = fields.find(({ field }) => field === 'assigned_to')
  if (resource !== 'tickets' || action === 'create' || assignee?.to !== null) return []
  const hook = 'notifications.unassigned'
  const { update = [] } = catalog.resources.get('users')?.hooks ?? {}
  if (!update.includes(hook)) return [`ticket_unassigned: not told, because the hooks of users do not name ${hook}`]
  return [
    `ticket_unassigned: told only when an account cannot work on tickets any more, once for all its open tickets, by the hook ${hook} of users`,
  ]
}
