/** What authors read about definitions that contradict themselves: no record could fulfil them, or a name is taken. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { mistakes, saysOfThings as says, VIEW } from './resolves.ts'

const mistaken = suite('contradictions')

mistaken('columns of PostgreSQL and names that are there still are refused', () => {
  says(
    'fields: { xmin: { type: string }, a: { type: string, column: ctid }, b: { type: string, renamed_from: a } }\nrenamed_from: statuses',
    [
      'things.yaml [xmin] reserved_name: "xmin" is a column of PostgreSQL\'s own (choose another name, or another "column")',
      'things.yaml [ctid] reserved_name: "ctid" is a column of PostgreSQL\'s own (choose another name, or another "column")',
      'things.yaml [a] name_clash: "a" is a field or relation of "things" still, so "b" cannot have been called so (remove the other one, or take renamed_from away)',
      'things.yaml [statuses] name_clash: "statuses" is a resource still, so "things" cannot have been called so (remove the other resource, or take renamed_from away)',
    ],
  )
})

mistaken('what no record could fulfil is found without one', () => {
  const parts = `relations: { thing: { belongs_to: things, required: true, on_delete: set_null } }\n${VIEW}`
  says(
    'relations: { part: { belongs_to: parts, required: true }, self: { belongs_to: things, required: true } }',
    [
      'parts.yaml [true] wrong_relation: No first record can be made: "parts", which requires "things", which requires "parts" (leave one of these relations optional)',
      'parts.yaml [set_null] wrong_relation: "thing" is required, so nothing can clear it',
      'things.yaml [true] wrong_relation: No first record can be made: "things", which requires "parts", which requires "things" (leave one of these relations optional)',
      'things.yaml [true] wrong_relation: No first record can be made: "things", which requires "things" (leave one of these relations optional)',
    ],
    { parts },
  )
  const fields =
    'fields: { a: { type: string, required: true, read_only: true }, b: { type: integer, required: true, read_only: true } }'
  assert.equal(mistakes({ things: `${fields}\npolicies: { view: [], create: [{ who: signed_in, set: { b: 1 } }] }` }), [
    'things.yaml [true] wrong_option: "a" is required, and nothing gives a new "things" its value (give it a default, set it in a clause of "create", or take read_only away)',
  ])
})

mistaken('records that cannot be let go by their age are told of', () => {
  const things = 'fields: { at: { type: timestamp }, word: { type: string } }\n'
  const keeps = (keep: string, more = '') => `${things}keep: ${keep}\n${more}`
  says(keeps('{ for: 90 days, by: wort }'), [
    'things.yaml [wort] unknown_field: "things" has no field "wort" (did you mean "word"?)',
  ])
  says(keeps('{ for: 90 days, by: word }'), ['things.yaml [word] wrong_value: "word" does not say how old a record is'])
  says(keeps('{ for: 90 days, by: at }', 'cache: true'), [
    'things.yaml [keep] wrong_value: Records of a resource with "cache: true" are kept in memory, and none of them is let go by its age (remove keep or cache)',
  ])
  const parts = `relations: { thing: { belongs_to: things } }\n${VIEW}`
  says(
    keeps('{ for: 90 days, by: at }'),
    [
      'things.yaml [keep] wrong_relation: "parts.thing" holds on to the records of "things", so none can be let go (give "parts.thing" on_delete: cascade or set_null)',
    ],
    { parts },
  )
  says(
    things,
    [
      'others.yaml [keep] of_mismatch: "others" uses the table of "things", which says how long its records are kept (write keep in "things")',
    ],
    { others: `of: things\nfields: { at: {} }\nkeep: { for: 1 day, by: at }\n${VIEW}` },
  )
  assert.equal(mistakes({ things: `${keeps('false')}${VIEW}` }), [])
})

mistaken('relations that contradict others are told apart', () => {
  const things =
    'fields: { status_id: { type: integer }, shape: { type: string } }\nrelations:\n  status: { belongs_to: statuses }\n  shape: { belongs_to: statuses, column: other_id }\n  parts: { has_many: parts }\n  bits: { has_many: statuses }\n  halves: { has_many: parts, by: thin }'
  const parts = { parts: `relations: { thing: { belongs_to: things }, whole: { belongs_to: things } }\n${VIEW}` }
  says(
    things,
    [
      'things.yaml [status] name_clash: The foreign key "status_id" of "status" is a field already (a relation brings its own field: remove the other one, or name another column)',
      'things.yaml [shape] name_clash: "shape" is a field already (a field and a relation share the keys of an answer)',
      'things.yaml [parts] ambiguous_relation: Several relations of "parts" belong to "things" (say which one with "by")',
      'things.yaml [bits] missing_relation: No relation of "statuses" belongs to "things" (add a belongs_to: things to "statuses")',
      'things.yaml [thin] missing_relation: "parts" has no relation "thin" that belongs to "things" (did you mean "thing"?)',
    ],
    parts,
  )
})

mistaken.run()
