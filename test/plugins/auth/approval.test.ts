/** Approval: pending users listed, approved, declined, and the three modes of the option. */
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Answer, type Desk, openDesk, PASSWORD, type Person } from '../../desk/desk.ts'

let desk: Desk
const test = suite('desk: approval')

test.before(async () => {
  desk = await openDesk()
})
test.after(() => desk.close())

async function register(at: Desk, name: string): Promise<{ answer: Answer; person: Person }> {
  const email = `${name.toLowerCase()}@people.example`
  const body = { first_name: name, last_name: 'New', email, password: PASSWORD, password_confirmation: PASSWORD }
  const answer = await at.post('/auth/register', undefined, body)
  assert.is(answer.status, 201, answer.text)
  const person = {
    id: Number(answer.at('data.user.id')),
    email,
    password: PASSWORD,
    token: String(answer.at('data.token')),
  }
  return { answer, person }
}

/** The desk's own YAML with another approval mode, and perhaps without confirmed addresses. */
async function deskWith(approval: string, verify = 'true'): Promise<{ other: Desk; remove: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'plinth-approval-'))
  await cp('resources', folder, { recursive: true })
  const app = join(folder, 'app.yaml')
  await writeFile(
    app,
    (await readFile(app, 'utf8'))
      .replace('approval: review', `approval: ${approval}`)
      .replace('verify: true', `verify: ${verify}`),
  )
  const other = await openDesk({}, folder)
  return {
    other,
    remove: async () => {
      await other.close()
      await rm(folder, { recursive: true })
    },
  }
}

test('who registered is listed with pagination, for those who may approve', async () => {
  const { person } = await register(desk, 'Abe')
  const manager = await desk.person('manager', 'Max')
  const list = await desk.get('/users/pending?search=abe', manager)
  assert.is(list.status, 200, list.text)
  assert.equal(
    list.list.map(({ id }) => id),
    [person.id],
  )
  assert.is(list.at('meta.pagination.total'), 1)
  const agent = await desk.person('agent', 'Ada')
  assert.is((await desk.get('/users/pending', agent)).status, 403)
  assert.is((await desk.get('/users/pending', person)).status, 403)
})

test('approval makes a pending user active, once', async () => {
  const { person } = await register(desk, 'Bea')
  const approved = await desk.post(`/users/pending/${person.id}/approve`, desk.admin)
  assert.is(approved.status, 200, approved.text)
  assert.is(approved.at('data.status'), 'active')
  assert.is((await desk.get('/auth/me', person)).at('data.status'), 'active')
  const again = await desk.post(`/users/pending/${person.id}/approve`, desk.admin)
  assert.is(again.status, 404)
  assert.is(again.at('message'), 'Pending user not found')
})

test('a declined user is out at once and told so at login, and the address stays taken', async () => {
  const { person } = await register(desk, 'Cia')
  const declined = await desk.post(`/users/pending/${person.id}/decline`, desk.admin)
  assert.is(declined.status, 200, declined.text)
  assert.is(declined.at('data.status'), 'declined')
  assert.is((await desk.get('/auth/me', person)).status, 401)
  const login = await desk.post('/auth/login', undefined, { email: person.email, password: PASSWORD })
  assert.is(login.status, 403)
  assert.is(login.at('message'), 'Account is not active')
  const wrong = await desk.post('/auth/login', undefined, { email: person.email, password: 'something else' })
  assert.is(wrong.status, 401)
  const body = {
    first_name: 'C',
    last_name: 'C',
    email: person.email,
    password: PASSWORD,
    password_confirmation: PASSWORD,
  }
  assert.is((await desk.post('/auth/register', undefined, body)).status, 422)
  await desk.remove(`/users/${person.id}`, desk.admin)
  assert.is((await desk.post('/auth/register', undefined, body)).status, 201)
})

test('nobody decides about people who are not waiting, or not there, or without the right', async () => {
  const agent = await desk.person('agent', 'Dan')
  for (const id of [desk.admin.id, 999_999, 'abc', '0', '-1']) {
    const answer = await desk.post(`/users/pending/${id}/decline`, desk.admin)
    assert.is(answer.status, 404, String(id))
    assert.is(answer.at('message'), 'Pending user not found')
  }
  const { person } = await register(desk, 'Eli')
  assert.is((await desk.post(`/users/pending/${person.id}/approve`, agent)).status, 403)
  assert.is((await desk.post(`/users/pending/${person.id}/approve`, undefined)).status, 401)
})

test('with `required`, a pending user reaches only their own account and logout', async () => {
  const { other, remove } = await deskWith('required')
  try {
    const { person } = await register(other, 'Fay')
    assert.is((await other.get('/auth/me', person)).status, 200)
    const tickets = await other.get('/tickets', person)
    assert.is(tickets.status, 403)
    assert.is(tickets.at('message'), 'Your account is awaiting approval')
    await other.post(`/users/pending/${person.id}/approve`, other.admin)
    assert.is((await other.get('/tickets', person)).status, 200)
    assert.is((await other.post('/auth/logout', person)).status, 200)
  } finally {
    await remove()
  }
})

test('with `off`, who registers is active and nobody is pending; without `verify` an address is taken at its word', async () => {
  const { other, remove } = await deskWith('off', 'false')
  try {
    const { answer, person } = await register(other, 'Gus')
    assert.is(answer.at('data.user.status'), 'active')
    assert.is(answer.at('data.user.email_verified'), true)
    const moved = await other.put(`/users/${person.id}`, person, {
      email: 'gus.new@people.example',
      current_password: PASSWORD,
    })
    assert.is(moved.at('data.email'), 'gus.new@people.example', moved.text)
    assert.is((await other.mails(1)).length, 1, 'only the old address is told')
    assert.is((await other.get('/users/pending', other.admin)).at('meta.pagination.total'), 0)
  } finally {
    await remove()
  }
})

test.run()
