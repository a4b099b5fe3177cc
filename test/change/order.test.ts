/** The order of commits: a transaction that is open for long is neither skipped nor waited for. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Transaction } from '../../engine/database/database.ts'
import type { TestApplication } from '../support/application.ts'
import { until } from '../support/wait.ts'
import { echoes, openBooks, secondInstance } from './world.ts'

let app: TestApplication
const test = suite('listeners: open transactions')

test.before(async () => {
  app = await openBooks()
})
test.after(() => app.close())

const INSERT = `insert into plinth_change (resource, record_id, action, changes) values ('books', $1::int, 'update', $2::jsonb)`

async function log(runner: Pick<Transaction, 'run'>, record: number, word: string): Promise<void> {
  await runner.run({ text: INSERT }, [record, JSON.stringify([{ field: 'title', from: null, to: word }])])
}

/** A transaction that stays open until it is told to end. */
async function open(): Promise<{
  readonly log: typeof log
  readonly end: () => Promise<void>
  readonly transaction: Transaction
}> {
  let commit = (): void => undefined
  const told = new Promise<void>((resolve) => {
    commit = resolve
  })
  return new Promise((resolve) => {
    const ended = app.engine.database.transaction(async (transaction) => {
      await transaction.run({ text: 'select pg_current_xact_id()' }, [])
      resolve({
        log,
        transaction,
        end: async () => {
          commit()
          await ended
        },
      })
      await told
    })
  })
}

const words = async (): Promise<readonly unknown[]> => (await echoes(app)).map(({ fields }) => fields[0]?.to)

// The embedded database has one connection, so that nothing can commit while a transaction is open.
const shared = process.env.TEST_DATABASE_URL === undefined ? test.skip : test

shared('others are heard while a transaction is open, and it is heard when it commits', async () => {
  const early = await open()
  await log(early.transaction, 1, 'early')
  const late = await open()
  await log(late.transaction, 2, 'late')
  await late.end()
  await until(async () => (await words()).length === 1)
  await log(app.engine.database.adhoc, 3, 'between')
  await until(async () => (await words()).length === 2)
  await early.end()
  await until(async () => (await words()).length === 3)
  assert.equal(await words(), ['late', 'between', 'early'])
})

shared('of one record the order is that of its writes, whichever transaction began first', async () => {
  const before = (await words()).length
  const first = await open()
  const second = await open()
  // Both commit between two looks of the listener, so that they are read together.
  await app.engine.database.transaction(async (blocking) => {
    await blocking.run({ text: `select 1 from plinth_listener where name = 'echo.note' for update` }, [])
    await log(second.transaction, 7, 'one')
    await second.end()
    await log(first.transaction, 7, 'two')
    await first.end()
  })
  await until(async () => (await words()).length === before + 2)
  assert.equal((await words()).slice(before), ['one', 'two'])
})

test('a batch is no larger than the limit says, and nothing is left behind', async () => {
  const before = (await words()).length
  const text = `insert into plinth_change (resource, record_id, action, changes)
    select 'books', n, 'update', jsonb_build_array(jsonb_build_object('field', 'title', 'from', null, 'to', 'n' || n))
    from generate_series(1, 1000) n`
  await app.engine.database.adhoc.run({ text }, [])
  await until(async () => (await words()).length === before + 1000)
  assert.equal(
    (await words()).slice(before),
    Array.from({ length: 1000 }, (_, n) => `n${n + 1}`),
  )
})

test('a backup that is restored on a server with lower numbers of transactions is gone on with', async () => {
  const own = await openBooks()
  const { adhoc } = own.engine.database
  const titles = async (): Promise<readonly unknown[]> => (await echoes(own)).map(({ fields }) => fields[0]?.to)
  try {
    await log(adhoc, 1, 'worked')
    await until(async () => (await titles()).length === 1)
    // As if both had been written on a server that was further: one was worked there, one was not.
    await own.engine.close()
    await adhoc.run({ text: `update plinth_change set xid = '9000000000'` }, [])
    await adhoc.run({ text: `update plinth_listener set done = '9000000001:9000000001:'` }, [])
    await log(adhoc, 2, 'due')
    await adhoc.run({ text: `update plinth_change set xid = '9000000005' where record_id = 2` }, [])
    const again = await secondInstance(own)
    await until(async () => (await titles()).length === 2)
    await log(adhoc, 3, 'new')
    await until(async () => (await titles()).length === 3)
    assert.equal(await titles(), ['worked', 'due', 'new'])
    await again.engine.close()
  } finally {
    await own.close()
  }
})

test.run()
