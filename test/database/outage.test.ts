/** The answers to callers while the database is overloaded, gone, or back again. */
import net from 'node:net'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { connect } from '../../engine/database/connect.ts'
import type { Database } from '../../engine/database/database.ts'
import { outageLog } from '../../engine/database/failure.ts'
import { poolSizes } from '../../engine/database/postgresql.ts'
import { ApiError } from '../../engine/error.ts'
import { LIMITS } from '../../engine/limits.ts'
import { SILENT, type TestDatabase, testDatabase } from '../support/database.ts'
import { until } from '../support/wait.ts'

const test = suite('outage')
const server = process.env.TEST_DATABASE_URL
let db: TestDatabase

test.before(async () => {
  db = await testDatabase()
})
test.after(() => db.close())

/** Tests of what only a real server can do; the embedded database has no other process to lose. */
function onServer(name: string, work: (url: string) => Promise<void>): void {
  const declare = server ? test : test.skip
  declare(name, () => work(db.url ?? ''))
}

async function refusal(work: () => Promise<unknown>): Promise<ApiError> {
  try {
    await work()
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
  throw new Error('nothing was refused')
}

async function withDatabase(url: string, work: (database: Database) => Promise<void>): Promise<void> {
  const database = await connect({ databaseUrl: url, dataDir: '', databasePool: 4 }, { log: SILENT })
  try {
    await work(database)
  } finally {
    await database.close()
  }
}

test('an outage is one line at once, then one every ten seconds with a count', () => {
  const lines: object[] = []
  const note = outageLog({ ...SILENT, error: (fields) => lines.push(fields) })
  const error = Object.assign(new Error('gone'), { code: 'ECONNREFUSED' })
  for (let at = 0; at <= 20_000; at += 100) note(error, at)
  assert.equal(
    lines,
    [1, 100, 100].map((failures) => ({ code: 'ECONNREFUSED', reason: 'gone', failures })),
  )
})

test('four instances fit on a server as it is installed', () => {
  assert.equal(poolSizes(97, undefined), { compiled: 10, ordinary: 9 })
  assert.equal(poolSizes(10, undefined), { compiled: 2, ordinary: 2 })
  assert.equal(poolSizes(97, 30), { compiled: 15, ordinary: 15 })
})

test('beyond the bound of the queue a caller is refused at once, and those who wait are served', async () => {
  const callers = LIMITS.poolQueue + 20
  const outcomes: Promise<unknown>[] = []
  await db.database.session(async () => {
    for (let i = 0; i < callers; i += 1) {
      outcomes.push(db.database.adhoc.run({ text: 'select 1' }, []).catch((error) => error))
    }
    const first = await Promise.race(outcomes.slice(-1))
    assert.ok(first instanceof ApiError && first.status === 503 && first.params.retryAfter === 1)
  })
  const refused = (await Promise.all(outcomes)).filter((outcome) => outcome instanceof ApiError)
  assert.ok(refused.length > 0 && refused.length <= 20, `${refused.length} refused`)
})

onServer('statements are planned once on compiled connections, and as ever on ordinary ones', async () => {
  const text =
    "select current_setting('plan_cache_mode'), current_setting('TimeZone'), current_setting('statement_timeout')"
  assert.equal(await db.database.compiled.run({ text }, []), [['force_generic_plan', 'UTC', '10s']])
  assert.equal(await db.database.adhoc.run({ text }, []), [['auto', 'UTC', '10s']])
})

onServer('options of the URL are kept beside ours', async (url) => {
  const own = new URL(url)
  own.searchParams.set('options', '-c statement_timeout=250 -c work_mem=9MB')
  await withDatabase(own.href, async ({ compiled }) => {
    const text = "select current_setting('plan_cache_mode'), current_setting('TimeZone'), current_setting('work_mem')"
    assert.equal(await compiled.run({ text }, []), [['force_generic_plan', 'UTC', '9MB']])
    const error = await refusal(() => compiled.run({ text: 'select pg_sleep(2)' }, []))
    assert.is(error.status, 503)
    assert.equal(await compiled.run({ text: 'select 1' }, []), [['1']])
  })
})

onServer('connections that the server ends are replaced by themselves', async (url) => {
  await withDatabase(url, async (database) => {
    await database.compiled.run({ text: 'select 1', name: 'one' }, [])
    const busy = refusal(() => database.adhoc.run({ text: 'select pg_sleep(5)' }, []))
    const sleeps =
      "select 1 from pg_stat_activity where query = 'select pg_sleep(5)' and state = 'active' and datname = current_database()"
    await until(async () => (await db.database.adhoc.run({ text: sleeps }, [])).length === 1)
    await db.database.adhoc.run(
      {
        text: "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'plinth' and pid <> pg_backend_pid() and datname = current_database()",
      },
      [],
    )
    assert.is((await busy).status, 503)
    await until(() => database.connections().every(({ free }) => free === 0))
    assert.equal(await database.compiled.run({ text: 'select 1', name: 'one' }, []), [['1']])
    assert.equal((await database.knex.raw('select 1 as one')).rows, [{ one: 1 }])
  })
})

onServer('while the server is out of reach every call is a 503, and afterwards none is', async (url) => {
  const target = new URL(url)
  const sockets = new Set<net.Socket>()
  const proxy = net.createServer((socket) => {
    const upstream = net.connect(Number(target.port || 5432), target.hostname)
    for (const end of [socket, upstream]) {
      sockets.add(end)
      end.on('error', () => {})
    }
    socket.pipe(upstream).pipe(socket)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const address = proxy.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const through = new URL(url)
  through.host = `127.0.0.1:${port}`
  await withDatabase(through.href, async (database) => {
    await database.ping()
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => proxy.close(resolve))
    await until(() => database.connections().every(({ free }) => free === 0))
    assert.is((await refusal(() => database.compiled.run({ text: 'select 1' }, []))).status, 503)
    assert.is((await refusal(() => database.transaction(({ run }) => run({ text: 'select 1' }, [])))).status, 503)
    await new Promise<void>((resolve) => proxy.listen(port, '127.0.0.1', resolve))
    await database.ping()
  })
  for (const socket of sockets) socket.destroy()
  await new Promise((resolve) => proxy.close(resolve))
})

test.run()
