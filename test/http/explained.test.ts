/** `Prefer: explain`: who may ask reads which rules decided; for all others the header is not there. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { JsonObject } from '../../engine/json.ts'
import { type Answer, application, type TestApplication } from '../support/application.ts'

const test = suite('Prefer: explain')

const RESOURCES = {
  'app.yaml':
    'name: Desk\nprefix: /api\nexplain: { permission: answers.explain }\nplugins: { timestamps: {}, soft_delete: {}, mail: {}, auth: { roles: [admin, agent, customer] } }\n',
  'roles.yaml': `resource: roles
seeds:
  key: slug
  rows:
    - { slug: admin, name: Admin, permissions: ["*"] }
    - { slug: agent, name: Agent, permissions: [answers.explain] }
    - { slug: customer, name: Customer, permissions: [] }
`,
  'notes.yaml': `resource: notes
fields:
  title:  { type: string, required: true }
  secret: { type: string, read: { role: admin } }
  late:   { type: string, show: asked }
relations:
  owner: { belongs_to: users, embed: false }
filters: [title]
rules:
  has_a_title: { must: { title: { ne: none } }, says: A note has a title }
policies:
  view:   [{ role: admin }, { who: signed_in, where: { owner: $actor } }]
  create: [{ who: signed_in, set: { owner: $actor } }]
  update: [{ who: signed_in, where: { owner: $actor } }]
  delete: [{ role: admin }]
`,
}

let app: TestApplication
const tokens: Record<string, string> = {}

interface Told {
  readonly policy?: string
  readonly verdicts: readonly JsonObject[]
  readonly rules: readonly JsonObject[]
  readonly outcome: string
  readonly says: string
  readonly field: { readonly outcome: string }
}

/** A request of somebody; with `prefer`, the header. */
function call(who: string, request: string, prefer?: string, body?: object): Promise<Answer> {
  const [method = '', path = ''] = request.split(' ')
  const headers = { 'x-request-id': 'the-same', ...(prefer === undefined ? {} : { prefer }) }
  return app.call(method, `/api${path}`, { token: tokens[who], headers, ...(body === undefined ? {} : { body }) })
}

function told(answer: Answer): Told {
  return answer.body.meta.explain ?? {}
}

test.before(async () => {
  const env = { ADMIN_EMAIL: 'boss@desk.example', ADMIN_PASSWORD: 'a very long secret' }
  app = await application({ resources: RESOURCES, env, now: () => new Date('2026-05-05T10:00:00Z') })
  const admin = await app.call('POST', '/api/auth/login', {
    body: { email: env.ADMIN_EMAIL, password: env.ADMIN_PASSWORD },
  })
  tokens.admin = admin.body.data.token
  for (const name of ['ann', 'bob', 'agent']) {
    const password = 'a long secret of mine'
    const body = {
      first_name: name,
      last_name: 'Reed',
      email: `${name}@desk.example`,
      password,
      password_confirmation: password,
    }
    const made = await app.call('POST', '/api/auth/register', { body })
    assert.is(made.status, 201, made.text)
    tokens[name] = made.body.data.token
  }
  const { adhoc } = app.engine.app.foundation.database
  const promote =
    "update users set role_id = (select id from roles where slug = 'agent') where email = 'agent@desk.example'"
  await adhoc.run({ text: promote }, [])
  assert.is((await call('ann', 'POST /notes', undefined, { title: 'mine', late: 'x' })).status, 201)
})
test.after(() => app?.close())

test('a refusal says which clause decided, where it stands, and that it does not reach the record', async () => {
  const refused = await call('agent', 'GET /notes/1', 'explain')
  assert.is(refused.status, 403)
  assert.is(refused.headers['preference-applied'], 'explain')
  const { policy, verdicts, outcome } = told(refused)
  assert.is(policy, 'view')
  assert.match(outcome, /^403 /)
  assert.equal(
    verdicts.map(({ clause, speaks, reaches }) => [clause, speaks, reaches]),
    [
      ['{ role: admin }', false, undefined],
      ['{ who: signed_in, where: { owner: $actor } }', true, false],
    ],
  )
  assert.match(String(verdicts[0]?.place), /notes\.yaml:12:\d+$/)
  assert.not.match(refused.text, /select|"statements"/i)
  const missing = await call('agent', 'GET /notes/99', 'explain')
  assert.equal([missing.status, told(missing).outcome.slice(0, 3)], [404, '404'])
  const written = await call('agent', 'PATCH /notes/1', 'explain', { title: 'x' })
  assert.equal([written.status, told(written).policy], [403, 'update'])
  assert.equal(told(written).rules[0]?.name, 'has_a_title')
})

