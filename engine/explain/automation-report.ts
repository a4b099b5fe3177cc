/** Why an automation did or did not act for a record ⇄: its moment, the parts of its condition, what set it off, its runs. */

import { SYSTEM } from '../actor.ts'
import type { Acting } from '../automation/action.ts'
import { setsOff } from '../automation/on-write.ts'
import { RUNS_AS_THEY_ARE } from '../automation/state.ts'
import type { Trigger, Turn } from '../catalog/catalog.ts'
import type { Change } from '../change/listener.ts'
import { changesOf } from '../change/log.ts'
import { pluginContext } from '../context/plugin-context.ts'
import { sql } from '../filter/sql.ts'
import { LIMITS } from '../limits.ts'
import { type Execution, executionOf, type Foundation, inTransaction, runCompiled } from '../run/execution.ts'
import { compileStanding } from '../statement/automation-due.ts'
import { pathValueSql } from '../statement/condition.ts'
import { nearest } from '../text/nearest.ts'
import { placeOf, writtenAt } from '../text/source.ts'
import type { Report } from './render.ts'

/** A part of the condition, as written, and as it is for the record now. */
interface PartVerdict {
  readonly span: NonNullable<Acting['automation']['when']>[number]['span']
  readonly holds: boolean
  /** The value that it compares, as text; undefined where it compares more than one. */
  readonly value: string | null | undefined
}

interface Run {
  readonly cause: string
  readonly outcome: string
  readonly what: readonly string[]
  readonly at: string
}

interface AutomationExplanation {
  /** Whether the record is there; undefined: there never was one. */
  readonly exists: boolean | undefined
  /** When its moment comes or came; null where it has none. */
  readonly moment: string | null
  readonly parts: readonly PartVerdict[]
  /** The latest first, ten at most. */
  readonly runs: readonly Run[]
  /** Writes that the log of changes holds, the latest first, and whether each sets it off. */
  readonly changes: readonly { readonly change: Change; readonly setsOff: boolean }[]
  /** What its actions of plugins would do for the record as it is now, where they can tell. */
  readonly would: readonly { readonly action: string; readonly lines: readonly string[] }[]
  /** When it began, and when a schedule comes next; undefined for what writes set off, and before its first start. */
  readonly began: string | undefined
  readonly next: string | null
  /** The time of the database. */
  readonly now: string
}

const MOST = 10
const ISO = (moment: string): string => `to_char(${moment} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`

const RUNS = `with ${RUNS_AS_THEY_ARE} select cause, outcome, what, ${ISO('at')} from runs
  where automation = $1 and record_id = $2::int order by at desc limit ${MOST}`

const PLACE = `select ${ISO('clock_timestamp()')}, ${ISO('a.began_at')}, ${ISO('a.next_at')}
  from (select 1) one left join plinth_automation a on a.name = $1`

/** Looks; nothing is written. */
async function explainActing(around: Execution, acting: Acting, id: number): Promise<AutomationExplanation> {
  const { automation, name, resource } = acting
  const { when = [], trigger } = automation
  const values = when.map(({ filter }) =>
    filter.kind === 'compare' ? sql`(${pathValueSql(around.catalog, filter.path, 't')})::text` : sql`null::text`,
  )
  const [row] = await runCompiled(around, compileStanding(around, resource, automation, values), { id })
  const parts = when.map(({ filter, span }, i) => ({
    span,
    holds: row?.[2 + i] === 't',
    value: filter.kind === 'compare' ? (row?.[2 + when.length + i] ?? null) : undefined,
  }))
  const runs = await around.adhoc.run({ text: RUNS }, [name, id])
  const [place] = await around.adhoc.run({ text: PLACE }, [name])
  const changes =
    trigger.kind === 'write'
      ? await changesOf(around.adhoc, around.catalog, { resource: resource.owner, id }, MOST)
      : []
  const exists = row === undefined ? undefined : row[0] === 't'
  return {
    exists,
    would: exists === true ? await actionsOf(around, acting, id) : [],
    moment: row?.[1] ?? null,
    parts,
    runs: runs.map(([cause, outcome, what, at]) => ({
      cause: cause ?? '',
      outcome: outcome ?? '',
      what: JSON.parse(what ?? '[]') as string[],
      at: at ?? '',
    })),
    changes: changes.map((change) => ({ change, setsOff: setsOff(acting, change) })),
    began: place?.[1] ?? undefined,
    next: place?.[2] ?? null,
    now: place?.[0] ?? '',
  }
}

/** What each action of a plugin would do, in a transaction that writes nothing. */
function actionsOf(around: Execution, acting: Acting, id: number): Promise<AutomationExplanation['would']> {
  const { actions, automation, name, resource } = acting
  return inTransaction(around, async (within) => {
    const told: AutomationExplanation['would'][number][] = []
    for (const one of automation.actions) {
      const bound = one.kind === 'run' ? actions.get(one.action) : undefined
      if (one.kind !== 'run' || bound?.value.explain === undefined) continue
      const work = { resource, automation: name, given: one.given, records: [{ id }], runs: [] }
      const { transaction } = within
      const lines = await bound.value.explain({ ...pluginContext(within, bound.options), transaction, work })
      told.push({ action: bound.value.key ?? one.action, lines })
    }
    return told
  })
}

