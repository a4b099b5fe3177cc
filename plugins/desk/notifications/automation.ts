/** The action `notify` of automations: people hear of a record, each in the words that they may read and the way that they want. */
import {
  type ActionContext,
  type ActionContribution,
  type Catalog,
  type JsonObject,
  memo,
} from '../../../engine/index.ts'
import { noticeOf } from './notice.ts'
import { noticeMistakes } from './notice-check.ts'
import type { Occasion } from './occasion.ts'
import { type Plan, planOf } from './plan.ts'
import { TAKES } from './takes.ts'
import { explainOf, tellOf } from './telling.ts'

const planned = memo((_catalog: Catalog, _given: JsonObject): { plan?: Plan } => ({}))

function planIn({ catalog, work }: ActionContext): Plan {
  const known = planned(catalog, work.given)
  known.plan ??= planOf(catalog, work.resource, [noticeOf(catalog, work.resource, work.given, work.automation)])
  return known.plan
}

/** Each record for each cause, as it is now; a schedule without records acts once. */
function occasionsOf(context: ActionContext): readonly Occasion[] {
  const plan = planIn(context)
  const about = { plan, notices: plan.notices, change: undefined }
  const { records } = context.work
  if (records.length === 0) return [{ ...about, record: undefined, actorId: null }]
  return records.map(({ change, id }) => ({ ...about, record: id, actorId: change?.actorId ?? null }))
}

export const notifyAction: ActionContribution = {
  description: 'Tells people of the record, in their list of notifications and by mail.',
  key: 'notify',
  takes: TAKES,
  check: (given, { catalog, resource }) => noticeMistakes(given, { catalog, resource, ofChange: false }),
  run: async (context) => tellOf(context, occasionsOf(context)),
  explain: async (context) => (await explainOf(context, occasionsOf(context))).map(({ text }) => text),
}
