/** Makes deliveries of changes ⇄: one statement for a webhook and a resource, whatever the number of changes. */
import {
  type Actor,
  allowsOne,
  type Filter,
  idSql,
  loggedIdSql,
  type PluginContext,
  type Resource,
  type Runner,
} from '../../engine/index.ts'
import type { EventAction } from './events.ts'
import { tablesOf } from './tables.ts'

/** The changes of one resource that a webhook asks for. */
export interface Subscription {
  readonly webhook: number
  readonly resource: Resource
  readonly actions: readonly EventAction[]
  readonly condition: Filter | undefined
}

/** The rows of the log to look at: those of a batch, or those since a moment, with a limit. */
export type Looked = { readonly ids: readonly number[] } | { readonly since: string; readonly most: number }

/**
 * Queues deliveries, in the context of the webhook's owner: of changes that the owner could see when they were made, in
 * fields that the owner may read, of records that meet the condition. A queued change stays as it is. Returns the
 * number of new deliveries.
 */
export async function queueDeliveries(
  owner: PluginContext,
  runner: Runner,
  told: Subscription,
  looked: Looked,
): Promise<number> {
  const { actions, condition, resource, webhook } = told
  const { deliveries } = tablesOf(owner)
  const id = idSql(resource, 't')
  const named = loggedIdSql(owner.catalog, resource, 'a')
  const values: unknown[] = [webhook, resource.name, actions]
  const conditions = [
    'a.resource = $2',
    'a.action = any($3::text[])',
    lookedAt(looked, deliveries, values),
    shown(owner, resource, values),
    ...(condition === undefined ? [] : [`${id} is not null`, owner.matching(condition, 't', values)]),
  ]
  const limit = 'most' in looked ? `order by a.id limit $${values.push(looked.most)}::int` : ''
  const text = `insert into ${deliveries} (webhook_id, change_id, message_id, event, resource, record_id, status,
      attempts_made, next_attempt_at, occurred_at, created_at, queued_at)
    select $1::int, a.id, 'msg_' || replace(gen_random_uuid()::text, '-', ''), a.resource || '.' || a.action, a.resource,
      ${named}, 'pending', 0, clock_timestamp(), a.created_at, clock_timestamp(), clock_timestamp()
    from plinth_change a left join "${resource.table.replaceAll('"', '""')}" t on ${id} = ${named}
    where ${conditions.join(' and ')} ${limit}
    on conflict (webhook_id, change_id) do nothing returning 1`
  return (await runner.run({ text }, values)).length
}

function lookedAt(looked: Looked, deliveries: string, values: unknown[]): string {
  return 'ids' in looked
    ? `a.id = any($${values.push(looked.ids)}::bigint[])`
    : `a.created_at >= $${values.push(looked.since)}::timestamptz
        and not exists (select 1 from ${deliveries} d where d.webhook_id = $1::int and d.change_id = a.id)`
}

/** Whether the owner could see the record before and after the change, and may read something of the change. */
function shown(owner: PluginContext, resource: Resource, values: unknown[]): string {
  const fields = `$${values.push(readableFields(resource, owner.actor))}::text[]`
  const read = `(a.action <> 'update' or exists
    (select 1 from jsonb_array_elements(a.changes) c where c ->> 'field' = any(${fields})))`
  const within = owner.keptWithin(resource.name, 's', values)
  if (within === 'true' || within === 'false') return `${read} and ${within}`
  return `${read} and (jsonb_array_length(a.seen_by) > 0 and not exists
    (select 1 from jsonb_array_elements(a.seen_by) s where not ${within})) is true`
}

/** The fields and the many-to-many relations that an actor may read, by name. */
export function readableFields(resource: Resource, actor: Actor): readonly string[] {
  const fields = [...resource.fields.values()].filter((field) => {
    const relation = field.relation === undefined ? undefined : resource.relations.get(field.relation)
    if (field.show === 'never' || field.type.hidden === true) return false
    return allowsOne(field.read, actor) && allowsOne(relation?.read, actor)
  })
  const linked = [...resource.relations.values()].filter(
    ({ kind, read, show }) => kind === 'many_to_many' && show !== 'never' && allowsOne(read, actor),
  )
  return [...fields, ...linked].map(({ name }) => name)
}
