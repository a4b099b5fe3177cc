/**
 * Fields with numbers of the database over present rows: no number is given twice, and rows are numbered in the order
 * of their keys.
 */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { lines } from './lines.ts'
import { type Library, migratedLibrary } from './world.ts'

const test = suite('sequences over rows')
let library: Library

const NAME = 'name: { type: string }'
const knex = () => library.database.knex('lines')
const insert = (rows: readonly object[]) => knex().insert([...rows])
const numbers = () => knex().orderBy('id').pluck('code')

test.before.each(async () => {
  library = await migratedLibrary()
})
test.after.each(() => library.close())

for (const type of ['string', 'text', 'integer', 'decimal, scale: 0'])
  test(`a field of type ${type} that becomes a sequence begins above the numbers in use`, async () => {
    await library.titles(lines(`${NAME}, code: { type: ${type}, required: true }`))
    await insert([
      { name: 'a', code: '41' },
      { name: 'b', code: '7' },
    ])
    const wanted = lines(`${NAME}, code: { type: sequence, start: 5 }`)
    assert.match(await library.shown(wanted), 'begin lines_code_seq above the numbers in lines.code with 2 values')
    await library.titles(wanted)
    await insert([{ name: 'c' }])
    assert.equal(await numbers(), ['41', '7', '42'])
    assert.equal(await library.titles(wanted), [])
  })

test('a renamed field that becomes a sequence begins above the numbers in use, and rows without one get the next', async () => {
  await library.titles(lines(`${NAME}, old: { type: string }`))
  await insert([{ old: '9' }, { old: null }, { old: null }])
  const wanted = lines(`${NAME}, code: { type: sequence, renamed_from: old }`)
  const titles = await library.titles(wanted)
  assert.ok(titles.includes('number lines.code in the order of id, in 2 rows'), titles.join('\n'))
  await insert([{ name: 'c' }])
  assert.equal(await numbers(), ['9', '10', '11', '12'])
  assert.equal(await library.titles(wanted), [])
})

test('numbers that come back from a field that was set aside are given to nobody else', async () => {
  await library.titles(lines(`${NAME}, code: { type: string }`))
  await insert([{ code: '30' }])
  await library.apply(lines(NAME))
  await insert([{ name: 'b' }])
  await library.titles(lines(`${NAME}, code: { type: sequence }`))
  await insert([{ name: 'c' }])
  assert.equal(await numbers(), ['30', '31', '32'])
})

test('another start is told, and repeats no number', async () => {
  const of = (start: number) => lines(`${NAME}, code: { type: sequence, start: ${start} }`)
  await library.titles(of(3))
  await insert([{ name: 'a' }])
  await knex().insert({ name: 'b', code: '105' })
  assert.equal(await library.titles(of(100)), [
    'let lines_code_seq start at 100, not at 3: its next number is at least 100',
  ])
  await insert([{ name: 'c' }])
  assert.equal(await library.titles(of(1)), ['let lines_code_seq start at 1, not at 100: it goes on where it is'])
  await insert([{ name: 'd' }])
  assert.equal(await numbers(), ['3', '105', '106', '107'])
  assert.equal(await library.titles(of(1)), [])
})

test('another start with another name of the field', async () => {
  await library.titles(lines(`${NAME}, old: { type: sequence }`))
  await insert([{ name: 'a' }])
  await library.titles(lines(`${NAME}, code: { type: sequence, start: 50, renamed_from: old }`))
  await insert([{ name: 'b' }])
  assert.equal(await numbers(), ['1', '50'])
})

test('a new sequence numbers the rows in the order of their keys, not in that in which they lie', async () => {
  await library.titles(lines(NAME))
  await insert(Array.from({ length: 2_300 }, (_, i) => ({ name: `n${i}` })))
  // What is written again lies behind everything else.
  await library.database.knex.raw('update lines set name = upper(name) where id % 3 = 0')
  const wanted = lines(`${NAME}, code: { type: sequence, start: 11 }`)
  assert.equal(await library.titles(wanted), [
    'create sequence lines_code_seq from 11',
    'add column lines.code (text)',
    'number lines.code in the order of id, in 2,300 rows',
    'add unique index on lines (code)',
  ])
  assert.equal(
    await numbers(),
    Array.from({ length: 2_300 }, (_, i) => String(i + 11)),
  )
  await insert([{ name: 'last' }])
  assert.is((await numbers()).at(-1), '2311')
  assert.equal(await library.titles(wanted), [])
})

test.run()
