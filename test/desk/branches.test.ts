/** Policies by what an account says of its person: a desk with branches, to which some people belong and some do not. */
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readCatalog } from '../../engine/boot/boot.ts'
import { type Desk, openDesk, PASSWORD, type Person, registerAt } from './desk.ts'

const BRANCHES = `
resource: branches
fields: { name: { type: string, required: true }, motto: { type: string } }
policies: { view: [{ permission: branches.manage }], create: [{ permission: branches.manage }] }
actions: [list, create]
`

const SHIFTS = `
resource: shifts
fields: { title: { type: string, required: true }, level: { type: integer } }
relations: { branch: { belongs_to: branches } }
policies:
  view:
    - { permission: branches.manage }
    - { role: clerk, where: { branch: $actor.branch } }
    - { role: agent, where: { branch: { ne: $actor.branch_id } } }
    - { role: manager, where: { level: { lte: $actor.level }, title: { ne: $actor.name } } }
  create: [{ permission: branches.manage }, { role: clerk, set: { branch: $actor.branch_id, level: $actor.level } }]
actions: [list, create]
`

const ROUNDS = `
resource: rounds
fields: { title: { type: string, required: true } }
relations: { branch: { belongs_to: branches, required: true } }
policies: { create: [{ role: clerk, set: { branch: $actor.branch } }] }
actions: [create]
`

const INVITATIONS = `
resource: invitations
fields: { title: { type: string, required: true }, email: { type: email, required: true } }
policies:
  view: [{ role: customer, where: { email: $actor.email } }, { role: clerk, where: { email: { ne: $actor.email } } }]
  create: [{ permission: branches.manage }, { role: customer, set: { email: $actor.email } }]
actions: [list, create]
`

const CHANGES = {
  'users.yaml': (text: string) =>
    text
      .replace(
        'fields:\n',
        'fields:\n  level: { type: integer }\n  is_night: { type: boolean, default: false }\n  since: { type: timestamp }\n',
      )
      .replace('relations:\n', 'relations:\n  branch: { belongs_to: branches, embed: false }\n'),
  'roles.yaml': (text: string) => `${text}    - { slug: clerk, name: Clerk, permissions: [notes.own] }\n`,
}

interface State {
  folder: string
  desk: Desk
  person: (role: string, name: string, values?: object) => Promise<Person>
}

const test = suite<State>('desk: branches')

test.before(async (state) => {
  state.folder = await mkdtemp(join(tmpdir(), 'plinth-branches-'))
  await cp('resources', state.folder, { recursive: true })
  await writeFile(join(state.folder, 'branches.yaml'), BRANCHES)
  await writeFile(join(state.folder, 'shifts.yaml'), SHIFTS)
  await writeFile(join(state.folder, 'rounds.yaml'), ROUNDS)
  await writeFile(join(state.folder, 'invitations.yaml'), INVITATIONS)
  for (const [file, change] of Object.entries(CHANGES)) {
    const path = join(state.folder, file)
    await writeFile(path, change(await readFile(path, 'utf8')))
  }
  state.desk = await openDesk({}, state.folder)
  const { admin, post, setting, login } = state.desk
  state.person = async (role, name, values = {}) => {
    const email = `${name.toLowerCase()}@people.example`
    const body = { first_name: name, last_name: 'B', email, password: PASSWORD, password_confirmation: PASSWORD }
    const made = await post('/users', admin, { ...body, role_id: await setting('roles', role), ...values })
    assert.is(made.status, 201, made.text)
    return login(email, PASSWORD)
  }
  for (const name of ['North', 'South']) assert.is((await post('/branches', admin, { name })).status, 201)
  for (const [title, branch_id, level] of [
    ['north', 1, 1],
    ['south', 2, 5],
    ['nowhere', null, null],
  ] as const)
    assert.is((await post('/shifts', admin, { title, branch_id, level })).status, 201)
})
test.after(async ({ desk, folder }) => {
  await desk?.close()
  await rm(folder, { recursive: true, force: true })
})

async function seen({ desk }: State, as: Person): Promise<readonly unknown[]> {
  const answer = await desk.get('/shifts?sort=id', as)
  assert.is(answer.status, 200, answer.text)
  return answer.list.map(({ title }) => title)
}

test('a policy by branch shows what is of one’s branch, or what is not', async (state) => {
  assert.equal(await seen(state, await state.person('clerk', 'Nora', { branch_id: 1 })), ['north'])
  assert.equal(await seen(state, await state.person('agent', 'Nils', { branch_id: 1 })), ['south', 'nowhere'])
})

test('who has no branch sees nothing by either', async (state) => {
  assert.equal(await seen(state, await state.person('clerk', 'Ole')), [])
  assert.equal(await seen(state, await state.person('agent', 'Olga')), [])
})

