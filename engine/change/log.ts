/**
 * The statements of the log of changes ⇄: the place of a listener, its next changes, and deferred ones.
 *
 * A place is a snapshot: the set of transactions that were committed when it was taken. The next changes are those that
 * this snapshot does not see and the present one does, so a transaction that is open for long is never skipped and blocks
 * no listener. Between two snapshots, rows are in the order of their ids: two writes of one record wait for each other, so
 * that is the order of the writes.
 */
import type { Catalog, WriteAction } from '../catalog/catalog.ts'
import { keptIdOf } from '../catalog/stored.ts'
import type { Row, Runner } from '../database/database.ts'
import type { Id } from '../id.ts'
import type { Change, FieldChange } from './listener.ts'

/** The place of a listener. */
export interface Place {
  /** All changes that this snapshot sees have been worked. */
  readonly done: string
  /** While a part of the log is under way: where it ends. */
  readonly upto: string | null
  /** The last worked change of that part; without one, the last change of the log when the place was taken. */
  readonly lastId: string
}

/** A place that is held, and whether a change that was put off may be due again. */
export interface HeldPlace extends Place {
  readonly retries: boolean
}

/** A change that a listener has to work. */
export interface Due {
  readonly change: Change
  /** Whether an earlier change of its record is tried again, so that this one has to wait. */
  readonly behind: boolean
}

export interface Batch {
  readonly due: readonly Due[]
  /** The place of the listener after these changes. */
  readonly next: Place
  /** Whether there may be more after them. */
  readonly more: boolean
  /** The place of the listener after all changes that were committed when these were read. */
  readonly end: Place
}

const LOCK = `select done::text, upto::text, last_id, exists (select 1 from plinth_deferred_change d
    where d.listener = $1 and d.failed_at is null and d.due_at <= clock_timestamp())
  from plinth_listener where name = $1 for update skip locked`

const ADVANCE = `update plinth_listener set done = $2::pg_snapshot, upto = $3::pg_snapshot, last_id = $4::bigint,
  worked_at = clock_timestamp() where name = $1`

const CHANGE = `c.id, c.resource, c.record_id, c.action, c.actor_id, c.request_id, c.bulk, c.changes, c.source, c.depth,
  to_char(c.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`

/** The oldest transaction that a snapshot may not see; only rows from there on can be new to it. */
const FRESH = (done: string, words: string): string =>
  `c.xid >= pg_snapshot_xmin(${done}) and not pg_visible_in_snapshot(c.xid, ${done})
    and c.resource || ' ' || c.action = any(${words})`

const BEHIND = `exists (select 1 from plinth_deferred_change d where d.listener = $1 and d.failed_at is null
  and d.resource = c.resource and d.record_id = c.record_id)`

/*
 * The snapshot is that of this very statement. `id + 0` keeps the planner from walking through the whole log in the order
 * of its key: what is new is found by its transaction.
 */
const READ = `select s.now, s.last, c.* from (select pg_current_snapshot()::text as now, (select max(id) from plinth_change) as last) s left join lateral (
    select ${CHANGE}, ${BEHIND} from plinth_change c where ${FRESH('$2::pg_snapshot', '$3::text[]')}
    order by c.id + 0 limit $4::int) c on true`

const READ_ON = `select $5::text, null, ${CHANGE}, ${BEHIND} from plinth_change c
  where c.id > $6::bigint and ${FRESH('$2::pg_snapshot', '$3::text[]')} and pg_visible_in_snapshot(c.xid, $5::pg_snapshot)
  order by c.id limit $4::int`

/**
 * After so many transactions or changes for others, the place of a listener is moved on: the further back it is, the longer
 * is each look at the log, and an import writes a thousand changes in a transaction.
 */
const STRIDE = { transactions: 500, changes: 2_000 } as const

/* The first look covers all changes after a listener's place; later looks only cover changes since the look before. */
const WAITING = `select l.name, pg_current_snapshot()::text, l.upto is not null
  or pg_snapshot_xmin(pg_current_snapshot())::text::bigint - pg_snapshot_xmin(l.done)::text::bigint > ${STRIDE.transactions}
  or (select max(id) from plinth_change) - l.last_id > ${STRIDE.changes}
  or exists (select 1 from plinth_change c
    where c.xid >= greatest(pg_snapshot_xmin(l.done), pg_snapshot_xmin(coalesce(h.looked, l.done)))
    and not pg_visible_in_snapshot(c.xid, l.done) and not pg_visible_in_snapshot(c.xid, coalesce(h.looked, l.done))
    and h.words ? (c.resource || ' ' || c.action))
  or exists (select 1 from plinth_deferred_change d where d.listener = l.name and d.failed_at is null
    and d.due_at <= clock_timestamp())
  from unnest($1::text[], $2::jsonb[], $3::pg_snapshot[]) as h(name, words, looked) join plinth_listener l on l.name = h.name`

