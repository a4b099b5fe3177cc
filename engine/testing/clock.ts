/** ⇄ The clock of a test: the database and the application have the same, and it can be moved on. */
import type { Database } from '../database/database.ts'

/** The time of one application. */
export interface Clock {
  /** The time for plugins and answers. */
  readonly now: () => Date
  /** Moves both clocks on by a length of time, `3 days`, or to a moment, `2099-01-05T09:00Z`, which must be later than now. */
  move(database: Pick<Database, 'adhoc'>, to: string): Promise<void>
  /** Takes over the time of the database, for an application that begins anew. */
  read(database: Pick<Database, 'adhoc'>): Promise<void>
}

/** The schemas of a session: functions of `public` come before those of PostgreSQL. */
export const SEARCH_PATH = 'public, pg_catalog'

/** Functions in the place of PostgreSQL's own; statements name them without a schema, and so do the defaults of columns. */
export const CLOCK_SQL = `create table public.plinth_clock (moved interval not null);
insert into public.plinth_clock values ('0');
create function public.now() returns timestamptz language sql stable
  as 'select pg_catalog.now() + moved from public.plinth_clock';
create function public.clock_timestamp() returns timestamptz language sql volatile
  as 'select pg_catalog.clock_timestamp() + moved from public.plinth_clock';`

const MOVED = 'select extract(epoch from moved) * 1000 from public.plinth_clock'

const MOVE = `update public.plinth_clock set moved = m.at - pg_catalog.clock_timestamp()
  from (select coalesce($1::timestamptz, clock_timestamp() + $2::interval) as at, clock_timestamp() as was) m
  where m.at > m.was returning extract(epoch from moved) * 1000`

/** The beginning of a moment. */
const MOMENT = /^\d{4}-/

/** A clock that begins with `now`, the real time if absent. */
export function createClock(now: () => Date = () => new Date()): Clock {
  let movedMs = 0
  return {
    now: () => new Date(now().getTime() + movedMs),
    async move({ adhoc }, to) {
      const values = MOMENT.test(to) ? [to, null] : [null, to]
      const [row] = await adhoc.run({ text: MOVE }, values)
      if (row === undefined) throw new Error(`The clock moves forward only, and ${to} is past`)
      movedMs = Number(row[0])
    },
    async read({ adhoc }) {
      const [row] = await adhoc.run({ text: MOVED }, [])
      movedMs = Number(row?.[0] ?? 0)
    },
  }
}
