/** `plinth explain --automation tickets.close_solved --record 7`: why an automation did or did not act for a record. */
import { executionOf } from '../action/execution.ts'
import { SYSTEM } from '../actor.ts'
import type { Acting } from '../automation/acting.ts'
import { type AutomationExplanation, explainActing } from '../automation/explain.ts'
import type { Trigger, Turn } from '../catalog/catalog.ts'
import type { App } from '../engine.ts'
import { LIMITS } from '../limits.ts'
import { nearest } from '../text/nearest.ts'
import { placeOf, writtenAt } from '../text/source.ts'
import type { Invocation } from './command.ts'

/** The explanation as text; throws the sentence that says why there is none. */
export async function explainAutomation({ options }: Pick<Invocation, 'options'>, app: App): Promise<string> {
  const acting = actingNamed(String(options.automation), app)
  const id = Number(options.record)
  if (!Number.isInteger(id) || id < 1 || id > LIMITS.idMax)
    throw new Error('Say which record is meant by its id: --record 7.')
  const call = executionOf(app.foundation, { actor: SYSTEM, requestId: 'explain', afterCommit: () => undefined })
  return render(acting, id, await explainActing(call, acting, id))
}

function actingNamed(name: string, { automations }: App): Acting {
  const found = automations.find((one) => one.name === name)
  if (found !== undefined) return found
  const near = nearest(
    name,
    automations.map((one) => one.name),
  )
  const hint = near === undefined ? '' : ` Did you mean ${near}?`
  throw new Error(`There is no automation ${name}; write <resource>.<name>.${hint}`)
}

function render({ automation, name }: Acting, id: number, told: AutomationExplanation): string {
  const parts = told.parts.map(
    ({ span, holds, value }) => `    ${placeOf(span)}  ${writtenAt(span)}\n      → ${partVerdict(holds, value)}`,
  )
  const changes = told.changes.map(
    ({ change, setsOff }) =>
      `    ${change.at}  ${change.action} ${change.fields.map(({ field }) => field).join(', ')}${by(change.source)}\n      → ${setsOff ? 'sets it off' : 'does not set it off'}`,
  )
  const runs = told.runs.map(
    ({ at, cause, outcome, what }) =>
      `    ${at}  ${outcome}${what.length === 0 ? '' : `: ${what.join('; ')}`} (${cause})`,
  )
  const exists = told.exists !== undefined
  const would = told.would.flatMap(({ action, lines }) =>
    lines.length === 0 ? [`    ${action}: nobody`] : lines.map((line) => `    ${action}: ${line}`),
  )
  return [
    `automation ${name}, ${placeOf(automation.span)}`,
    `  acts ${triggerText(automation.trigger)}`,
    ...(exists && parts.length > 0 ? [`  when, of record ${id} as it is now:`, ...parts] : []),
    ...(changes.length > 0 ? ['  writes, the latest first:', ...changes] : []),
    ...(would.length > 0 ? ['  what it would do for it now:', ...would] : []),
    ...(runs.length > 0 ? ['  runs, the latest first:', ...runs] : []),
    `  outcome: ${verdict(automation.trigger, id, told)}`,
  ].join('\n')
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

function verdict(trigger: Trigger, id: number, told: AutomationExplanation): string {
  const { exists, next, parts, runs } = told
  if (exists === undefined && runs.length === 0) return `there is no record ${id}`
  if (exists === false) return `record ${id} is deleted, or no record of this resource`
  if (trigger.kind === 'moment') return momentVerdict(told)
  const holds = parts.every((part) => part.holds)
  if (trigger.kind === 'schedule')
    return `it comes next at ${next}; ${holds ? 'the condition holds now' : 'the condition does not hold now'}`
  if (runs.length > 0) return `it has acted, last at ${runs[0]!.at}`
  if (!told.changes.some(({ setsOff }) => setsOff)) return 'nothing that the log of changes still holds set it off'
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
