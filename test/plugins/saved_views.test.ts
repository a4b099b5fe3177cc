/** Saved views: who has them, what is judged when they are stored, and what a rename does to them. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { JsonObject } from '../../engine/json.ts'
import { application, type TestApplication } from '../support/application.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'

interface World {
  app: TestApplication
  readonly database: TestDatabase
  /** By name, the tokens of people: two agents and somebody of another role. */
  readonly tokens: Readonly<Record<'ann' | 'bob' | 'cem' | 'boss', string>>
}

const test = suite<World>('saved views')
const PASSWORD = 'a very long secret'
const RESOURCES = {
  'app.yaml': `name: Shop
prefix: /api
plugins: { timestamps: {}, soft_delete: {}, mail: {}, auth: { roles: [admin, agent, guest] }, saved_views: {} }
`,
  'roles.yaml': `resource: roles
seeds:
  key: slug
  rows:
    - { slug: admin, name: Admin, permissions: ["*"] }
    - { slug: agent, name: Agent, permissions: [views.share] }
    - { slug: guest, name: Guest, permissions: [] }
`,
  'orders.yaml': `resource: orders
fields:
  name:   { type: string, required: true }
  amount: { type: integer }
  secret: { type: string, read: { role: admin } }
filters: [name, amount, secret]
sort: { keys: [id, amount] }
policies: { view: [{ who: signed_in }], create: [{ who: signed_in }] }
actions: [list, get, create]
`,
}

test.before(async (context) => {
  const env = { ADMIN_EMAIL: 'boss@shop.example', ADMIN_PASSWORD: PASSWORD }
  const database = await testDatabase()
  const app = await application({ resources: RESOURCES, env, database: database.database })
  const boss = await signIn(app, 'boss')
  const roles = (await app.call('GET', '/api/settings/roles', { token: boss })).list
  const person = async (name: string, role: string): Promise<string> => {
    const email = `${name}@shop.example`
    const body = {
      first_name: name,
      last_name: 'Z',
      email,
      password: PASSWORD,
      password_confirmation: PASSWORD,
      status: 'active',
      email_verified: true,
    }
    const { id } = roles.find(({ slug }) => slug === role)!
    const answer = await app.call('POST', '/api/users', { token: boss, body: { ...body, role_id: id } })
    assert.is(answer.status, 201, answer.text)
    return signIn(app, name)
  }
  const tokens = {
    boss,
    ann: await person('ann', 'agent'),
    bob: await person('bob', 'agent'),
    cem: await person('cem', 'guest'),
  }
  Object.assign(context, { app, database, tokens })
})
test.after(async ({ app, database }) => {
  await app?.close()
  await database?.close()
})

async function signIn(app: TestApplication, name: string): Promise<string> {
  const body = { email: `${name}@shop.example`, password: PASSWORD }
  const answer = await app.call('POST', '/api/auth/login', { body })
  assert.is(answer.status, 200, answer.text)
  return String(answer.body.data.token)
}

const VIEW = {
  name: 'Large',
  resource: 'orders',
  where: { amount: { gt: 100 } },
  query: 'sort=-amount&columns=name,amount',
}

async function save({ app }: World, token: string, body: JsonObject) {
  return app.call('POST', '/api/saved-views', { token, body })
}

test('a view belongs to whoever saved it, and is seen by those with whom it is shared', async (world) => {
  const { app, tokens } = world
  const names = async (token: string): Promise<readonly unknown[]> =>
    (await app.call('GET', '/api/saved-views', { token })).list.map(({ name }) => name)
  assert.is((await save(world, tokens.ann, VIEW)).status, 201)
  assert.is((await save(world, tokens.ann, { ...VIEW, name: 'Ours', shared_with: 'role' })).status, 201)
  assert.is((await save(world, tokens.ann, { ...VIEW, name: 'For all', shared_with: 'all' })).status, 201)
  assert.equal(await names(tokens.ann), ['For all', 'Large', 'Ours'])
  assert.equal(await names(tokens.bob), ['For all', 'Ours'])
  assert.equal(await names(tokens.cem), ['For all'])
  const refused = await save(world, tokens.cem, { ...VIEW, shared_with: 'all' })
  assert.is(refused.status, 403, refused.text)
  const [one] = (await app.call('GET', '/api/saved-views?resource=orders', { token: tokens.cem })).list
  const path = `/api/saved-views/${one?.id}`
  assert.is((await app.call('PATCH', path, { token: tokens.cem, body: { name: 'Mine' } })).status, 403)
  assert.is((await app.call('DELETE', path, { token: tokens.cem })).status, 403)
  assert.is((await app.call('PATCH', path, { token: tokens.ann, body: { name: 'Everybody' } })).status, 200)
  assert.is((await app.call('DELETE', path, { token: tokens.boss })).status, 204)
})

test('what the list would refuse its owner is refused when it is saved, at its place', async (world) => {
  const { tokens } = world
  const wrong: readonly (readonly [JsonObject, string])[] = [
    [{ resource: 'no_such' }, 'resource'],
    [{ where: { no_such: 1 } }, 'where.no_such'],
    [{ where: { secret: 'x' } }, 'where.secret'],
    [{ where: { amount: { contains: 'x' } } }, 'where.amount'],
    [{ query: 'sort=no_such' }, 'query.sort'],
    [{ query: 'no_such=1' }, 'query.no_such'],
    [{ query: 'per_page=5' }, 'query'],
    [{ query: 'amount=lots' }, 'query.amount'],
  ]
  for (const [change, place] of wrong) {
    const answer = await save(world, tokens.ann, { ...VIEW, ...change })
    assert.is(answer.status, 422, answer.text)
    assert.equal(Object.keys(answer.body.errors as object), [place], answer.text)
  }
  const { status, text } = await save(world, tokens.boss, { ...VIEW, where: { secret: 'x' } })
  assert.is(status, 201, text)
})

test('a view follows a field that is renamed', async (world) => {
  const { app, database, tokens } = world
  const { id } = (await save(world, tokens.ann, VIEW)).body.data as { readonly id: number }
  await app.close()
  const renamed = RESOURCES['orders.yaml']
    .replace('  amount: { type: integer }', '  total: { type: integer, renamed_from: amount }')
    .replace('[name, amount, secret]', '[name, total, secret]')
    .replace('[id, amount]', '[id, total]')
  world.app = await application({ resources: { ...RESOURCES, 'orders.yaml': renamed }, database: database.database })
  const { body } = await world.app.call('GET', `/api/saved-views/${id}`, { token: await signIn(world.app, 'ann') })
  assert.equal(body.data.where, { total: { gt: 100 } })
})

test.run()
