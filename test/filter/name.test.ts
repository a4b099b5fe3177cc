/** Names that look alike are one name, for the database as for this process. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { lookSqlText, lookText, nameSqlText, nameText } from '../../engine/filter/text-forms.ts'
import { testDatabase } from '../support/database.ts'
import { alike, twoWays } from './two-ways.ts'

const test = suite('names that are compared')

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

test('every way to write a text looks the same, and case is another look', async () => {
  const one = await testDatabase()
  const samples = fc.sample(alike, 300)
  const text = `select ${lookSqlText('t')} from unnest($1::text[]) t`
  const stored = await one.database.adhoc.run({ text }, [samples.flat()])
  await one.close()
  for (const [at, pair] of samples.entries()) {
    const [first, second] = pair.map(lookText)
    assert.is(first, second, JSON.stringify(pair))
    assert.equal([stored[2 * at]?.[0], stored[2 * at + 1]?.[0]], [first, second], JSON.stringify(pair))
  }
  assert.is.not(lookText('Acme'), lookText('ACME'))
})

test('the database and this process make the same of any text', async () => {
  const one = await testDatabase()
  const signs = fc.constantFrom(
    ...'aAß\u0130\u0131éÉ\u0301\u00ad\u034f \u00a0\t\n\r\v\fςΣσＡﬁ\ufe0f\u2800\u1680ǅϴẞ\u2028',
  )
  const samples = fc.sample(fc.string({ unit: signs, maxLength: 8 }), 3_000)
  const text = `select ${nameSqlText('t')}, ${lookSqlText('t')} from unnest($1::text[]) t`
  const stored = await one.database.adhoc.run({ text }, [samples])
  await one.close()
  for (const [at, sample] of samples.entries())
    assert.equal(stored[at], [nameText(sample), lookText(sample)], JSON.stringify(sample))
})

test('names that differ in what can be seen stay different', () => {
  const names = ['Open', 'Opén', 'O pen', 'Öpen', 'Open!', '0pen']
  assert.is(new Set(names.map(nameText)).size, names.length)
})

test.run()