test('an answer says why a field of it is left out or empty', async () => {
  const plain = await call('admin', 'GET /notes/1')
  const headers = { prefer: 'return=minimal, Explain=late' }
  const answer = await app.call('GET', '/api/notes/1', { token: tokens.admin, headers })
  assert.is(answer.status, 200)
  assert.match(told(answer).field.outcome, 'left out: it is answered to those who ask for it')
  assert.equal(answer.body.data, plain.body.data)
  const empty = await call('admin', 'GET /notes/1', 'explain=secret')
  assert.is(told(empty).field.outcome, 'empty: nothing is stored there')
  assert.match(told(await call('admin', 'GET /notes/1', 'explain=titel')).says, 'Did you mean title?')
  const list = await call('admin', 'GET /notes?title=mine', 'explain')
  assert.is(told(list).outcome, '200, 1 of 1 records')
  assert.match(told(await call('admin', 'GET /auth/me', 'explain')).says, 'judges this request itself')
})

test('somebody else is asked about without being asked as: rules and outcome, never a value', async () => {
  const bob = await call('admin', 'GET /notes/1', 'explain=secret; as="bob@desk.example"')
  assert.is(bob.body.data.title, 'mine')
  assert.match(told(bob).outcome, /^403 /)
  assert.match(told(bob).field.outcome, 'is not for this caller')
  const ann = await call('agent', 'GET /notes/1', 'explain; as=ann@desk.example')
  assert.equal([ann.status, told(ann).outcome], [403, '200'])
  assert.not.match(ann.text, 'mine')
  assert.is(told(await call('agent', 'GET /notes/1', 'explain; as=nobody@x')).says, 'There is nobody called nobody@x.')
  const before = (await call('admin', 'GET /notes/1')).body.data
  await call('agent', 'DELETE /notes/1', 'explain; as=boss@desk.example')
  assert.equal((await call('admin', 'GET /notes/1')).body.data, before)
})

test('without the right every answer is the same to the byte, with the header and without', async () => {
  const requests: readonly (readonly [request: string, body?: object])[] = [
    ['GET /notes'],
    ['GET /notes/1'],
    ['GET /notes/99'],
    ['GET /notes/1?fields=secret'],
    ['GET /nowhere'],
    ['PATCH /notes/1', { title: 4 }],
    ['DELETE /notes/1'],
    ['PUT /notes', {}],
    ['GET /auth/me'],
    ['OPTIONS /notes'],
    ['GET /roles/1'],
  ]
  const prefer = 'explain=secret; as="boss@desk.example"'
  const counted = new Set(['x-ratelimit-remaining', 'x-ratelimit-reset', 'date'])
  const bytes = ({ headers, status, text }: Answer) => {
    return [status, text, Object.entries(headers).filter(([name]) => !counted.has(name))]
  }
  for (const who of ['nobody', 'bob', 'ann'])
    for (const [request, body] of requests) {
      const [without, with_] = [await call(who, request, undefined, body), await call(who, request, prefer, body)]
      assert.equal(bytes(with_), bytes(without), `${who} ${request}`)
    }
  const document = JSON.stringify(app.engine.app.document())
  assert.not.match(document, /prefer: explain|`explain`/i)
  // The check above can fail: with the right, the answers differ.
  assert.not.equal(bytes(await call('agent', 'GET /notes/1', prefer)), bytes(await call('agent', 'GET /notes/1')))
})

test('where app.yaml gives nobody the right, an admin has it neither', async () => {
  const { 'app.yaml': text, ...others } = RESOURCES
  const roles = others['roles.yaml'].replace('[answers.explain]', '[]')
  const env = { ADMIN_EMAIL: 'boss@desk.example', ADMIN_PASSWORD: 'a very long secret' }
  const closed = await application({
    resources: { ...others, 'roles.yaml': roles, 'app.yaml': text.replace(/explain: .*\n/, '') },
    env,
  })
  const login = await closed.call('POST', '/api/auth/login', {
    body: { email: env.ADMIN_EMAIL, password: env.ADMIN_PASSWORD },
  })
  const answer = await closed.call('GET', '/api/notes/1', {
    token: login.body.data.token,
    headers: { prefer: 'explain' },
  })
  assert.equal([answer.status, answer.body.meta.explain], [404, undefined])
  await closed.close()
})

test('another method of the path is explained without running it', async () => {
  const answer = await call('agent', 'GET /notes/1', 'explain; as="ann@desk.example"; method=PATCH')
  const { outcome, policy, rules } = told(answer)
  assert.is(policy, 'update')
  assert.equal(
    rules.map(({ name }) => name),
    ['has_a_title'],
  )
  assert.is(outcome, undefined)
  const gone = await call('agent', 'GET /notes/1', 'explain; as="ann@desk.example"; method=delete')
  assert.match(told(gone).outcome, /^403 /)
  assert.is((await call('admin', 'GET /notes/1')).status, 200)
  const none = await call('agent', 'GET /notes', 'explain; method=PUT')
  assert.match(told(none).says, /answers .*GET.*, not PUT/)
})

test.run()
