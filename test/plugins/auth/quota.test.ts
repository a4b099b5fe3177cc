/** The quota of accounts that registered themselves: what they store is counted on every way in, and is theirs no more once they are approved. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Desk, deskFiles, openDesk, PASSWORD, type Person } from '../../desk/desk.ts'
import { application } from '../../support/application.ts'

const test = suite('quota of accounts')
let desk: Desk
let registered = 0

const filesWith = (quota: string) => deskFiles((app) => app.replace(/^ {4}quota: .*$/m, `    quota: ${quota}`))

test.before(async () => {
  desk = await openDesk({}, await filesWith('{ records: 6, bytes: 20KB }'))
})
test.after(() => desk.close())

async function register(): Promise<Person> {
  registered += 1
  const email = `own${registered}@people.example`
  const names = { first_name: 'Own', last_name: `Account${registered}`, email }
  const body = { ...names, password: PASSWORD, password_confirmation: PASSWORD }
  assert.is((await desk.post('/auth/register', undefined, body)).status, 201)
  return desk.login(email, PASSWORD)
}

const SENTENCE =
  'An account that registered itself stores at most 6 records and 20000 bytes until it is approved, and this would be more'

const note = { name: 'Note', details: 'x' }

test('records of every kind are counted, and what is refused is not', async () => {
  const own = await register()
  for (let n = 0; n < 4; n += 1) assert.is((await desk.post('/notes', own, note)).status, 201)
  assert.is((await desk.post('/notes', own, {})).status, 422)
  assert.is((await desk.post('/tickets', own, { subject: 'Help', details: 'It broke' })).status, 201)
  assert.is((await desk.post('/notes', own, note)).status, 201)
  const refused = await desk.post('/notes', own, note)
  assert.is(refused.status, 403, refused.text)
  assert.is(refused.at('message'), SENTENCE)
  assert.is((await desk.get('/notes', own)).list.length, 5)
})

test('comments count, and so do the bytes of values', async () => {
  const own = await register()
  const made = await desk.post('/tickets', own, { subject: 'Long', details: 'x'.repeat(12_000) })
  assert.is(made.status, 201, made.text)
  const path = `/tickets/${made.at('data.id')}/comments`
  assert.is((await desk.post(path, own, { comment: 'y'.repeat(9_000) })).status, 403)
  assert.is((await desk.post(path, own, { comment: 'short' })).status, 201)
  assert.is((await desk.get(path, own)).list.length, 1)
})

test('files count', async () => {
  const own = await register()
  const made = await desk.post('/tickets', own, { subject: 'Files', details: 'x' })
  const send = (bytes: number) => {
    const edge = 'edge'
    const body = `--${edge}\r\ncontent-disposition: form-data; name="ticket_id"\r\n\r\n${made.at('data.id')}\r\n--${edge}\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\ncontent-type: text/plain\r\n\r\n${'a'.repeat(bytes)}\r\n--${edge}--\r\n`
    return desk.call('POST', '/media', {
      as: own,
      body,
      headers: { 'content-type': `multipart/form-data; boundary=${edge}`, 'content-length': String(body.length) },
    })
  }
  assert.is((await send(15_000)).status, 201)
  const refused = await send(6_000)
  assert.is(refused.status, 403, refused.text)
  assert.is(refused.at('message'), SENTENCE)
  assert.is((await desk.get('/media', own)).list.length, 1)
})

test('requests that arrive together do not pass the quota', async () => {
  const own = await register()
  const answers = await Promise.all(Array.from({ length: 15 }, () => desk.post('/notes', own, note)))
  const statuses = answers.map(({ status }) => status)
  assert.is(statuses.filter((status) => status === 201).length, 6, statuses.join())
  assert.is(statuses.filter((status) => status === 403).length, 9)
})

test('who is approved has no quota any more, and who was made by staff never had one', async () => {
  const own = await register()
  for (let n = 0; n < 6; n += 1) assert.is((await desk.post('/notes', own, note)).status, 201)
  assert.is((await desk.post('/notes', own, note)).status, 403)
  assert.is((await desk.post(`/users/pending/${own.id}/approve`, desk.admin)).status, 200)
  assert.is((await desk.post('/notes', own, note)).status, 201)
  const other = await register()
  assert.is((await desk.put(`/users/${other.id}`, desk.admin, { status: 'active' })).status, 200)
  const staff = await desk.person('customer', 'Cleo')
  for (const person of [other, staff])
    for (let n = 0; n < 8; n += 1) assert.is((await desk.post('/notes', person, note)).status, 201)
})

test('nobody lifts their own quota', async () => {
  const own = await register()
  for (const body of [{ status: 'active' }, { self_registered: false }]) {
    const answer = await desk.put(`/users/${own.id}`, own, body)
    assert.ok([403, 422].includes(answer.status), answer.text)
  }
})

/** Things that are written in every way, with accounts that nobody approves. */
async function things(quota: string) {
  const app = await application({
    resources: {
      'app.yaml': `name: Things
plugins: { timestamps: {}, soft_delete: {}, mail: {}, csv: {}, auth: { approval: "off", verify: false${quota} } }
`,
      'things.yaml': `resource: things
batch: true
fields: { code: { type: string, required: true, unique: true }, words: { type: text } }
relations: { parts: { has_many: parts, with_parent: true } }
policies: { view: [{ who: signed_in }], create: [{ who: signed_in }], update: [{ who: signed_in }] }
csv: { import: [{ who: signed_in }], columns: { Code: { path: code, required: true } } }
`,
      'parts.yaml': `resource: parts
fields: { name: { type: string, required: true } }
relations: { thing: { belongs_to: things, required: true } }
policies: { view: [{ who: signed_in }], create: [{ who: signed_in }] }
`,
    },
  })
  const names = { first_name: 'A', last_name: 'B', email: 'a@b.example' }
  const body = { ...names, password: PASSWORD, password_confirmation: PASSWORD }
  const made = await app.call('POST', '/auth/register', { body })
  assert.is(made.status, 201, made.text)
  const token = String(made.at('data.token'))
  const post = (path: string, body: unknown, headers = {}) => app.call('POST', path, { token, body, headers })
  const count = async () => Number((await app.call('GET', '/things', { token })).at('meta.pagination.total'))
  const rows = (codes: readonly string[]) =>
    post(
      '/things/import',
      `--b\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\nContent-Type: text/csv\r\n\r\nCode\n${codes.join('\n')}\n\r\n--b--\r\n`,
      { 'content-type': 'multipart/form-data; boundary=b' },
    )
  return { app, post, count, rows }
}

