/** Automations at moments and on schedules ⇄: a round takes some of the records whose time has come and acts, in one transaction. */

import { SYSTEM } from '../actor.ts'
import { nextMoment } from '../calendar/cron.ts'
import type { Automation, Catalog, Resource } from '../catalog/catalog.ts'
import { changesOf } from '../change/log.ts'
import type { Row, Runner } from '../database/database.ts'
import { quoted } from '../filter/sql.ts'
import { executionOf, type Foundation, inTransaction, runCompiled, type Within } from '../run/execution.ts'
import { compileLeft, compileStill, compileTake } from '../statement/automation-due.ts'
import type { Acting, Taken } from './action.ts'
import { act } from './perform.ts'
import { beginRuns, dueAgain, type Ended, endRuns, tellRuns } from './runs.ts'

/** The input of a round. */
interface Round {
  /** At most so many records. */
  readonly most: number
  /** The moment or the record where the round before came to an end: all in front of it need no look. */
  readonly from: string | undefined
  /** Called before anything is done for records; `attempt` says how often one that failed has been tried. */
  readonly begins: (taken: readonly Taken[], attempt: number) => void
}

/** What a round looks at: the moments in between, or one moment of the schedule. */
type Window = Readonly<Record<string, unknown>> & { readonly from: string; readonly to: string }

/** How many changes of a record are looked through for the one that set a run off. */
const CHANGES = 1_000

/** What comes of a round: whether more may wait, and where the next one begins; undefined: at the beginning. */
interface Progress {
  readonly more: boolean
  readonly from?: string | undefined
}

/** Rejects with what went wrong; nothing has happened then. */
export async function runRound(foundation: Foundation, acting: Acting, round: Round): Promise<Progress> {
  const requestId = `automation:${acting.name}`
  const call = executionOf(foundation, { actor: SYSTEM, requestId, afterCommit: () => undefined })
  if (await inTransaction(call, (inner) => workAgain(inner, acting, round))) return { more: true, from: round.from }
  // What a write sets off waits for nothing else here.
  const window = acting.automation.trigger.kind === 'write' ? undefined : await windowOf(foundation, acting)
  if (window === undefined) return { more: false }
  if (round.from !== undefined || (await isAnyLeft(foundation, acting, window))) {
    const from = round.from ?? window.from
    const taken = await inTransaction(call, (inner) => workNext(inner, acting, { ...window, from }, round))
    if (taken.length === round.most) return { more: true, from: endOf(acting, taken) }
    // Rows that others held are looked for from the beginning.
    if (round.from !== undefined) return { more: true }
    if (await isAnyLeft(foundation, acting, window)) return { more: false }
  }
  await moveOn(foundation, acting, window)
  return { more: false }
}

/** Where the next round begins. */
function endOf({ automation }: Acting, taken: readonly Taken[]): string | undefined {
  if (automation.trigger.kind === 'schedule') return String(Math.max(...taken.map(({ id }) => id)))
  return taken
    .map(({ cause }) => cause)
    .sort()
    .at(-1)
}

/** Works one run that is to be tried again; false when there is none. */
async function workAgain(within: Within, acting: Acting, round: Round): Promise<boolean> {
  const due = await dueAgain(within.transaction, acting.name)
  if (due === undefined) return false
  const { attempt, taken } = due
  const again = await asBefore(within, acting, taken)
  round.begins([again], attempt)
  await end(
    within,
    acting,
    (await isStill(within, acting, taken)) ? await act(within, acting, [again]) : [unmet(taken)],
  )
  return true
}

/** A run with what set it off: its moment, or its change where the log still has it. */
async function asBefore({ adhoc, catalog }: Within, acting: Acting, taken: Taken): Promise<Taken> {
  const { automation, resource } = acting
  if (automation.trigger.kind !== 'write') return momentOf(acting, taken)
  const changes = await changesOf(adhoc, catalog, { resource: resource.owner, id: taken.id }, CHANGES)
  const change = changes.find(({ id }) => String(id) === taken.cause)
  return change === undefined ? taken : { ...taken, change }
}

function unmet(taken: Taken): Ended {
  return { taken, outcome: 'unmet', what: [] }
}

function momentOf({ automation }: Acting, taken: Taken): Taken {
  return automation.trigger.kind === 'moment' ? { ...taken, moment: taken.cause } : taken
}

function isAlone({ automation }: Acting): boolean {
  return automation.trigger.kind === 'schedule' && automation.when === undefined
}

async function isStill(within: Within, acting: Acting, { id, cause }: Taken): Promise<boolean> {
  if (isAlone(acting)) return true
  const { automation, resource } = acting
  const compiled = within.statements.get(compileStill, within, resource, automation)
  return (await runCompiled(within, compiled, { id, cause })).length > 0
}

