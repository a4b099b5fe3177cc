/** PostgreSQL behind PgBouncer: sessions may be pooled, transactions may not; skipped where the program is not installed. */
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { connect } from '../../engine/database/connect.ts'
import { SILENT, testDatabase } from '../support/database.ts'
import { freePort } from '../support/port.ts'
import { until } from '../support/wait.ts'

const pooler = suite('a pooler in front of PostgreSQL')
const server = process.env.TEST_DATABASE_URL
const isRoot = process.getuid?.() === 0
const isInstalled = spawnSync('pgbouncer', ['--version']).status === 0
const test = server === undefined || !isInstalled ? pooler.skip : pooler

/** Runs PgBouncer before the test server; gives the work the address of a database behind it. */
async function behind(mode: string, more: string, work: (url: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'plinth-pooler-'))
  const { hostname, port, username } = new URL(String(server))
  const [listen, database] = [await freePort(), await testDatabase()]
  writeFileSync(
    join(folder, 'pooler.ini'),
    `[databases]\n* = host=${hostname} port=${port || 5432} user=${username}\n[pgbouncer]\nlisten_addr = 127.0.0.1
listen_port = ${listen}\nauth_type = any\npool_mode = ${mode}\nunix_socket_dir =\n${more}\n`,
  )
  chmodSync(folder, 0o755)
  // It refuses to run as root.
  const child = spawn('pgbouncer', [...(isRoot ? ['-u', 'nobody'] : []), join(folder, 'pooler.ini')], {
    stdio: 'ignore',
  })
  try {
    const url = new URL(String(database.url))
    url.host = `127.0.0.1:${listen}`
    await until(async () => {
      const client = new pg.Client(url.href)
      client.on('error', () => {})
      const answers = await client.connect().then(
        () => true,
        () => false,
      )
      await client.end().catch(() => {})
      return answers
    })
    await work(url.href)
  } finally {
    child.kill('SIGKILL')
    await database.close()
    rmSync(folder, { recursive: true })
  }
}

const settings = (databaseUrl: string) => ({ databaseUrl, dataDir: '', databasePool: 6 })

test('one that pools sessions serves, with the settings of a session', async () => {
  await behind('session', '', async (url) => {
    const database = await connect(settings(url), { log: SILENT })
    const text = `select current_setting('TimeZone'), current_setting('plan_cache_mode')`
    assert.equal(await database.compiled.run({ text, name: 'pooled' }, []), [['UTC', 'force_generic_plan']])
    await database.close()
  })
})

for (const more of ['', 'ignore_startup_parameters = options']) {
  test(`one that pools transactions is refused with what to do ${more}`.trimEnd(), async () => {
    await behind('transaction', more, async (url) => {
      const said = await connect(settings(url), { log: SILENT }).then(
        () => '',
        (error: Error) => error.message,
      )
      assert.match(said, 'let it pool sessions for this database (pool_mode = session)')
      assert.not.match(said, '127.0.0.1')
    })
  })
}

pooler('a server without one is taken as it is', async () => {
  const database = await testDatabase()
  assert.is((await database.database.adhoc.run({ text: 'select 1' }, []))[0]?.[0], '1')
  await database.close()
})

pooler.run()
