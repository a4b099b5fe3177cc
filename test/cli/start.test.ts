/** The compiled program as a process: what the first start says, how it stops, and who may share its data. */

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { share, until } from '../support/wait.ts'
import { bare, build, PROGRAM, startServer } from './server.ts'
import { folder, NOTES } from './world.ts'

const start = suite('plinth start')

start.before(build)

start('serves the desk from an empty folder, and says so in under ten lines', async () => {
  const { path, remove } = folder({})
  const server = await startServer(PROGRAM, process.cwd(), bare({ DATA_DIR: path }))
  assert.ok(server.lines.length < 10, server.output())
  for (const page of ['Dashboard', 'Reference'])
    assert.ok(
      server.lines.some((line) => new RegExp(`^${page} +http://.*/(dashboard|docs)$`).test(line)),
      page,
    )
  assert.match(server.output(), 'admin@example.com')
  // On a busy machine what follows the start keeps the database longer than an instance that is ready may wait.
  await until(async () => (await fetch(`${server.url}/readyz`)).status === 200)
  assert.is((await fetch(`${server.url}/api/v1/tickets`)).status, 401)
  const password = /^Password\s+(\S+)/m.exec(server.output())?.[1] ?? ''
  const answer = await fetch(`${server.url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'admin@example.com', password }),
  })
  assert.is(answer.status, 200, server.output())
  const said = once(server.child.stderr ?? server.child, 'data')
  const { code, ms } = await server.stop('SIGTERM')
  assert.is(code, 0)
  assert.ok(ms * share() < 10_000)
  assert.match(String((await said)[0]), /Stopping on SIGTERM/)
  remove()
})

start('keeps what was acknowledged over a restart, and prints no password twice', async () => {
  const { path, remove } = folder(NOTES)
  const env = bare({ DATA_DIR: `${path}/data` })
  const first = await startServer(PROGRAM, path, env)
  const made = await fetch(`${first.url}/api/notes`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ title: 'kept', stars: 3 }),
  })
  assert.is(made.status, 201)
  first.child.kill('SIGKILL')
  const second = await startServer(PROGRAM, path, env)
  const { data } = (await (await fetch(`${second.url}/api/notes`)).json()) as { data: { title: string }[] }
  assert.equal(
    data.map((note) => note.title),
    ['kept'],
  )
  assert.is((await second.stop('SIGINT')).code, 0)
  // What editors work from is written when the application listens, and whole when it has ended.
  assert.ok(existsSync(`${path}/.plinth/resource.schema.json`))
  assert.match(
    readFileSync(`${path}/.plinth/types.d.ts`, 'utf8'),
    /type Note = \{[^}]*readonly title: string.*ResourceTypes \{/s,
  )
  remove()
})

start('refuses a second process on the same data within a few seconds', async () => {
  const { path, remove } = folder(NOTES)
  const env = bare({ DATA_DIR: `${path}/data` })
  const first = await startServer(PROGRAM, path, env)
  const failure = await startServer(PROGRAM, path, env).then(
    () => 'it started',
    (error: Error) => error.message,
  )
  assert.match(failure, 'ended with 1')
  assert.not.match(failure, '    at ')
  assert.is((await first.stop('SIGTERM')).code, 0)
  remove()
})

start('ends with 1 and the diagnostics when the YAML has mistakes, and touches nothing', async () => {
  const { path, write, remove } = folder(NOTES)
  write('resources/notes.yaml', 'resource: notes\nfields:\n  title: { type: strin }\n')
  const failure = await startServer(PROGRAM, path, bare({ DATA_DIR: `${path}/data` })).catch(
    (error: Error) => error.message,
  )
  assert.match(String(failure), 'resources/notes.yaml:3:18')
  assert.not.ok(existsSync(`${path}/data`))
  remove()
})

start('says which port is taken', async () => {
  const { path, remove } = folder(NOTES)
  const first = await startServer(PROGRAM, path, bare({ DATA_DIR: `${path}/one` }))
  const port = new URL(first.url).port
  const failure = await startServer(PROGRAM, path, bare({ DATA_DIR: `${path}/two`, PORT: port })).catch(
    (error: Error) => error.message,
  )
  assert.match(String(failure), `Port ${port} is taken`)
  await first.stop('SIGTERM')
  remove()
})

start('serves a change of the YAML while it watches, and the last good version when the change is wrong', async () => {
  const { path, write, remove } = folder(NOTES)
  const server = await startServer(PROGRAM, path, bare({ DATA_DIR: `${path}/data` }), ['--watch'])
  const says = async (word: string): Promise<void> => {
    await until(() => server.output().includes(word)).catch(() => assert.match(server.output(), word))
  }
  write('resources/notes.yaml', NOTES['resources/notes.yaml'].replace('fields:', 'fields:\n  mood: { type: string }'))
  await says('The change is served.')
  write('resources/notes.yaml', NOTES['resources/notes.yaml'].replace('type: integer', 'type: integr'))
  await says('The last good version is still served.')
  const { data } = (await (await fetch(`${server.url}/api/notes`)).json()) as { data: unknown[] }
  assert.equal(data, [])
  await server.stop('SIGTERM')
  remove()
})

const hasTerminals = /util-linux/.test(spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout ?? '')

;(hasTerminals ? start : start.skip)('ends when the terminal in which it runs is closed', async () => {
  const { path, remove } = folder(NOTES)
  const command = `'${process.execPath}' '${PROGRAM}' start`
  const options = { cwd: path, env: bare({ DATA_DIR: `${path}/data` }) }
  const terminal = spawn('script', ['-qfec', command, '/dev/null'], { ...options, stdio: ['pipe', 'pipe', 'ignore'] })
  let output = ''
  terminal.stdout?.on('data', (part) => (output += String(part)))
  const address = () => /https?:\/\/[\d.]+:\d+/.exec(output)?.[0]
  await until(() => address() !== undefined, 60_000)
  assert.is((await fetch(`${address()}/livez`)).status, 200)
  terminal.kill('SIGKILL')
  await until(async () => (await fetch(`${address()}/livez`).catch(() => undefined)) === undefined)
  remove()
})

start('says how an import without the ending of its file is written', () => {
  const { path, remove } = folder({
    ...NOTES,
    'resources/app.yaml': 'name: Notes\nprefix: /api\nplugins: { mine: {} }\n',
    'plugins/mine/index.ts': "import { price } from './prices'\nexport default { name: 'mine', price }\n",
    'plugins/mine/prices.ts': 'export const price = 7\n',
  })
  const { status, stderr } = spawnSync(process.execPath, [PROGRAM, 'check'], {
    cwd: path,
    env: bare({}),
    encoding: 'utf8',
  })
  assert.is(status, 1)
  assert.match(stderr, /hint: write the name of the file whole in the import: prices\.ts/)
  remove()
})

start('tells the line of the TypeScript in which a plugin fails, while it watches', async () => {
  const { path, remove } = folder({
    ...NOTES,
    'resources/app.yaml': 'name: Notes\nprefix: /api\nplugins: { mine: {} }\n',
    'plugins/mine/index.ts': `interface Unused {
  readonly why: string
}

type Alias = Unused

const given: { readonly alias?: Alias } = {}

export default {
  name: 'mine',
  description: 'Fails.',
  routes: [{ method: 'GET', path: '/fails', summary: 'Fails', access: [{ kind: 'anyone' }], handle: () => given.alias!.why }],
}
`,
  })
  const server = await startServer(PROGRAM, path, bare({ DATA_DIR: `${path}/data` }), ['--watch'])
  assert.is((await fetch(`${server.url}/api/fails`)).status, 500)
  const line = /plugins\/mine\/index\.ts:(\d+)/
  await until(() => line.test(server.output())).catch(() => undefined)
  assert.is(line.exec(server.output())?.[1], '12', server.output())
  await server.stop('SIGTERM')
  remove()
})

start.run()
