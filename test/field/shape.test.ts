/** The schema of a json field: values are judged as ajv does, and every mistake has its place and our sentence. */
import { Ajv } from 'ajv'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { misfits, unusableShape } from '../../engine/field/shape.ts'
import type { Json, JsonObject } from '../../engine/json.ts'
import { decoded } from './fields.ts'

const test = suite('json schema')

const SETTINGS: JsonObject = {
  type: 'object',
  properties: {
    theme: { enum: ['light', 'dark'] },
    size: { type: 'integer', minimum: 8, maximum: 32 },
    tags: { type: 'array', items: { type: 'string', maxLength: 5 }, uniqueItems: true, maxItems: 3 },
  },
  required: ['theme'],
  additionalProperties: false,
}

const CASES: readonly (readonly [value: Json, result: Json])[] = [
  [
    { theme: 'dark', size: 12, tags: ['a'] },
    { theme: 'dark', size: 12, tags: ['a'] },
  ],
  ['dark', '! must be an object'],
  [{}, '! theme is required'],
  [{ theme: 'blue' }, '! theme must be one of "light", "dark"'],
  [{ theme: 'dark', size: 40 }, '! size must be at most 32'],
  [{ theme: 'dark', size: 9.5 }, '! size must be an integer'],
  [{ theme: 'dark', tags: ['a', 'toolong'] }, '! tags.1 must be at most 5 characters'],
  [{ theme: 'dark', tags: ['a', 'a'] }, '! tags.1 must not repeat another item'],
  [{ theme: 'dark', tags: ['a', 'b', 'c', 'd'] }, '! tags must have at most 3 items'],
  [{ theme: 'dark', colour: 1 }, '! colour is not a known field'],
]

for (const [value, result] of CASES) {
  test(`${JSON.stringify(value)} → ${JSON.stringify(result)}`, () => {
    assert.equal(decoded('json', value, { schema: SETTINGS }), result)
  })
}

test('every mistake is reported at its own place', () => {
  const wrong = { theme: 'blue', size: 40, tags: ['a', 'toolong', 'a'], colour: 1 }
  assert.equal(misfits(SETTINGS, wrong), [
    { at: 'colour', code: 'unknown_field', error: 'is not a known field' },
    { at: 'theme', code: 'not_allowed', error: 'must be one of "light", "dark"' },
    { at: 'size', code: 'too_large', error: 'must be at most 32' },
    { at: 'tags.1', code: 'too_long', error: 'must be at most 5 characters' },
    { at: 'tags.2', code: 'repeated', error: 'must not repeat another item' },
  ])
})

test('of several forms the one that was probably meant is spoken of', () => {
  const shape: JsonObject = {
    anyOf: [
      { type: 'null' },
      { type: 'object', properties: { by: { const: 'mail' }, to: { type: 'string' } }, required: ['by', 'to'] },
      { type: 'object', properties: { by: { const: 'sms' }, number: { type: 'string' } }, required: ['by', 'number'] },
    ],
  }
  assert.equal(misfits(shape, { by: 'sms', number: 5 }), [
    { at: 'number', code: 'wrong_type', error: 'must be a string' },
  ])
  assert.equal(misfits({ items: shape }, [null, { by: 'sms' }, { by: 'mail', to: 1 }]), [
    { at: '1.number', code: 'required', error: 'is required' },
    { at: '2.to', code: 'wrong_type', error: 'must be a string' },
  ])
  assert.equal(misfits({ oneOf: [{ minimum: 1 }, { minimum: 2 }] }, 3), [
    { code: 'invalid', error: 'must fit only one of the forms that are known' },
  ])
})

test('a key that every object inherits is there only when the value has it', () => {
  const shape: JsonObject = { properties: { constructor: { type: 'string' } }, required: ['toString'] }
  assert.equal(misfits(shape, {}), [{ at: 'toString', code: 'required', error: 'is required' }])
})

test('mistakes of a very large value cost neither much time nor many sentences', () => {
  const items = { anyOf: [{ type: 'string' }, { type: 'null' }, { type: 'boolean' }] }
  assert.equal(
    misfits(
      { items },
      Array.from({ length: 100_000 }, () => 1),
    ).length,
    1,
  )
  assert.equal(
    misfits(
      { items },
      Array.from({ length: 900 }, () => 1),
    ).length,
    100,
  )
  const lists = Array.from({ length: 30_000 }, (_, index) => [index])
  assert.equal(misfits({ uniqueItems: true }, [...lists, [7]]), [
    { at: '30000', code: 'repeated', error: 'must not repeat another item' },
  ])
})

