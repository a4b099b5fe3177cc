/** Reads that may lag go to the replica, and never fail only because of it. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { connect } from '../../engine/database/connect.ts'
import type { Database } from '../../engine/database/database.ts'
import { laggingRunner } from '../../engine/database/postgresql.ts'
import { ApiError } from '../../engine/error.ts'
import { SILENT, type TestDatabase, testDatabase } from '../support/database.ts'

const test = suite('database.lagging')
const onServer = process.env.TEST_DATABASE_URL ? test : test.skip
let main: TestDatabase
/** A database of its own stands for the replica: what it lacks, a lagging replica would lack. */
let replica: TestDatabase

test.before(async () => {
  main = await testDatabase()
  if (main.url !== undefined) replica = await testDatabase()
})
test.after(async () => {
  await main.close()
  await replica?.close()
})

async function withReplica(databaseReplicaUrl: string, work: (database: Database) => Promise<void>): Promise<void> {
  const settings = { databaseUrl: main.url, databaseReplicaUrl, dataDir: '', databasePool: 2 }
  const database = await connect(settings, { log: SILENT })
  try {
    await work(database)
  } finally {
    await database.close()
  }
}

const WHERE = { text: 'select current_database()' }

test('without a replica they are ordinary reads', async () => {
  assert.is(main.database.lagging, main.database.adhoc)
})

onServer('with a replica they are asked of it, and it is never written to', async () => {
  await withReplica(replica.url ?? '', async ({ lagging, adhoc }) => {
    const [there, here] = [await lagging.run(WHERE, []), await adhoc.run(WHERE, [])]
    assert.is(there[0]?.[0], new URL(replica.url ?? '').pathname.slice(1))
    assert.is(here[0]?.[0], new URL(main.url ?? '').pathname.slice(1))
    assert.equal(await lagging.run({ text: 'show timezone' }, []), [['UTC']])
    const written = await lagging.run({ text: 'create table marks (id integer)' }, []).catch((error) => error)
    assert.match(String(written.params.cause), /read-only transaction/)
    assert.equal(await adhoc.run({ text: `select to_regclass('marks')` }, []), [[null]])
  })
})

onServer('what the replica does not know yet is asked of the server', async () => {
  await main.database.adhoc.run({ text: 'create table fresh as select 7 as n' }, [])
  await withReplica(replica.url ?? '', async ({ lagging }) => {
    assert.equal(await lagging.run({ text: 'select n from fresh' }, []), [['7']])
    const wrong = await lagging.run({ text: 'select n from nowhere' }, []).catch((error) => error)
    assert.match(String(wrong), /relation "nowhere" does not exist/)
  })
})

onServer('a replica that is out stops neither the start nor the reads', async () => {
  await withReplica('postgres://postgres@127.0.0.1:1/desk', async ({ lagging }) => {
    assert.is((await lagging.run(WHERE, []))[0]?.[0], new URL(main.url ?? '').pathname.slice(1))
  })
})

test('a statement that ran out of time on the replica does not run again on the server', async () => {
  let asked = 0
  const cause = Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' })
  const slow = { run: () => Promise.reject(new ApiError('unavailable', { retryAfter: 1, cause })) }
  const server = { run: async () => [[String(++asked)]] }
  const refused = await laggingRunner(slow, server)
    .run(WHERE, [])
    .catch((error) => error)
  assert.is(refused instanceof ApiError && refused.code, 'unavailable')
  assert.is(asked, 0)
})

test.run()
