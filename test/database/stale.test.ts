/** Statements that were prepared before a column changed its type. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { preparedStatements } from '../../engine/database/statement.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'
import { until } from '../support/wait.ts'

const test = suite('prepared statements and changed tables')
let db: TestDatabase

const READ = { name: 'stale read', text: 'select size from things where id = $1' }
const LATER = { name: 'stale write', text: 'update things set id = id where id = $1 returning size' }

test.before(async () => {
  db = await testDatabase()
  await db.database.knex.raw(`create table things (id int primary key, size varchar(10));
    insert into things values (1, '7'), (2, '8')`)
})
test.after(() => db.close())

/** So many at once that each connection has its turn. */
const SOME = Array.from({ length: 12 })

function readAll(): Promise<readonly (readonly (string | null)[])[][]> {
  return Promise.all(SOME.map(async () => [...(await db.database.compiled.run(READ, [1]))]))
}

function writeAll(): Promise<readonly (string | null | undefined)[]> {
  return Promise.all(
    SOME.map(() =>
      db.database.transaction(async ({ run }) => {
        await run(READ, [1])
        return (await run(LATER, [2]))[0]?.[0]
      }),
    ),
  )
}

test('are prepared again on every connection, in transactions too', async () => {
  await readAll()
  await writeAll()
  await db.database.knex.raw('alter table things alter column size type integer using size::integer')
  assert.equal(
    await readAll(),
    SOME.map(() => [['7']]),
  )
  assert.equal(
    await writeAll(),
    SOME.map(() => '8'),
  )
})

test('are counted while their connections are open', async () => {
  const before = preparedStatements()
  const other = await testDatabase()
  await other.database.compiled.run({ name: 'counted', text: 'select $1::int' }, [1])
  await other.database.compiled.run({ name: 'counted', text: 'select $1::int' }, [2])
  assert.is(preparedStatements(), before + 1)
  await other.close()
  // Embedded databases of one run share their connection, which stays open.
  if (process.env.TEST_DATABASE_URL !== undefined) await until(() => preparedStatements() === before, 5_000)
})

test.run()