test('what cannot be judged is refused in the YAML', () => {
  assert.match(unusableShape({ type: 'object', properties: { a: { $ref: '#/x' } } }) ?? '', 'The schema uses "$ref"')
  assert.match(unusableShape({ items: { pattern: '(?=a)' } }) ?? '', 'The pattern cannot be run')
  assert.is(unusableShape({ type: 'strange' })?.startsWith('The schema cannot be used: .type must be'), true)
  assert.is(unusableShape({ $schema: 'https://json-schema.org/draft/2020-12/schema', ...SETTINGS }), undefined)
})

const leaf: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.record({ type: fc.constantFrom('string', 'number', 'integer', 'boolean', 'null', 'array', 'object') }),
  fc.record({ enum: fc.uniqueArray(fc.constantFrom<Json>(1, 'a', null, true, 2), { minLength: 1, maxLength: 3 }) }),
  fc.record({ minimum: fc.integer({ min: -3, max: 3 }) }),
  fc.record({ maxLength: fc.nat(3) }),
  fc.record({ const: fc.constantFrom<Json>('a', { a: 1 }, [1]) }),
)
const { schema } = fc.letrec<{ schema: JsonObject }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3 },
    leaf,
    fc.record({ items: tie('schema'), minItems: fc.nat(2), uniqueItems: fc.boolean() }),
    fc.record({
      properties: fc.record({ a: tie('schema'), b: tie('schema') }),
      required: fc.constantFrom<Json[]>([], ['a']),
      additionalProperties: fc.boolean(),
    }),
    fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ oneOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
  ),
}))
const { value } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<Json>(0, 1, 2.5, -4, '', 'a', 'abcd', null, true, false),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
}))

test('it agrees with ajv on any schema of its words and any value', () => {
  const ajv = new Ajv({ strict: false, addUsedSchema: false })
  fc.assert(
    fc.property(schema, fc.array(value, { minLength: 1, maxLength: 5 }), (shape, values) => {
      const validate = ajv.compile(shape)
      for (const one of values) assert.is(misfits(shape, one).length === 0, validate(one), JSON.stringify([shape, one]))
    }),
    { numRuns: 50 },
  )
})

const KEYWORDS = ['type', 'enum', 'properties', 'required', 'additionalProperties', 'minItems', 'items', 'uniqueItems']
const OTHERS = ['maxLength', 'minimum', 'anyOf', 'title', 'default', 'examples', 'format', '$comment', '$schema']
/** Keywords with what they take and what they do not, at any depth. */
const { sketch } = fc.letrec<{ sketch: JsonObject }>((tie) => ({
  sketch: fc.dictionary(
    fc.constantFrom(...KEYWORDS, ...OTHERS),
    fc.oneof(
      { maxDepth: 2 },
      fc.constantFrom<Json>('string', 'a', ['string', 'null'], ['a', 'a'], [], {}, 0, 2, -1, 1.5, null, true),
      tie('sketch'),
      fc.array(tie('sketch'), { maxLength: 2 }),
      fc.dictionary(fc.constantFrom('a', 'b'), tie('sketch'), { maxKeys: 2, noNullPrototype: true }),
    ),
    { maxKeys: 3, noNullPrototype: true },
  ),
}))

test('a schema that is taken can be compiled, and its first value is judged', () => {
  fc.assert(
    fc.property(sketch, ({ $schema: _dialect, ...shape }) => {
      if (unusableShape(shape) !== undefined) return
      new Ajv({ strict: false, validateFormats: false }).compile(shape)
      misfits(shape, {})
    }),
    { numRuns: 500 },
  )
})

test('mistakes inside a schema are told with their place', () => {
  for (const [shape, sentence] of [
    [{ properties: { a: { minLength: -1 } } }, '.properties.a.minLength must be >= 0'],
    [{ enum: [] }, '.enum must NOT have fewer than 1 items'],
    [{ required: [1] }, '.required.0 must be string'],
    [{ title: 1 }, '.title must be string'],
  ] as const) {
    assert.match(unusableShape(shape) ?? '', sentence)
  }
})

test.run()
