/** Keys of programs: what one may do, from where, for how long, and that it is never more than its account. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Actor } from '../../../engine/actor.ts'
import { allows } from '../../../engine/ask/policy.ts'
import type { Access } from '../../../engine/catalog/catalog.ts'
import type { BoundRoute } from '../../../engine/http/bound-route.ts'
import { checkAccess } from '../../../engine/http/pipeline.ts'
import { isResourceRoute } from '../../../engine/http/resource-routes.ts'
import { authenticate } from '../../../plugins/auth/session.ts'
import { type Answer, type Desk, openDesk, type Person } from '../../desk/desk.ts'
import { application } from '../../support/application.ts'
import { until } from '../../support/wait.ts'
import { sendParts } from '../media/world.ts'

interface State {
  desk: Desk
  agent: Person
}

const test = suite<State>('desk: keys')

test.before(async (state) => {
  state.desk = await openDesk({ TRUST_PROXY: '1' })
  state.agent = await state.desk.person('agent', 'Asa')
  await grant(state.desk, 'agent', 'keys.own')
})
test.after(({ desk }) => desk.close())

async function grant(desk: Desk, slug: string, permission: string, held = true): Promise<void> {
  const { list } = await desk.get(`/settings/roles?per_page=100`, desk.admin)
  const role = list.find((one) => one.slug === slug)!
  const others = (role.permissions as string[]).filter((one) => one !== permission)
  const permissions = held ? [...others, permission] : others
  const answer = await desk.put(`/settings/roles/${role.id}`, desk.admin, { permissions })
  assert.is(answer.status, 200, answer.text)
}

/** Makes a key, and gives whoever holds it. */
async function keyOf(desk: Desk, owner: Person, limits: Readonly<Record<string, unknown>> = {}): Promise<Person> {
  const answer = await desk.post('/auth/keys', owner, { name: 'A program', ...limits })
  assert.is(answer.status, 201, answer.text)
  return { ...owner, token: String(answer.at('data.key')) }
}

const statusOf = async (answer: Promise<Answer>): Promise<number> => (await answer).status

test('a key is shown once, is known by its start, and does what it names', async ({ desk, agent }) => {
  const made = await desk.post('/auth/keys', agent, { name: 'Monitor', permissions: ['tickets.view'], days: 10 })
  assert.is(made.status, 201, made.text)
  assert.is(made.headers['cache-control'], 'private, no-store')
  assert.match(String(made.at('data.key')), /^plk_[0-9a-f]{8}_[\w-]{43}[0-9a-f]{8}$/)
  const key = String(made.at('data.key'))
  const ends = Date.parse(String(made.at('data.expires_at'))) - Date.now()
  assert.ok(Math.abs(ends - 10 * 86_400_000) < 60_000)
  const holder = { ...agent, token: key }
  assert.is(await statusOf(desk.get('/tickets', holder)), 200)
  const refused = await desk.post('/tickets', holder, { subject: 'x', details: 'x' })
  assert.equal([refused.status, refused.at('message')], [403, 'You need the permission tickets.create'])
  const list = await desk.get('/auth/keys', agent)
  const [first = {}] = list.list
  assert.equal(
    [first.name, first.start, first.permissions, first.own],
    ['Monitor', key.slice(0, 12), ['tickets.view'], false],
  )
  assert.not.match(list.text, /hash|plk_[0-9a-f]{8}_/)
  assert.is((await desk.get(`/auth/keys/${first.id}`, agent)).at('data.name'), 'Monitor')
  assert.is(first.last_used_at, null)
  await desk.engine.database.knex('access_keys').update({ created_at: new Date(Date.now() - 900_000) })
  assert.is(await statusOf(desk.get('/tickets', holder)), 200)
  await until(async () => (await desk.get('/auth/keys', agent)).list[0]?.last_used_at !== null)
  assert.is(await statusOf(desk.get(`/auth/keys/${first.id}`, desk.admin)), 404)
  assert.is(await statusOf(desk.remove(`/auth/keys/${first.id}`, desk.admin)), 404)
  assert.is(await statusOf(desk.remove(`/auth/keys/${first.id}`, agent)), 204)
  assert.is(await statusOf(desk.get('/tickets', holder)), 401)
})

