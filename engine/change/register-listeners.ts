/**
 * Before listeners begin ⇄: new ones get their place, and the log of a database that was moved to another server is set
 * right.
 */
import type { Database, Runner } from '../database/database.ts'

const REGISTER = `insert into plinth_listener (name, done) select n, pg_current_snapshot() from unnest($1::text[]) n
  on conflict (name) do nothing`

/*
 * Transaction numbers belong to one server. On a server with lower numbers, as after a backup was restored elsewhere, the
 * old changes of the log would be new for ever, and new ones never.
 */
const MOVED = `select pg_current_snapshot()::text from (select 1) one
  where exists (select 1 from plinth_change where xid >= pg_snapshot_xmax(pg_current_snapshot()))
  or exists (select 1 from plinth_listener
    where pg_snapshot_xmax(coalesce(upto, done)) > pg_snapshot_xmax(pg_current_snapshot()))`

/** Changes that a listener has not worked, by the numbers of the earlier server, are deferred one by one. */
const KEEP_DUE = `insert into plinth_deferred_change (listener, change_id, resource, record_id)
  select h.name, c.id, c.resource, c.record_id from unnest($1::text[], $2::jsonb[]) as h(name, words)
  join plinth_listener l on l.name = h.name
  join plinth_change c on not pg_visible_in_snapshot(c.xid, l.done) and h.words ? (c.resource || ' ' || c.action)
    and not (l.upto is not null and c.id <= l.last_id and pg_visible_in_snapshot(c.xid, l.upto))
  on conflict do nothing`

/** Transaction 3 is one that every snapshot of every server sees. */
const FORGET = `update plinth_change set xid = '3'::xid8 where xid >= pg_snapshot_xmax($1::pg_snapshot)`

const BEGIN_ANEW = `update plinth_listener set done = $1::pg_snapshot, upto = null, last_id = 0`

/**
 * Gives new listeners their place: they get the changes that are committed from now on. The map has the words of each
 * listener.
 */
export async function registerListeners(
  database: Database,
  heard: ReadonlyMap<string, readonly string[]>,
): Promise<void> {
  await setRight(database, heard)
  if (heard.size > 0) await database.adhoc.run({ text: REGISTER }, [[...heard.keys()]])
}

async function setRight(database: Database, heard: ReadonlyMap<string, readonly string[]>): Promise<void> {
  if ((await database.adhoc.run({ text: MOVED }, [])).length === 0) return
  const words = [...heard.values()].map((one) => JSON.stringify(one))
  // The log may be long, so this takes its time.
  await database.session(async (runner) => {
    await runner.run({ text: 'begin' }, [])
    try {
      await move(runner, [...heard.keys()], words)
      await runner.run({ text: 'commit' }, [])
    } catch (error) {
      await runner.run({ text: 'rollback' }, [])
      throw error
    }
  })
}

async function move(runner: Runner, names: readonly string[], words: readonly string[]): Promise<void> {
  await runner.run({ text: 'lock table plinth_listener in exclusive mode' }, [])
  // Another instance may have been here while this one waited.
  const [moved] = await runner.run({ text: MOVED }, [])
  if (moved === undefined) return
  await runner.run({ text: KEEP_DUE }, [names, words])
  await runner.run({ text: FORGET }, [moved[0]])
  await runner.run({ text: BEGIN_ANEW }, [moved[0]])
}
