/** Keys of living processes: on a server by sessions, on an embedded database by its socket. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { connect } from '../../engine/database/connect.ts'
import type { Database } from '../../engine/database/database.ts'
import { SILENT, testDatabase } from '../support/database.ts'
import { until } from '../support/wait.ts'

const test = suite('presence')

/** Two processes on one database, as far as it can tell. */
let one: Database
let two: Database
let close: () => Promise<void>

test.before(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'plinth-presence-'))
  const made = process.env.TEST_DATABASE_URL === undefined ? undefined : await testDatabase()
  const settings = { databaseUrl: made?.url, dataDir: folder }
  one = await connect(settings, { log: SILENT })
  await one.admitCommands?.()
  two = await connect(settings, { log: SILENT, joins: true })
  close = async () => {
    await two.close()
    await one.close()
    await made?.close()
    await rm(folder, { recursive: true, force: true })
  }
})
test.after(() => close())

async function held(...keys: string[]): Promise<readonly (readonly string[])[]> {
  return Promise.all([one, two].map(async ({ presence }) => [...(await presence.held(keys))].sort()))
}

test('a key that a process has is seen by all, and nobody else gets it', async () => {
  for (const [process, other] of [
    [one, two],
    [two, one],
  ] as const) {
    const give = await process.presence.take('first')
    assert.ok(give)
    assert.equal(await held('first', 'second'), [['first'], ['first']])
    assert.is(await other.presence.take('first'), undefined)
    assert.is(await process.presence.take('first'), undefined)
    await give()
    await until(async () => (await held('first')).flat().length === 0)
  }
})

test('several keys are as many questions, and none is no question', async () => {
  const gives = await Promise.all(['a', 'b', "c' or true"].map((key) => two.presence.take(key)))
  assert.equal(await held('b', "c' or true", 'd'), [
    ['b', "c' or true"],
    ['b', "c' or true"],
  ])
  assert.equal(await held(), [[], []])
  for (const give of gives) await give?.()
})

test('a process that is busy with a long statement keeps its key', async () => {
  const give = await two.presence.take('busy')
  await two.session(async (runner) => {
    const isHeld = one.kind === 'embedded' ? two.presence.held(['busy']) : one.presence.held(['busy'])
    await runner.run({ text: 'select 1' }, [])
    assert.equal([...(await isHeld)], ['busy'])
  })
  await give?.()
})

const onServer = process.env.TEST_DATABASE_URL === undefined ? test.skip : test
onServer('a process whose session is lost has its keys again, where nobody took them', async () => {
  await one.presence.take('kept')
  // The sessions are over when it answers: until then, the key is that of the lost session.
  const lose = `select pg_terminate_backend(pid, 10000) from pg_locks where locktype = 'advisory' and pid <> pg_backend_pid()
    and database = (select oid from pg_database where datname = current_database())`
  assert.ok((await two.adhoc.run({ text: lose }, [])).length > 0)
  await until(async () => (await held('kept')).every((keys) => keys.length === 1))
  assert.is(await two.presence.take('kept'), undefined)
})

test.run()
