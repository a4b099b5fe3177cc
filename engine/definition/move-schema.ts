/** The JSON Schema of which value may follow which. */
import type { JsonSchema } from '../json.ts'
import { LIMITS } from '../limits.ts'
import { WHO } from './filter-schema.ts'
import { either, key, list, map, NAME, named, SWITCH, TEXT } from './word-schema.ts'

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
    by: key('For a relation: the field of the other record whose word the moves speak of.', 'category', NAME),
    allow: key(
      'The moves that are allowed, and to whom; without a word about whom, to all who may change the record.',
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
