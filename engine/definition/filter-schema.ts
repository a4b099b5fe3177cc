/** The JSON Schema of filters and policies in YAML. */
import { OPERATORS } from '../field/field-type.ts'
import type { JsonSchema } from '../json.ts'
import { either, key, list, map, NAME, named, PATH, ref, TEXT } from './word-schema.ts'

const LITERAL: JsonSchema = { type: ['string', 'number', 'boolean'] }

const OPERATOR_VALUES: Readonly<Record<string, JsonSchema>> = {
  in: { type: 'array', items: LITERAL },
  not_in: { type: 'array', items: LITERAL },
  between: { type: 'array', items: LITERAL, minItems: 2, maxItems: 2 },
  contains: { type: 'string' },
  starts_with: { type: 'string' },
  ends_with: { type: 'string' },
  null: { type: 'boolean' },
}

const OPERATOR_WORDS: Readonly<Record<string, string>> = {
  eq: 'Equal to the value.',
  ne: 'Not equal to the value, or absent.',
  in: 'One of the values.',
  not_in: 'None of the values, or absent.',
  lt: 'Less than the value.',
  lte: 'Less than the value or equal to it.',
  gt: 'Greater than the value.',
  gte: 'Greater than the value or equal to it.',
  between: 'From the first value to the second, both included.',
  contains: 'Contains the text, without regard to case.',
  starts_with: 'Begins with the text, without regard to case.',
  ends_with: 'Ends with the text, without regard to case.',
  null: 'true: has no value; false: has one.',
}

/** What is asked of the records that a relation leads to. */
const RELATED: Readonly<Record<string, JsonSchema>> = {
  some: key('At least one of the records that the relation leads to is so.', { is_internal: false }, ref('filter')),
  none: key('None of them is so.', { status: 'open' }, ref('filter')),
  every: key('All of them are so; none at all is fine.', { is_paid: true }, ref('filter')),
  count: key('How many there are.', { lte: 10 }, either({ type: 'integer', minimum: 0 }, ref('operators'))),
  where: key('With count: which of them are counted.', { is_open: true }, ref('filter')),
}

function operators(): JsonSchema {
  const properties = Object.fromEntries(
    OPERATORS.map((operator) => [
      operator,
      { description: OPERATOR_WORDS[operator], ...(OPERATOR_VALUES[operator] ?? LITERAL) },
    ]),
  )
  return { ...map({ ...properties, ...RELATED }), minProperties: 1, title: 'operators' }
}

const FILTER: JsonSchema = {
  type: 'object',
  properties: {
    any: key('At least one of the filters holds.', [{ status: 1 }, { user: '$actor' }], {
      type: 'array',
      items: ref('condition'),
      minItems: 1,
    }),
    all: key('All of the filters hold.', [{ is_active: true }, { not: { user: '$actor' } }], {
      type: 'array',
      items: ref('condition'),
      minItems: 1,
    }),
    not: key('The filter does not hold.', { user: '$actor' }, ref('condition')),
    with_deleted: key(
      'The filter, whose paths may lead through deleted records too.',
      { 'ticket.user': '$actor' },
      ref('condition'),
    ),
  },
  propertyNames: PATH,
  additionalProperties: either(
    { type: ['string', 'number', 'boolean', 'null'] },
    { type: 'array', items: LITERAL },
    ref('operators'),
  ),
}

/** Who a clause, an access rule or a move speaks of. */
export const WHO: Readonly<Record<string, JsonSchema>> = {
  permission: key('Holders of this permission.', 'tickets.view', {
    type: 'string',
    pattern: '^[a-z][a-z0-9_]*(\\.[a-z][a-z0-9_]*)+$',
    'x-expects': 'a permission such as tickets.view',
  }),
  role: key('Actors of this role, or of one of these.', 'customer', either(TEXT, { ...list(TEXT), minItems: 1 })),
  who: key('anyone: no token needed; signed_in: any signed-in actor.', 'signed_in', { enum: ['anyone', 'signed_in'] }),
}

const CLAUSE: JsonSchema = {
  ...map({
    ...WHO,
    where: key(
      'Only records that this filter admits; of an update, before and after the change.',
      { user: '$actor' },
      ref('condition'),
    ),
    fields: key('The only fields and relations that may be written.', ['subject', 'details'], list(NAME)),
    set: key('Values that a write always gets.', { user: '$actor' }, named({}, PATH)),
  }),
  minProperties: 1,
  examples: [{ permission: 'tickets.view' }],
}

/** The definitions that filters, access rules and policies are made of. */
export const FILTER_DEFINITIONS: Readonly<Record<string, JsonSchema>> = {
  filter: FILTER,
  // Where every record would fulfil an empty one, it is a slip and no filter.
  condition: { ...FILTER, minProperties: 1 },
  operators: operators(),
  access: { ...map(WHO), minProperties: 1 },
  access_list: either(ref('access'), { type: 'array', items: ref('access'), minItems: 1 }),
  clause: CLAUSE,
}

const CLAUSES: JsonSchema = { type: 'array', items: ref('clause'), minItems: 1 }

/** In a file that extends another one: changes of the policy that is there. */
const POLICY_WORDS: JsonSchema = {
  ...map({
    and: key('Narrows every clause of the policy below by this filter.', { organization: '$actor' }, ref('condition')),
    add: key('Clauses in addition to those below.', [{ role: 'auditor' }], CLAUSES),
    replace: key('Clauses that take the place of those below for the same callers.', [{ role: 'customer' }], CLAUSES),
  }),
  minProperties: 1,
}

/** The key `policies`, deny by default. */
export const POLICIES: JsonSchema = policies({ type: 'array', items: ref('clause') })

/** The same in a file that may extend another one. */
export const CHANGED_POLICIES: JsonSchema = policies(either({ type: 'array', items: ref('clause') }, POLICY_WORDS))

function policies(schema: JsonSchema): JsonSchema {
  return map(
    Object.fromEntries(
      Object.entries({
        view: 'Who may see records: in lists, alone, and among those that another record embeds as a list.',
        create: 'Who may create records.',
        update: 'Who may change records.',
        delete: 'Who may delete records.',
        restore: 'Who may bring deleted records back.',
      }).map(([policy, description]) => [policy, key(description, [{ permission: `tickets.${policy}` }], schema)]),
    ),
  )
}
