/** The JSON Schema of what must hold of a record. */
import type { JsonSchema } from '../json.ts'
import { LIMITS } from '../limits.ts'
import { either, key, list, map, NAME, named, ref, TEXT } from './word-schema.ts'

/** One field or relation, or several. */
const FIELDS: JsonSchema = either(NAME, { ...list(NAME), minItems: 1 })

const RULE: JsonSchema = map(
  {
    must: key(
      'What must hold of the record as it would be; $record.<field> is another field of it, $before.<field> what is stored.',
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
