/** What the routes of accounts answer of an account: no field that their caller may not read. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { application, type TestApplication } from '../../support/application.ts'

const HIDDEN = 'read: { permission: users.update }'
const FILES = {
  'app.yaml': 'name: Shelf\nprefix: /v1\nplugins: { timestamps: {}, soft_delete: {}, mail: {}, auth: {} }\n',
  'users.yaml': `
resource: users
fields:
  city: { type: string, default: Utrecht }
  remark: { type: string, default: pays late, ${HIDDEN} }
relations:
  boss: { belongs_to: users, embed: [id, name], ${HIDDEN} }
`,
  'roles.yaml': `
resource: roles
seeds: { key: slug, rows: [{ slug: gate, name: Gate, permissions: [users.approve] }] }
`,
}

const test = suite('accounts in answers')
const PASSWORD = 'correct horse battery'
let app: TestApplication

test.before(async () => {
  app = await application({ resources: FILES })
})
test.after(() => app?.close())

const person = (name: string) => ({ first_name: name, last_name: 'A', email: `${name}@shelf.example` })

async function post(path: string, body?: object, token?: string) {
  const answer = await app.call('POST', `/v1${path}`, { ...(body && { body }), token })
  assert.ok(answer.status < 300, answer.text)
  return answer.body.data
}

function register(name: string) {
  return post('/auth/register', { ...person(name), password: PASSWORD, password_confirmation: PASSWORD })
}

function isPlain(user: Record<string, unknown>): void {
  assert.is(user.city, 'Utrecht')
  for (const name of ['remark', 'boss', 'boss_id']) assert.not.ok(name in user, name)
}

test('who registers and signs in is shown what it may read of itself', async () => {
  const { token, user } = await register('ann')
  isPlain(user)
  assert.equal(user.role.slug, 'member')
  isPlain((await post('/auth/login', { email: 'ann@shelf.example', password: PASSWORD })).user)
  isPlain((await app.call('GET', '/v1/auth/me', { token })).body.data)
})

test('who approves is shown what it may read of others', async () => {
  const { knex } = app.engine.database
  const { token, user } = await register('gate')
  const [role] = await knex('roles').where({ slug: 'gate' }).select('id')
  await knex('users').where({ id: user.id }).update({ role_id: role.id, status: 'active' })
  for (const [name, verb, status] of [
    ['ben', 'approve', 'active'],
    ['cy', 'decline', 'declined'],
  ]) {
    const { user: other } = await register(String(name))
    const decided = await post(`/users/pending/${other.id}/${verb}`, undefined, token)
    isPlain(decided)
    assert.equal([decided.id, decided.status], [other.id, status])
  }
})

test.run()
