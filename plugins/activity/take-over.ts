/** Takes what earlier versions kept in a table `activities` over into the log of changes, once. */
import type { PluginContext, StartLine } from '../../engine/index.ts'

/** Rows that one statement copies: short enough for the time that a statement has. */
const BATCH = 5_000
const FACT = 'activity.taken_over'

/*
 * Transaction 3 is one that every snapshot sees, so no listener takes what is old for news. What was copied is noted by
 * the same statement, so a start that is interrupted goes on where it was.
 */
const COPY = `with done as (select coalesce(max(value::bigint), 0) as id from plinth_fact where name = '${FACT}'),
  next as (select a.* from activities a, done where a.id > done.id order by a.id limit ${BATCH}),
  copied as (insert into plinth_change (xid, resource, record_id, action, actor_id, changes, seen_by, created_at)
    select '3'::xid8, resource, record_id, left(action, -1), user_id, changes, seen_by, created_at from next order by id
    returning 1)
  insert into plinth_fact (name, value) select '${FACT}', max(id)::text from next having count(*) > 0
  on conflict (name) do update set value = excluded.value returning 1`

/** Before the first request. */
export async function takeOver({ database }: PluginContext): Promise<readonly StartLine[]> {
  const [known] = await database.adhoc.run({ text: `select to_regclass('activities') is not null` }, [])
  if (known?.[0] !== 't') return []
  while ((await database.adhoc.run({ text: COPY }, [])).length > 0) {
    // Each statement copies the next rows.
  }
  return []
}
