/** Transactions, their retries, and violations as refusals. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Runner } from '../../engine/database/database.ts'
import { failureCode, isOutage, violation } from '../../engine/database/failure.ts'
import { ApiError } from '../../engine/error.ts'
import { LIMITS } from '../../engine/limits.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'

const test = suite('transaction')
let db: TestDatabase

test.before(async () => {
  db = await testDatabase()
  await db.database.knex.raw(`create table owners (id int primary key);
    create table things (id int primary key, name varchar(5) not null unique, owner_id int references owners (id),
      size int check (size > 0), amount numeric(4, 2))`)
})
test.before.each(() => db.database.knex.raw('truncate things, owners'))
test.after(() => db.close())

async function failure(work: () => Promise<unknown>): Promise<unknown> {
  try {
    await work()
  } catch (error) {
    return error
  }
  return undefined
}

function insert(values: Readonly<Record<string, unknown>>) {
  const names = Object.keys(values)
  const text = `insert into things (${names.join(', ')}) values (${names.map((_, i) => `$${i + 1}`).join(', ')})`
  return db.database.compiled.run({ text }, Object.values(values))
}

test('the pools tell how many connections are in use, at rest and waited for', async () => {
  const ordinary = () => db.database.connections().find(({ pool }) => pool === 'ordinary')
  await db.database.transaction(async () => {
    assert.is(ordinary()?.used, 1)
  })
  assert.is(ordinary()?.used, 0)
  assert.ok((ordinary()?.free ?? 0) > 0)
  const crowd = Array.from({ length: 20 }, () => db.database.adhoc.run({ text: 'select 1' }, []))
  assert.ok((ordinary()?.waiting ?? 0) > 0)
  await Promise.all(crowd)
  assert.is(ordinary()?.waiting, 0)
})

test('a read inside a transaction sees it, through statements and through knex alike', async () => {
  await db.database.transaction(async ({ run, knex }) => {
    await run({ text: 'insert into things (id, name) values (1, $1)' }, ['one'])
    await knex('things').insert({ id: 2, name: 'two' })
    assert.equal(await run({ text: 'select name from things order by id' }, []), [['one'], ['two']])
    assert.equal(await knex('things').orderBy('id').pluck('name'), ['one', 'two'])
  })
  assert.is((await db.database.knex('things')).length, 2)
})

test('what is kept of a transaction is of no use once it has ended', async () => {
  const kept = await db.database.transaction(async ({ run }) => run)
  assert.match(String(await failure(() => kept({ text: 'select 1' }, []))), /has ended/)
})

test('a transaction whose work rejects leaves nothing, and the connection serves the next', async () => {
  const reason = new Error('no')
  const thrown = await failure(() =>
    db.database.transaction(async ({ run }) => {
      await run({ text: "insert into things (id, name) values (1, 'one')" }, [])
      throw reason
    }),
  )
  assert.is(thrown, reason)
  assert.equal(await db.database.compiled.run({ text: 'select id from things' }, []), [])
})

test('a read beside an open transaction waits for its turn or sees the state before it, and never hangs', async () => {
  let beside: Promise<unknown> = Promise.resolve()
  await db.database.transaction(async ({ run }) => {
    await run({ text: "insert into things (id, name) values (1, 'one')" }, [])
    beside = db.database.compiled.run({ text: 'select count(*) from things' }, [])
  })
  const rows = await beside
  assert.equal(rows, db.database.kind === 'embedded' ? [['1']] : rows)
})

test('work is run several times after a serialization failure or a deadlock, and then answered 503 in its own words', async () => {
  for (const [code, words] of [
    ['40001', /came between/],
    ['40P01', /waited for each other/],
  ] as const) {
    let runs = 0
    const text = `do $$ begin raise exception 'again' using errcode = '${code}'; end $$`
    const most = LIMITS.collisionTries + 1
    const result = await db.database.transaction(async ({ run }) => {
      runs += 1
      if (runs < most) await run({ text }, [])
      return 'done'
    })
    assert.is(result, 'done')
    assert.is(runs, most)
    runs = 0
    const endless = (run: Runner['run']): Promise<unknown> => {
      runs += 1
      return run({ text }, [])
    }
    const error = await failure(() => db.database.transaction(({ run }) => endless(run)))
    assert.is(runs, most)
    for (const refused of [error, await failure(() => db.database.adhoc.run({ text }, []))]) {
      assert.ok(refused instanceof ApiError && refused.status === 503 && (refused.params.retryAfter ?? 0) >= 1)
      assert.match(refused.message, words)
      // The database is well: its outage is not for the log.
      assert.not.ok(isOutage(refused))
    }
  }
})

test('a statement by itself is run again as well', async () => {
  await db.database.adhoc.run({ text: 'create sequence met' }, [])
  const text = `do $$ begin if nextval('met') < 4 then raise exception 'again' using errcode = '40P01'; end if; end $$`
  await db.database.adhoc.run({ text }, [])
  assert.equal(await db.database.adhoc.run({ text: 'select last_value from met' }, []), [['4']])
})

test('a violation is never a 500 and says what it is about', async () => {
  await insert({ id: 1, name: 'one' })
  const cases: readonly (readonly [Readonly<Record<string, unknown>>, string, readonly string[]])[] = [
    [{ id: 2, name: 'one' }, 'unique', ['name']],
    [{ id: 2, name: 'two', owner_id: 9 }, 'foreign_key', ['owner_id']],
    [{ id: 2 }, 'not_null', ['name']],
    [{ id: 2, name: 'two', size: 0 }, 'check', []],
    [{ id: 2, name: 'too long' }, 'value', []],
    [{ id: 'x', name: 'two' }, 'value', []],
    [{ id: 2, name: 'nul\0' }, 'value', []],
    [{ id: 2, name: 'two', amount: '1000' }, 'value', []],
    [{ id: '99999999999', name: 'two' }, 'value', []],
  ]
  for (const [values, kind, columns] of cases) {
    const error = await failure(() => insert(values))
    assert.ok(error instanceof ApiError && error.code === 'validation_failed', JSON.stringify(values))
    assert.is(violation(error)?.kind, kind, JSON.stringify(values))
    assert.equal(violation(error)?.columns, columns)
  }
})

test('deleting what is still referenced is a conflict', async () => {
  await db.database.knex('owners').insert({ id: 1 })
  await insert({ id: 1, name: 'one', owner_id: 1 })
  const error = await failure(() => db.database.compiled.run({ text: 'delete from owners' }, []))
  assert.ok(error instanceof ApiError && error.status === 409)
  assert.is(violation(error)?.kind, 'in_use')
})

test('a session is one connection and may take as long as it takes', async () => {
  await db.database.session(async ({ run }) => {
    await run({ text: 'create temp table mine (id int)' }, [])
    await run({ text: 'insert into mine values (1)' }, [])
    assert.equal(await run({ text: 'select id from mine' }, []), [['1']])
    if (db.database.kind === 'postgresql') assert.equal(await run({ text: 'show statement_timeout' }, []), [['0']])
  })
})

test('an error that is no fault of the values keeps its code', async () => {
  const error = await failure(() => db.database.transaction(({ knex }) => knex.raw('select * from nowhere')))
  assert.not.instance(error, ApiError)
  assert.is(failureCode(error), '42P01')
})

test.run()