/** Why an automation did or did not act for a record, as a report; throws the sentence that says why there is none. */
export async function automationReport(
  { automations, foundation }: { readonly automations: readonly Acting[]; readonly foundation: Foundation },
  name: string,
  record: string,
): Promise<Report> {
  const acting = actingNamed(name, automations)
  const id = Number(record)
  if (!Number.isInteger(id) || id < 1 || id > LIMITS.idMax)
    throw new Error('Say which record is meant by its id: --record 7.')
  const call = executionOf(foundation, { actor: SYSTEM, requestId: 'explain', afterCommit: () => undefined })
  return reportOf(acting, id, await explainActing(call, acting, id))
}

function actingNamed(name: string, automations: readonly Acting[]): Acting {
  const found = automations.find((one) => one.name === name)
  if (found !== undefined) return found
  const near = nearest(
    name,
    automations.map((one) => one.name),
  )
  const hint = near === undefined ? '' : ` Did you mean ${near}?`
  throw new Error(`There is no automation ${name}; write <resource>.<name>.${hint}`)
}

function reportOf({ automation, name }: Acting, id: number, explained: AutomationExplanation): Report {
  const { changes, exists, parts, runs, would } = explained
  const conditions = parts.map(({ holds, span, value }) => ({
    text: `${placeOf(span)}  ${writtenAt(span)}`,
    verdicts: [partVerdict(holds, value)],
  }))
  const writes = changes.map(({ change, setsOff }) => ({
    text: `${change.at}  ${change.action} ${change.fields.map(({ field }) => field).join(', ')}${by(change.source)}`,
    verdicts: [setsOff ? 'sets it off' : 'does not set it off'],
  }))
  const actions = would.flatMap(({ action, lines }) =>
    lines.length === 0 ? [`${action}: nobody`] : lines.map((line) => `${action}: ${line}`),
  )
  const past = runs.map(
    ({ at, cause, outcome, what }) => `${at}  ${outcome}${what.length === 0 ? '' : `: ${what.join('; ')}`} (${cause})`,
  )
  return {
    head: [`automation ${name}, ${placeOf(automation.span)}`, `  acts ${triggerText(automation.trigger)}`],
    sections: [
      { title: `when, of record ${id} as it is now`, findings: exists === undefined ? [] : conditions },
      { title: 'writes, the latest first', findings: writes },
      { title: 'what it would do for it now', findings: actions.map((text) => ({ text })) },
      { title: 'runs, the latest first', findings: past.map((text) => ({ text })) },
    ],
    outcome: verdict(automation.trigger, id, explained),
  }
}

function by(source: string | null): string {
  return source === null ? '' : `, by the automation ${source}`
}

function partVerdict(holds: boolean, value: string | null | undefined): string {
  const now = value === undefined ? '' : value === null ? '; there is no value' : `; it is ${JSON.stringify(value)}`
  return `${holds ? 'holds' : 'does not hold'}${now}`
}

function triggerText(trigger: Trigger): string {
  switch (trigger.kind) {
    case 'write': {
      const changed = trigger.changed?.map(turnText).join(' or ')
      return `after ${[...trigger.on].join(', ')}${changed === undefined ? '' : ` that changes ${changed}`}`
    }
    case 'moment': {
      const { at, shift, zone } = trigger
      const zoned = at.type.wire === 'date' ? `, as the day begins in ${zone}` : ''
      return `${shift === undefined ? 'at' : `${shift.by} ${shift.direction}`} ${at.name}${zoned}`
    }
    case 'schedule':
      return `by the schedule ${trigger.cron.text} in ${trigger.zone}`
  }
}

function turnText({ field, from, to }: Turn): string {
  const side = (word: string, values: Turn['from']): string =>
    values === undefined ? '' : ` ${word} ${values.map((value) => String(value)).join(' or ')}`
  return `${field.name}${side('from', from)}${side('to', to)}`
}

function verdict(trigger: Trigger, id: number, explained: AutomationExplanation): string {
  const { exists, next, parts, runs } = explained
  if (exists === undefined && runs.length === 0) return `there is no record ${id}`
  if (exists === false) return `record ${id} is deleted, or no record of this resource`
  if (trigger.kind === 'moment') return momentVerdict(explained)
  const holds = parts.every((part) => part.holds)
  if (trigger.kind === 'schedule')
    return `it comes next at ${next}; ${holds ? 'the condition holds now' : 'the condition does not hold now'}`
  if (runs.length > 0) return `it has acted, last at ${runs[0]!.at}`
  if (!explained.changes.some(({ setsOff }) => setsOff)) return 'nothing that the log of changes still holds set it off'
  return holds
    ? 'the condition holds now, and did not when the write was worked; or it is still to be worked: plinth listeners'
    : 'the condition does not hold'
}

const DAY_MS = 86_400_000

function momentVerdict({ began, moment, now, runs }: AutomationExplanation): string {
  if (moment === null) return 'the record has no such moment'
  const run = runs.find(({ cause }) => cause === moment)
  if (run?.outcome === 'unmet') return `when the moment ${moment} came, the condition did not hold`
  if (run !== undefined) return `the moment ${moment} came, and the run is ${run.outcome}`
  if (moment > now) return `its moment comes at ${moment}`
  if (began === undefined) return 'the automation has not been served yet'
  if (moment <= began) return `the moment ${moment} was before the automation began, ${began}`
  if (Date.parse(now) - Date.parse(moment) > DAY_MS)
    return `the moment ${moment} was written when it lay more than a day back`
  return `the moment ${moment} has come; it is worked soon, where a server runs`
}
