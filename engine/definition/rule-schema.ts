/** The JSON Schema of rules about writes: rules, moves, values that follow, automations. */
import type { JsonSchema } from '../json.ts'
import { LIMITS } from '../limits.ts'
import type { Vocabulary } from './definition.ts'
import { WHO } from './filter-schema.ts'
import { either, key, list, map, NAME, named, PATH, ref, SPAN, SWITCH, TEXT } from './word-schema.ts'

/** One field or relation, or several. */
const FIELDS: JsonSchema = either(NAME, { ...list(NAME), minItems: 1 })

const RULE: JsonSchema = map(
  {
    must: key(
      'What must hold for the record as it would be; $record.<field> is another field of it, $before.<field> the stored value.',
      { 'subCategory.parent_id': { eq: '$record.category_id' } },
      ref('filter'),
    ),
    at_least: key('At least so many records that `where` admits must remain.', 1, {
      type: 'integer',
      minimum: 1,
      maximum: 1000,
    }),
    at_most: key('At most so many records that `where` admits may exist.', 3, {
      type: 'integer',
      minimum: 1,
      maximum: 1000,
    }),
    only_one: key(
      'Only one record has true in this field; a record that gets it takes it from the other.',
      'is_default',
      NAME,
    ),
    no_overlap: key('No two records share a day or a moment between these two fields.', ['starts_on', 'ends_on'], {
      type: 'array',
      items: NAME,
      minItems: 2,
      maxItems: 2,
      uniqueItems: true,
    }),
    where: key('Which records are counted, or may not overlap; all if absent.', { category: 'closed' }, ref('filter')),
    per: key('The rule holds for each value of these separately.', 'item', FIELDS),
    when: key('Only if this holds for the record.', { status: 'sent' }, ref('filter')),
    changed: key(
      'Only when one of these changes; if absent, one that the rule names. A new record counts as changed.',
      'status',
      FIELDS,
    ),
    on: key('The writes that are judged; create and update if absent.', ['create', 'update'], {
      ...list({ enum: ['create', 'update', 'delete', 'restore'] }),
      minItems: 1,
    }),
    says: key('The sentence for people who break the rule.', 'The end must come after the start', TEXT),
    at: key('The field that gets the sentence, with 422; without it the answer is 409.', 'ends_on', NAME),
    holds: key(
      'For a rule that looks at other records: when_written judges a record when it is written itself, always when those are written too.',
      'when_written',
      { enum: ['when_written', 'always'] },
    ),
  },
  [],
)

/** The key `rules`. */
export const RULES: JsonSchema = { ...named(RULE), maxProperties: LIMITS.rulesPerResource }

/** `any`, one word, or some of them. */
const WORDS: JsonSchema = either(TEXT, { ...list(TEXT), minItems: 1 })

/** One entry of `allow`. */
const MOVE: JsonSchema = map(
  {
    ...WHO,
    from: key('The words that are left; any: every word.', ['open', 'pending'], WORDS),
    to: key('The words that may follow; any: every word.', 'solved', WORDS),
  },
  ['from', 'to'],
)

const MOVES: JsonSchema = map(
  {
    by: key('For a relation: the field of the other record that has the word.', 'category', NAME),
    allow: key(
      'The moves that are allowed, and to whom; if an entry names nobody, to everybody who may change the record.',
      [{ from: 'any', to: ['solved', 'closed'], role: 'customer' }],
      { type: 'array', items: MOVE, minItems: 1, maxItems: LIMITS.rulesPerResource },
    ),
    says: key(
      'The sentence for people who try a move that is not allowed to them.',
      'Customers may only close their tickets',
      TEXT,
    ),
  },
  ['allow'],
)

/** The key `moves`, by field or relation. */
export const MOVE_KEYS: JsonSchema = named(MOVES)

/** The key `show_moves`. */
export const SHOW_MOVES: JsonSchema = SWITCH

const FOLLOW: JsonSchema = map(
  {
    of: key('The relation to another record, which gets the values instead, in the same transaction.', 'ticket', PATH),
    ...WHO,
    when: key('Only if this holds for the record as it would be.', { 'status.category': 'solved' }, ref('filter')),
    changed: key(
      'Only when this changes, or one of these; if absent, at every write. A new record counts as changed.',
      'status',
      either(NAME, { ...list(NAME), minItems: 1 }),
    ),
    on: key('The writes it follows from; create, update and import if absent.', ['create', 'update'], {
      ...list({ enum: ['create', 'update', 'import', 'delete', 'restore'] }),
      minItems: 1,
    }),
    set: key(
      'The fields and the values that they get, whatever the caller sent.',
      { resolved_at: { first: ['$before.resolved_at', '$now'] }, closed_at: null },
      { ...named({}, PATH), minProperties: 1 },
    ),
  },
  ['set'],
)

/** The key `follows`. */
export const FOLLOWS: JsonSchema = { type: 'array', items: FOLLOW, maxItems: LIMITS.rulesPerResource }

/** The words that make a value of others, each with what it means. */
export const VALUE_WORDS: Readonly<Record<string, string>> = {
  first: 'The first of the values that is there.',
  plus: 'A moment or day and a span of time after it, or the sum of numbers.',
  minus: 'A moment or day and a span of time before it, or one number less others.',
  times: 'The product of numbers.',
  divided_by: 'A number divided by others; absent where one of them is 0.',
  seconds_between: 'How many seconds lie between two moments; 0 when the second is not later.',
  minutes_between: 'How many whole minutes; in a decimal also parts of one.',
  hours_between: 'How many hours.',
  days_between: 'How many days of 24 hours.',
  text: 'A text; `{{ field }}` becomes a value of the record.',
}

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
    'With on: only updates that change this, or one of these; with from and to, only changes from such a value to such a value.',
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
