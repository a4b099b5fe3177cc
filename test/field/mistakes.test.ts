/** Options that contradict each other are reported before anything runs on them. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { JsonObject } from '../../engine/json.ts'
import { options, typeNamed } from './fields.ts'

const test = suite('judge')

const CASES: readonly (readonly [type: string, own: JsonObject, complaints: JsonObject])[] = [
  ['string', { min: 1, max: 5, pattern: '^a' }, {}],
  ['string', { min: 10, max: 5 }, { max: '"max" must not be below "min" (10)' }],
  ['text', { min: 10, max: 5 }, { max: '"max" must not be below "min" (10)' }],
  ['integer', { min: 2, max: 1 }, { max: '"max" must not be below "min" (2)' }],
  ['decimal', { min: '1.10', max: 1.1 }, {}],
  ['decimal', { min: '1.11', max: 1.1 }, { max: '"max" must not be below "min" (1.11)' }],
  ['decimal', { precision: 2, scale: 3 }, { scale: '"scale" must not be above "precision" (2)' }],
  ['list', { of: 'string', max: 3, max_items: 2 }, {}],
  ['list', { of: 'date', max: 3 }, { max: '"max" means nothing for items of type date' }],
  ['list', { of: 'enum' }, { values: '"values" is needed for items of type enum' }],
  [
    'list',
    { of: 'string', min_items: 3, max_items: 2 },
    { max_items: '"max_items" must not be below "min_items" (3)' },
  ],
  ['secret', { min: 8, max: 4 }, { max: '"max" must not be below "min" (8)' }],
]

for (const [type, own, complaints] of CASES) {
  test(`${type} ${JSON.stringify(own)}`, () => assert.equal(typeNamed(type).mistakes?.(options(own)) ?? {}, complaints))
}

test('a pattern that cannot be run is a complaint of its option', () => {
  assert.equal(Object.keys(typeNamed('string').mistakes?.(options({ pattern: '(a)\\1' })) ?? {}), ['pattern'])
  assert.equal(Object.keys(typeNamed('list').mistakes?.(options({ of: 'string', pattern: '(a)\\1' })) ?? {}), [
    'pattern',
  ])
})

test.run()
