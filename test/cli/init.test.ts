/** `plinth init`: what it makes, what it refuses, and that it leaves nothing half. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { titleOf, wrongName } from '../../engine/cli/init.ts'
import { type Folder, folder, plinth } from './world.ts'

const init = suite('plinth init')

let world: Folder
init.before.each(() => {
  world = folder({})
})
init.after.each(() => world.remove())

function made(name: string): { read(file: string): string; files: readonly string[] } {
  const path = join(world.path, name)
  const entries = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const files = entries.map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(path.length + 1)).sort()
  return { read: (file) => readFileSync(join(path, file), 'utf8'), files }
}

init('makes an application without mistakes, and says what to do next', async () => {
  const path = join(world.path, 'room-bookings')
  const { code, said, complained } = await plinth(['init', path])
  assert.equal([code, complained], [0, ''])
  for (const step of ['cd ', 'npm install', 'npm test', 'npm run dev']) assert.match(said, step)
  const { files, read } = made('room-bookings')
  assert.equal(files, [
    '.dockerignore',
    '.env.example',
    '.github/workflows/ci.yaml',
    '.gitignore',
    '.plinth/app.schema.json',
    '.plinth/resource.schema.json',
    '.plinth/test.schema.json',
    '.plinth/types.d.ts',
    '.plinth/words.schema.json',
    '.vscode/extensions.json',
    '.vscode/settings.json',
    'Dockerfile',
    'README.md',
    'compose.yaml',
    'package.json',
    'resources/app.yaml',
    'resources/bookings.test.yaml',
    'resources/bookings.yaml',
    'resources/roles.yaml',
    'resources/users.yaml',
    'tsconfig.json',
  ])
  const env = { RESOURCES_DIR: join(path, 'resources'), PLUGINS_DIR: join(path, 'plugins') }
  const check = await plinth(['check'], env)
  assert.equal([check.code, check.complained], [0, ''])
  for (const file of files) assert.not.match(read(file), /\{\{\w+\}\}|\.template/, file)
  assert.match(read('resources/app.yaml'), 'name: Room bookings\n')
  const { name, private: own, scripts } = JSON.parse(read('package.json'))
  assert.equal([name, own, Object.keys(scripts)], ['room-bookings', true, ['start', 'dev', 'test', 'check']])
  assert.is(JSON.parse(read('tsconfig.json')).compilerOptions.strict, true)
})

init('an application on the desk has three short files, and is without mistakes', async () => {
  const path = join(world.path, 'acme')
  const { code, complained } = await plinth(['init', path, '--on', 'desk'])
  assert.equal([code, complained], [0, ''])
  const { files, read } = made('acme')
  const own = files.filter((file) => file.startsWith('resources/'))
  assert.equal(own, ['resources/app.yaml', 'resources/tickets.test.yaml', 'resources/tickets.yaml'])
  for (const file of own) assert.ok(read(file).split('\n').length < 8, file)
  for (const file of files.filter((name) => !name.startsWith('.plinth/')))
    assert.not.match(read(file), /\{\{\w+\}\}|\.template|bookings/, file)
  assert.match(read('resources/app.yaml'), 'name: Acme\nextends: plinth/desk\n')
  const env = { RESOURCES_DIR: join(path, 'resources'), PLUGINS_DIR: join(path, 'plugins') }
  const check = await plinth(['check'], env)
  assert.equal([check.code, check.complained], [0, ''])
  const tested = await plinth(['test', 'acme/resources'], env)
  assert.is(tested.code, 0, tested.said + tested.complained)
  assert.match(tested.said, '✔ lists of tickets are filtered by our reference')
})

init('an application on one in a folder names it by its path, and one that is not there is a sentence', async () => {
  assert.is((await plinth(['init', join(world.path, 'rooms')])).code, 0)
  const path = join(world.path, 'town')
  const { code, complained } = await plinth(['init', path, '--on', join(world.path, 'rooms')])
  assert.equal([code, complained], [0, ''])
  const { read } = made('town')
  assert.match(read('resources/app.yaml'), 'extends: ../../rooms\n')
  assert.match(read('resources/bookings.yaml'), 'our_reference')
  const env = { RESOURCES_DIR: join(path, 'resources'), PLUGINS_DIR: join(path, 'plugins') }
  assert.equal(await plinth(['check'], env).then((ran) => [ran.code, ran.complained]), [0, ''])
  const wrong = await plinth(['init', join(world.path, 'other'), '--on', 'dek'])
  assert.equal(
    [wrong.code, wrong.complained],
    [1, 'The package "plinth" has no application "dek": did you mean "plinth/desk"?'],
  )
  assert.is((await plinth(['init', join(world.path, 'other'), '--on', 'desk', '--with-plugin'])).code, 1)
  assert.not.ok(existsSync(join(world.path, 'other')))
})

init('the example has a plugin only with --with-plugin, and is without mistakes either way', async () => {
  const path = join(world.path, 'with')
  assert.is((await plinth(['init', path, '--with-plugin'])).code, 0)
  const { files, read } = made('with')
  assert.equal(
    files.filter((file) => file.startsWith('plugins/')),
    ['plugins/office/console.tsx', 'plugins/office/index.ts', 'plugins/office/office.test.ts'],
  )
  assert.match(read('resources/app.yaml'), /\n {2}office: .*\n {4}days: \[1, 2, 3, 4, 5\]\n$/)
  assert.match(read('resources/bookings.yaml'), /\n\nhooks: .*\n {2}create: \[office\.working_days\]\n/)
  assert.match(read('README.md'), '| `plugins/office` |')
  const env = { RESOURCES_DIR: join(path, 'resources'), PLUGINS_DIR: join(path, 'plugins') }
  const check = await plinth(['check'], env)
  assert.equal([check.code, check.complained], [0, ''])
  assert.is((await plinth(['init', join(world.path, 'without')])).code, 0)
  const without = made('without')
  for (const file of without.files.filter((name) => !name.startsWith('.plinth/')))
    assert.not.match(without.read(file), 'office', file)
  const both = await plinth(['init', join(world.path, 'both'), '--with-plugin', '--from', 'postgres://127.0.0.1/x'])
  assert.equal([both.code, existsSync(join(world.path, 'both'))], [1, false])
  assert.match(both.complained, '--with-plugin is for the example, and --from for a database')
})

init('every YAML file is completed in an editor, by its first line and by the settings', async () => {
  await plinth(['init', join(world.path, 'app')])
  const { files, read } = made('app')
  const schemas = JSON.parse(read('.vscode/settings.json'))['yaml.schemas']
  assert.equal(Object.keys(schemas), [
    '.plinth/app.schema.json',
    '.plinth/resource.schema.json',
    '.plinth/test.schema.json',
    '.plinth/words.schema.json',
  ])
  for (const schema of Object.keys(schemas)) assert.ok(files.includes(schema), schema)
  for (const file of files.filter((name) => name.startsWith('resources/'))) {
    const [, schema = ''] = /^# yaml-language-server: \$schema=\.\.\/(\S+)\n/.exec(read(file)) ?? []
    const kind = file.endsWith('app.yaml') ? 'app' : file.endsWith('.test.yaml') ? 'test' : 'resource'
    assert.is(schema, `.plinth/${kind}.schema.json`, file)
  }
})

init('its image is small, checked while it is built, and runs as nobody special', async () => {
  await plinth(['init', join(world.path, 'app')])
  const { read } = made('app')
  const lines = read('Dockerfile')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
  const known = /^(FROM|WORKDIR|COPY|RUN|ENV|USER|EXPOSE|VOLUME|HEALTHCHECK|CMD) \S/
  assert.equal(
    lines.filter((line) => !known.test(line)),
    [],
  )
  const stages = lines.flatMap((line, index) => (line.startsWith('FROM ') ? [index] : []))
  assert.is(stages.length, 2)
  const [build, final] = [lines.slice(0, stages[1]), lines.slice(stages[1])]
  const major = process.versions.node.split('.')[0]
  assert.match(build[0] ?? '', `FROM node:${major}-slim AS build`)
  assert.match(final[0] ?? '', `FROM node:${major}-slim`)
  assert.ok(build.includes('RUN npm ci --omit=dev'))
  assert.ok(build.includes('RUN npx plinth check'))
  assert.ok(final.includes('USER node'))
  assert.ok(final.indexOf('USER node') < final.findIndex((line) => line.startsWith('CMD ')))
  assert.ok(final.includes('ENV NODE_ENV=production'))
  // Both commands are lists, so that signals reach the server and no shell stands between.
  assert.equal(JSON.parse(final.at(-1)?.replace('CMD ', '') ?? ''), ['node_modules/.bin/plinth', 'start'])
  const [, probe = ''] =
    /^HEALTHCHECK .* CMD (\[.*\])$/.exec(final.find((line) => line.startsWith('HEALTH')) ?? '') ?? []
  const [node, option, script] = JSON.parse(probe)
  assert.equal([node, option], ['node', '-e'])
  assert.match(script, '/readyz')
  // Nobody listens there: the probe runs, and says that the server is not ready.
  assert.throws(
    () => execFileSync(process.execPath, [option, script], { env: { PORT: '1' }, stdio: 'ignore' }),
    (error: { status: number }) => error.status === 1,
  )
  assert.not.match(read('Dockerfile'), /secret|password|token/i)
  for (const name of ['node_modules', 'data', '.env', '.git']) {
    assert.ok(read('.dockerignore').split('\n').includes(name), name)
  }
})

init('it is composed with PostgreSQL and Redis that are waited for, and no secret stands in a file', async () => {
  await plinth(['init', join(world.path, 'app')])
  const { files, read } = made('app')
  const { services, volumes } = parse(read('compose.yaml'))
  assert.equal(Object.keys(services), ['app', 'database', 'redis'])
  assert.equal(services.app.depends_on, {
    database: { condition: 'service_healthy' },
    redis: { condition: 'service_healthy' },
  })
  for (const name of ['database', 'redis']) assert.ok(Array.isArray(services[name].healthcheck.test), name)
  const named = Object.values(services as Record<string, { volumes?: string[] }>).flatMap((one) => one.volumes ?? [])
  for (const volume of named) assert.ok((volume.split(':')[0] ?? '') in volumes, volume)
  // What a secret is comes from the environment, and is asked for where it is missing.
  for (const name of ['APP_SECRET', 'ADMIN_PASSWORD', 'POSTGRES_PASSWORD']) {
    const values = [services.app.environment, services.database.environment].flatMap((one) => one[name] ?? [])
    for (const value of values) assert.is(value, `\${${name}:?write it into .env}`)
    assert.match(read('.env.example'), new RegExp(`^${name}=$`, 'm'))
  }
  assert.match(services.app.environment.DATABASE_URL, ':$' + '{POSTGRES_PASSWORD:?')
  assert.ok(read('.gitignore').split('\n').includes('.env'))
  assert.not.ok(files.includes('.env'))
  const ci = parse(read('.github/workflows/ci.yaml'))
  const steps = ci.jobs.check.steps.flatMap((step: { run?: string }) => step.run ?? [])
  assert.equal(steps, ['npm ci', 'npm run check', 'npm test'])
})

init('goes into a folder that is empty or holds a repository, and into no other', async () => {
  const repository = join(world.path, 'fresh')
  mkdirSync(join(repository, '.git'), { recursive: true })
  assert.is((await plinth(['init', repository])).code, 0)
  assert.ok(existsSync(join(repository, '.git')))
  assert.equal(
    readdirSync(repository).filter((name) => name.startsWith('.fresh')),
    [],
  )

  const again = await plinth(['init', repository])
  assert.is(again.code, 1)
  assert.match(again.complained, /fresh is not empty \(\.dockerignore, \.env\.example, \.github …\)/)

  world.write('taken/notes.txt', 'mine')
  const taken = await plinth(['init', join(world.path, 'taken')])
  assert.match(taken.complained, /taken is not empty \(notes\.txt\)/)
  assert.equal(readdirSync(join(world.path, 'taken')), ['notes.txt'])

  writeFileSync(join(world.path, 'file'), '')
  assert.match((await plinth(['init', join(world.path, 'file')])).complained, /file is a file/)
})

init('refuses a name that npm or Docker would refuse, with the nearest that they take', async () => {
  const names = [
    ['Room Bookings', 'room-bookings'],
    ['roomBookings', 'room-bookings'],
    ['café_été', 'cafe-ete'],
    ['2cool', 'cool'],
    ['-x-', 'x'],
    ['plinth', 'my-plinth'],
    ['a'.repeat(60), 'a'.repeat(50)],
    ['日本', 'my-app'],
  ] as const
  for (const [name, near] of names) assert.match(wrongName(name) ?? '', new RegExp(`: plinth init ${near}$`), name)
  for (const name of ['a', 'room-bookings', 'shop2']) assert.is(wrongName(name), undefined)
  assert.is(titleOf('room-bookings'), 'Room bookings')
  const { code, complained } = await plinth(['init', join(world.path, 'Room Bookings')])
  assert.is(code, 1)
  assert.match(complained, 'plinth init room-bookings')
  assert.equal(readdirSync(world.path), [])
})

init('depends on what --plinth says, and brings a tarball along', async () => {
  world.write('packages/plinth-9.9.9.tgz', 'bytes')
  const cases = [
    ['^1.2.0', '^1.2.0'],
    ['https://example.com/plinth.tgz', 'https://example.com/plinth.tgz'],
    [join(world.path, 'packages'), 'file:../packages'],
    [join(world.path, 'packages/plinth-9.9.9.tgz'), 'file:vendor/plinth-9.9.9.tgz'],
  ] as const
  for (const [index, [given, expected]] of cases.entries()) {
    const name = `app-${index}`
    const ran = await plinth(['init', join(world.path, name), '--plinth', given])
    assert.is(ran.code, 0, ran.complained)
    assert.is(JSON.parse(made(name).read('package.json')).dependencies.plinth, expected)
  }
  const { files, read } = made('app-3')
  assert.ok(files.includes('vendor/plinth-9.9.9.tgz'))
  assert.match(read('Dockerfile'), 'COPY vendor vendor\nRUN npm ci')
  assert.not.match(made('app-0').read('Dockerfile'), 'vendor')
  // What only this machine has is said where it matters.
  assert.match(made('app-2').read('README.md'), /taken from the folder .*npm pack/)

  const missing = await plinth(['init', join(world.path, 'lost'), '--plinth', './nowhere.tgz'])
  assert.is(missing.code, 1)
  assert.match(missing.complained, /nowhere\.tgz, which is no tarball and no folder/)
  assert.not.ok(existsSync(join(world.path, 'lost')))
})

init.run()
