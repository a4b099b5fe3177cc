/** Sessions of others that keep a change from its locks ⇄: which, and since when. */
import type { Row, Runner } from '../database/database.ts'
import { failureCode } from '../database/failure.ts'

/** A session with an open transaction. */
export interface OpenSession {
  readonly pid: string
  /** As the session names itself; empty where it does not. */
  readonly application: string
  /** `18:53:01`, UTC; undefined where this user may not see it. */
  readonly since: string | undefined
  readonly idle: boolean
  /** The table that it holds; undefined: its snapshot of any of them. */
  readonly table: string | undefined
}

/** What was waited for in vain; its message names the sessions. */
export class Locked extends Error {
  constructor(what: string, sessions: readonly OpenSession[]) {
    super(`${what}: ${sessions.length === 0 ? 'another session holds a lock' : sessions.map(told).join('; ')}`)
  }
}

function told({ pid, application, since, idle, table }: OpenSession): string {
  const name = application === '' ? `process ${pid}` : `process ${pid} (${application})`
  const how = idle ? 'an idle transaction open' : 'a transaction open'
  const when = since === undefined ? '' : ` since ${since} UTC`
  return `${name} has ${how}${when}${table === undefined ? '' : ` that holds ${table}`}`
}

/** Longer than any request takes; PostgreSQL itself ends an autovacuum that is in the way. */
const OPEN = `a.backend_type = 'client backend' and a.pid <> pg_backend_pid() and a.xact_start < clock_timestamp() - interval '1 second'`
const SHOWN = `a.pid, coalesce(a.application_name, ''), to_char(a.xact_start at time zone 'UTC', 'HH24:MI:SS'), a.state like 'idle%'`

const HOLDERS = `select ${SHOWN}, min(c.relname) from pg_locks l join pg_class c on c.oid = l.relation
    join pg_stat_activity a on a.pid = l.pid
  where l.granted and l.locktype = 'relation' and c.relkind in ('r', 'p') and c.relname = any($1::text[])
    and c.relnamespace = current_schema()::regnamespace and a.datname = current_database() and ${OPEN}
  group by a.pid, a.application_name, a.xact_start, a.state order by a.xact_start limit 5`

const SNAPSHOTS = `select ${SHOWN}, null from pg_stat_activity a
  where a.datname = current_database() and (a.backend_xmin is not null or a.backend_xid is not null) and ${OPEN}
  order by a.xact_start limit 5`

function sessionOf([pid, application, since, idle, table]: Row): OpenSession {
  return {
    pid: pid ?? '',
    application: application ?? '',
    since: since ?? undefined,
    idle: idle === 't',
    table: table ?? undefined,
  }
}

/** The sessions whose transactions have held one of the tables for more than a second, the oldest first. */
export async function holdersOf(runner: Runner, tables: readonly string[]): Promise<readonly OpenSession[]> {
  return (await runner.run({ text: HOLDERS }, [tables])).map(sessionOf)
}

/** The sessions whose snapshots are older than a second: an index that is made beside others waits for them. */
export async function snapshots(runner: Runner): Promise<readonly OpenSession[]> {
  return (await runner.run({ text: SNAPSHOTS }, [])).map(sessionOf)
}

/** Whether somebody else held a lock for too long, or waited for one of ours. */
export function isInTheWay(error: unknown): boolean {
  const code = failureCode(error)
  return code === '55P03' || code === '40P01'
}
