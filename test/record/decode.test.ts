/** Bodies decoded against a resource's fields: values for the database, every complaint under its key. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { JsonObject } from '../../engine/json.ts'
import { decodeInput, invalidSelection, isWritable } from '../../engine/record/decode.ts'
import { resolved } from '../resolve/resolves.ts'

const TICKETS = resolved({
  tickets: `
fields:
  subject: { type: string, required: true, max: 5 }
  state: { type: enum, values: [open, closed], default: open, nullable: false }
  note: { type: text }
  pin: { type: secret }
  tags: { type: list, of: string }
  number: { type: sequence }
  seen: { type: boolean, read_only: true }
  double: { type: integer, computed: "t.id * 2" }
policies: { view: [{ who: anyone }], create: [{ who: anyone }], update: [{ who: anyone }], delete: [{ who: anyone }] }
`,
}).resources.get('tickets')!
const FIELDS = [...TICKETS.fields.values()]

const decode = (body: JsonObject, partial = false, unknownKeys: 'refuse' | 'ignore' = 'refuse') =>
  bySentences(decodeInput(FIELDS, body, { partial, unknownKeys }))

/** What was decoded, with each mistake as its sentence. */
function bySentences({ errors, values }: ReturnType<typeof decodeInput>) {
  return { values, errors: JSON.parse(JSON.stringify(errors)) as Record<string, string[]> }
}

const test = suite('decodeInput')

test('fills defaults and asks for what is required', () => {
  assert.equal(decode({ subject: 'x' }), { values: { subject: 'x', state: 'open' }, errors: {} })
  assert.equal(decode({}).errors, { subject: ['The subject field is required'] })
})

test('what shows nothing is no value, and what shows something is one', () => {
  const unseen = fc.array(
    fc.constantFrom(
      ...' \n\t\u00a0\u00ad\u034f\u061c\u115f\u180e\u200b\u200d\u200f\u2028\u202e\u2060\u2066\u2800\u3000\u3164\ufe0f\ufeff\uffa0\u{e0020}',
    ),
    { minLength: 1, maxLength: 3 },
  )
  fc.assert(
    fc.property(unseen, (signs) => {
      const text = signs.join('')
      assert.equal(decode({ subject: text, note: text, tags: [text] }), {
        values: { state: 'open', note: null },
        errors: { subject: ['The subject field is required'], 'tags.0': ['The tags.0 field must have a value'] },
      })
      assert.equal(decode({ subject: 'x', note: `${text}é` }).errors, {})
    }),
  )
})

test('a partial body is only what it names', () => {
  assert.equal(decode({}, true), { values: {}, errors: {} })
  assert.equal(decode({ note: 'n' }, true).values, { note: 'n' })
})

test('trims texts, except secrets, and takes "" for null', () => {
  assert.equal(decode({ subject: ' ab ', note: ' \n', pin: ' 1 ', tags: [' a '] }).values, {
    subject: 'ab',
    note: null,
    pin: ' 1 ',
    tags: ['a'],
    state: 'open',
  })
})

test('null is refused where nothing may be missing', () => {
  assert.equal(decode({ subject: null, state: null }, true).errors, {
    subject: ['The subject field is required'],
    state: ['The state field must not be null'],
  })
  assert.equal(decode({ subject: ' ', state: '' }, true).errors, {
    subject: ['The subject field is required'],
    state: ['The state field is required'],
  })
})

test('unknown keys are refused with the nearest name, or ignored', () => {
  assert.equal(decode({ subjet: 1 }, true).errors, { subjet: ['Unknown field "subjet"; did you mean "subject"?'] })
  assert.equal(decode({ zzzzzz: 1 }, true).errors, { zzzzzz: ['Unknown field "zzzzzz"'] })
  assert.equal(decode({ subjet: 1 }, true, 'ignore'), { values: {}, errors: {} })
})

test('what clients may not write is ignored, whatever it holds', () => {
  const read = { id: 9, number: 'x', seen: 'maybe', double: [], created_at: 'x', updated_at: 0 }
  assert.equal(decode({ ...read, subject: 'x' }, true), { values: { subject: 'x' }, errors: {} })
  const writable = FIELDS.filter(isWritable).map(({ name }) => name)
  assert.equal(writable, ['subject', 'state', 'note', 'pin', 'tags'])
})

test('mistakes are told all at once, those of lists by place', () => {
  const { errors } = decode({ subject: 'too long', state: 'ajar', tags: ['a', 1] })
  assert.equal(Object.keys(errors), ['subject', 'state', 'tags.1'])
  assert.equal(errors.subject, ['The subject field must be at most 5 characters'])
})

test('a selection is called by its relation’s label', () => {
  const field = FIELDS[1]!
  assert.is(String(invalidSelection(field, 'Assigned To')), 'The selected assigned to is invalid')
  assert.is(String(invalidSelection({ ...field, name: 'sub_category_id' }, '')), 'The selected sub category is invalid')
})

test.run()
