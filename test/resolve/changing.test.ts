/** Mistakes in what a changed field says of the records that are there. */
import { suite } from 'uvu'
import { saysOfThings as says } from './resolves.ts'

const mistaken = suite('mistakes in what existing records become')

mistaken('what null becomes is a value of a field that is not nullable', () => {
  says('fields: { name: { type: string, backfill: x }, on: { type: boolean, nullable: false, backfill: maybe } }', [
    'things.yaml [x] wrong_option: "backfill" is for a field that is not nullable (write nullable: false with it, or leave it out)',
    'things.yaml [maybe] wrong_value: The "backfill" of "on" must be true or false (write a value of the field, as true or false)',
  ])
  const required = (type: string, backfill: string) => `c: { type: ${type}, required: true, backfill: ${backfill} }`
  says(
    `fields: { a: { type: string }, f: { type: boolean, required: true, backfill: { first: [$record.g, $record.g] } }, g: { type: boolean }, ${required('string', '$record.b')} }`,
    [
      'things.yaml [{ first: [$record.g, $record.g] }] wrong_value: The "backfill" of "f": a boolean is made of no other fields (write a value, or one that is made of fields of the same record)',
      'things.yaml [$record.b] unknown_field: "things" has no field or relation "b"',
    ],
  )
  says(`fields: { a: { type: integer }, ${required('date', '$record.a')} }`, [
    'things.yaml [$record.a] wrong_value: "c" (date) is never what a value of integer is, which $record.a is',
  ])
  says(`fields: { a: { type: string } }\nrelations: { status: { belongs_to: statuses, backfill: { slug: open } } }`, [
    'things.yaml [backfill] wrong_option: "backfill" is for a relation that is required (write required: true with it, or leave it out)',
  ])
})

mistaken('a word that goes becomes one that is there', () => {
  says(
    'fields: { a: { type: enum, values: [x, y], becomes: { x: y } }, b: { type: list, of: enum, values: [x], becomes: { z: w } } }',
    [
      'things.yaml [{ x: y }] wrong_option: "becomes" names x, which is one of the values still (change it, or what it contradicts)',
      'things.yaml [{ z: w }] wrong_option: "becomes" makes z w, which is none of the values: x (change it, or what it contradicts)',
    ],
  )
})

mistaken.run()