/** Whether a listener moves on although there was nothing for it to work. */
export function isFarBehind(from: Place, to: Place): boolean {
  const oldest = ({ done }: Place): bigint => BigInt(done.split(':')[0] ?? '0')
  if (oldest(to) - oldest(from) > BigInt(STRIDE.transactions)) return true
  return BigInt(to.lastId) - BigInt(from.lastId) > BigInt(STRIDE.changes)
}

/** The result of a look at the log: for each listener without waiting changes, the snapshot of that look. */
export type Looked = ReadonlyMap<string, string>

/** The listeners for which changes wait; the map has the words of each listener. */
export async function listenersWithWork(
  runner: Runner,
  heard: ReadonlyMap<string, readonly string[]>,
  before: Looked = new Map(),
): Promise<{ readonly names: readonly string[]; readonly looked: Looked }> {
  if (heard.size === 0) return { names: [], looked: before }
  const names = [...heard.keys()]
  const words = [...heard.values()].map((one) => JSON.stringify(one))
  const values = [names, words, names.map((name) => before.get(name) ?? null)]
  const rows = await runner.run({ text: WAITING, name: 'plinth listeners waiting' }, values)
  const of = (waits: string): readonly (readonly [string, string])[] =>
    rows.flatMap(([name, now, isWaiting]) => (isWaiting === waits ? [[name ?? '', now ?? ''] as const] : []))
  return { names: of('t').map(([name]) => name), looked: new Map(of('f')) }
}

/**
 * The place of a listener, locked until the transaction of `runner` ends; undefined while another instance holds it. The
 * lock is the lease: it is gone with the connection of a killed process, and the database ends a transaction that is
 * silent for long.
 */
export async function lockPlace(runner: Runner, name: string): Promise<HeldPlace | undefined> {
  const [row] = await runner.run({ text: LOCK, name: 'plinth listener lock' }, [name])
  if (row === undefined) return undefined
  const [done, upto, lastId, retries] = row
  return { done: done ?? '', upto: upto ?? null, lastId: lastId ?? '0', retries: retries === 't' }
}

/** The limits of one read of the log. */
interface Reading {
  readonly name: string
  readonly words: readonly string[]
  readonly place: Place
  /** So many changes at most. */
  readonly most: number
  /** So many more at most, where they complete the writes of one request: people are notified of it once. */
  readonly rest: number
}

/** The next changes. The place must be locked before, so that the snapshot is a later one. */
export async function readBatch(runner: Runner, catalog: Catalog, reading: Reading): Promise<Batch> {
  const { most, name, place, words } = reading
  const { done, upto, lastId } = place
  const rows =
    upto === null
      ? await runner.run({ text: READ }, [name, done, words, most])
      : await runner.run({ text: READ_ON }, [name, done, words, most, upto, lastId])
  const first = rows.filter(([, , id]) => id !== null).map((row) => dueOf(catalog, row))
  const more = first.length === most
  const upTo = upto ?? rows[0]?.[0] ?? done
  const due = more ? [...first, ...(await restOf(runner, catalog, reading, upTo, first.at(-1)!))] : first
  const last = String(due.at(-1)?.change.id ?? lastId)
  const end = { done: upTo, upto: null, lastId: rows[0]?.[1] ?? last }
  return { due, more, end, next: more ? { done, upto: end.done, lastId: last } : end }
}

/** The changes after a change up to the last one of the same request; imports notify nobody of single records. */
async function restOf(
  runner: Runner,
  catalog: Catalog,
  { name, place, rest, words }: Reading,
  upto: string,
  { change: { bulk, id, requestId } }: Due,
): Promise<readonly Due[]> {
  if (rest === 0 || bulk || requestId === null) return []
  const rows = await runner.run({ text: READ_ON }, [name, place.done, words, rest, upto, id])
  const due = rows.map((row) => dueOf(catalog, row))
  return due.slice(0, due.findLastIndex(({ change }) => change.requestId === requestId) + 1)
}