test('a key tells by which permissions its requests were let in, whatever else it has', async ({ desk, agent }) => {
  const permissions = ['tickets.view', 'tickets.create', 'tickets.update', 'tickets.export']
  const made = await desk.post('/auth/keys', agent, { name: 'Wide', permissions })
  const path = `/auth/keys/${made.at('data.id')}`
  assert.equal((await desk.get(path, agent)).at('data.used'), [])
  const key = { ...agent, token: String(made.at('data.key')) }
  assert.is(await statusOf(desk.get('/tickets', key)), 200)
  assert.is(await statusOf(desk.get('//openapi.json', key)), 200)
  assert.is(await statusOf(desk.remove('/tickets/1', key)), 403)
  const used = async () =>
    ((await desk.get(path, agent)).at('data.used') as { permission: string }[]).map((one) => one.permission)
  await until(async () => (await used()).length > 0)
  assert.equal(await used(), ['tickets.view'])
  assert.is(await statusOf(desk.get('/tickets/export', key)), 200)
  await until(async () => (await used()).length > 1)
  assert.equal(await used(), ['tickets.export', 'tickets.view'])
})

test('a key has a rate of its own, and its account keeps the rest', async ({ desk, agent }) => {
  const key = await keyOf(desk, agent, { permissions: ['tickets.view'], rate: 3 })
  const answers: Answer[] = []
  for (let count = 0; count < 4; count += 1) answers.push(await desk.get('/tickets', key))
  assert.equal(
    answers.map(({ status }) => status),
    [200, 200, 200, 429],
  )
  assert.is(answers[0]?.headers['x-ratelimit-limit'], '3')
  assert.is(await statusOf(desk.get('/tickets', agent)), 200)
})

test('what is wrong with a new key is said by field', async ({ desk, agent }) => {
  const wrong = {
    permissions: ['tickets.veiw', 'roles.manage', '*'],
    networks: ['10.0.0.1', '10.0.0.0/8'],
    methods: ['get', 'GET'],
    days: 366,
  }
  const { status, body } = await desk.post('/auth/keys', agent, { name: 'x', ...wrong })
  assert.is(status, 422)
  assert.equal(Object.keys(body.errors).sort(), [
    'days',
    'methods.0',
    'networks.0',
    'permissions.0',
    'permissions.1',
    'permissions.2',
  ])
  assert.match(body.errors['permissions.0'][0], /did you mean "tickets.view"/)
  assert.is(body.errors['permissions.1'][0], 'You do not have the permission roles.manage')
})

test('rules that name no permission speak of a key only with own', async ({ desk, agent }) => {
  const plain = await keyOf(desk, agent, { permissions: ['tickets.view'] })
  const own = await keyOf(desk, agent, { permissions: ['tickets.view'], own: true })
  assert.equal(await Promise.all([plain, own].map((one) => statusOf(desk.get('/auth/me', one)))), [403, 200])
  assert.equal(await Promise.all([plain, own].map((one) => statusOf(desk.get('/auth/sessions', one)))), [403, 200])
  const me = await desk.get('/users', own)
  assert.equal(me.list.map(({ id }) => id).includes(agent.id), true)
  assert.is(await statusOf(desk.put(`/users/${agent.id}`, plain, { first_name: 'Forged' })), 403)
  const nothing = await keyOf(desk, agent)
  assert.is(await statusOf(desk.get('/tickets', nothing)), 403)
})

