/** Working time as SQL: counted by the hours of a calendar, which stand in the table plinth_working_time. */
import { type Sql, sql } from '../filter/sql.ts'

/** A stretch of work: its begin, and the working time before it and up to its end, in microseconds since the first one. */
const HOURS = 'plinth_working_time'

/** The working time up to a moment, in microseconds. */
function workedSql(moment: string): string {
  return `coalesce((select w.worked_before + (extract(epoch from least(${moment}, w.ends_at) - w.starts_at) * 1000000)::bigint
    from ${HOURS} w where w.calendar = m.calendar and w.starts_at <= ${moment} order by w.starts_at desc limit 1), 0)`
}

/** The microseconds between two moments, 0 when the second is not later; those of working time where a calendar's key is given. */
export function microsBetweenSql(from: Sql, to: Sql, calendar: Sql | undefined): Sql {
  const passed =
    calendar === undefined
      ? '(extract(epoch from m.ends - m.begins) * 1000000)::bigint'
      : `${workedSql('m.ends')} - ${workedSql('m.begins')}`
  const key = calendar ?? sql`''`
  // greatest() passes over what is absent.
  return sql`(select case when m.ends is not null and m.begins is not null and m.calendar is not null
      then greatest(${passed}, 0) end
    from (select ${from} as begins, ${to} as ends, ${key} as calendar offset 0) m)`
}

/**
 * The moment at which so many microseconds of working time have passed after another; before it, when they are negative.
 * That is the end of a working day rather than the begin of the next one, and before a moment the other way round.
 */
export function workingShiftSql(begin: Sql, micros: Sql, calendar: Sql): Sql {
  // "offset 0" has each of them worked out once, and not again wherever its value is used.
  return sql`(select case when g.micros = 0 then g.begins else
      (select w.starts_at + (g.goal - w.worked_before) * interval '1 microsecond' from ${HOURS} w
        where w.calendar = g.calendar and w.worked_after >= g.goal + (g.micros < 0)::int order by w.worked_after limit 1) end
    from (select m.*, ${workedSql('m.begins')} + m.micros as goal
      from (select ${begin} as begins, ${micros} as micros, ${calendar} as calendar offset 0) m offset 0) g)`
}
