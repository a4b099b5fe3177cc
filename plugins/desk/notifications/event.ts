/** Events that notification rules apply to, and the rules that match them; one statement for each resource reads what the conditions need. */
import type { Change, Findings, Id, JsonObject, ListenerContext } from '../../../engine/index.ts'
import { type Audience, type Conditions, type NotificationRule, RECORD } from './notification-rule.ts'
import { optionsOf } from './options.ts'
import type { Group } from './people.ts'
import type { RuleSet } from './rule-set.ts'

/** A reason to notify people about a record: a change of it, or an automation that acts on it. */
export interface NotificationEvent {
  readonly ruleSet: RuleSet
  /** Undefined where an automation acts without records. */
  readonly record: Id | undefined
  /** The record is read as this change left it; undefined: as it is now. */
  readonly change: Change | undefined
  /** Who did it; null: the program, or nobody signed in. */
  readonly actorId: number | null
  readonly rules: readonly NotificationRule[]
}

/** A rule whose conditions hold on an event. */
export interface Match {
  readonly event: NotificationEvent
  readonly rule: NotificationRule
  readonly findings: Findings
}

const NOTHING: Findings = { holds: [], led: [], values: [] }

/** The values of the record after the change of an event (`to`), or before it (`from`). */
export function valuesOf(
  { change, ruleSet }: Pick<NotificationEvent, 'change' | 'ruleSet'>,
  side: 'from' | 'to',
): JsonObject {
  if (change === undefined) return {}
  const values = Object.fromEntries(change.fields.map((one) => [one.field, one[side]]))
  if (change.action !== 'create') return values
  // The log holds no empty relation of a new record, and the record may have got one since.
  const open = [...ruleSet.resource.relations.values()].flatMap((one) =>
    one.kind === 'belongs_to' && one.field.nullable && one.field.show !== 'never' ? [one.field.name] : [],
  )
  return { ...Object.fromEntries(open.map((name) => [name, null])), ...values }
}

/** The rules that match the events, in the order of the events; a record that is gone matches none. */
export async function matchesOf(
  context: Pick<ListenerContext, 'survey'>,
  events: readonly NotificationEvent[],
): Promise<readonly Match[]> {
  const found = new Map<NotificationEvent, Findings>()
  for (const ruleSet of new Set(events.map((one) => one.ruleSet))) {
    const own = events.filter((one) => one.ruleSet === ruleSet && one.record !== undefined)
    if (own.length === 0) continue
    const records = own.map((one) => ({
      record: one.record!,
      now: valuesOf(one, 'to'),
      before: valuesOf(one, 'from'),
    }))
    const findings = await context.survey(ruleSet.resource.name, ruleSet.survey, records)
    for (const [at, one] of findings.entries()) if (one !== undefined) found.set(own[at]!, one)
  }
  return events.flatMap((event) => {
    const findings = event.record === undefined ? NOTHING : found.get(event)
    if (findings === undefined) return []
    return event.rules.map((rule): Match => ({ event, rule, findings })).filter((match) => isMet(match, match.rule))
  })
}

/** Whether conditions hold on an event. */
export function isMet({ findings, event }: Omit<Match, 'rule'>, { by, notBy, when }: Conditions): boolean {
  const { actorId, ruleSet } = event
  const did = (path: string): boolean => actorId !== null && idsAt({ findings, event }, path).includes(actorId)
  if (when !== undefined && findings.holds[ruleSet.conditions.get(when)!] !== true) return false
  return (by.length === 0 || by.some(did)) && !notBy.some(did)
}

/** The accounts that a path leads to. */
export function idsAt({ findings, event }: Omit<Match, 'rule'>, path: string): readonly number[] {
  const { ruleSet, record } = event
  if (path === RECORD) return record === undefined ? [] : [Number(record)]
  return (findings.led[ruleSet.ways.get(path)!] ?? []).map(Number)
}

/** The accounts that an audience names by a path. */
export function namedBy(match: Match, { only, people }: Audience): readonly number[] {
  if (people === undefined) return []
  const ids = idsAt(match, people)
  if (only === undefined) return ids
  const kept = idsAt(match, only)
  return ids.filter((id) => kept.includes(id))
}

/** The group that an audience names by roles or a permission; undefined where it names people. */
export function groupOf(options: JsonObject, { people, permission, roles }: Audience): Group | undefined {
  if (people !== undefined) return undefined
  return { roles: roles === 'unassigned' ? optionsOf(options).unassigned : roles, permission }
}
