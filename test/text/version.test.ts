/** Ranges of versions are read as npm reads them. */
import { createRequire } from 'node:module'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { isInRange } from '../../engine/text/version.ts'

const test = suite('isInRange')
/** npm's own reader comes with the development tools. */
const { satisfies } = createRequire(import.meta.url)('semver') as {
  satisfies: (version: string, range: string) => boolean
}

const number = fc.integer({ min: 0, max: 3 }).map(String)
const version = fc.tuple(number, number, number).map((parts) => parts.join('.'))
const written = fc
  .tuple(number, fc.array(fc.oneof(number, fc.constant('x')), { maxLength: 2 }))
  .map(([first, more]) => {
    const free = more.indexOf('x')
    return [first, ...(free < 0 ? more : more.slice(0, free + 1))].join('.')
  })
const comparison = fc
  .tuple(fc.constantFrom('', '>=', '<=', '>', '<', '=', '^', '~', '>= '), written)
  .map((parts) => parts.join(''))
const side = fc.oneof(
  fc.array(comparison, { minLength: 1, maxLength: 2 }).map((parts) => parts.join(' ')),
  fc.tuple(written, written).map((ends) => ends.join(' - ')),
  fc.constant('*'),
)
const range = fc.array(side, { minLength: 1, maxLength: 2 }).map((sides) => sides.join(' || '))

test('it answers as npm does for drawn versions and ranges', () => {
  fc.assert(
    fc.property(version, range, (given, asked) => {
      assert.is(isInRange(given, asked), satisfies(given, asked), `${given} in ${asked}`)
    }),
    { numRuns: 3000 },
  )
})

test('a range in another form is not read', () => {
  for (const text of ['file:../plinth', 'latest', 'github:plinth/plinth', '>='])
    assert.is(isInRange('1.0.0', text), undefined)
  assert.is(isInRange('0.3.0', ''), true)
})

test.run()
