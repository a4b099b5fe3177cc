/** Patterns that could run for ever on a caller's text are refused, ordinary ones are not. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { matches, unsafePattern } from '../../engine/field/pattern.ts'

const test = suite('unsafePattern')

const SAFE = [
  '^[A-Z]{2}-[0-9]{4}$',
  '^\\+?[0-9 ()-]{6,20}$',
  '^[a-z0-9]+(-[a-z0-9]+)?$',
  '^(red|green|blue)(,(red|green|blue))?$',
  '^([0-9]{2}:){5}[0-9]{2}$',
  '^\\d{5}(\\.\\d+)?$',
  '^(?:a|b)+$',
  '^\\p{L}+$',
  'a\\+\\+',
  '[+*]+',
  '(\\(\\*)+',
]

const UNSAFE = [
  '(a+)+$',
  '^(a*)*$',
  '(?:[a-z]+)*x',
  '([a-z]+)+',
  '(a|a)*$',
  '(a|[a-z])*$',
  '(\\d|\\w)+$',
  '((a+)b?)*',
  '(a{1,50}){1,50}',
  '(.*,)*x',
  '(?<n>x+)+',
  '\\s*\\s*$',
  '.*.*.*=.*',
  '(a)\\1',
  '(?<n>a)\\k<n>',
]

for (const pattern of SAFE) test(`${pattern} may be used`, () => assert.is(unsafePattern(pattern), undefined))
for (const pattern of UNSAFE)
  test(`${pattern} is refused`, () => assert.match(unsafePattern(pattern) ?? '', 'The pattern must not'))

test('what is no regular expression says why', () => {
  assert.match(unsafePattern('a(') ?? '', /^The pattern is not a regular expression: unterminated group$/)
})

test('a pattern may match anywhere unless it is anchored', () => {
  assert.ok(matches('[0-9]', 'a1b'))
  assert.not.ok(matches('^[0-9]$', 'a1b'))
})

test('safe patterns answer at once on long hostile texts', () => {
  const texts = ['a'.repeat(2000), '0'.repeat(2000), `${'a-'.repeat(1000)}!`, ' '.repeat(2000)]
  const began = performance.now()
  for (const pattern of SAFE) for (const text of texts) matches(pattern, text)
  assert.ok(performance.now() - began < 1000)
})

test.run()
