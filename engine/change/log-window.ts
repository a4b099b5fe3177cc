/** The log of changes between two snapshots ⇄, for followers without a place in the database. */
import type { Catalog, WriteAction } from '../catalog/catalog.ts'
import { keptIdOf } from '../catalog/stored.ts'
import type { Row, Runner } from '../database/database.ts'
import type { Id } from '../id.ts'
import type { JsonObject } from '../json.ts'
import type { FieldChange } from './listener.ts'

/** The place of a follower who has been sent the log up to a snapshot. */
export interface Stand {
  readonly done: string
  /** Records up to an id that were sent up to a later snapshot; each with lower ids than the one before it. */
  readonly further: readonly Further[]
}

/** A batch was sent up to the record of an id, and not after it. */
export interface Further {
  readonly upto: string
  readonly lastId: Id
}

/** One write between the snapshots. */
export interface LoggedChange {
  readonly resource: string
  readonly recordId: Id
  readonly action: WriteAction
  readonly fields: readonly FieldChange[]
  /** The values that policies compared before it; null where they are unknown, or were removed from the log. */
  readonly seen: JsonObject | null
}

export interface Window {
  /** The present snapshot, where the window ends. */
  readonly now: string
  /** In the order of writes for each record. */
  readonly changes: readonly LoggedChange[]
  /** There were more changes than were asked for, or the place is one of another server: nothing can be said of it. */
  readonly lost: boolean
}

const SNAPSHOT = `select pg_current_snapshot()::text`

/** The present snapshot: a place from which nothing that is still open is missed. */
export async function presentSnapshot(runner: Runner): Promise<string> {
  const [row] = await runner.run({ text: SNAPSHOT, name: 'plinth snapshot' }, [])
  return row?.[0] ?? ''
}

/** `id + 0` keeps the planner from walking through the whole log in the order of its key. */
const WINDOW = `select s.now, pg_snapshot_xmax($1::pg_snapshot) > pg_snapshot_xmax(s.now::pg_snapshot), c.* from
  (select pg_current_snapshot()::text as now) s left join lateral (
    select c.resource, c.record_id, c.action, c.changes, c.seen_by -> 0 from plinth_change c
    where c.xid >= pg_snapshot_xmin($1::pg_snapshot) and not pg_visible_in_snapshot(c.xid, $1::pg_snapshot)
    and c.resource = any($2::text[])
    order by c.id + 0 limit $3::integer) c on true`

/**
 * The changes of these resources that were committed since the snapshot `done`, at most `most`. All statements of the caller's
 * transaction must see one snapshot (repeatable read), so that its other reads are of the same moment.
 */
export async function readWindow(
  runner: Runner,
  catalog: Catalog,
  done: string,
  owners: readonly string[],
  most: number,
): Promise<Window> {
  const rows = await runner.run({ text: WINDOW, name: 'plinth window' }, [done, owners, most + 1])
  const changes = rows.filter(([, , resource]) => resource !== null).map((row) => changeOf(catalog, row))
  const lost = rows[0]?.[1] === 't' || changes.length > most
  return { now: rows[0]?.[0] ?? done, changes, lost }
}

function changeOf(catalog: Catalog, [, , resource, record, action, changes, seen]: Row): LoggedChange {
  return {
    resource: resource ?? '',
    recordId: keptIdOf(catalog, resource, record),
    action: action as WriteAction,
    fields: JSON.parse(changes ?? '[]') as FieldChange[],
    seen: seen === null || seen === undefined ? null : (JSON.parse(seen) as JsonObject),
  }
}
