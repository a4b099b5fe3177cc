/** What an application would change, as JSON for programs. */
import type { CountedChange } from '../access/count.ts'
import { asJson, type JsonObject } from '../json.ts'
import { reason } from '../migration/plan-text.ts'
import { adviceOf, riskOf, type Step } from '../migration/step.ts'
import { placeOf } from '../text/source.ts'
import type { Differences } from './differences.ts'

/** Differences for programs; `null` where there is nothing to compare with. */
export function differencesAsJson({
  plan,
  violations,
  outside,
  moved,
  replaced,
  program,
  written,
}: Differences): JsonObject {
  const database = plan.steps.map(stepAsJson)
  const broken = violations.map(({ resource, rule, words, ids }) => ({
    resource: resource.name,
    rule: rule.name,
    message: words,
    ids,
  }))
  return asJson({
    hash: plan.hash,
    version: program.version,
    written_by: typeof written === 'object' ? { version: written.version, since: written.since } : null,
    older: plan.older,
    database,
    rules: broken,
    since: outside === undefined ? null : `${outside.since.replace(' ', 'T')}Z`,
    api: outside === undefined ? null : outside.api,
    access: outside === undefined ? null : outside.access.map(accessAsJson),
    roles: outside === undefined ? null : outside.roles,
    moved: moved.byProviders,
    options: moved.byOptions,
    replaced: replaced
      .filter(({ below, isLeftOut, isMerged }) => !isLeftOut && !isMerged && below !== undefined)
      .map(({ path, below, own, span }) => ({ path, below, own, place: placeOf(span) })),
  })
}

/** A step of a plan. */
export function stepAsJson(step: Step) {
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

/** A change without the conditions themselves, which are at `places`. */
export function accessAsJson({
  caller,
  about,
  action,
  fields,
  before,
  after,
  status,
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
    status,
    ...(sets === undefined ? {} : { sets }),
    ...(concerned === undefined ? {} : concerned),
    places,
  }
}
