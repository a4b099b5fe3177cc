/** What authors read about fields that the database computes. */
import { suite } from 'uvu'
import { saysOfThings as says } from './resolves.ts'

const mistaken = suite('mistakes in stored fields')

const BASE = `fields:
  count: { type: integer }
  price: { type: decimal }
  word: { type: string }
  text: { type: text }
  day: { type: date }
  at: { type: timestamp }
  pass: { type: secret }
  wage: { type: decimal, read: { permission: wages.view } }
  now: { type: integer, computed: "1" }
`
const things = (...fields: readonly string[]): string =>
  `${BASE}${fields.map((field) => `  ${field}\n`).join('')}relations: { part: { belongs_to: parts } }`
const PARTS = { parts: 'fields: { name: { type: string } }' }

mistaken('what a column cannot know is told at its place', () => {
  says(
    things(
      'a: { type: decimal, stored: { times: [count, prise] } }',
      'b: { type: decimal, stored: { times: [count, word] } }',
      'c: { type: string, stored: { text: "{{ part.name }}" } }',
      'd: { type: string, stored: { text: "{{ day }}" } }',
      'e: { type: string, stored: { text: "{{ text }}" } }',
      'f: { type: timestamp, stored: { plus: [$now, 4 hours] } }',
      'g: { type: decimal, stored: { plus: [count, now] } }',
      'h: { type: timestamp, stored: { plus: [at, 4000 years] } }',
      'i: { type: decimal, stored: { plus: [count, part] } }',
    ),
    [
      'things.yaml [prise] unknown_field: "things" has no field or relation "prise" (did you mean "price"?)',
      'things.yaml [word] wrong_value: "b" (decimal) is never what a value of string is, which "word" is',
      'things.yaml [{ text: "{{ part.name }}" }] wrong_value: "c" is a column of the database: "part" leads to another record (write it under follows, or take it out)',
      'things.yaml [{ text: "{{ day }}" }] wrong_value: "d" is a column of the database: how "day" (date) is spelled depends on who reads it (write it under follows, or take it out)',
      'things.yaml [{ text: "{{ text }}" }] wrong_value: "e" is a column of the database: "text" may have several lines, so "e" must be of type text (write it under follows, or take it out)',
      'things.yaml [$now] wrong_value: "f" takes something else here',
      'things.yaml [{ plus: [count, now] }] wrong_value: "g" is a column of the database: "now" has no column (write it under follows, or take it out)',
      'things.yaml [{ plus: [at, 4000 years] }] wrong_value: "h" is a column of the database: 4000 years are too long (write it under follows, or take it out)',
      'things.yaml [{ plus: [count, part] }] wrong_value: "i" is a column of the database: "part" leads to another record (write it under follows, or take it out)',
    ],
    PARTS,
  )
})

mistaken('what goes round in a circle, shows what is guarded, or is too much', () => {
  const row = (name: string, from: string) =>
    `${name}: { type: decimal, stored: { times: [${Array.from({ length: 6 }, () => from).join(', ')}] } }`
  says(
    things(
      'a: { type: decimal, stored: { plus: [b, 1] } }',
      'b: { type: decimal, stored: { minus: [a, 1] } }',
      'c: { type: decimal, stored: { times: [wage, 12] } }',
      row('d', 'price'),
      row('e', 'd'),
      row('f', 'e'),
    ),
    [
      'things.yaml [{ plus: [b, 1] }] wrong_value: "a" is computed from itself: a → b → a',
      'things.yaml [{ times: [wage, 12] }] wrong_option: "wage" is not for everybody, and "c" would show what it comes to (write "read" next to "stored" too: who may read "c")',
      'things.yaml [{ times: [e, e, e, e, e, e] }] wrong_value: "f" has more than 200 parts, with those of the fields that it is computed from',
    ],
    PARTS,
  )
})

mistaken('what does not go with it', () => {
  says(
    things(
      'a: { type: decimal, required: true, default: 1, stored: { plus: [count, 1] } }',
      'b: { type: boolean, stored: { first: [count, 1] } }',
      'c: { type: string, min: 3, stored: { text: "{{ word }}" } }',
      'd: { type: decimal, stored: { times: [count] } }',
      'e: { type: decimal, stored: { multiply: [count, price] } }',
    ),
    [
      'things.yaml [[count]] wrong_value: "times" must have at least 2 items',
      'things.yaml [multiply] unknown_key: Unknown key "multiply" (did you mean "times"?)',
      'things.yaml [required] wrong_option: "required" does not go with "stored": nobody writes the value (take "required" away)',
      'things.yaml [default] wrong_option: "default" does not go with "stored": nobody writes the value (take "default" away)',
      'things.yaml [stored] wrong_option: A field of type boolean cannot be computed by the database',
      'things.yaml [min] wrong_option: "min" does not go with "stored" in a text',
    ],
    PARTS,
  )
})

mistaken('nothing sets it', () => {
  says(
    `${things('a: { type: decimal, stored: { plus: [count, 1] } }')}\nfollows: [{ set: { a: 1 } }]\nupdate_sets: { a: 1 }`,
    [
      'things.yaml [a] unknown_field: "a" is given by the database and cannot be set',
      'things.yaml [a] unknown_field: "a" is computed and cannot be set (did you mean "at"?)',
    ],
    PARTS,
  )
})

mistaken.run()
