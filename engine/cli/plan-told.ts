/** A plan as people read it, and as programs do. */
import type { CountedChange } from '../access/count.ts'
import { accessSentences } from '../access/sentence.ts'
import { type Violation, violationWords } from '../action/rule-violations.ts'
import type { ShownPlan } from '../migration/plan.ts'
import { reason, renderPlan } from '../migration/plan-text.ts'
import { adviceOf, riskOf, type Step } from '../migration/step.ts'
import type { Change } from '../openapi/compare-schema.ts'
import { changesAsText } from './diff.ts'

/** What changes for those outside, compared with what was served last. */
export interface Outside {
  /** `2026-01-31 12:00`, UTC. */
  readonly since: string
  readonly api: readonly Change[]
  readonly access: readonly CountedChange[]
}

/** Everything that a plan tells. */
export interface Differences {
  readonly plan: ShownPlan
  readonly violations: readonly Violation[]
  /** undefined: nothing was served from this database yet. */
  readonly outside: Outside | undefined
}

/** The database first, then what its rules find, then clients and people. */
export function planAsText({ plan, violations, outside }: Differences): string {
  const broken = violations.map(violationWords)
  return [renderPlan(plan).trimEnd(), ...broken, ...outsideAsText(outside, plan.steps.length > 0)].join('\n')
}

function outsideAsText(outside: Outside | undefined, hasSteps: boolean): readonly string[] {
  if (outside === undefined && !hasSteps) return []
  if (outside === undefined)
    return ['', 'Nothing was served from this database yet that clients and access could be compared with.']
  const { since, api, access } = outside
  const than = `than what has been served since ${since} UTC`
  const clients = api.length === 0 ? [] : ['', `For clients, other ${than}:`, changesAsText(api)]
  const people = access.length === 0 ? [] : ['', `In access, other ${than}:`, ...accessSentences(access).map(indented)]
  return [...clients, ...people]
}

function indented(line: string): string {
  return `  ${line}`
}

/** The same for programs; `null` for what there is nothing to compare with. */
export function planAsJson({ plan, violations, outside }: Differences): string {
  const database = plan.steps.map(stepAsJson)
  const broken = violations.map(({ resource, rule, words, ids }) => ({
    resource: resource.name,
    rule: rule.name,
    message: words,
    ids,
  }))
  return JSON.stringify(
    {
      hash: plan.hash,
      older: plan.older,
      database,
      rules: broken,
      since: outside === undefined ? null : `${outside.since.replace(' ', 'T')}Z`,
      api: outside === undefined ? null : outside.api,
      access: outside === undefined ? null : outside.access.map(accessAsJson),
    },
    null,
    2,
  )
}

function stepAsJson(step: Step) {
  const { answer, effect, title } = step
  const [advice, risk] = [adviceOf(step), riskOf(step)]
  return {
    title,
    risk,
    effect,
    ...(answer === undefined ? {} : { rows: answer.rows }),
    ...(risk === 'safe' ? {} : { reason: reason(step) }),
    ...(advice === undefined ? {} : { advice }),
    ...(answer === undefined || answer.ids.length === 0 ? {} : { ids: answer.ids }),
  }
}

/** A change without the conditions themselves, which stand where `places` says. */
function accessAsJson({
  caller,
  about,
  action,
  fields,
  before,
  after,
  standing,
  sets,
  places,
  concerned,
}: CountedChange) {
  return {
    caller,
    about,
    action,
    ...(fields === undefined ? {} : { fields }),
    before: before.kind,
    after: after.kind,
    standing,
    ...(sets === undefined ? {} : { sets }),
    ...(concerned === undefined ? {} : concerned),
    places,
  }
}
