/** The JSON Schema of what follows from a write. */
import type { JsonSchema } from '../json.ts'
import { LIMITS } from '../limits.ts'
import { WHO } from './filter-schema.ts'
import { either, key, list, map, NAME, named, PATH, ref } from './word-schema.ts'

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
