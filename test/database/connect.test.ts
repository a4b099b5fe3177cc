/** Statements on both databases: their values, their rows, and how they are prepared. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { LIMITS } from '../../engine/limits.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'

const test = suite('connect')
let db: TestDatabase

test.before(async () => {
  db = await testDatabase()
})
test.after(() => db.close())

test('rows arrive as the text that PostgreSQL writes, in the order of the select list', async () => {
  const text = "select 1, true, null, 'a', 1.50::numeric, timestamptz '2026-01-01 10:00:00.1234+02', date '2026-02-28'"
  const rows = await db.database.compiled.run({ text, name: 'kinds' }, [])
  assert.equal(rows, [['1', 't', null, 'a', '1.50', '2026-01-01 08:00:00.1234+00', '2026-02-28']])
})

test('parameters of every kind arrive as what they are', async () => {
  const text = 'select $1::int, $2::boolean, $3::text, $4::text[], $5::jsonb, $6::int[]'
  const values = [7, false, null, ['a"b\\', 'c,d', null], { a: [1] }, [1, 2]]
  const [row] = await db.database.adhoc.run({ text }, values)
  assert.equal(row, ['7', 'f', null, '{"a\\"b\\\\","c,d",NULL}', '{"a": [1]}', '{1,2}'])
})

test('on ordinary connections bigints are numbers, times and decimals are text', async () => {
  const { rows } = await db.database.knex.raw(
    "select 9007199254740991::bigint as big, 1.10::numeric as exact, timestamp '2026-01-01 10:00' as at",
  )
  assert.equal(rows, [{ big: 9007199254740991, exact: '1.10', at: '2026-01-01 10:00:00' }])
})

test('a named statement is prepared once, and its name may later stand for another text', async () => {
  const { compiled } = db.database
  for (let i = 0; i < 3; i += 1) await compiled.run({ text: 'select $1::int', name: 'same' }, [i])
  assert.equal(await compiled.run({ text: 'select $1::int + 1', name: 'same' }, [1]), [['2']])
})

test('a connection keeps at most the allowed number of named statements, dropping the least recently used', async () => {
  await db.database.transaction(async (transaction) => {
    for (let i = 0; i < LIMITS.namedStatements * 2; i += 1) {
      await transaction.run({ text: 'select 1', name: 'hot' }, [])
      await transaction.run({ text: `select ${i}`, name: `cold_${i}` }, [])
    }
    const rows = await transaction.run({ text: 'select name from pg_prepared_statements' }, [])
    assert.is(rows.length, LIMITS.namedStatements)
    assert.ok(rows.some(([name]) => name === 'hot'))
    assert.ok(rows.some(([name]) => name === `cold_${LIMITS.namedStatements * 2 - 1}`))
  })
})

test('a named statement that failed works again with other values', async () => {
  const statement = { text: 'select 10 / $1::int', name: 'division' }
  try {
    await db.database.compiled.run(statement, [0])
    assert.unreachable()
  } catch (error) {
    assert.match(error instanceof Error ? error.message : '', 'Validation failed')
  }
  assert.equal(await db.database.compiled.run(statement, [5]), [['2']])
})

test('a statement survives a change of the table that it reads', async () => {
  const { knex, compiled } = db.database
  await knex.raw('create table shifting (id int)')
  await knex('shifting').insert({ id: 1 })
  const statement = { text: 'select * from shifting', name: 'shifting' }
  assert.equal(await compiled.run(statement, []), [['1']])
  await knex.raw("alter table shifting add column name text default 'n'")
  for (let i = 0; i < 8; i += 1) assert.equal(await compiled.run(statement, []), [['1', 'n']])
})

test('a statement of our own that is wrong is thrown as it is', async () => {
  try {
    await db.database.compiled.run({ text: 'select * from nowhere' }, [])
    assert.unreachable()
  } catch (error) {
    assert.is(error instanceof Error && 'code' in error ? error.code : undefined, '42P01')
  }
})

test('ping answers', async () => {
  await db.database.ping()
})

test.run()