const OF_RECORD = `select ${CHANGE} from plinth_change c where c.resource = $1 and c.record_id = $2
  order by c.id desc limit $3::int`

/**
 * The latest writes of one record that the log holds, at most `most`, the latest first; `resource` is the one whose
 * table it is in.
 */
export async function changesOf(
  runner: Runner,
  catalog: Catalog,
  { resource, id }: { readonly resource: string; readonly id: Id },
  most: number,
): Promise<readonly Change[]> {
  return (await runner.run({ text: OF_RECORD }, [resource, id, most])).map((row) => changeOf(catalog, row))
}

function dueOf(catalog: Catalog, [, , ...row]: Row): Due {
  return { change: changeOf(catalog, row), behind: row[11] === 't' }
}

/** A row of the log as `CHANGE` selects it. */
function changeOf(
  catalog: Catalog,
  [id, resource, record, action, actor, request, bulk, changes, source, depth, at]: Row,
): Change {
  let fields: readonly FieldChange[] | undefined
  return {
    id: Number(id),
    resource: resource ?? '',
    recordId: keptIdOf(catalog, resource, record),
    action: action as WriteAction,
    actorId: actor === null || actor === undefined ? null : Number(actor),
    requestId: request ?? null,
    bulk: bulk === 't',
    // Parsed on demand: many listeners see by the other columns that a change does not concern them.
    get fields() {
      fields ??= JSON.parse(changes ?? '[]') as FieldChange[]
      return fields
    },
    source: source ?? null,
    depth: Number(depth),
    at: at ?? '',
  }
}

/** Moves the place of a listener, in the transaction that worked the changes in between. */
export async function advance(runner: Runner, name: string, { done, upto, lastId }: Place): Promise<void> {
  await runner.run({ text: ADVANCE, name: 'plinth listener advance' }, [name, done, upto, lastId])
}

const DEFER = `insert into plinth_deferred_change (listener, change_id, resource, record_id, attempt, due_at, error)
  values ($1, $2::bigint, $3, $4, $5::int, clock_timestamp() + $6::float8 * interval '1 millisecond', $7)
  on conflict (listener, change_id) do update set attempt = excluded.attempt, due_at = excluded.due_at, error = excluded.error`

const SET_ASIDE = `update plinth_deferred_change set failed_at = clock_timestamp(), attempt = $3::int, error = $4
  where listener = $1 and change_id = $2::bigint`

const DUE_AGAIN = `select d.attempt, ${CHANGE} from plinth_deferred_change d join plinth_change c on c.id = d.change_id
  where d.listener = $1 and d.failed_at is null and d.due_at <= clock_timestamp()
  and not exists (select 1 from plinth_deferred_change e where e.listener = $1 and e.failed_at is null
    and e.resource = d.resource and e.record_id = d.record_id and e.change_id < d.change_id)
  order by d.change_id limit 1`

const WORKED = `delete from plinth_deferred_change where listener = $1 and change_id = $2::bigint`

/** Puts a change off: `attempt` is how often it was tried, and `error` why it could not be worked. */
export async function defer(
  runner: Runner,
  name: string,
  { id, resource, recordId }: Change,
  { attempt, error, inMs }: { readonly attempt: number; readonly error: string | null; readonly inMs: number },
): Promise<void> {
  await runner.run({ text: DEFER }, [name, id, resource, recordId, attempt, inMs, error])
}

/** Sets a change aside for a person. */
export async function setAside(
  runner: Runner,
  name: string,
  { id }: Change,
  attempt: number,
  error: string,
): Promise<void> {
  await runner.run({ text: SET_ASIDE }, [name, id, attempt, error])
}

/** A change that was put off, and how often it was tried. */
export interface Deferred {
  readonly change: Change
  readonly attempt: number
}

/** A deferred change whose time has come, before any later one of its record. */
export async function dueAgain(runner: Runner, catalog: Catalog, name: string): Promise<Deferred | undefined> {
  const [row] = await runner.run({ text: DUE_AGAIN }, [name])
  if (row === undefined) return undefined
  const [attempt, ...rest] = row
  return { change: changeOf(catalog, rest), attempt: Number(attempt) }
}

/** Forgets that a change was put off. */
export async function deferredWorked(runner: Runner, name: string, { id }: Change): Promise<void> {
  await runner.run({ text: WORKED }, [name, id])
}
