/** Connections that are cut silently: no caller waits long, and the next one is served. */
import net from 'node:net'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { connect } from '../../engine/database/connect.ts'
import type { Database } from '../../engine/database/database.ts'
import { databaseFailure, isConnectionLost } from '../../engine/database/failure.ts'
import { ApiError } from '../../engine/error.ts'
import { SILENT, type TestDatabase, testDatabase } from '../support/database.ts'
import { until } from '../support/wait.ts'

const test = suite('silent connections')
const onServer = process.env.TEST_DATABASE_URL ? test : test.skip
let db: TestDatabase

test.before(async () => {
  db = await testDatabase()
})
test.after(() => db.close())

/** A proxy in front of the server whose open connections can be made to swallow all that is said on them. */
async function proxyTo(url: string) {
  const through = new URL(url)
  const target = { port: Number(through.port || 5432), host: through.hostname }
  const pairs = new Set<readonly [net.Socket, net.Socket]>()
  const server = net.createServer((socket) => {
    const upstream = net.connect(target)
    const pair = [socket, upstream] as const
    pairs.add(pair)
    for (const end of pair) {
      end.on('error', () => {})
      end.on('close', () => {
        for (const other of pair) other.destroy()
      })
    }
    socket.pipe(upstream).pipe(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  through.host = `127.0.0.1:${(server.address() as net.AddressInfo).port}`
  return {
    url: through.href,
    /** From now on nothing arrives over the connections that are open, and nobody hears of it. */
    swallow() {
      for (const [socket, upstream] of pairs) {
        socket.unpipe(upstream)
        upstream.unpipe(socket)
        for (const end of [socket, upstream]) end.resume()
      }
    },
    async close() {
      for (const pair of pairs) for (const end of pair) end.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

onServer('four transactions whose BEGIN is never answered end as 503, and the service goes on', async () => {
  const proxy = await proxyTo(db.url ?? '')
  const database = await connect({ databaseUrl: proxy.url, dataDir: '', databasePool: 8 }, { log: SILENT })
  const transact = () => database.transaction(({ run }) => run({ text: 'select 1' }, []))
  // Four connections are open and idle before they are cut.
  await Promise.all(
    [1, 2, 3, 4].map(() => database.transaction(({ run }) => run({ text: 'select pg_sleep(0.2)' }, []))),
  )
  proxy.swallow()
  const cut = [1, 2, 3, 4].map(() => transact().catch((error: unknown) => error))
  await until(() => database.connections().every(({ free }) => free === 0))
  // Longer at work than a silent connection may be, and left alone because the server says so.
  const slow = database.compiled.run({ text: 'select pg_sleep(6)' }, [])
  const outcomes = await Promise.all(cut)
  assert.ok(outcomes.every((error) => error instanceof ApiError && error.code === 'unavailable'))
  assert.equal(await transact(), [['1']])
  assert.is((await slow).length, 1)
  await database.close()
  await proxy.close()
})

test('faults of a database are 503, whoever sent the statement', () => {
  const of = (code: string, message = 'x') => databaseFailure(Object.assign(new Error(message), { code }))
  for (const code of [
    '25006',
    '28P01',
    '28000',
    '3D000',
    '55000',
    '57P01',
    '57P03',
    '57P04',
    '53100',
    '58030',
    '08006',
  ]) {
    const failure = of(code)
    assert.ok(failure instanceof ApiError && failure.status === 503 && Number(failure.params.retryAfter) >= 1, code)
  }
  for (const message of [
    'select * from "users" - Connection terminated unexpectedly',
    'Knex: Timeout acquiring a connection. The pool is probably full.',
    'timeout exceeded when trying to connect',
  ]) {
    const failure = databaseFailure(new Error(message))
    assert.ok(failure instanceof ApiError && failure.status === 503, message)
    assert.ok(isConnectionLost(failure), 'the refusal still says that the connection is of no use')
  }
  const socket = Object.assign(new Error('x'), { code: 'ENOENT', syscall: 'connect' })
  assert.instance(databaseFailure(socket), ApiError)
  const file = Object.assign(new Error('x'), { code: 'ENOENT', syscall: 'open' })
  assert.not.instance(databaseFailure(file), ApiError, 'a file that is not there is no outage of the database')
  for (const code of ['42P01', '42601', 'XX000']) assert.not.instance(of(code), ApiError)
})

onServer('a server that takes no writes is not ready, and says why', async () => {
  const url = new URL(db.url ?? '')
  url.searchParams.set('options', '-c default_transaction_read_only=on')
  const database = await connect({ databaseUrl: url.href, dataDir: '', databasePool: 4 }, { log: SILENT })
  const error = await database.ping().catch((failure: unknown) => failure)
  assert.match(String(error), 'takes no writes')
  await database.close()
})

onServer('connections to a server that has become read-only are given up, whoever meets it', async () => {
  const { database: admin, url = '' } = db
  const name = new URL(url).pathname.slice(1)
  await admin.knex.raw('create table written (n integer)')
  const insert = { text: 'insert into written values (1)' }
  const ways: ((database: Database) => Promise<unknown>)[] = [
    (database) => database.adhoc.run(insert, []),
    (database) => database.transaction(({ run }) => run(insert, [])),
    (database) => database.transaction(async ({ knex }) => knex('written').insert({ n: 1 })),
    async (database) => database.knex('written').insert({ n: 1 }),
    (database) => database.ping(),
  ]
  for (const way of ways) {
    await admin.knex.raw(`alter database ${name} set default_transaction_read_only = on`)
    const database = await connect({ databaseUrl: url, dataDir: '', databasePool: 4 }, { log: SILENT })
    try {
      await database.adhoc.run({ text: 'select 1' }, [])
      // From here on a new connection leads to a server that takes writes.
      await admin.knex.raw('set default_transaction_read_only = off')
      await admin.knex.raw(`alter database ${name} reset default_transaction_read_only`)
      const met = await way(database).catch((error: unknown) => error)
      assert.instance(met, Error)
      await way(database)
    } finally {
      await database.close()
    }
  }
})

test.run()
