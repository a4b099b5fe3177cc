/** The activity plugin: with `activity: true` people can read who changed what, from which value to which. */
import {
  type Access,
  definePlugin,
  inSentence,
  type PluginContext,
  type Resource,
  type ResourceDefinition,
  type Route,
  type StartLine,
} from '../../engine/index.ts'
import { readActivity } from './read.ts'

/** Rows that one statement copies, within the time limit of a statement. */
const BATCH = 5_000
const FACT = 'activity.taken_over'

/** What tells who could see a change. The first form of the table had no such column; what is unknown counts as unseen. */
const SEEN_BY = `nullif(to_jsonb(n.*) -> 'seen_by', 'null')`

/*
 * Transaction 3 is one that every snapshot sees, so no listener takes what is old for news. What was copied is noted by
 * the same statement, so a start that is interrupted goes on where it was.
 */
const COPY = `with plinth_done as (select coalesce(max(value::bigint), 0) as id from plinth_fact where name = '${FACT}'),
  plinth_next as (select a.* from activities a, plinth_done d where a.id > d.id order by a.id limit ${BATCH}),
  plinth_copied as (insert into plinth_change (xid, resource, record_id, action, actor_id, changes, seen_by, created_at)
    select '3'::xid8, resource, record_id, left(action, -1), user_id, changes, ${SEEN_BY}, created_at from plinth_next n order by id
    returning 1)
  insert into plinth_fact (name, value) select '${FACT}', max(id)::text from plinth_next having count(*) > 0
  on conflict (name) do update set value = excluded.value returning (select count(*) from plinth_next)`

/** Before the first request. */
async function takeOver({ database }: PluginContext): Promise<readonly StartLine[]> {
  const [known] = await database.adhoc.run({ text: `select to_regclass('activities') is not null` }, [])
  if (known?.[0] !== 't') return []
  let count = 0
  for (;;) {
    const [copied] = await database.adhoc.run({ text: COPY }, [])
    if (copied === undefined) break
    count += Number(copied[0])
  }
  return count === 0 ? [] : [{ once: `Activities ${count.toLocaleString('en')} taken over into the log of changes` }]
}

export { type Change, changesShown, describe } from './describe.ts'

/** Reads the log of changes, which the statement of each write fills. */
function keepActivity(resource: ResourceDefinition): ResourceDefinition {
  return resource.activity === true ? { ...resource, log_changes: true } : resource
}

/** Signed-in people who may see some records; the clauses decide which when a record is read. */
function readers({ policies }: Resource): readonly Access[] {
  return policies.view.map(({ access: [first] }) =>
    first === undefined || first.kind === 'anyone' ? { kind: 'signed_in' } : first,
  )
}

function resourceRoutes(resource: Resource): readonly Route[] {
  if (resource.keys.activity !== true) return []
  const label = inSentence(resource.label)
  return [
    {
      method: 'GET',
      path: `/${resource.path}/{id}/activity`,
      summary: `List what was changed on one ${label}, newest first`,
      tag: resource.name,
      access: readers(resource),
      query: {
        page: { type: 'integer', min: 1, description: 'The page, from 1.' },
        per_page: { type: 'integer', min: 1, description: 'Rows on a page; 100 at most.' },
      },
      output: OUTPUT,
      meta: { pagination: { $ref: '#/components/schemas/Pagination' } },
      handle: (context) => readActivity(context, resource),
    },
  ]
}

const NAME = { type: ['string', 'null'], description: 'What the value refers to, by its name.' }

const OUTPUT = {
  type: 'array',
  items: {
    type: 'object',
    required: ['id', 'action', 'description', 'changes', 'user', 'automation', 'created_at'],
    properties: {
      id: { type: 'integer' },
      action: { type: 'string', enum: ['created', 'updated', 'deleted', 'restored'] },
      description: { type: 'string', examples: ['Status changed from Open to Pending'] },
      changes: {
        type: 'array',
        items: {
          type: 'object',
          required: ['field', 'label', 'from', 'to'],
          properties: {
            field: { type: 'string' },
            label: { type: 'string' },
            from: {},
            to: {},
            from_name: NAME,
            to_name: NAME,
          },
        },
      },
      user: {
        type: ['object', 'null'],
        description: 'Who did it; null: the program itself.',
        properties: { id: { type: 'integer' }, name: { type: ['string', 'null'] } },
      },
      automation: {
        type: ['string', 'null'],
        description: 'The automation that did it, as <resource>.<name>; null: none did.',
        examples: ['tickets.close_solved'],
      },
      created_at: { type: 'string', format: 'date-time' },
    },
  },
} as const

export default definePlugin({
  name: 'activity',
  description: 'Keeps who changed what, from which value to which, for every resource that says `activity: true`.',
  keys: {
    activity: {
      description: 'Whether changes are kept and can be read at GET /<path>/{id}/activity; false if absent.',
      schema: { type: 'boolean', default: false, examples: [true] },
    },
  },
  transforms: [keepActivity],
  resourceRoutes,
  start: takeOver,
  takesOver: {
    activities: { into: 'the log of changes', fact: FACT },
  },
})
