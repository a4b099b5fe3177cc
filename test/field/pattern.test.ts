/** Patterns run in a time that grows with the text: what cannot be run so is refused, and no text holds the process. */
import { Ajv } from 'ajv'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { linearRegExp, longestFor, matches, unusablePattern } from '../../engine/field/pattern.ts'
import { LIMITS } from '../../engine/limits.ts'
import { processorTime } from '../http/worst.ts'
import { decoded } from './fields.ts'

const test = suite('patterns')

/** Whatever an author may write, also what takes for ever elsewhere. */
const USABLE = [
  '^[A-Z]{2}-[0-9]{4}$',
  '^\\+?[0-9 ()-]{6,20}$',
  '^(?:[a-z0-9]+(?:-[a-z0-9]+)*)$',
  '^(red|green|blue)(,(red|green|blue))?$',
  '^(?:a|b)+$',
  '^\\p{L}+$',
  '^[\\p{L}\\p{M} .-]{1,200}$',
  '^\\u{1F600}\\u00e9$',
  '(?<word>\\w+)',
  '^(a?){26}a{26}$',
  '^(.*a){25}$',
  '^([a-z]+[-.]?){1,10}$',
  '(a+)+$',
  '(a|[a-z])*$',
  '(.*,)*x',
  '\\s*\\s*$',
  '^[ab]*a[ab]{100}$',
  '(?:.*a.{0,50}b)+$',
  '^(?:\\w*\\s*){100}!',
]

/** What is refused, and why. */
const UNUSABLE: readonly (readonly [string, RegExp])[] = [
  ['a(', /^The pattern is not a regular expression: unterminated group$/],
  ['(?i)a', /^The pattern is not a regular expression/],
  ['(a)\\1', /"\\1" looks ahead, looks behind or refers back/],
  ['(?<n>a)\\k<n>', /"\\k" looks ahead, looks behind or refers back/],
  ['^(?=a)', /"\(\?=" looks ahead/],
  ['^(?!a)', /"\(\?!" looks ahead/],
  ['(?<=a)b', /"\(\?<=" looks ahead/],
  ['(?<!a)b', /"\(\?<!" looks ahead/],
  ['a{1001}', /cannot be run: .*repeat/],
  ['(a{40}){40}{2}', /not a regular expression/],
  ['((a?b?){30}){30}', /too large: written out it has \d+ steps, at most 2000/],
  ['a'.repeat(501), /at most 500 characters/],
]

for (const pattern of USABLE) test(`${pattern} may be used`, () => assert.is(unusablePattern(pattern, 255), undefined))
for (const [pattern, why] of UNUSABLE)
  test(`${pattern.slice(0, 20)} is refused`, () => assert.match(unusablePattern(pattern, 255) ?? '', why))

test('a pattern that is too large for the longest text says how long one may be', () => {
  assert.match(
    unusablePattern('^(a?b?){200}$', 2_000) ?? '',
    /too large for texts of 2000 characters: lower "max" to \d+/,
  )
  assert.is(unusablePattern('^(a?b?){200}$', 255), undefined)
})

test('a pattern may match anywhere unless it is anchored', () => {
  assert.ok(matches('[0-9]', 'a1b'))
  assert.not.ok(matches('^[0-9]$', 'a1b'))
  assert.not.ok(matches('^a$', 'a\n'))
  assert.ok(matches('^.😀\\p{Lu}$', 'ü😀Ä'))
  assert.ok(matches('^(?:[a-z0-9]+(?:-[a-z0-9]+)*)$', 'one-two-3'))
})

/** Texts that look as if they might match until the end, and texts that come back to the same place never. */
function texts(length: number): readonly string[] {
  let seed = 1
  const any = (letters: string) =>
    Array.from({ length }, () => {
      seed = (seed * 48_271) % 2_147_483_647
      return letters[seed % letters.length]
    }).join('')
  const once = ['a', 'a-', 'a.', '0', ' ', 'a,', 'é', '\n'].map((piece) => piece.repeat(length).slice(0, length - 1))
  return [...once.map((text) => `${text}!`), ...['ab', 'abc', 'a b', 'a-.', 'aéü', 'a\nb'].map(any)]
}

/** Processor time in milliseconds: a pattern that goes back takes minutes, on any machine. */
const MOST = 5_000

test('no text of the largest length holds the process', async () => {
  for (const pattern of USABLE) {
    for (const text of texts(Math.min(longestFor(pattern), 65_536))) {
      const ms = await processorTime(async () => matches(pattern, text), MOST)
      assert.ok(ms < MOST, `${pattern} on ${text.slice(0, 10)}…: ${ms} ms`)
    }
  }
})

test('ajv runs patterns on the same engine, and refuses what it cannot run', () => {
  const ajv = new Ajv({ strict: false, code: { regExp: linearRegExp } })
  const judge = ajv.compile({ allOf: [{ pattern: '^(a|a)+$' }, { pattern: '^a{2}' }] })
  assert.equal([judge('aa'), judge('a'), judge('ab'), judge(`${'a'.repeat(5_000)}!`)], [true, false, false, false])
  assert.throws(() => ajv.compile({ pattern: '^(?=a)' }), /The pattern cannot be run/)
})

test('many texts in one value count together', async () => {
  const pattern = '^[ab]*a[ab]{100}$'
  const short = texts(200).slice(-6)
  const items = Array.from({ length: 1_000 }, (_, at) => short[at % 6] ?? '')
  const whole = { type: 'array', items: { pattern } }
  for (const [value, result] of [
    [decoded('list', items, { of: 'string', pattern, max_items: 10_000 }), /must have at most \d+ characters in all/],
    [decoded('json', items.slice(0, 50), { schema: whole }), /makes the value hold more text|invalid format/],
    [decoded('json', [`${'ab'.repeat(20_000)}`], { schema: whole }), /more text than its patterns can check/],
  ] as const) {
    assert.match(String(value), result)
  }
  const ms = await processorTime(async () => decoded('json', items, { schema: whole, max_bytes: 1_000_000 }), MOST)
  assert.ok(ms < MOST, `${ms} ms`)
  assert.is(LIMITS.patternSteps, 1_000_000)
})

test.run()
