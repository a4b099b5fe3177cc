/**
 * The queue of deliveries, statement by statement ⇄. A delivery that waits for its next attempt holds up later ones of
 * its webhook and record, and no others. An attempt is leased, so that it is made again when its process dies.
 */
import type { PluginContext, Row, Runner } from '../../engine/index.ts'
import { tablesOf } from './tables.ts'

type Here = Pick<PluginContext, 'catalog' | 'database'>

/** An attempt of this process. */
export interface Attempt {
  readonly delivery: number
  readonly messageId: string
  readonly event: string
  readonly resource: string | null
  readonly recordId: number | null
  readonly changeId: number | null
  /** ISO 8601, UTC. */
  readonly occurredAt: string
  /** 1 for the first one. */
  readonly number: number
  readonly webhook: number
  readonly ownerId: number | null
  readonly address: string
  /** Its secret, and the one before as long as that signs too. */
  readonly sealed: readonly (string | null)[]
}

/** A receiver with its free places for attempts. */
export interface Room {
  readonly webhook: number
  readonly room: number
}

/** Longer than an attempt can take: `timeout_ms` is at most 30 s. */
const LEASE = `interval '60 seconds'`

/**
 * Whether a delivery `d` of a webhook `w` may be attempted at its time: the webhook is on, or it is a test, and no
 * earlier change of the record waits.
 */
const FIRST = (
  deliveries: string,
): string => `d.webhook_id = w.id and d.status = 'pending' and (w.active or d.change_id is null)
  and not exists (select 1 from ${deliveries} e where e.webhook_id = d.webhook_id and e.status = 'pending'
    and e.resource = d.resource and e.record_id = d.record_id and e.change_id < d.change_id)`
const DUE = `d.next_attempt_at <= clock_timestamp() and (d.leased_until is null or d.leased_until < clock_timestamp())`

/**
 * The due deliveries of each webhook within its free places; never a later change of a record before an earlier one.
 */
export async function takeAttempts({ catalog, database }: Here, rooms: readonly Room[]): Promise<readonly Attempt[]> {
  const { deliveries, webhooks } = tablesOf({ catalog })
  const text = `with plinth_due as materialized (
      select d.id from unnest($1::int[], $2::int[]) as k(id, room) join ${webhooks} w on w.id = k.id
      cross join lateral (
        select d.id from ${deliveries} d
        where ${FIRST(deliveries)} and ${DUE} order by d.next_attempt_at limit k.room for update skip locked) d)
    update ${deliveries} d set leased_until = clock_timestamp() + ${LEASE}, attempts_made = d.attempts_made + 1
    from plinth_due p, ${webhooks} w where d.id = p.id and w.id = d.webhook_id
    returning d.id, d.message_id, d.event, d.resource, d.record_id, d.change_id,
      to_char(d.occurred_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), d.attempts_made,
      w.id, w.owner_id, w.address, w.sealed, case when w.previous_until > now() then w.previous_sealed end`
  const values = [rooms.map(({ webhook }) => webhook), rooms.map(({ room }) => room)]
  return (await database.adhoc.run({ text }, values)).map(attemptOf)
}

function attemptOf(row: Row): Attempt {
  const [id, messageId, event, resource, record, change, at, number, webhook, owner, address, sealed, before] = row
  const idOf = (text: string | null | undefined): number | null =>
    text === null || text === undefined ? null : Number(text)
  return {
    delivery: Number(id),
    messageId: messageId ?? '',
    event: event ?? '',
    resource: resource ?? null,
    recordId: idOf(record),
    changeId: idOf(change),
    occurredAt: at ?? '',
    number: Number(number),
    webhook: Number(webhook),
    ownerId: idOf(owner),
    address: address ?? '',
    sealed: [sealed ?? null, before ?? null],
  }
}

/** The webhooks with due deliveries and their addresses; unordered, so that none is always the last. */
export async function webhooksDue({ catalog, database }: Here): Promise<readonly { id: number; address: string }[]> {
  const { deliveries, webhooks } = tablesOf({ catalog })
  const text = `select w.id, w.address from ${webhooks} w
    where (w.not_before is null or w.not_before <= clock_timestamp()) and exists (select 1 from ${deliveries} d
      where ${FIRST(deliveries)} and ${DUE}) order by random()`
  const rows = await database.adhoc.run({ text }, [])
  return rows.map(([id, address]) => ({ id: Number(id), address: address ?? '' }))
}

/** The time of the next attempt that is not due yet, or whose receiver asked for a pause; undefined: none. */
export async function nextAttemptAt({ catalog, database }: Here): Promise<Date | undefined> {
  const { deliveries, webhooks } = tablesOf({ catalog })
  const text = `select extract(epoch from min(greatest(n.at, w.not_before))) * 1000 from ${webhooks} w cross join lateral (
      select min(greatest(d.next_attempt_at, d.leased_until)) as at from ${deliveries} d
      where ${FIRST(deliveries)}) n
    where greatest(n.at, w.not_before) > clock_timestamp()`
  const [row] = await database.adhoc.run({ text }, [])
  return row?.[0] === null || row?.[0] === undefined ? undefined : new Date(Math.ceil(Number(row[0])))
}

