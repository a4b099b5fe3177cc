/** What SCIM may not do: beyond the rights of its key, to the last admin, to programs; and what the history says of it. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ADMIN, type Directory, openDirectory } from './directory.ts'

interface State {
  directory: Directory
}

const test = suite<State>('scim: rights')

test.before(async (state) => {
  state.directory = await openDirectory()
})
test.after(({ directory }) => directory?.close())

const USERS = '/Users'
const PASSWORD = 'a long password of theirs'
const patch = (...operations: readonly object[]) => ({ Operations: operations })
const replace = (path: string, value: unknown) => patch({ op: 'replace', path, value })

async function acts({ call, admin }: Directory, query: string) {
  return (await call('GET', `/api/auth/history?${query}`, { token: admin })).list
}

async function idOf({ scim }: Directory, name: string): Promise<string> {
  const { body } = await scim('GET', `/Users?filter=${encodeURIComponent(`userName eq "${name}"`)}`)
  return String(body.Resources[0]?.id)
}

test('active: false ends sessions and keys at the next request', async ({ directory }) => {
  const { call, scim } = directory
  const id = await directory.user('ann', { password: PASSWORD })
  const token = String((await directory.signIn('ann@acme.example', PASSWORD)).at('data.token'))
  assert.is((await call('GET', '/api/auth/me', { token })).status, 200)
  assert.is((await scim('PATCH', `${USERS}/${id}`, replace('active', 'False'))).status, 200)
  assert.is((await call('GET', '/api/auth/me', { token })).status, 401)
  assert.is((await scim('PATCH', `${USERS}/${id}`, replace('active', true))).status, 200)
  assert.is((await call('GET', '/api/auth/me', { token })).status, 401, 'an old session does not come back')
})

test('nobody comes in without a key that has the permission, and each refusal has the form of the standard', async ({
  directory,
}) => {
  const { admin, call, key } = directory
  const asked = async (token: string | undefined, method = 'GET', body?: unknown) => {
    const answer = await call(method, '/scim/v2/Users', { token, ...(body !== undefined && { body }) })
    assert.is(answer.body.schemas[0], 'urn:ietf:params:scim:api:messages:2.0:Error', answer.text)
    return [answer.status, answer.body.status]
  }
  assert.equal(await asked(undefined), [401, '401'])
  assert.equal(await asked('plk_nothing'), [401, '401'])
  assert.equal(await asked(await key(['users.view'])), [403, '403'])
  const reader = await key(['scim.use', 'users.view'])
  assert.is((await call('GET', '/scim/v2/Users', { token: reader })).status, 200)
  assert.equal(await asked(reader, 'POST', { userName: 'eve@acme.example' }), [403, '403'])
  const sees = await key(['scim.use'])
  assert.is(
    (await call('GET', '/scim/v2/Users', { token: sees })).body.totalResults,
    0,
    'without users.view there is nobody',
  )
  assert.is((await call('GET', '/scim/v2/Users', { token: admin })).status, 200)
})

test('a key gives nobody more than it has, and changes nobody above it', async ({ directory }) => {
  const { call, key } = directory
  const most = ['scim.use', 'roles.view', 'users.view', 'users.create', 'users.update', 'users.delete', 'users.approve']
  const token = await key(most)
  const send = (method: string, path: string, body?: unknown) =>
    call(method, `/scim/v2${path}`, { token, ...(body !== undefined && { body }) })
  const made = await send('POST', '/Users', { userName: 'low@acme.example', displayName: 'Low Key' })
  assert.is(made.status, 201, made.text)
  const agents = await send('POST', '/Groups', { displayName: 'Desk Agents', members: [{ value: made.body.id }] })
  assert.is(agents.status, 201, agents.text)
  const admins = await send('POST', '/Groups', { displayName: 'Desk Admins', members: [{ value: made.body.id }] })
  assert.is(admins.status, 403, admins.text)
  assert.is(
    (await send('GET', `/Groups?filter=${encodeURIComponent('displayName eq "Desk Admins"')}`)).body.totalResults,
    0,
  )
  const boss = await idOf(directory, ADMIN.email)
  for (const [method, body] of [
    ['PATCH', replace('userName', 'mine@evil.example')],
    ['DELETE', undefined],
  ] as const)
    assert.is((await send(method, `${USERS}/${boss}`, body)).status, 403)
  await directory.scim('DELETE', `/Groups/${agents.body.id}`)
})

test('the last administrator keeps the role whatever the groups say, and is not put out', async ({ directory }) => {
  const { admin, call, scim } = directory
  const boss = await idOf(directory, ADMIN.email)
  const group = await scim('POST', '/Groups', { displayName: 'Desk Agents', members: [{ value: boss }] })
  assert.is(group.status, 201, group.text)
  assert.is((await call('GET', '/api/auth/me', { token: admin })).body.data.role.slug, 'admin')
  const [kept] = await acts(directory, `act=role_kept&user_id=${boss}`)
  assert.equal([kept?.provider, kept?.details], ['scim', { instead: 'agent' }])
  const out = await scim('PATCH', `${USERS}/${boss}`, replace('active', false))
  assert.is(out.status, 409, out.text)
  assert.match(out.body.detail, /last active admin/)
  assert.is((await scim('DELETE', `${USERS}/${boss}`)).status, 409)
  assert.is((await scim('DELETE', `/Groups/${group.body.id}`)).status, 204)
  assert.is((await call('GET', '/api/auth/me', { token: admin })).status, 200)
})

test('programs are no users of a directory', async ({ directory }) => {
  const { scim, service } = directory
  assert.is((await scim('GET', `${USERS}/${service}`)).status, 404)
  assert.is((await scim('DELETE', `${USERS}/${service}`)).status, 404)
  assert.is(await idOf(directory, 'directory@programs.example'), 'undefined')
  assert.is(
    (await scim('POST', '/Groups', { displayName: 'Programs', members: [{ value: String(service) }] })).status,
    400,
  )
})

test('what SCIM does is in the history, by the program and from where it came', async ({ directory }) => {
  const { scim, service } = directory
  const id = await directory.user('hist')
  const group = (await scim('POST', '/Groups', { displayName: 'Desk Agents', members: [{ value: id }] })).body.id
  await scim('PATCH', `${USERS}/${id}`, replace('active', false))
  await scim('DELETE', `/Groups/${group}`)
  await scim('DELETE', `${USERS}/${id}`)
  const about = await acts(directory, `user_id=${id}`)
  assert.equal(
    about.map(({ act, by, address }) => [act, (by as { id: number }).id, typeof address]).reverse(),
    ['account_made', 'role_given', 'status_changed', 'role_given', 'account_removed'].map((act) => [
      act,
      service,
      'string',
    ]),
  )
  const [gone, come] = await acts(directory, 'act=group_changed')
  assert.equal(
    [come?.details, gone?.details],
    [
      { group: 'Desk Agents', added: [Number(id)], removed: [] },
      { group: 'Desk Agents', added: [], removed: [Number(id)] },
    ],
  )
})

test('of two requests at once with one user name, one makes an account', async ({ directory }) => {
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, at) =>
      directory.scim('POST', '/Users', {
        userName: 'Same@acme.example',
        emails: [{ value: `same${at}@acme.example` }],
      }),
    ),
  )
  assert.equal(answers.map(({ status }) => status).sort(), [201, 409, 409, 409, 409, 409])
})

test('a plan counts whose role the groups of other options would change', async ({ directory }) => {
  const { catalog, composition } = directory.engine.app
  const plan = composition.plans.find(({ plugin }) => plugin === 'scim')!
  const asked = (roles: readonly object[]) =>
    plan.value({
      catalog,
      runner: directory.engine.database.adhoc,
      now: () => new Date(),
      options: { roles, otherwise: 'customer' } as never,
    })
  const id = await directory.user('plan')
  await directory.scim('POST', '/Groups', { displayName: 'Helpers', members: [{ value: id }] })
  assert.equal(await asked([{ group: 'Helpers', role: 'customer' }]), [])
  assert.equal(await asked([{ group: 'helpers', role: 'agent' }]), [
    'scim: 1 person with the role customer would get agent with the next change of their groups',
  ])
})

test.run()