test('batches, imports, records with their parts and upserts count, where nobody is approved too', async () => {
  const { app, count, post, rows } = await things(', quota: { records: 10 }')
  const codes = (from: number, many: number) => Array.from({ length: many }, (_, at) => `c${from + at}`)
  const created = (names: readonly string[]) => ({ create: names.map((code) => ({ code })) })
  assert.is((await post('/things/batch', created(codes(0, 3)))).status, 200)
  const much = await post('/things/batch', created(codes(100, 8)))
  assert.is(much.status, 403, much.text)
  assert.match(much.text, /stores at most 10 records/)
  assert.is(await count(), 3)
  const tried = await rows(codes(3, 3)).then(() => rows(codes(6, 9)))
  assert.equal([tried.at('data.imported'), tried.at('data.failed')], [4, 5], tried.text)
  assert.match(JSON.stringify(tried.at('data.errors')), /stores at most 10 records/)
  assert.is(await count(), 10)
  assert.is((await post('/things', { code: 'more' })).status, 403)
  await app.close()
})

test('a record with its parts is as many as they are', async () => {
  const { app, count, post } = await things(', quota: { records: 3, bytes: 1GB }')
  assert.is((await post('/things', { code: 'a', parts: [1, 2, 3].map((n) => ({ name: `${n}` })) })).status, 403)
  assert.is(await count(), 0)
  assert.is((await post('/things', { code: 'a', parts: [1, 2].map((n) => ({ name: `${n}` })) })).status, 201)
  assert.is((await post('/things', { code: 'b' })).status, 403)
  await app.close()
})

test('where nobody is approved, the quota ends when somebody with the right writes the status', async () => {
  const { app, post } = await things(', quota: { records: 1 }')
  assert.is((await post('/things', { code: 'a' })).status, 201)
  assert.is((await post('/things', { code: 'b' })).status, 403)
  const [role] = await app.engine.database.knex('roles').where({ slug: 'admin' }).select('id')
  const admin = { first_name: 'C', last_name: 'D', email: 'c@d.example' }
  const body = { ...admin, password: PASSWORD, password_confirmation: PASSWORD }
  const made = await app.call('POST', '/auth/register', { body })
  await app.engine.database.knex('users').where({ email: admin.email }).update({ role_id: role.id })
  const path = `/users/${(await app.engine.database.knex('users').where({ email: 'a@b.example' }).first('id')).id}`
  const token = String(made.at('data.token'))
  for (const status of ['pending', 'active']) {
    const written = await app.call('PATCH', path, { token, body: { status } })
    assert.is(written.status, 200, written.text)
  }
  assert.is((await post('/things', { code: 'b' })).status, 201)
  await app.close()
})

test('the YAML can switch the quota off', async () => {
  const { app, post } = await things(', quota: "off"')
  const { knex } = app.engine.database
  assert.is((await post('/things', { code: 'a' })).status, 201)
  assert.equal(await knex('plinth_quota').select(), [])
  await app.close()
})

for (const [quota, place] of [
  ['{ records: 0 }', /records/],
  ['{ bytes: 100 potatoes }', /bytes/],
  ['{ things: 1 }', /things/],
  ['none', /quota/],
] as const)
  test(`check refuses quota: ${quota}`, async () => {
    const said = await things(`, quota: ${quota}`).then(
      () => '',
      (error: Error) => error.message,
    )
    assert.match(said, place)
    assert.match(said, /app\.yaml:2/)
  })

test.run()
