/** Sessions: one statement for many requests, keys that rotate, tokens that end, and the first admin. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Database, JsonObject, PluginContext } from '../../../engine/index.ts'
import { modelOf } from '../../../engine/record/model.ts'
import { identify } from '../../../plugins/auth/account.ts'
import { authenticate, readToken, signToken } from '../../../plugins/auth/session.ts'
import { rewriteAddresses } from '../../../plugins/auth/start.ts'
import { application, type TestApplication } from '../../support/application.ts'
import { runAhead } from '../../support/job.ts'

const NOW = new Date('2026-05-06T07:08:09Z')
const CLAIMS = { jti: 'c1f2d3e4-0000-4000-8000-000000000001', expiresAt: NOW.getTime() + 60_000 }

interface State {
  app: TestApplication
  folder: string
}

const test = suite<State>('sessions')

test.before(async (state) => {
  state.app = await application({
    resources: 'resources',
    env: { ADMIN_EMAIL: 'boss@desk.example', ADMIN_PASSWORD: 'a very long secret' },
  })
  state.folder = await mkdtemp(join(tmpdir(), 'plinth-keys-'))
})

test.after(async ({ app, folder }) => {
  await app.close()
  await rm(folder, { recursive: true })
})

function settingsWith(folder: string, appSecrets: readonly string[]): PluginContext['settings'] {
  return { dataDir: folder, appSecrets } as PluginContext['settings']
}

async function reads(settings: PluginContext['settings'], token: string, now = NOW): Promise<boolean> {
  return (await readToken({ settings, now: () => now }, token)) !== undefined
}

test('requests that arrive together share statements, and each gets its own answer', async ({ app }) => {
  const { engine } = app
  const body = { email: 'boss@desk.example', password: 'a very long secret' }
  const tokens = await Promise.all(
    Array.from({ length: 5 }, async () => (await app.call('POST', '/api/v1/auth/login', { body })).body.data.token),
  )
  const { foundation } = engine.app
  let statements = 0
  const compiled: Database['compiled'] = {
    run: (statement, values) => {
      statements += 1
      return engine.database.compiled.run(statement, values)
    },
  }
  const { catalog, now, settings } = foundation
  const context = {
    catalog,
    now,
    settings,
    options: {},
    instance: 'x',
    ip: '127.0.0.1',
    method: 'GET',
    database: { ...engine.database, compiled },
  }
  const asked = Array.from(
    { length: 40 },
    (_, index) => `Bearer ${index % 8 === 7 ? 'none.of.ours' : tokens[index % 5]}`,
  )
  const ask = (authorization: string) => authenticate({ ...context, headers: { authorization } })
  for (const authorization of asked.slice(0, 8)) await ask(authorization)
  statements = 0
  const actors = await Promise.all(asked.map(ask))
  assert.ok(statements <= 2, `${statements} statements`)
  actors.forEach((actor, index) => {
    if (index % 8 === 7) assert.is(actor, null)
    else assert.is(actor?.role, 'admin')
  })
})

test('while the database does not answer, everybody who waits hears so at once and not one after the other', async ({
  app,
}) => {
  const { database, app: running } = app.engine
  const body = { email: 'boss@desk.example', password: 'a very long secret' }
  const { token } = (await app.call('POST', '/api/v1/auth/login', { body })).body.data
  let statements = 0
  const compiled: Database['compiled'] = {
    run: async () => {
      statements += 1
      // All of them ask meanwhile.
      await new Promise((resolve) => setTimeout(resolve, 50))
      throw new Error('no connection in time')
    },
  }
  const { catalog, now, settings } = running.foundation
  const context = {
    catalog,
    now,
    settings,
    options: {},
    instance: 'x',
    ip: '127.0.0.1',
    method: 'GET',
    database: { ...database, compiled },
  }
  const headers = { authorization: `Bearer ${token}` }
  const ask = () => authenticate({ ...context, headers })
  // Its signature is known from here on, so that all of them arrive together.
  await authenticate({ ...context, database, headers })
  const outcomes = await Promise.allSettled(Array.from({ length: 900 }, ask))
  assert.ok(outcomes.every(({ status }) => status === 'rejected'))
  assert.ok(statements <= 2, `${statements} statements`)
  assert.is((await authenticate({ ...context, database, headers }))?.role, 'admin')
})

test('of several secrets the first signs and all verify', async ({ folder }) => {
  const [old, fresh, foreign] = ['o', 'f', 'x'].map((letter) => letter.repeat(32)) as [string, string, string]
  const before = settingsWith(folder, [old])
  const token = await signToken({ settings: before, now: () => NOW }, 7, CLAIMS)
  assert.is(await reads(before, token), true)
  assert.is(await reads(settingsWith(folder, [fresh, old]), token), true)
  assert.is(await reads(settingsWith(folder, [fresh]), token), false)
  assert.is(await reads(settingsWith(folder, [foreign]), token), false)
})

test('a token ends when its time is over, also one that was verified before', async ({ folder }) => {
  const settings = settingsWith(folder, ['s'.repeat(32)])
  const token = await signToken({ settings, now: () => NOW }, 7, CLAIMS)
  assert.is(await reads(settings, token), true)
  assert.is(await reads(settings, token, new Date(CLAIMS.expiresAt)), false)
  assert.is(await reads(settings, token), true)
})

test('a token without signature, or signed otherwise, is none of ours', async ({ folder }) => {
  const settings = settingsWith(folder, ['s'.repeat(32)])
  const token = await signToken({ settings, now: () => NOW }, 7, CLAIMS)
  const [, claims] = token.split('.')
  const none = Buffer.from('{"alg":"none"}').toString('base64url')
  const other = Buffer.from('{"alg":"HS512","kid":"x"}').toString('base64url')
  for (const text of [
    `${none}.${claims}.`,
    `${none}.${claims}.AA`,
    `${other}.${claims}.AA`,
    'a.b.c',
    'x'.repeat(5_000),
  ]) {
    assert.is(await reads(settings, text), false, text.slice(0, 40))
  }
})

test('the first admin gets a password nobody could guess, shown once', async () => {
  const desk = await application({ resources: 'resources' })
  try {
    const { lines } = await desk.engine.listen()
    const shown = lines.join('\n')
    assert.match(shown, /admin@example\.com/)
    const password = /Password +(\S+)/.exec(shown)?.[1] ?? ''
    assert.ok(password.length >= 16)
    const body = { email: 'admin@example.com', password }
    assert.is((await desk.call('POST', '/api/v1/auth/login', { body })).status, 200)
    const rows = await desk.engine.database.knex('users').select('password_hash')
    assert.match(rows[0]?.password_hash, /^\$argon2id\$/)
  } finally {
    await desk.close()
  }
})

test('whoever asks what somebody may do gets nobody for a declined account', async ({ app }) => {
  const { catalog, database, now, settings } = app.engine.app.foundation
  const context = { catalog, database, now, settings, options: {} } as PluginContext
  assert.is((await identify(context, 'BOSS@desk.example'))?.role, 'admin')
  const { knex } = database
  await knex('users').where({ email: 'boss@desk.example' }).update({ status: 'declined' })
  assert.is(await identify(context, 'boss@desk.example'), null)
  await knex('users').where({ email: 'boss@desk.example' }).update({ status: 'active' })
})

test('an address that was stored in another form is brought into the one that sign-in looks for', async ({ app }) => {
  const { catalog, database, log } = app.engine.app.foundation
  const { knex } = database
  const { role_id } = await knex('users').first('role_id')
  const row = { first_name: 'A', last_name: 'B', status: 'active', role_id }
  await knex('users').insert(
    ['ada@xn--bcher-kva.example', 'bo@x.example', 'bo\u200b@x.example'].map((email) => ({ ...row, email })),
  )
  const model: PluginContext['model'] = (name) => ({
    query: () => modelOf(catalog, catalog.resources.get(name)!).query(knex),
  })
  await rewriteAddresses({ catalog, database, log, model })
  const found = await knex('users').whereRaw(`email like '%.example' and email !~ 'boss'`).orderBy('id').pluck('email')
  assert.equal(found, ['ada@b\u00fccher.example', 'bo@x.example', 'bo\u200b@x.example'])
})

test('a first admin that cannot be made stops the start with a sentence', async () => {
  try {
    await application({ resources: 'resources', env: { ADMIN_EMAIL: 'boss@desk.example', ADMIN_PASSWORD: 'short' } })
    assert.unreachable('started')
  } catch (error) {
    assert.match(String(error), /ADMIN_PASSWORD.*at least 8 characters/)
  }
})

test('the plugins that it cannot do without are named, and nothing that follows from them', async () => {
  try {
    await application({ resources: { 'app.yaml': 'name: Bare\nplugins: { timestamps: {}, auth: {} }\n' } })
    assert.unreachable('started')
  } catch (error) {
    for (const needed of ['soft_delete', 'mail'])
      assert.match(String(error), `The plugin "auth" needs the plugin "${needed}", which is not in use`)
    assert.match(String(error), '2 errors in 1 file')
  }
})

const APP = 'name: Bare\nplugins: { timestamps: {}, soft_delete: {}, mail: {}'

test('an application of nothing but accounts has its two roles, a first admin, and people who register and are approved', async () => {
  const admin = { email: 'boss@bare.example', password: 'a very long secret' }
  const bare = await application({
    resources: { 'app.yaml': `${APP}, auth: {} }\n` },
    env: { ADMIN_EMAIL: admin.email, ADMIN_PASSWORD: admin.password },
  })
  const signedIn = await bare.call('POST', '/auth/login', { body: admin })
  const { token, user } = signedIn.body.data
  assert.equal([user.role.slug, Object.keys(user).includes('department')], ['admin', false])
  const roles = await bare.call('GET', '/settings/roles?sort=id', { token })
  assert.equal(
    roles.body.data.map(({ slug, name, permissions }: Record<string, unknown>) => [slug, name, permissions]),
    [
      ['admin', 'Admin', ['*']],
      ['member', 'Member', []],
    ],
  )
  const [password, password_confirmation] = Array(2).fill('correct horse battery')
  const account = { first_name: 'Nia', last_name: 'New', email: 'nia@bare.example', password, password_confirmation }
  const registered = await bare.call('POST', '/auth/register', { body: account })
  assert.equal([registered.status, registered.body.data.user.role.slug], [201, 'member'])
  const made = await bare.call('POST', '/users', { token, body: { ...account, email: 'two@bare.example' } })
  assert.equal([made.status, made.body.data.role.slug], [201, 'member'])
  const pending = await bare.call('GET', '/users/pending', { token })
  assert.equal(
    pending.body.data.map(({ email }: { email: string }) => email),
    ['nia@bare.example'],
  )
  const own = registered.body.data.user.id
  assert.is((await bare.call('POST', `/users/pending/${own}/approve`, { token })).status, 200)
  const member = { token: registered.body.data.token }
  assert.is((await bare.call('GET', '/users', member)).body.data.length, 1)
  assert.is((await bare.call('PATCH', `/users/${own}`, { ...member, body: { role_id: 1 } })).status, 403)
  assert.is((await bare.call('PATCH', `/users/${own}`, { ...member, body: { first_name: 'Nina' } })).status, 200)
  await bare.close()
})

test('roles of an application are added to the plugin’s, and a misspelt one is told', async () => {
  const roles = (...slugs: readonly string[]) =>
    `resource: roles\nseeds:\n  rows:\n${slugs.map((slug) => `    - { slug: ${slug}, name: ${slug}, permissions: [users.view] }\n`).join('')}`
  const library = await application({
    resources: {
      'app.yaml': `${APP}, auth: { roles: [admin, librarian, reader] } }\n`,
      'roles.yaml': roles('librarian'),
    },
  })
  const { rows } = await library.engine.database.knex.raw('select slug, permissions from roles order by id')
  assert.equal(rows, [
    { slug: 'admin', permissions: ['*'] },
    { slug: 'librarian', permissions: ['users.view'] },
    { slug: 'reader', permissions: [] },
  ])
  await library.close()
  try {
    const resources = {
      'app.yaml': `${APP}, auth: { roles: [admin, libarian, reder] } }\n`,
      'roles.yaml': roles('librarian', 'reader'),
    }
    await application({ resources })
    assert.unreachable('started')
  } catch (error) {
    for (const [wrong, meant] of [
      ['libarian', 'librarian'],
      ['reder', 'reader'],
    ])
      assert.match(String(error), new RegExp(`There is no role "${wrong}"[^]*did you mean "${meant}"`))
  }
})

test('sessions and links that ran out an hour ago are deleted by a job that comes back, and no others', async ({
  app,
}) => {
  const { knex } = app.engine.database
  const at = (ms: number) => new Date(Date.now() + ms)
  const [user] = await knex('users').select('id').limit(1)
  const row = (n: number, expires_at: Date) => ({ expires_at, created_at: at(0), updated_at: at(0), n })
  for (const { n, ...times } of [row(1, at(-3_601_000)), row(2, at(-3_500_000))]) {
    await knex('access_tokens').insert({ ...times, jti: `tidy-${n}`, user_id: user.id })
    await knex('password_resets').insert({ ...times, email: 'tidy@desk.example', token_hash: `tidy-${n}` })
  }
  const removed = (await runAhead(app.engine, 'plinth.keep')) as JsonObject
  assert.equal([removed.access_tokens, removed.password_resets], [1, 1])
  const left = async (table: string, column: string) => (await knex(table).where(column, 'like', 'tidy-%')).length
  assert.equal([await left('access_tokens', 'jti'), await left('password_resets', 'token_hash')], [1, 1])
  assert.ok(app.engine.app.composition.jobs.get('plinth.keep')?.value.every)
})

test.run()
