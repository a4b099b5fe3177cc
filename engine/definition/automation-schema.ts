/** The JSON Schema of what happens by itself: automations, with the actions of plugins. */
import type { JsonSchema } from '../json.ts'
import { LIMITS } from '../limits.ts'
import type { Vocabulary } from './vocabulary.ts'
import { either, key, list, map, NAME, named, PATH, ref, SPAN, TEXT } from './word-schema.ts'

const EVENTS = ['create', 'update', 'delete', 'restore', 'import'] as const

const VALUES: JsonSchema = { ...named({}, PATH), minProperties: 1 }

const WORTH: JsonSchema = { type: ['string', 'number', 'boolean', 'null'] }
const WORTHS: JsonSchema = either(WORTH, { ...list(WORTH), minItems: 1 })

const TURN: JsonSchema = {
  ...map({
    from: key('The value before the change, or one of these.', 'pending', WORTHS),
    to: key('The value after it, or one of these.', ['active', 'declined'], WORTHS),
  }),
  minProperties: 1,
}

/** The keys of an automation that are the engine's own. */
export const AUTOMATION_KEYS: Readonly<Record<string, JsonSchema>> = {
  description: key('What the automation is for.', 'Closes what was solved a week ago.', TEXT),
  on: key('Acts soon after these writes; import means records that an import creates.', ['create', 'update'], {
    ...list({ enum: [...EVENTS] }),
    minItems: 1,
  }),
  changed: key(
    'With on: of updates, only those that change this, or one of these; with from and to, only from such a value to such a one.',
    { state: { from: 'pending', to: ['active', 'declined'] } },
    either(NAME, { ...list(NAME), minItems: 1 }, { ...named(TURN), minProperties: 1 }),
  ),
  at: key('Acts when this moment of a record comes, a timestamp or a date; once for each moment.', 'resolved_at', NAME),
  after: key('With at: so long after the moment.', '7 days', SPAN),
  before: key('With at: so long before the moment.', '30 minutes', SPAN),
  every: key('Acts on a schedule: minute, hour, day of the month, month, day of the week.', '0 8 * * mon', TEXT),
  in: key(
    'The time zone of every, or of a date under at, or the calendar that has it; UTC if absent.',
    'Europe/Berlin',
    TEXT,
  ),
  when: key(
    'Only for records for which this holds when the automation acts. With every it chooses the records; without it, every acts once, for no record.',
    { 'status.category': 'solved' },
    ref('filter'),
  ),
  set: key(
    'Changes the record, as an update by the program itself: fields and the values that they get.',
    { status: { slug: 'closed' }, assignedTo: { pick: { 'role.slug': 'agent' }, by: 'fewest' } },
    VALUES,
  ),
  create: key(
    'Creates another record, by its resource: fields and the values that they get.',
    { ticket_comments: { ticket: '$record', comment: { text: 'Closed: {{ subject }}' } } },
    { ...named(VALUES), minProperties: 1 },
  ),
}

/** An automation with the actions of these plugins. */
export function automationSchema(actions: Vocabulary['actions']): JsonSchema {
  const described = [...actions].map(([name, { plugin, description, key: word, schema }]) => {
    return { name, word, schema: { description: `${description} (plugin ${plugin})`, examples: [{}], ...schema } }
  })
  const run = map(Object.fromEntries(described.map(({ name, schema }) => [name, schema])))
  return map({
    ...AUTOMATION_KEYS,
    ...Object.fromEntries(described.flatMap(({ word, schema }) => (word === undefined ? [] : [[word, schema]]))),
    run: key('What plugins do, by name, each with its options.', {}, { ...run, minProperties: 0 }),
  })
}

/** The key `automations`. */
export const AUTOMATIONS: JsonSchema = { ...named(ref('automation')), maxProperties: LIMITS.automationsPerResource }
