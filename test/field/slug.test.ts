/** Any text becomes a name for addresses. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { slugify } from '../../engine/field/index.ts'
import { decoded } from './fields.ts'

const test = suite('slugify')

const CASES: readonly (readonly [text: string, slug: string])[] = [
  ['In Progress', 'in-progress'],
  ['  Größe & Weight  ', 'grosse-and-weight'],
  ["Don't panic!", 'dont-panic'],
  ['Crème brûlée', 'creme-brulee'],
  ['Łódź / Øre', 'lodz-ore'],
  ['A_b.C', 'a-b-c'],
  ['№ 5', 'no-5'],
  ['日本', ''],
  ['---', ''],
]

for (const [text, slug] of CASES) test(`"${text}" → "${slug}"`, () => assert.is(slugify(text), slug))

test('a slug is never longer than asked, and never ends in a hyphen', () => assert.is(slugify('abc def', 4), 'abc'))

test('what is made is always a slug, and making it again changes nothing', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
      const slug = slugify(text)
      if (slug !== '') assert.is(decoded('slug', slug), slug)
      assert.is(slugify(slug), slug)
    }),
    { numRuns: 1000 },
  )
})

test.run()