test('no key looks after keys or sessions, or leaves work that the whole account would do', async ({ desk }) => {
  const key = await keyOf(desk, desk.admin, { permissions: ['*'], own: true })
  assert.is(await statusOf(desk.get('/settings/roles', key)), 200)
  assert.is(await statusOf(desk.get('/auth/keys', key)), 403)
  assert.is(await statusOf(desk.post('/auth/keys', key, { name: 'more' })), 403)
  const { list } = await desk.get('/auth/keys', desk.admin)
  assert.is(await statusOf(desk.remove(`/auth/keys/${list[0]?.id}`, key)), 403)
  const sessions = await desk.get('/auth/sessions', desk.admin)
  assert.is(await statusOf(desk.remove(`/auth/sessions/${sessions.list[0]?.id}`, key)), 403)
  const file = (value: string, name: string) => [{ name: 'file', value, file: name }]
  // So many rows are imported as a job.
  const rows = file(`Subject\n${'From a file\n'.repeat(2_001)}`, 'many.csv')
  const refused = await sendParts(desk, 'POST', '/tickets/import', key, rows)
  assert.is(refused.status, 403, refused.text)
  assert.match(refused.text, 'a key has only some: sign in for it')
  const few = file('Subject\nFrom a file\n', 'few.csv')
  assert.is((await sendParts(desk, 'POST', '/tickets/import', key, few)).status, 200)
})

test('a key of an admin gives nobody a role above its own permissions', async ({ desk }) => {
  const key = await keyOf(desk, desk.admin, {
    permissions: ['users.view', 'users.create', 'users.update', 'users.approve'],
    own: true,
  })
  const { list } = await desk.get('/settings/roles?per_page=100', desk.admin)
  const admin = list.find(({ slug }) => slug === 'admin')?.id
  const body = {
    first_name: 'E',
    last_name: 'V',
    email: 'e@people.example',
    password: 'a very long secret',
    password_confirmation: 'a very long secret',
    role_id: admin,
  }
  const made = await desk.post('/users', key, body)
  assert.is(made.status, 403, made.text)
  const other = await desk.person('admin', 'Ada')
  const raised = await desk.put(`/users/${other.id}`, key, { first_name: 'Other' })
  assert.is(raised.status, 403, raised.text)
})

test('a key works only from its networks, and by its methods', async ({ desk, agent }) => {
  const key = await keyOf(desk, agent, {
    permissions: ['tickets.view', 'tickets.create'],
    networks: ['10.1.0.0/16', '2001:db8::/32'],
    methods: ['GET'],
  })
  const from = (address: string, method = 'GET') =>
    desk.call(method, '/tickets', {
      as: key,
      headers: { 'x-forwarded-for': address },
      ...(method === 'POST' && { body: { subject: 'x', details: 'x' } }),
    })
  assert.equal(
    await Promise.all(
      ['10.1.2.3', '::ffff:10.1.2.3', '2001:db8::1', '10.2.0.1', '127.0.0.1'].map((one) => statusOf(from(one))),
    ),
    [200, 200, 200, 401, 401],
  )
  assert.is(await statusOf(from('10.1.2.3', 'HEAD')), 200)
  const posted = await from('10.1.2.3', 'POST')
  assert.equal([posted.status, posted.at('message')], [403, 'This key takes GET alone'])
})

test('a key loses what its account loses, at the next request', async ({ desk }) => {
  const person = await desk.person('agent', 'Gone')
  const key = await keyOf(desk, person, { permissions: ['tickets.view', 'tickets.create'] })
  assert.is(await statusOf(desk.get('/tickets', key)), 200)
  await grant(desk, 'agent', 'tickets.view', false)
  assert.is(await statusOf(desk.get('/tickets', key)), 403)
  await grant(desk, 'agent', 'tickets.view')
  assert.is(await statusOf(desk.get('/tickets', key)), 200)
  const { knex } = desk.engine.database
  await knex('access_keys')
    .where({ user_id: person.id })
    .update({ expires_at: new Date(Date.now() - 1) })
  assert.is(await statusOf(desk.get('/tickets', key)), 401)
  await knex('access_keys')
    .where({ user_id: person.id })
    .update({ expires_at: new Date(Date.now() + 60_000) })
  assert.is(await statusOf(desk.get('/tickets', key)), 200)
  assert.is(await statusOf(desk.put(`/users/${person.id}`, desk.admin, { status: 'declined' })), 200)
  assert.is(await statusOf(desk.get('/tickets', key)), 401)
})

