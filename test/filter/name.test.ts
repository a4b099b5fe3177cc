/** Names that look alike are one name, for the database as for this process. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { nameSqlText, nameText } from '../../engine/filter/name.ts'
import { testDatabase } from '../support/database.ts'

const test = suite('names that are compared')

/** Ways to write a sign that nobody can tell apart. */
const FORMS: readonly (readonly string[])[] = [
  ['é', 'e\u0301', 'É'],
  ['Å', '\u212b', 'å', 'A\u030a'],
  ['fi', 'ﬁ', 'ＦＩ'],
  ['2', '２', '²'],
  [' ', '\u00a0', '  ', '\u3000', ' \u200b ', '\u2003'],
  ['x', 'x\u00ad', '\u200bx', '\u2066x', 'X\ufeff'],
  ['σ', 'ς', 'Σ'],
  ['漢', '漢\u200d'],
]

const twoWays = fc
  .array(
    fc
      .nat({ max: FORMS.length - 1 })
      .chain((at) => fc.tuple(fc.constantFrom(...FORMS[at]!), fc.constantFrom(...FORMS[at]!))),
    { minLength: 1, maxLength: 8 },
  )
  .map((pairs) => [0, 1].map((side) => pairs.map((pair) => pair[side]).join('')) as [string, string])

test('every way to write a name is the same name', async () => {
  const one = await testDatabase()
  const samples = fc.sample(twoWays, 300)
  const text = `select ${nameSqlText('t')} from unnest($1::text[]) t`
  const stored = await one.database.adhoc.run({ text }, [samples.flat()])
  await one.close()
  for (const [at, pair] of samples.entries()) {
    const [first, second] = pair.map(nameText)
    assert.is(first, second, JSON.stringify(pair))
    assert.equal([stored[2 * at]?.[0], stored[2 * at + 1]?.[0]], [first, second], JSON.stringify(pair))
  }
})

test('names that differ in what can be seen stay different', () => {
  const names = ['Open', 'Opén', 'O pen', 'Öpen', 'Open!', '0pen']
  assert.is(new Set(names.map(nameText)).size, names.length)
})

test.run()
