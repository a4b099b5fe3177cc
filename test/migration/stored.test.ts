/** Changes of fields that the database computes: written values are never lost, and computed ones are counted. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { tables } from '../../engine/migration/catalog-tables.ts'
import { restoreField } from '../../engine/migration/set-aside.ts'
import type { Table } from '../../engine/migration/table.ts'
import { resolved } from '../resolve/resolves.ts'
import { LIBRARY } from './example.ts'
import { type Library, migratedLibrary } from './world.ts'

const test = suite('stored fields in tables')
let library: Library

/** The library with a table of lines as YAML says. */
function withLines(fields: string): readonly Table[] {
  const lines = tables(resolved({ lines: `${fields}\npolicies: { view: [{ who: anyone }] }` })).find(
    ({ name }) => name === 'lines',
  )
  assert.ok(lines)
  return [...LIBRARY, lines]
}

const BASE = `fields:
  quantity: { type: integer }
  price: { type: decimal }`
const AMOUNT = `${BASE}\n  amount: { type: decimal, stored: { times: [quantity, price] } }`
const INDEXED = `${AMOUNT}\nindexes: [{ fields: [quantity], unique: true, where: { amount: { gt: 3 } } }]\nfilters: [amount]`

const amounts = () => library.database.knex('lines').orderBy('id').pluck('amount')
const insert = (rows: readonly object[]) => library.database.knex('lines').insert([...rows])

test.before.each(async () => {
  library = await migratedLibrary()
})
test.after.each(() => library.close())

test('a new table computes it, and a second start finds nothing to do', async () => {
  await library.titles(withLines(INDEXED))
  await insert([
    { quantity: 2, price: '1.50' },
    { quantity: null, price: '1.50' },
  ])
  assert.equal(await amounts(), ['3.00', null])
  assert.equal(await library.titles(withLines(INDEXED)), [])
})

test('a field that is added is computed for the rows that are there', async () => {
  await library.titles(withLines(BASE))
  await insert([{ quantity: 2, price: '1.50' }])
  assert.equal(await library.titles(withLines(AMOUNT)), [
    'compute column lines.amount (numeric(12,2)) with 1 row',
    'add index on lines (amount, id)',
  ])
  assert.equal(await amounts(), ['3.00'])
  assert.equal(await library.titles(withLines(AMOUNT)), [])
})

test('another formula computes the column again, with its indexes', async () => {
  await library.titles(withLines(INDEXED))
  await insert([
    { quantity: 2, price: '1.50' },
    { quantity: 1, price: '4.00' },
  ])
  const changed = INDEXED.replace('times: [quantity, price]', 'plus: [quantity, price]')
  assert.equal(await library.titles(withLines(changed)), [
    'compute column lines.amount (numeric(12,2)) again with 2 rows',
    'add unique index on lines (quantity)',
    'add index on lines (amount, id)',
  ])
  assert.equal(await amounts(), ['3.50', '5.00'])
  assert.equal(await library.titles(withLines(changed)), [])
})

test('what it is computed from changes its type or its name', async () => {
  await library.titles(withLines(AMOUNT))
  await insert([{ quantity: 2, price: '1.50' }])
  const wider = AMOUNT.replace('price: { type: decimal }', 'price: { type: decimal, precision: 14, scale: 3 }')
  assert.equal(await library.titles(withLines(wider)), [
    'drop column lines.amount, which is computed',
    'change type of lines.price from numeric(12,2) to numeric(14,3), in 1 row',
    'compute column lines.amount (numeric(12,2)) again with 1 row',
    'add index on lines (amount, id)',
  ])
  const renamed = wider
    .replace('  price: { type: decimal', '  unit: { renamed_from: price, type: decimal')
    .replace('[quantity, price]', '[quantity, unit]')
  assert.equal(await library.titles(withLines(renamed)), [
    'rename column lines.price to unit',
    'compute column lines.amount (numeric(12,2)) again with 1 row',
    'rename index on lines (unit, id)',
    'add index on lines (amount, id)',
  ])
  assert.equal(await amounts(), ['3.00'])
})

test('rows whose value would have no room stop it before anything is done', async () => {
  await library.titles(withLines(BASE))
  await insert([
    { quantity: 2, price: '1.50' },
    { quantity: 1000, price: '1.50' },
  ])
  const narrow = AMOUNT.replace('amount: { type: decimal,', 'amount: { type: decimal, precision: 4,')
  const { diagnostics } = await library.migrated(withLines(narrow))
  assert.match(diagnostics[0]?.message ?? '', /1 row has a value that does not fit into numeric\(4,2\)/)
  assert.is(await library.database.knex.schema.hasColumn('lines', 'amount'), false)
})

test('a written field that becomes computed sets its values aside, which a person says', async () => {
  const written = `${BASE}\n  amount: { type: decimal }`
  await library.titles(withLines(written))
  await insert([{ quantity: 2, price: '1.50', amount: '99.00' }])
  const { diagnostics } = await library.migrated(withLines(AMOUNT))
  assert.is(diagnostics[0]?.code, 'unsafe_migration')
  assert.match(
    await library.shown(withLines(AMOUNT)),
    /unsafe {3}set aside column lines\.amount as .*: 1 row has a value in it/,
  )
  await library.apply(withLines(AMOUNT))
  assert.equal(await amounts(), ['3.00'])
  assert.equal(await library.titles(withLines(AMOUNT)), [])
  const back = await restoreField(library.database, 'lines', 'amount').catch((error: Error) => error.message)
  assert.match(String(back), /cannot come back: lines\.amount is computed now/)
})

test('a computed field that becomes a written one keeps its values', async () => {
  await library.titles(withLines(AMOUNT))
  await insert([{ quantity: 2, price: '1.50' }])
  const written = `${BASE}\n  amount: { type: decimal, precision: 14, default: "1.00" }`
  assert.equal(await library.titles(withLines(written)), [
    'keep the values of lines.amount, which is computed no longer',
    'change type of lines.amount from numeric(12,2) to numeric(14,2)',
  ])
  await insert([{ quantity: 2, price: '1.50' }])
  assert.equal(await amounts(), ['3.00', '1.00'])
  assert.equal(await library.titles(withLines(written)), [])
})

test("a field that the YAML no longer names is dropped by a person, and is in nobody's way before", async () => {
  await library.titles(withLines(AMOUNT))
  await insert([{ quantity: 2, price: '1.50' }])
  assert.equal(await library.titles(withLines(BASE)), [])
  assert.match(await library.shown(withLines(BASE)), /removes {2}drop column lines\.amount, which is computed/)
  const wider = BASE.replace('price: { type: decimal }', 'price: { type: decimal, precision: 14 }')
  assert.equal(await library.titles(withLines(wider)), [
    'drop column lines.amount, which is computed',
    'change type of lines.price from numeric(12,2) to numeric(14,2)',
  ])
})

test.run()
