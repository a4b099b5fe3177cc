/** The JSON Schema of the keys that say what a list offers: filters, ranges, sort, search, count, indexes. */
import type { JsonSchema } from '../json.ts'
import { LIMITS } from '../limits.ts'
import { either, key, list, map, NAME, named, PATH, ref, SORT, SWITCH } from './word-schema.ts'

const LANGUAGES = [
  'arabic',
  'armenian',
  'basque',
  'catalan',
  'danish',
  'dutch',
  'english',
  'finnish',
  'french',
  'german',
  'greek',
  'hindi',
  'hungarian',
  'indonesian',
  'irish',
  'italian',
  'lithuanian',
  'nepali',
  'norwegian',
  'portuguese',
  'romanian',
  'russian',
  'serbian',
  'spanish',
  'swedish',
  'tamil',
  'turkish',
  'yiddish',
] as const

export const LIST_KEYS: Readonly<Record<string, JsonSchema>> = {
  filters: key(
    'What a list may be filtered by: paths, { parameter: path }, or a parameter that is true or false by a condition.',
    ['status_id', 'assigned_to'],
    either(list(PATH), named(either(PATH, ref('condition')), PATH)),
  ),
  ranges: key(
    'Pairs of parameters over a date or time: `date` gives date_from and date_to.',
    { date: 'created_at' },
    named(NAME),
  ),
  special: key('Parameters whose words a plugin turns into filters.', { type: 'tickets.queue' }, named(PATH)),
  sort: key(
    'What a list may be sorted by, and how it is if nothing is asked.',
    { keys: ['id', 'subject'], default: '-created_at' },
    map({
      keys: key('The sort keys; every short field if absent.', ['id', 'subject'], list(PATH)),
      default: key(
        'The order if none is asked; a "-" in front means descending.',
        '-created_at',
        either(SORT, { ...list(SORT), maxItems: LIMITS.sortKeys }),
      ),
    }),
  ),
  summary: key(
    'What GET /<path>/summary groups records by and counts of them: true for all that can be, or lists of fields.',
    { by: ['status', 'created_at'], of: ['price'] },
    either(
      SWITCH,
      map({
        by: key(
          'Relations to one record, enums, booleans, dates and timestamps.',
          ['status', 'created_at'],
          list(NAME),
        ),
        of: key('Numbers, dates and timestamps to sum up; the count is always there.', ['price'], list(NAME)),
      }),
    ),
  ),
  search: key(
    'The fields in which `search` looks, own and related: a list, or { fields, language } with weights or a language.',
    ['subject', 'status.name'],
    either(
      list(PATH),
      map({
        fields: key(
          'The fields: a list, or a map of how much a word in each counts, from 1 to 100, for the best first.',
          { subject: 3, details: 1 },
          either(list(PATH), {
            ...named({ type: 'integer', minimum: 1, maximum: 100 }, PATH),
            minProperties: 1,
          }),
        ),
        language: key('The language of the texts: other forms of a word are found too.', 'english', {
          enum: [...LANGUAGES],
        }),
      }),
    ),
  ),
  count: key(
    'How the total of a list is counted: exact, estimated (where nothing is hidden; else exact up to 10,000), or exact up to a number.',
    { capped: 1000 },
    either(
      { enum: ['exact', 'estimated'] },
      map({ capped: key('Count no further than this.', 1000, { type: 'integer', minimum: 1 }) }, ['capped']),
    ),
  ),
  indexes: key('Indexes beyond those that filters, sort and search already have.', [['status_id', 'created_at']], {
    type: 'array',
    items: either(
      { ...list(NAME), minItems: 1 },
      map(
        {
          fields: key('The indexed fields, in order.', ['slug'], { ...list(NAME), minItems: 1 }),
          unique: key('No two records have the same values; `exact` compares texts sign by sign.', true, {
            enum: [true, false, 'exact'],
          }),
          alike: key('It finds texts by how they look, as imports look for the names of a file.', true, SWITCH),
          where: key('Only records that match.', { is_active: true }, ref('condition')),
        },
        ['fields'],
      ),
    ),
  }),
}
