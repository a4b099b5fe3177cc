/** The listener `notifications.tell`: applies the key `notify` of resources to the changes, in the order of the writes. */
import {
  type Catalog,
  type Change,
  isObject,
  type JsonObject,
  type ListenerContext,
  memo,
  type Resource,
} from '../../../engine/index.ts'
import { deliver, explainDelivery } from './delivery.ts'
import type { NotificationEvent } from './event.ts'
import { listOf, type NotificationRule, ruleOf } from './notification-rule.ts'
import { fieldOf } from './notify-key.ts'
import { type RuleSet, ruleSetOf } from './rule-set.ts'

/** An entry of a resource's `notify`: a rule with the writes that it is for. */
interface Entry {
  readonly on: readonly string[]
  /** An update must have changed one of these fields; undefined: any field. */
  readonly changed: ReadonlySet<string> | undefined
  readonly rule: NotificationRule
}

interface Notify {
  readonly entries: readonly Entry[]
  readonly ruleSet: RuleSet
}

/** The key `notify` of a resource, read once; undefined where a resource has none. */
const notifyOf = memo((catalog: Catalog, name: string): Notify | undefined => {
  const resource = catalog.resources.get(name)
  if (resource === undefined || !isObject(resource.keys.notify)) return undefined
  const entries = Object.entries(resource.keys.notify).flatMap(([entry, given]) =>
    isObject(given) ? [entryOf(catalog, resource, entry, given)] : [],
  )
  return {
    entries,
    ruleSet: ruleSetOf(
      catalog,
      resource,
      entries.map(({ rule }) => rule),
    ),
  }
})

function entryOf(catalog: Catalog, resource: Resource, name: string, given: JsonObject): Entry {
  const changed = given.changed === undefined ? undefined : listOf(given.changed).map((one) => fieldOf(resource, one))
  return {
    on: listOf(given.on).map(String),
    changed: changed && new Set(changed.flatMap((one) => one ?? [])),
    rule: ruleOf(catalog, resource, given, name),
  }
}

/** The event of a change. Records of an import have none: an import of ten thousand records tells people once, by itself. */
function eventOf(catalog: Catalog, change: Change): NotificationEvent | undefined {
  const notify = notifyOf(catalog, change.resource)
  if (notify === undefined || change.bulk) return undefined
  const rules = notify.entries.filter((one) => isOf(one, change)).map(({ rule }) => rule)
  const { actorId, recordId: record } = change
  return rules.length === 0 ? undefined : { ruleSet: notify.ruleSet, record, change, actorId, rules }
}

function isOf({ changed, on }: Entry, { action, fields }: Change): boolean {
  if (!on.includes(action)) return false
  return action !== 'update' || changed === undefined || fields.some(({ field }) => changed.has(field))
}

/** One listener for all resources, so that a person's list has the order of the writes. */
export async function tell(context: ListenerContext, changes: readonly Change[]): Promise<void> {
  await deliver(
    context,
    changes.flatMap((change) => eventOf(context.catalog, change) ?? []),
  )
}

/** For `plinth explain`: who would be told about a change now, and who would not; writes nothing. */
export async function explainChange(context: ListenerContext, change: Change): Promise<readonly string[]> {
  if (change.bulk) return ['an import tells nobody of each record']
  const event = eventOf(context.catalog, change)
  if (event === undefined) return [`tells nobody: ${reasonOf(context, change)}`]
  const lines = (await explainDelivery(context, [event])).map(({ kind, text }) => `${kind}: ${text}`)
  if (lines.length === 0) lines.push('tells nobody: there is nobody whom it concerns')
  return [...lines, ...unassignedIn(context, change)]
}

function reasonOf({ catalog }: ListenerContext, { action, resource }: Change): string {
  const entries = (notifyOf(catalog, resource)?.entries ?? []).filter(({ on }) => on.includes(action))
  if (entries.length === 0) return 'notify names nothing that is told of this write'
  return `nothing of ${[...new Set(entries.flatMap(({ changed }) => [...(changed ?? [])]))].join(', ')} has changed`
}

/** A ticket that lost its assignee is no entry of `notify`: the line says which hook tells people, or that none does. */
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
