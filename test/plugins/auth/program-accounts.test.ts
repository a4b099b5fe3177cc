/** Service accounts: those of programs, which have keys and nothing else to come in by, and a person responsible for them. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { asSystem } from '../../../engine/plugin/as-system.ts'
import { checkServiceAccounts } from '../../../plugins/auth/program-accounts.ts'
import { userCommand } from '../../../plugins/auth/user-command.ts'
import { type Answer, type Desk, deskFiles, openDesk, PASSWORD, type Person } from '../../desk/desk.ts'
import { printed } from '../../support/printed.ts'

interface State {
  desk: Desk
  agent: Person
}

const OPTIONS = `
    magic_link: { for: [{ role: agent }] }
    second_factor: { required: [{ role: agent }] }`
const withOptions = (app: string) => app.replace(/^ {4}token_days: .*$/m, (line) => `${line}${OPTIONS}`)

const test = suite<State>('desk: service accounts')

test.before(async (state) => {
  state.desk = await openDesk({ RATE_LIMIT: '60' }, await deskFiles(withOptions))
  state.agent = await state.desk.person('customer', 'Rosa')
})
test.after(({ desk }) => desk.close())

async function roleId(desk: Desk, slug: string): Promise<number> {
  const { list } = await desk.get('/settings/roles?per_page=100', desk.admin)
  return Number(list.find((one) => one.slug === slug)?.id)
}

async function serviceOf(desk: Desk, name: string, responsible: Person, role = 'agent'): Promise<number> {
  const body = { ...(await bodyOf(desk, name, role)), responsible_id: responsible.id }
  const answer = await desk.post('/users', desk.admin, body)
  assert.is(answer.status, 201, answer.text)
  assert.equal([answer.at('data.kind'), answer.at('data.email_verified')], ['service', false])
  return Number(answer.at('data.id'))
}

async function bodyOf(desk: Desk, name: string, role = 'agent') {
  const email = `${name.toLowerCase()}@programs.example`
  return { first_name: name, last_name: 'Program', email, kind: 'service', role_id: await roleId(desk, role) }
}

async function keyOf(desk: Desk, service: number, by = desk.admin, more: object = {}): Promise<Answer> {
  const body = { name: 'Nightly', permissions: ['tickets.view'], user_id: service, ...more }
  return desk.post('/auth/keys', by, body)
}

async function acts(desk: Desk, user: number): Promise<readonly (readonly unknown[])[]> {
  const { list } = await desk.get(`/auth/history?user_id=${user}`, desk.admin)
  return list.map(({ act, by, details }) => [act, (by as { id: number } | null)?.id ?? null, details])
}

test('a service account works by a key that somebody else made, and is in the history', async ({ agent, desk }) => {
  const id = await serviceOf(desk, 'Monitor', agent)
  const made = await keyOf(desk, id)
  assert.is(made.status, 201, made.text)
  const program: Person = { ...agent, id, token: String(made.at('data.key')) }
  // The role must have a second factor; a program has none.
  assert.is((await desk.get('/tickets', program)).status, 200)
  assert.is((await desk.get('/users', program)).status, 403)
  const [made_, born] = await acts(desk, id)
  assert.equal(made_?.slice(0, 2), ['key_made', desk.admin.id])
  assert.equal(born, ['account_made', desk.admin.id, { kind: 'service', responsible: agent.id }])
})

test('nobody signs in to it: by password, link, mail, or a session of a plugin', async ({ agent, desk }) => {
  const id = await serviceOf(desk, 'Shut', agent)
  const email = 'shut@programs.example'
  const before = (await desk.mails()).length
  const passwords = { password: PASSWORD, password_confirmation: PASSWORD }
  const withPassword = await desk.put(`/users/${id}`, desk.admin, passwords)
  assert.is(withPassword.status, 422)
  assert.match(withPassword.text, 'A service account has no password: make a key for it')
  const born = await desk.post('/users', desk.admin, {
    ...(await bodyOf(desk, 'Born')),
    responsible_id: agent.id,
    ...passwords,
  })
  assert.is(born.status, 422, born.text)
  assert.is((await desk.call('POST', '/auth/login', { body: { email, password: PASSWORD } })).status, 401)
  for (const path of ['/auth/password/reset', '/auth/link'])
    assert.is((await desk.call('POST', path, { body: { email } })).status, 200)
  // Whatever opened a session all the same, it is worth nothing.
  const { knex } = desk.engine.database
  await knex('access_tokens').where({ user_id: agent.id }).update({ user_id: id })
  assert.is((await desk.get('/auth/me', agent)).status, 401)
  await knex('access_tokens').where({ user_id: id }).update({ user_id: agent.id })
  assert.is((await desk.get('/auth/me', agent)).status, 200)
  await desk.heard()
  assert.is((await desk.mails()).length, before)
})

test('what a service account must have is said by field', async ({ agent, desk }) => {
  const body = await bodyOf(desk, 'Wrong')
  const lone = await desk.post('/users', desk.admin, body)
  assert.is(lone.status, 422)
  assert.match(lone.text, 'A service account needs a person who is responsible for it')
  const id = await serviceOf(desk, 'First', agent)
  const below = await desk.post('/users', desk.admin, { ...body, responsible_id: id })
  assert.is(below.status, 422, below.text)
  const confirmed = await desk.post('/users', desk.admin, { ...body, responsible_id: agent.id, email_verified: true })
  assert.match(confirmed.text, 'Nobody reads the address of a service account')
  const person = await desk.put(`/users/${agent.id}`, desk.admin, { responsible_id: desk.admin.id })
  assert.match(person.text, 'Only a service account has a person who is responsible for it')
  const changed = await desk.put(`/users/${id}`, desk.admin, { kind: 'person' })
  assert.is(changed.status, 422, changed.text)
})

test('who makes service accounts and their keys holds keys.manage, and reaches nobody above', async ({
  agent,
  desk,
}) => {
  const manager = await desk.person('manager', 'Mo')
  const refused = await desk.post('/users', manager, { ...(await bodyOf(desk, 'Own')), responsible_id: agent.id })
  assert.is(refused.status, 403, refused.text)
  const id = await serviceOf(desk, 'Lower', agent)
  const top = await serviceOf(desk, 'Upper', agent, 'admin')
  assert.is((await keyOf(desk, id, manager)).status, 403)
  assert.is((await desk.get('/auth/key-accounts', manager)).status, 403)
  const { list } = await desk.get('/settings/roles?per_page=100', desk.admin)
  const role = list.find((one) => one.slug === 'manager')!
  const permissions = [...(role.permissions as string[]), 'keys.manage']
  assert.is((await desk.put(`/settings/roles/${role.id}`, desk.admin, { permissions })).status, 200)
  assert.is((await keyOf(desk, id, manager)).status, 201)
  const accounts = await desk.get('/auth/key-accounts', manager)
  const { kind, permissions: named } = accounts.list.find((one) => one.id === id)!
  assert.equal([kind, (await keyOf(desk, id, manager, { permissions: named })).status], ['service', 201])
  assert.ok(accounts.list.every((one) => ![top, manager.id, agent.id].includes(Number(one.id))))
  const ofAdmin = await desk.get('/auth/key-accounts', desk.admin)
  assert.equal([ofAdmin.list[0]?.id, ofAdmin.list[0]?.kind], [desk.admin.id, 'person'])
  assert.ok(ofAdmin.list.some((one) => one.id === top))
  const above = await keyOf(desk, top, manager)
  assert.is(above.status, 403, above.text)
  for (const wrong of [agent.id, 999_999]) assert.is((await keyOf(desk, wrong)).status, 422)
  const wide = await keyOf(desk, id, desk.admin, { permissions: ['roles.manage'] })
  assert.match(wide.text, 'The service account does not have the permission roles.manage')
  const own = await keyOf(desk, id, manager, { user_id: undefined })
  assert.is(own.status, 403, own.text)
})

test('each service account has a bucket of requests of its own', async ({ agent, desk }) => {
  const programs: Person[] = []
  for (const name of ['Busy', 'Calm']) {
    const made = await keyOf(desk, await serviceOf(desk, name, agent))
    programs.push({ ...agent, token: String(made.at('data.key')) })
  }
  const [busy, calm] = programs
  const statuses: number[] = []
  for (let count = 0; count < 61; count += 1) statuses.push((await desk.get('/tickets?per_page=1', busy)).status)
  assert.equal([statuses[0], statuses.at(-1)], [200, 429])
  assert.is((await desk.get('/tickets?per_page=1', calm)).status, 200)
})

test('a role that must not lose its last admin is not held by a program', async ({ agent, desk }) => {
  await serviceOf(desk, 'Admin', agent, 'admin')
  const customer = await roleId(desk, 'customer')
  const answer = await desk.put(`/users/${desk.admin.id}`, desk.admin, { role_id: customer })
  assert.is(answer.status, 409, answer.text)
})

test('when the responsible person goes, the history and doctor say so, and the program works on', async ({ desk }) => {
  const person = await desk.person('agent', 'Gone')
  const id = await serviceOf(desk, 'Orphan', person)
  const made = await keyOf(desk, id)
  const { foundation } = desk.engine.app
  const context = { catalog: foundation.catalog, runner: desk.engine.database.adhoc } as never
  const told = async () => (await checkServiceAccounts(context)).map(({ message }) => message)
  assert.equal(await told(), [])
  assert.is((await desk.remove(`/users/${person.id}`, desk.admin)).status, 204)
  assert.equal((await acts(desk, id))[0], ['responsible_left', desk.admin.id, { responsible: person.id }])
  assert.equal(await told(), ['nobody is responsible for the service account orphan@programs.example any more'])
  const program: Person = { ...person, token: String(made.at('data.key')) }
  assert.is((await desk.get('/tickets', program)).status, 200)
  assert.is((await desk.put(`/users/${id}`, desk.admin, { responsible_id: desk.admin.id })).status, 200)
  assert.equal((await acts(desk, id))[0], [
    'responsible_changed',
    desk.admin.id,
    { before: person.id, after: desk.admin.id },
  ])
  assert.equal(await told(), [])
})

test('at a terminal a service account is made without a password', async ({ agent, desk }) => {
  const set = JSON.stringify({ kind: 'service', responsible_id: agent.id })
  const words = ['--role', 'agent', '--first-name', 'Cron', '--last-name', 'Program', '--set', set]
  const create = (email: string, ...more: readonly string[]) =>
    asSystem(desk.engine.app, 'auth', (context) =>
      printed(() => userCommand(context, ['create', email, ...words, ...more])),
    )
  const { result, text } = await create('cron@programs.example')
  assert.is(result, 0, text)
  assert.match(text, /is a service account with the id \d+/)
  assert.is((await create('at@programs.example', '--random')).result, 2)
})

test.run()
