/** Before automations by moments and by the clock begin ⇄: new ones begin now, and those that are gone are forgotten. */
import { nextMoment } from '../calendar/cron.ts'
import type { Automation, Catalog } from '../catalog/catalog.ts'
import type { Runner } from '../database/database.ts'

const FORGET = 'delete from plinth_automation where name <> all($1::text[])'

const REGISTER = `insert into plinth_automation as a (name, schedule, next_at)
  select * from unnest($1::text[], $2::text[], $3::timestamptz[])
  on conflict (name) do update set schedule = excluded.schedule, next_at = excluded.next_at, last_id = null
  where a.schedule is distinct from excluded.schedule`

/** Gives automations their place in time; a schedule that was changed begins anew, and all others go on where they are. */
export async function registerAutomations(runner: Runner, { resources }: Catalog): Promise<void> {
  const timed = [...resources.values()].flatMap((resource) =>
    [...resource.automations.values()]
      .filter(({ trigger }) => trigger.kind !== 'write')
      .map((automation) => ({ name: `${resource.name}.${automation.name}`, automation })),
  )
  await runner.run({ text: FORGET }, [timed.map(({ name }) => name)])
  if (timed.length === 0) return
  const now = await databaseTime(runner)
  const schedules = timed.map(({ automation }) => scheduleOf(automation))
  const next = timed.map(({ automation }) => nextAt(automation, now))
  await runner.run({ text: REGISTER }, [timed.map(({ name }) => name), schedules, next])
}

function scheduleOf({ trigger }: Automation): string | null {
  return trigger.kind === 'schedule' ? `${trigger.cron.text} ${trigger.zone}` : null
}

/** The moment, ISO 8601, at which a schedule comes after another, in milliseconds; null for what is no schedule. */
export function nextAt({ trigger }: Automation, after: number): string | null {
  const next = trigger.kind === 'schedule' ? nextMoment(trigger.cron, trigger.zone, after) : undefined
  return next === undefined ? null : new Date(next).toISOString()
}

/** The time of the database, which all instances share, in milliseconds. */
async function databaseTime(runner: Runner): Promise<number> {
  const [row] = await runner.run({ text: 'select extract(epoch from clock_timestamp()) * 1000' }, [])
  return Number(row?.[0])
}