/** Takes records and acts for those whose condition holds; gives those that were taken. */
async function workNext(
  within: Within,
  acting: Acting,
  window: Window,
  { most, begins }: Round,
): Promise<readonly Taken[]> {
  const rows = await take(within, acting, window, most)
  const taken = rows.map(([id, cause]) => momentOf(acting, { id: Number(id), cause: cause ?? '' }))
  const held = taken.filter((_, i) => rows[i]?.[2] === 'done')
  begins(held, 0)
  const ended = await act(within, acting, held)
  await end(within, acting, ended)
  within.afterCommit(() => {
    for (let i = held.length; i < taken.length; i++) acting.ran(acting.name, 'unmet')
  })
  return taken
}

async function take(within: Within, acting: Acting, window: Window, most: number): Promise<readonly Row[]> {
  const { automation, name, resource } = acting
  if (isAlone(acting)) {
    const begun = await beginRuns(within.transaction, name, [{ id: 0, cause: String(window.tick) }])
    return begun.map(({ id, cause }) => [String(id), cause, 'done'])
  }
  const compiled = within.statements.get(compileTake, within, resource, automation)
  return runCompiled(within, compiled, { ...window, automation: name, most })
}

async function end(within: Within, acting: Acting, ended: readonly Ended[]): Promise<void> {
  await endRuns(within.transaction, acting.name, ended)
  tellRuns(within, acting, ended)
}

const ISO = (moment: string): string => `to_char(${moment} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`

/*
 * A day back, so that a moment which was written late counts too; further where nothing ran for longer; never to before
 * the automation began.
 */
const STANDS = `select ${ISO(`greatest(began_at, least(worked_until, clock_timestamp() - interval '1 day'))`)},
  ${ISO('clock_timestamp()')}, case when next_at <= clock_timestamp() then ${ISO('next_at')} end, last_id
  from plinth_automation where name = $1`

/** What is to be looked at now; undefined where nothing is due. */
async function windowOf({ database }: Foundation, acting: Acting): Promise<Window | undefined> {
  const { automation, name, resource } = acting
  const [row] = await database.adhoc.run({ text: STANDS, name: 'plinth automation stands' }, [name])
  if (row === undefined) return undefined
  const [from, to, tick, last] = row
  if (automation.trigger.kind === 'moment') return { from: from ?? '', to: to ?? '' }
  if (tick === null || tick === undefined) return undefined
  return {
    tick,
    from: '0',
    to: to ?? '',
    last: last ?? (isAlone(acting) ? null : await lastOf(database.adhoc, name, resource)),
  }
}

/** The last record that a schedule looks at: what is created meanwhile, by itself too, is for the next time. */
async function lastOf(
  runner: Foundation['database']['adhoc'],
  name: string,
  { key, table }: Resource,
): Promise<string> {
  const text = `update plinth_automation set last_id = coalesce(last_id,
    (select coalesce(max(${quoted(key.column)}), 0) from ${quoted(table)})) where name = $1 returning last_id`
  const [row] = await runner.run({ text }, [name])
  return row?.[0] ?? '0'
}

async function isAnyLeft(foundation: Foundation, acting: Acting, window: Window): Promise<boolean> {
  const { automation, name, resource } = acting
  const call = executionOf(foundation, { actor: SYSTEM, requestId: '', afterCommit: () => undefined })
  if (isAlone(acting)) {
    const text = 'select 1 from plinth_automation_run where automation = $1 and record_id = 0 and cause = $2'
    return (await foundation.database.adhoc.run({ text }, [name, window.tick])).length === 0
  }
  const compiled = foundation.statements.get(compileLeft, call, resource, automation)
  const [row] = await runCompiled(call, compiled, { ...window, automation: name }, true)
  return row?.[0] === 't'
}

/** How far behind the note of what has been worked may be: moments are looked for a day back anyway. */
const NOTED = `update plinth_automation set worked_until = $2::timestamptz
  where name = $1 and worked_until < $2::timestamptz - interval '1 hour'`

const NEXT = `update plinth_automation set next_at = $3::timestamptz, last_id = null, worked_until = $4::timestamptz
  where name = $1 and next_at = $2::timestamptz`

/** Notes that everything up to here has been worked; of what a schedule has missed since, nothing is made up for. */
async function moveOn({ database }: Foundation, { automation, name }: Acting, { tick, to }: Window): Promise<void> {
  if (tick === undefined) await database.adhoc.run({ text: NOTED, name: 'plinth automation noted' }, [name, to])
  else await database.adhoc.run({ text: NEXT }, [name, tick, nextAt(automation, Date.parse(to)), to])
}

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
function nextAt({ trigger }: Automation, after: number): string | null {
  const next = trigger.kind === 'schedule' ? nextMoment(trigger.cron, trigger.zone, after) : undefined
  return next === undefined ? null : new Date(next).toISOString()
}

/** The time of the database, which all instances share, in milliseconds. */
async function databaseTime(runner: Runner): Promise<number> {
  const [row] = await runner.run({ text: 'select extract(epoch from clock_timestamp()) * 1000' }, [])
  return Number(row?.[0])
}