test('a text that only looks like a key is none', async ({ desk, agent }) => {
  const { token } = await keyOf(desk, agent, { permissions: ['tickets.view'] })
  const changed = `${token.slice(0, 20)}${token[20] === 'A' ? 'B' : 'A'}${token.slice(21)}`
  for (const wrong of ['plk_', 'plk_x', changed, token.slice(0, -1), `${token}0`, token.toUpperCase()])
    assert.is(await statusOf(desk.get('/tickets', { ...agent, token: wrong })), 401, wrong)
})

test('who holds keys.manage sees and ends the keys of everybody, by permission too, and never a secret', async ({
  desk,
  agent,
}) => {
  const key = await keyOf(desk, agent, { name: 'Seen', permissions: ['tickets.view', 'tickets.assign'] })
  const path = '/settings/keys'
  assert.is(await statusOf(desk.get(path, agent)), 403)
  const all = await desk.get(`${path}?per_page=100`, desk.admin)
  assert.is(all.status, 200, all.text)
  assert.not.match(all.text, new RegExp(`hash|${key.token.slice(12)}`))
  const [seen] = all.list.filter(({ name }) => name === 'Seen')
  assert.equal([seen?.user, seen?.start], [{ id: agent.id, name: 'Asa Tester' }, key.token.slice(0, 12)])
  const by = async (query: string) => (await desk.get(`${path}?${query}`, desk.admin)).list.map(({ name }) => name)
  assert.equal(await by('permissions[contains]=tickets.assign'), ['Seen'])
  assert.ok((await by(`user_id=${agent.id}`)).length > 1)
  assert.is(await statusOf(desk.get('/tickets', key)), 200)
  await until(async () => (await desk.get(`/settings/key-uses?key_id=${seen?.id}`, desk.admin)).list.length === 1)
  const program = await keyOf(desk, desk.admin, { permissions: ['*'] })
  assert.is(await statusOf(desk.remove(`${path}/${seen?.id}`, program)), 403)
  assert.is(await statusOf(desk.remove(`${path}/${seen?.id}`, desk.admin)), 204)
  assert.is(await statusOf(desk.get('/tickets', key)), 401)
  const [ended] = (await desk.get(`/auth/history?act=key_ended&user_id=${agent.id}`, desk.admin)).list
  assert.equal(
    [ended?.by, ended?.details],
    [
      { id: desk.admin.id, name: 'First Admin' },
      { name: 'Seen', start: key.token.slice(0, 12) },
    ],
  )
})

test('a permission that a handler asks for counts among the uses of a key', async ({ desk, agent }) => {
  const made = await desk.post('/auth/keys', desk.admin, { name: 'Splits', permissions: ['*'], own: true })
  const key = { ...desk.admin, token: String(made.at('data.key')) }
  const ticket = await desk.post('/tickets', desk.admin, { subject: 'One of two', details: 'x', assigned_to: agent.id })
  const first = await desk.post(`/tickets/${ticket.at('data.id')}/comments`, desk.admin, { comment: 'Another matter' })
  assert.is(first.status, 201, first.text)
  const split = await desk.post(`/tickets/${ticket.at('data.id')}/split`, key, {
    comments: [first.at('data.id')],
    subject: 'The other',
  })
  assert.ok(split.status < 300, split.text)
  const used = async () =>
    ((await desk.get(`/auth/keys/${made.at('data.id')}`, desk.admin)).at('data.used') as { permission: string }[]).map(
      (one) => one.permission,
    )
  await until(async () => (await used()).includes('tickets.assign'))
})

