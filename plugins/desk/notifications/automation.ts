/** The action `notify` of automations: applies one rule to the records of a run. */
import {
  type ActionContext,
  type ActionContribution,
  type Catalog,
  type JsonObject,
  memo,
} from '../../../engine/index.ts'
import { deliver, explainDelivery } from './delivery.ts'
import type { NotificationEvent } from './event.ts'
import { ruleOf } from './notification-rule.ts'
import { ACTION_OPTIONS } from './notify-schema.ts'
import { ruleMistakes } from './rule-mistakes.ts'
import { type RuleSet, ruleSetOf } from './rule-set.ts'
import { textsOf } from './wording.ts'

const kept = memo((_catalog: Catalog, _given: JsonObject): { ruleSet?: RuleSet } => ({}))

function ruleSetIn({ catalog, work }: ActionContext): RuleSet {
  const known = kept(catalog, work.given)
  known.ruleSet ??= ruleSetOf(catalog, work.resource, [ruleOf(catalog, work.resource, work.given, work.automation)])
  return known.ruleSet
}

/** An event for each record and cause, with the record as it is now; a schedule without records has one event. */
function eventsOf(context: ActionContext): readonly NotificationEvent[] {
  const ruleSet = ruleSetIn(context)
  const about = { ruleSet, rules: ruleSet.rules, change: undefined }
  const { records } = context.work
  if (records.length === 0) return [{ ...about, record: undefined, actorId: null }]
  return records.map(({ change, id }) => ({ ...about, record: id, actorId: change?.actorId ?? null }))
}

export const notifyAction: ActionContribution = {
  description: 'Tells people of the record, in their list of notifications and by mail.',
  key: 'notify',
  takes: ACTION_OPTIONS,
  texts: textsOf,
  check: (given, { catalog, resource }) => ruleMistakes(given, { catalog, resource, ofChange: false }),
  run: async (context) => deliver(context, eventsOf(context)),
  explain: async (context) => (await explainDelivery(context, eventsOf(context))).map(({ text }) => text),
}
