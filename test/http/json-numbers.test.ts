/** A number of a body is kept as it was sent, or refused at its place: none becomes another one. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { inexactNumbers, isExact } from '../../engine/json-number.ts'
import { AS_AGENT, route, serve, type World } from './world.ts'

const test = suite<{ world: World; got: unknown[] }>('http: numbers of JSON')

const SENTENCE = 'is a number that cannot be kept exactly; send it as a string of digits'

test.before(async (world) => {
  world.got = []
  const handle = async ({ body }: { body: unknown }) => {
    world.got.push(body)
    return {}
  }
  world.world = await serve([route({ method: 'POST', path: '/echo', handle })])
})
test.after(({ world }) => world.close())

const post = (world: World, body: string) =>
  world.ask('POST /api/v1/echo', { headers: { ...AS_AGENT, 'Content-Type': 'application/json' }, body })

/** A decimal of any size as JSON writes it: digits, a point somewhere, an exponent. */
const written = fc
  .record({
    sign: fc.constantFrom('', '-'),
    whole: fc.oneof(fc.constant('0'), fc.stringMatching(/^[1-9][0-9]{0,24}$/)),
    fraction: fc.oneof(fc.constant(''), fc.stringMatching(/^\.[0-9]{1,24}$/)),
    exponent: fc.oneof(
      { weight: 3, arbitrary: fc.constant('') },
      fc.tuple(fc.constantFrom('e', 'E', 'e+', 'e-'), fc.integer({ min: 0, max: 420 })).map((parts) => parts.join('')),
    ),
  })
  .map(({ sign, whole, fraction, exponent }) => `${sign}${whole}${fraction}${exponent}`)

/** The value of a decimal as a whole number of 10^-900, which is exact. */
function exactly(text: string): bigint {
  const [, sign, whole = '', fraction = '', exponent = '0'] = /^(-?)(\d*)\.?(\d*)(?:e([-+]?\d+))?$/i.exec(text) ?? []
  const value = BigInt(whole + fraction) * 10n ** BigInt(900 + Number(exponent) - fraction.length)
  return sign === '-' ? -value : value
}

test('a number is exact where what JavaScript writes again has the same value', () => {
  fc.assert(
    fc.property(written, (text) => {
      const number = Number(text)
      const same = Number.isFinite(number) && exactly(String(number)) === exactly(text)
      assert.is(isExact(text), same, text)
      assert.is(inexactNumbers(`{"a":[${text}]}`, 9).length, same ? 0 : 1, text)
    }),
    { numRuns: 2_000 },
  )
})

test('each wrong number is found at its place, and nothing inside texts and keys', () => {
  const tree = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(1, 'WRONG', true, null, 0.5),
      fc.string(),
      fc.constantFrom('1e400', '"9007199254740993"', '\\', '{[,"1e400'),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(fc.oneof(fc.string(), fc.constantFrom('1e400', '"', '\\')), tie('value'), { maxKeys: 4 }),
    ),
  })).value
  const placesOf = (value: unknown, at: readonly (string | number)[]): unknown[] => {
    if (value === 'WRONG') return [at]
    if (Array.isArray(value)) return value.flatMap((one, index) => placesOf(one, [...at, index]))
    if (typeof value !== 'object' || value === null) return []
    return Object.entries(value).flatMap(([key, one]) => placesOf(one, [...at, key]))
  }
  fc.assert(
    fc.property(tree, fc.constantFrom('1e400', '9007199254740993', '0.12345678901234567891'), (value, wrong) => {
      const text = JSON.stringify(value).replaceAll('"WRONG"', (_, at: number, all: string) =>
        all[at + 7] === ':' ? '"WRONG"' : wrong,
      )
      assert.equal(inexactNumbers(text, 1_000), placesOf(value, []))
    }),
  )
})

for (const wrong of [
  '1e400',
  '-1e400',
  '1e-400',
  '9007199254740993',
  '12345678901234567890',
  '0.30000000000000000001',
]) {
  test(`${wrong} is refused at its place, whatever takes the body`, async ({ world, got }) => {
    const before = got.length
    const { status, json } = await post(world, `{"a":{"list":[1,{"n":${wrong}}]},"b":${wrong}}`)
    assert.is(status, 422)
    assert.equal(json.errors, { 'a.list.1.n': [`The a.list.1.n ${SENTENCE}`], b: [`The b ${SENTENCE}`] })
    assert.is(got.length, before)
  })
}

test('numbers that a double holds come in', async ({ world, got }) => {
  const numbers =
    '[9007199254740991,-9007199254740991,1e22,1.50,0.1,123456789012345.0,-0,0e999,5e-324,1.7976931348623157e308]'
  assert.is((await post(world, `{"a":${numbers}}`)).status, 200)
  assert.equal(got.at(-1), { a: JSON.parse(numbers) })
})

test('a body of nothing but wrong numbers has a bounded answer', async ({ world }) => {
  const { status, json } = await post(world, `{"a":[${Array(40_000).fill('1e400').join()}]}`)
  assert.is(status, 422)
  assert.is(Object.keys(json.errors ?? {}).length, 100)
})

test.run()
