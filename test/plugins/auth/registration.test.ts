/** Accounts of another shape: what a registration asks for, how people sign in, and what nobody could fill. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readCatalog } from '../../../engine/boot/boot.ts'
import { makeAccount } from '../../../engine/testing/people.ts'
import { folder, plinth } from '../../cli/world.ts'
import { type Answer, application, type TestApplication } from '../../support/application.ts'

const CONDUIT = {
  'app.yaml': `name: Conduit
prefix: /api
plugins:
  timestamps: {}
  soft_delete: {}
  mail: {}
  conduit: {}
  auth:
    names: false
    register: [username, bio]
    admin: { username: root }
    sign_in: [email, username]
    schemes: [Token, Bearer]
    approval: off
`,
  'users.yaml': `resource: users
fields:
  username: { type: string, max: 40, required: true, unique: true }
  bio:      { type: text }
policies:
  view: [{ who: anyone }]
  update:
    - { who: signed_in, where: { id: $actor }, fields: [username, bio, email] }
`,
}
const PASSWORD = 'correct horse battery'

const test = suite<{ app: TestApplication }>('an application whose accounts have no names')

test.before(async (state) => {
  state.app = await application({
    resources: CONDUIT,
    plugins: 'test/plugins/auth/plugins',
    env: { ADMIN_PASSWORD: PASSWORD },
  })
})
test.after(({ app }) => app.close())

function register(app: TestApplication, user: Readonly<Record<string, unknown>>): Promise<Answer> {
  return app.call('POST', '/api/auth/register', { body: { password_confirmation: user.password, ...user } })
}

test('a registration takes the fields that the application names, and no names', async ({ app }) => {
  const ann = { username: 'Ann', email: 'ann@people.example', password: PASSWORD }
  const made = await register(app, { ...ann, bio: 'Reads.' })
  assert.is(made.status, 201, made.text)
  assert.equal(
    ['data.user.username', 'data.user.bio', 'data.user.name', 'data.user.first_name', 'data.token_type'].map((at) =>
      made.at(at),
    ),
    ['Ann', 'Reads.', 'Ann', undefined, 'Token'],
  )
  const without = await register(app, { email: 'bob@people.example', password: PASSWORD })
  assert.equal([without.status, Object.keys(without.body.errors)], [422, ['username']])
  const twice = await register(app, { ...ann, email: 'other@people.example' })
  assert.equal([twice.status, Object.keys(twice.body.errors)], [422, ['username']])
  const named = await register(app, { ...ann, first_name: 'Ann' })
  assert.equal([named.status, Object.keys(named.body.errors)], [422, ['first_name']])
})

test('nobody registers as a program, nor names who answers for one', async ({ app }) => {
  const eve = { username: 'Eve', email: 'eve@people.example', password: PASSWORD }
  for (const further of [{ kind: 'service' }, { kind: 'person' }, { responsible_id: 1 }]) {
    const refused = await register(app, { ...eve, ...further })
    assert.equal([refused.status, Object.keys(refused.body.errors)], [422, Object.keys(further)])
  }
  assert.is((await register(app, eve)).at('data.user.kind'), 'person')
})

test('people sign in by each field that the application names, and by one of them', async ({ app }) => {
  const login = (body: object) => app.call('POST', '/api/auth/login', { body: { password: PASSWORD, ...body } })
  const statuses = [
    { email: 'ann@people.example' },
    { username: 'Ann' },
    { username: 'root' },
    { username: 'nobody' },
    {},
    { email: 'ann@people.example', username: 'Ann' },
  ].map(async (body) => (await login(body)).status)
  assert.equal(await Promise.all(statuses), [200, 200, 200, 401, 422, 422])
  const [known, unknown] = await Promise.all([login({ username: 'Ann', password: 'x' }), login({ username: 'x' })])
  assert.equal([known.status, known.at('message')], [unknown.status, unknown.at('message')])
})

test('guesses at one account by any of its names are counted together', async ({ app }) => {
  await register(app, { username: 'Guessed', email: 'guessed@people.example', password: PASSWORD })
  const wrong = async (body: object) =>
    (await app.call('POST', '/api/auth/login', { body: { ...body, password: 'wrong' } })).status
  const names = [{ email: 'guessed@people.example' }, { username: 'Guessed' }]
  const statuses: number[] = []
  await app.engine.database.knex('access_tokens').update({ address: '192.0.2.1' })
  for (let count = 0; count < 11; count += 1) statuses.push(await wrong(names[count % 2]!))
  assert.equal(statuses, [...Array.from({ length: 10 }, () => 401), 429])
})

test('a token counts after each word that the application names, and after no other', async ({ app }) => {
  const { body } = await app.call('POST', '/api/auth/login', { body: { username: 'Ann', password: PASSWORD } })
  const me = async (scheme: string) =>
    (await app.call('GET', '/api/auth/me', { headers: { authorization: `${scheme} ${body.data.token}` } })).status
  assert.equal(await Promise.all(['Token', 'token', 'Bearer', 'Basic'].map(me)), [200, 200, 200, 401])
})

test('a plugin signs people in and registers them by bodies of its own, and opens sessions', async ({ app }) => {
  const call = (path: string, body: unknown) => app.call('POST', `/api/users/${path}`, { body })
  const cleo = { username: 'cleo', email: 'cleo@people.example', password: PASSWORD }
  const joined = await call('join', { user: { ...cleo, password_confirmation: PASSWORD } })
  assert.equal([joined.status, joined.at('data.username')], [201, 'cleo'])
  const inside = await call('login', { user: { email: cleo.email, password: PASSWORD } })
  assert.is(inside.status, 200)
  assert.is((await call('login', { user: { email: cleo.email, password: 'wrong' } })).status, 401)
  assert.is((await call('login', {})).status, 422)
  const device = await call('device', { id: joined.at('data.id') })
  const sessions = await app.call('GET', '/api/auth/sessions', {
    headers: { authorization: `Token ${device.at('data.token')}` },
  })
  const current = sessions.list.find((one) => one.current === true)
  assert.equal([current?.provider, current?.factors], ['device', ['provider']])
})

test('the reset of a password and people of tests need no names', async ({ app }) => {
  const reset = await app.call('POST', '/api/auth/password/reset', { body: { email: 'ann@people.example' } })
  assert.is(reset.status, 200)
  const { headers } = await makeAccount(app.engine, 'member', 'Dora Q', {})
  const me = await app.call('GET', '/api/auth/me', { headers })
  assert.equal([me.at('data.username'), me.at('data.email')], ['dora.q', 'dora.q@people.example'])
})

test.run()

const checked = suite('what nobody can fill in accounts')

const AUTH = 'plugins: { timestamps: {}, soft_delete: {}, mail: {}, auth: {} }'

async function complaints(users: string, auth = '{}'): Promise<readonly string[]> {
  const app = `name: X\n${AUTH.replace('auth: {}', `auth: ${auth}`)}\n`
  const { path, remove } = folder({ 'app.yaml': app, 'users.yaml': users })
  const { diagnostics } = await readCatalog({ resourcesDir: path, pluginsDir: join(path, 'none') })
  remove()
  return diagnostics.map(({ code, span, hint }) => `${code} ${span?.source.text.slice(span.start, span.end)}: ${hint}`)
}

const USERS = 'resource: users\nfields:\n  username: { type: string, required: true, unique: true }\n'

checked(
  'a required field without a value has a caret, until both registration and the first admin have one',
  async () => {
    const advice = (parts: string) =>
      `auth/unfilled_field username: write plugins: { auth: { ${parts} } } in resources/app.yaml, or leave "required" out`
    assert.equal(await complaints(USERS), [advice('register: [username], admin: { username: … }')])
    assert.equal(await complaints(USERS, '{ register: [username] }'), [advice('admin: { username: … }')])
    assert.equal(await complaints(USERS, '{ admin: { username: root } }'), [advice('register: [username]')])
    assert.equal(await complaints(USERS, '{ register: [username], admin: { username: root } }'), [])
    assert.equal(await complaints(USERS.replace('required: true', 'default: x').replace(', unique: true', '')), [])
  },
)

checked('options that name fields name such as there are and as people may choose', async () => {
  const codes = async (auth: string) =>
    (await complaints(USERS.replace('required: true, ', ''), auth)).map((one) => one.split(':')[0])
  assert.equal(await codes('{ register: [usrename] }'), ['auth/unknown_field auth'])
  assert.equal(await codes('{ admin: { colour: red } }'), ['auth/unknown_field auth'])
  for (const kept of ['role_id', 'status', 'email_verified', 'password_hash', 'name', 'id', 'kind', 'responsible_id'])
    assert.equal(await codes(`{ register: [${kept}] }`), ['auth/wrong_register auth'], kept)
  assert.equal(await codes('{ sign_in: [username] }'), [])
  assert.equal(await codes('{ sign_in: [first_name] }'), ['auth/wrong_sign_in auth'])
})

checked('plinth add field says at once what a required field of accounts needs', async () => {
  const { path, remove } = folder({ 'resources/app.yaml': `name: X\n${AUTH}\n` })
  const env = { RESOURCES_DIR: join(path, 'resources'), DATA_DIR: join(path, 'data') }
  const add = () => plinth(['add', 'field', 'users', 'username:string!', '--unique'], env)
  const refused = await add()
  assert.is(refused.code, 1)
  assert.match(refused.complained, /unfilled_field[\s\S]*\^[\s\S]*register: \[username\]/)
  assert.not.ok(existsSync(join(path, 'resources/users.yaml')))
  remove()
})

checked('a plugin of an application imports what it needs from plinth/auth', async () => {
  const script = `import { definePlugin } from 'plinth'
import { openSession, register, signIn } from 'plinth/auth'
export default definePlugin({ name: 'own', description: [openSession, register, signIn].map((one) => typeof one).join(' ') })
`
  const { path, remove } = folder({
    'resources/app.yaml': `name: X\n${AUTH.replace('auth: {}', 'auth: {}, own: {}')}\n`,
    'plugins/own/index.js': script,
  })
  const pluginsDir = join(path, 'plugins')
  const { value, diagnostics } = await readCatalog({ resourcesDir: join(path, 'resources'), pluginsDir })
  assert.equal(diagnostics, [])
  const own = value?.composition.plugins.find(({ name }) => name === 'own')
  assert.is(own?.description, 'function function function')
  remove()
})

checked.run()
