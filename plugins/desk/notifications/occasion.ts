/** What is told of, and whom it may concern: occasions of a batch, each with what holds of its record, by one statement for each resource. */
import type { Change, Findings, Id, JsonObject, ListenerContext } from '../../../engine/index.ts'
import { type Audience, type Conditions, type Notice, RECORD } from './notice.ts'
import { optionsOf } from './options.ts'
import type { Group } from './people.ts'
import type { Plan } from './plan.ts'

/** A reason to tell people of a record. */
export interface Occasion {
  readonly plan: Plan
  /** Undefined where an automation acts without records. */
  readonly record: Id | undefined
  /** The change that is told of: the record is read as it left it. Undefined: as it is now. */
  readonly change: Change | undefined
  /** Who did it; null: the program, or nobody signed in. */
  readonly actorId: number | null
  readonly notices: readonly Notice[]
}

/** One thing that is told on an occasion. */
export interface Lot {
  readonly occasion: Occasion
  readonly notice: Notice
  readonly findings: Findings
}

const NOTHING: Findings = { holds: [], led: [], values: [] }

/** What a change made of the values of its record, and what they were. */
export function valuesOf({ change, plan }: Pick<Occasion, 'change' | 'plan'>, side: 'from' | 'to'): JsonObject {
  if (change === undefined) return {}
  const values = Object.fromEntries(change.fields.map((one) => [one.field, one[side]]))
  if (change.action !== 'create') return values
  // What a new record does not lead to is no change, and may have come later.
  const open = [...plan.resource.relations.values()].flatMap((one) =>
    one.kind === 'belongs_to' && one.field.nullable && one.field.show !== 'never' ? [one.field.name] : [],
  )
  return { ...Object.fromEntries(open.map((name) => [name, null])), ...values }
}

/** What is told on these occasions, in their order; nothing of a record that is not there any more. */
export async function lotsOf(
  context: Pick<ListenerContext, 'survey'>,
  occasions: readonly Occasion[],
): Promise<readonly Lot[]> {
  const found = new Map<Occasion, Findings>()
  for (const plan of new Set(occasions.map((one) => one.plan))) {
    const own = occasions.filter((one) => one.plan === plan && one.record !== undefined)
    if (own.length === 0) continue
    const records = own.map((one) => ({
      record: one.record!,
      now: valuesOf(one, 'to'),
      before: valuesOf(one, 'from'),
    }))
    const findings = await context.survey(plan.resource.name, plan.survey, records)
    for (const [at, one] of findings.entries()) if (one !== undefined) found.set(own[at]!, one)
  }
  return occasions.flatMap((occasion) => {
    const findings = occasion.record === undefined ? NOTHING : found.get(occasion)
    if (findings === undefined) return []
    return occasion.notices
      .map((notice): Lot => ({ occasion, notice, findings }))
      .filter((lot) => isMet(lot, lot.notice))
  })
}

/** Whether conditions hold on an occasion. */
export function isMet({ findings, occasion }: Omit<Lot, 'notice'>, { by, notBy, when }: Conditions): boolean {
  const { actorId, plan } = occasion
  const did = (path: string): boolean => actorId !== null && idsAt({ findings, occasion }, path).includes(actorId)
  if (when !== undefined && findings.holds[plan.conditions.get(when)!] !== true) return false
  return (by.length === 0 || by.some(did)) && !notBy.some(did)
}

/** The accounts that a path leads to. */
export function idsAt({ findings, occasion }: Omit<Lot, 'notice'>, path: string): readonly number[] {
  const { plan, record } = occasion
  if (path === RECORD) return record === undefined ? [] : [Number(record)]
  return (findings.led[plan.ways.get(path)!] ?? []).map(Number)
}

/** The accounts that an audience names by a path. */
export function namedBy(lot: Lot, { only, people }: Audience): readonly number[] {
  if (people === undefined) return []
  const ids = idsAt(lot, people)
  if (only === undefined) return ids
  const kept = idsAt(lot, only)
  return ids.filter((id) => kept.includes(id))
}

/** The group that an audience names by roles or a permission; undefined where it names people. */
export function groupOf(options: JsonObject, { people, permission, roles }: Audience): Group | undefined {
  if (people !== undefined) return undefined
  return { roles: roles === 'unassigned' ? optionsOf(options).unassigned : roles, permission }
}