test('a revoked key, session and role hold at the next request on every instance', async () => {
  const env = { TRUST_PROXY: '1', APP_SECRET: 'one secret for all instances of a desk' }
  const one = await openDesk(env)
  const two = await application({ resources: 'resources', env, database: one.engine.database })
  const there = async (token: string, path = '/tickets') => (await two.call('GET', `/api/v1${path}`, { token })).status
  try {
    await grant(one, 'agent', 'keys.own')
    const person = await one.person('agent', 'Twin')
    const key = await keyOf(one, person, { permissions: ['tickets.view'] })
    assert.equal([await there(key.token), await there(person.token)], [200, 200])
    await grant(one, 'agent', 'tickets.view', false)
    assert.equal([await there(key.token), await there(person.token, '/users')], [403, 200])
    await grant(one, 'agent', 'tickets.view')
    assert.is(await there(key.token), 200)
    const [made] = (await one.get('/auth/keys', person)).list
    assert.is(await statusOf(one.remove(`/auth/keys/${made?.id}`, person)), 204)
    assert.is(await there(key.token), 401)
    const [session] = (await one.get('/auth/sessions', person)).list
    assert.is(await statusOf(one.remove(`/auth/sessions/${session?.id}`, person)), 204)
    assert.is(await there(person.token), 401)
  } finally {
    await two.close()
    await one.close()
  }
})

/** The clauses by which a route is open; a public route is open to everybody. */
function clausesOf(route: BoundRoute): readonly (readonly Access[])[] {
  if (!isResourceRoute(route))
    return route.access === 'public' ? [[{ kind: 'anyone' }]] : route.access.map((one) => [one])
  const policy = route.action === 'list' || route.action === 'get' ? 'view' : route.action
  return route.resource.policies[policy].map(({ access }) => access)
}

test('for 200 drawn scopes each route is open to a key if and only if role and scope allow it', async ({ desk }) => {
  const { app } = desk.engine
  const { foundation } = app
  const owner = await desk.person('manager', 'Mia')
  await grant(desk, 'manager', 'keys.own')
  const { knex } = desk.engine.database
  const { token } = await keyOf(desk, owner)
  const context = {
    ...foundation,
    options: {},
    ip: '127.0.0.1',
    method: 'GET',
    headers: { authorization: `Bearer ${token}` },
  }
  const account = (await authenticate({
    ...context,
    headers: { authorization: `Bearer ${owner.token}` },
  } as never)) as Actor
  const routes = app.routes.filter((route) =>
    isResourceRoute(route) ? route.parent === undefined : route.admit === undefined,
  )
  const isOpen = (route: BoundRoute, actor: Actor): boolean => {
    try {
      checkAccess({ route, needsToken: true }, actor)
      return true
    } catch {
      return false
    }
  }
  let open = 0
  const names = fc.subarray([...app.catalog.permissions.keys(), '*'])
  await fc.assert(
    fc.asyncProperty(names, fc.boolean(), async (permissions, own) => {
      await knex('access_keys')
        .where({ user_id: owner.id })
        .update({ permissions: JSON.stringify(permissions), own })
      const actor = (await authenticate(context as never))!
      const named = (permission: string): boolean => permissions.includes('*') || permissions.includes(permission)
      for (const route of routes) {
        const expected = clausesOf(route).some(
          (clause) =>
            clause.every((one) => allows(one, account) && (one.kind !== 'permission' || named(one.permission))) &&
            (own || clause.some(({ kind }) => kind === 'permission') || clause.every(({ kind }) => kind === 'anyone')),
        )
        assert.is(
          isOpen(route, actor),
          expected,
          `${route.method} ${route.path} ${JSON.stringify({ permissions, own })}`,
        )
        if (expected) open += 1
      }
    }),
    { numRuns: 200 },
  )
  assert.ok(routes.length > 150 && open > 1_000, `${routes.length} routes, ${open} open`)
})

test.run()
