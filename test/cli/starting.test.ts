/** What is answered while a start takes long: it lives, and is not ready. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import pg from 'pg'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { testDatabase } from '../support/database.ts'
import { freePort } from '../support/port.ts'
import { until } from '../support/wait.ts'
import { bare, build, PROGRAM, startServer } from './server.ts'
import { folder, NOTES } from './world.ts'

const starting = suite('a start that takes long')
const onServer = process.env.TEST_DATABASE_URL === undefined ? starting.skip : starting

onServer('while a start waits for another one, it lives and is not ready, and nothing else is answered', async () => {
  build()
  const { url, close } = await testDatabase()
  const files = folder(NOTES)
  const port = await freePort()
  const other = new pg.Client(url)
  await other.connect()
  await other.query(`select pg_advisory_lock(hashtext('plinth ' || current_schema()))`)
  const env = bare({ DATABASE_URL: url, DATA_DIR: join(files.path, 'data'), PORT: String(port) })
  const started = startServer(PROGRAM, files.path, env)
  const ask = (path: string): Promise<Response> => fetch(`http://127.0.0.1:${port}${path}`)
  await until(async () => (await ask('/livez').catch(() => undefined))?.status === 200)
  const ready = await ask('/readyz')
  assert.is(ready.status, 503)
  assert.is(ready.headers.get('retry-after'), '1')
  const { message, meta } = (await ready.json()) as { message: string; meta: { checks: object } }
  assert.is(message, 'The application is starting')
  assert.equal(meta.checks, { process: 'starting' })
  assert.is((await ask('/metrics')).status, 503)
  const answered = await ask('/api/notes').catch(() => 'nobody')
  assert.is(answered, 'nobody')
  await other.end()
  const server = await started
  assert.is((await ask('/readyz')).status, 200)
  assert.is((await ask('/api/notes')).status, 200)
  assert.is((await server.stop('SIGTERM')).code, 0)
  files.remove()
  await close()
})

onServer('a start that is told to stop while it waits ends with 0', async () => {
  const { url, close } = await testDatabase()
  const files = folder(NOTES)
  const port = await freePort()
  const other = new pg.Client(url)
  await other.connect()
  await other.query(`select pg_advisory_lock(hashtext('plinth ' || current_schema()))`)
  const env = bare({ DATABASE_URL: url, DATA_DIR: join(files.path, 'data'), PORT: String(port) })
  const child = spawn(process.execPath, [PROGRAM, 'start'], { cwd: files.path, env, stdio: 'ignore' })
  const code = new Promise((done) => child.once('exit', done))
  await until(async () => (await fetch(`http://127.0.0.1:${port}/livez`).catch(() => undefined))?.status === 200)
  child.kill('SIGTERM')
  assert.is(await code, 0)
  await other.end()
  files.remove()
  await close()
})

starting('a start names imports of names that are gone, with file and line, and serves', async () => {
  build()
  const { url, close } = await testDatabase()
  const files = folder({
    ...NOTES,
    'resources/app.yaml': NOTES['resources/app.yaml'].replace('timestamps: {}', 'timestamps: {}, shop: {}'),
    'package.json': '{ "type": "module" }',
    'plugins/shop/index.ts':
      "import type { Middleware } from 'plinth'\nexport type Around = Middleware\nexport default { name: 'shop', description: 'Sells.' }\n",
  })
  const env = bare({ ...(url && { DATABASE_URL: String(url) }), DATA_DIR: join(files.path, 'data') })
  const server = await startServer(PROGRAM, files.path, env)
  await until(async () => server.output().includes('earlier_name'))
  assert.match(
    server.output(),
    /plugins\/shop\/index\.ts:1:15 warning earlier_name: "Middleware" went with version 0\.2\.0/,
  )
  assert.is((await fetch(`${server.url}/api/notes`)).status, 200)
  await server.stop('SIGTERM')
  files.remove()
  await close()
})

starting.run()