/** The record of an attempt. */
export interface Outcome {
  readonly status: number | null
  readonly error: string | null
  readonly durationMs: number
}

const OWN = `d.id = $1::int and d.status = 'pending' and d.attempts_made = $2::int`
const NOTE = (
  attempts: string,
): string => `insert into ${attempts} (delivery_id, number, status, error, duration_ms, created_at)
  select id, $2::int, $3::int, $4, $5::int, clock_timestamp() from plinth_own`

function valuesOf({ delivery, number }: Attempt, { durationMs, error, status }: Outcome): readonly unknown[] {
  return [delivery, number, status, error, Math.round(durationMs)]
}

/** Records that a message has arrived. */
export async function delivered({ catalog, database }: Here, attempt: Attempt, outcome: Outcome): Promise<void> {
  const { attempts, deliveries, webhooks } = tablesOf({ catalog })
  const text = `with plinth_own as (update ${deliveries} d set status = 'delivered', ended_at = clock_timestamp(), next_attempt_at = null,
      leased_until = null, last_status = $3::int, last_error = $4 where ${OWN} returning id, webhook_id), plinth_note as (${NOTE(attempts)})
    update ${webhooks} w set last_success_at = clock_timestamp(), failures = 0, not_before = null from plinth_own o where w.id = o.webhook_id`
  await database.adhoc.run({ text }, valuesOf(attempt, outcome))
}

/**
 * Pauses after a failure, in milliseconds: until the next attempt, and until the next one of any delivery of the
 * webhook.
 */
export interface Pauses {
  /** undefined: the delivery is given up. */
  readonly nextMs: number | undefined
  readonly webhookMs: number | undefined
}

/** Records a failed attempt: the message is sent again later, or given up. */
export async function failed(
  { catalog, database }: Here,
  attempt: Attempt,
  outcome: Outcome,
  { nextMs, webhookMs }: Pauses,
): Promise<void> {
  const { attempts, deliveries, webhooks } = tablesOf({ catalog })
  const later = (parameter: string): string => `clock_timestamp() + ${parameter}::float8 * interval '1 millisecond'`
  const text = `with plinth_own as (update ${deliveries} d set leased_until = null, last_status = $3::int, last_error = $4,
      status = case when $6::float8 is null then 'failed' else 'pending' end,
      ended_at = case when $6::float8 is null then clock_timestamp() end, next_attempt_at = ${later('$6')}
      where ${OWN} returning id, webhook_id), plinth_note as (${NOTE(attempts)})
    update ${webhooks} w set last_failure_at = clock_timestamp(), last_error = $4, failures = w.failures + 1,
      not_before = case when $7::float8 is null then w.not_before else greatest(w.not_before, ${later('$7')}) end
    from plinth_own o where w.id = o.webhook_id`
  await database.adhoc.run({ text }, [...valuesOf(attempt, outcome), nextMs ?? null, webhookMs ?? null])
}

/** Returns attempts that were not made, as if they had not been taken. */
export async function release({ catalog, database }: Here, attempts: readonly Attempt[]): Promise<void> {
  const { deliveries } = tablesOf({ catalog })
  const text = `update ${deliveries} d set leased_until = null, attempts_made = d.attempts_made - 1
    from unnest($1::int[], $2::int[]) as own(id, number)
    where d.id = own.id and d.status = 'pending' and d.attempts_made = own.number`
  await database.adhoc.run({ text }, [attempts.map(({ delivery }) => delivery), attempts.map(({ number }) => number)])
}

/** Gives up deliveries that waited too long, such as for a receiver that nobody reached; returns their number. */
export async function giveUpOld({ catalog, database }: Here, days: number): Promise<number> {
  const { deliveries } = tablesOf({ catalog })
  const text = `update ${deliveries} set status = 'failed', ended_at = clock_timestamp(), next_attempt_at = null,
      last_error = coalesce(last_error, 'It did not come to an attempt') where status = 'pending'
    and queued_at < clock_timestamp() - $1::int * interval '1 day' and (leased_until is null or leased_until < clock_timestamp())
    returning 1`
  return (await database.adhoc.run({ text }, [days])).length
}

/** Switches off webhooks whose deliveries are given up and without a success for this many days; returns their ids. */
export async function failingFor(
  { catalog }: Pick<Here, 'catalog'>,
  runner: Runner,
  days: number,
): Promise<readonly number[]> {
  const { deliveries, webhooks } = tablesOf({ catalog })
  const text = `select w.id from ${webhooks} w where w.active and w.failures > 0
    and greatest(w.last_success_at, w.created_at, w.updated_at) < clock_timestamp() - $1::int * interval '1 day'
    and exists (select 1 from ${deliveries} d where d.webhook_id = w.id and d.status = 'failed'
      and d.ended_at > clock_timestamp() - $1::int * interval '1 day')`
  return (await runner.run({ text }, [days])).map(([id]) => Number(id))
}