test('an attribute is read anew with every request', async (state) => {
  const { desk } = state
  const person = await state.person('clerk', 'Wanda', { branch_id: 1 })
  assert.equal(await seen(state, person), ['north'])
  assert.is((await desk.put(`/users/${person.id}`, desk.admin, { branch_id: 2 })).status, 200)
  assert.equal(await seen(state, person), ['south'])
})

test('a record takes an attribute of who makes it', async (state) => {
  const { desk } = state
  const made = await desk.post('/shifts', await state.person('clerk', 'Sven', { branch_id: 2, level: 3 }), {
    title: 'late',
  })
  assert.is(made.status, 201, made.text)
  assert.equal([made.at('data.branch_id'), made.at('data.level')], [2, 3])
  const without = await desk.post('/rounds', await state.person('clerk', 'Vera'), { title: 'early' })
  assert.is(without.status, 422, without.text)
  assert.equal(without.at('errors'), { branch_id: ['The branch id field is required'] })
})

test('numbers and what is computed of an account are attributes too', async (state) => {
  const { desk } = state
  assert.is((await desk.post('/shifts', desk.admin, { title: 'Tess B', level: 4 })).status, 201)
  assert.equal(await seen(state, await state.person('manager', 'Mia', { level: 5 })), [
    'north',
    'south',
    'late',
    'Tess B',
  ])
  assert.equal(await seen(state, await state.person('manager', 'Tess', { level: 4 })), ['north', 'late'])
  assert.equal(await seen(state, await state.person('manager', 'Max')), [])
})

test('an address is an attribute once it is confirmed, in conditions and in what is set', async (state) => {
  const { desk } = state
  const person = await registerAt(desk, 'Eve')
  const invite = (email: string) => desk.post('/invitations', desk.admin, { title: 'Welcome', email })
  for (const email of [person.email, 'somebody@else.example']) assert.is((await invite(email)).status, 201)
  const mine = async (as: Person) => (await desk.get('/invitations', as)).list.map(({ email }) => email)
  assert.equal(await mine(person), [])
  const made = await desk.post('/invitations', person, { title: 'Own' })
  assert.is(made.status, 422, made.text)
  assert.equal(made.at('errors'), { email: ['The email field is required'] })
  assert.is((await desk.put(`/users/${person.id}`, desk.admin, { email_verified: true })).status, 200)
  assert.equal(await mine(person), [person.email])
  assert.is((await desk.post('/invitations', person, { title: 'Own' })).status, 201)
  const clerk = await state.person('clerk', 'Curt', { email_verified: false })
  assert.equal(await mine(clerk), [])
})

test('misspelt roles and permissions of the desk are told before it starts', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'plinth-misspelt-'))
  await cp('resources', folder, { recursive: true })
  const misspell = async (file: string, word: string, wrong: string): Promise<void> => {
    const path = join(folder, file)
    const text = await readFile(path, 'utf8')
    assert.ok(text.includes(word), word)
    await writeFile(path, text.replace(word, wrong))
  }
  await misspell('app.yaml', 'unassigned: [admin, manager]', 'unassigned: [admin, manger]')
  await misspell('app.yaml', 'roles: [admin, manager, agent', 'roles: [admin, manager, agnet')
  const rules = await readCatalog({ resourcesDir: folder, pluginsDir: 'plugins' })
  await misspell(
    'tickets.yaml',
    '{ role: customer, where: { user: $actor } }',
    '{ role: custommer, where: { user: $actor } }',
  )
  await misspell('tickets.yaml', '{ role: customer }]   # of', '{ role: costumer }]   # of')
  await misspell('roles.yaml', '- tickets.assign', '- tickets.asign')
  const words = await readCatalog({ resourcesDir: folder, pluginsDir: 'plugins' })
  await rm(folder, { recursive: true })
  const told = [...rules.diagnostics, ...words.diagnostics].map(({ code, message, hint }) => [code, message, hint])
  const meant = (word: string): string => `did you mean "${word}"?`
  const option = (plugin: string, name: string, role: string): string =>
    `There is no role "${role}", which the option "${name}" of the plugin ${plugin} names`
  assert.equal(told, [
    ['auth/unknown_role', option('auth', 'roles', 'agnet'), meant('agent')],
    ['notifications/unknown_role', option('notifications', 'unassigned', 'manger'), meant('manager')],
    ['unknown_permission', 'There is no permission "tickets.asign"', meant('tickets.assign')],
    ['unknown_role', 'There is no role "custommer"', meant('customer')],
    ['unknown_role', 'There is no role "costumer"', meant('customer')],
  ])
})

test.run()
