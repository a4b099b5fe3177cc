/**
 * Two instances of the desk on one database, Redis and file store: what is done at one holds at the other, at its next request.
 * Where TEST_DATABASE_URL and TEST_REDIS_URL are not set they share the embedded database in one process, and what Redis does is skipped.
 */
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createEngine, type Engine } from '../../engine/engine.ts'
import { readSettings } from '../../engine/settings.ts'
import { KEYS, type S3Server, s3Server } from '../plugins/media/s3-server.ts'
import { type Answer, type Call, send } from '../support/application.ts'
import { SILENT, type TestDatabase, testDatabase } from '../support/database.ts'
import { until } from '../support/wait.ts'

const { TEST_DATABASE_URL: server, TEST_REDIS_URL: redis } = process.env
const clustered = server !== undefined && redis !== undefined
const test = suite('desk: two instances')
const withRedis = clustered ? test : test.skip
if (!clustered)
  console.log('  skipped without TEST_DATABASE_URL and TEST_REDIS_URL: caches and counts that two instances share')
const EMAIL = 'boss@desk.example'
const PASSWORD = 'a very long secret'
const AUTH_LIMIT = 20

interface Instance {
  readonly engine: Engine
  readonly outbox: string
  call(method: string, path: string, call?: Call): Promise<Answer>
}

let folder: string
let shared: TestDatabase
let files: S3Server
let one: Instance
let two: Instance
let admin: string

async function instance(name: string): Promise<Instance> {
  const dataDir = join(folder, name)
  const settings = readSettings({
    PORT: '0',
    DATA_DIR: dataDir,
    RESOURCES_DIR: 'resources',
    ...(clustered && { DATABASE_URL: shared.url, DATABASE_POOL: '4', REDIS_URL: redis }),
    APP_SECRET: 'one secret for all instances of a desk',
    ADMIN_EMAIL: EMAIL,
    ADMIN_PASSWORD: PASSWORD,
    RATE_LIMIT: '10000',
    AUTH_RATE_LIMIT: String(AUTH_LIMIT),
    S3_ENDPOINT: files.endpoint,
    S3_REGION: KEYS.region,
    S3_BUCKET: KEYS.bucket,
    S3_ACCESS_KEY: KEYS.access,
    S3_SECRET_KEY: KEYS.secret,
  })
  const database = clustered ? {} : { database: shared.database }
  const made = await createEngine({ settings: settings.value!, log: SILENT, ...database })
  const engine = made.value!
  const { url } = await engine.listen()
  return {
    engine,
    outbox: join(dataDir, 'outbox'),
    call: (method, path, call = {}) => send(url, method, `/api/v1${path}`, call),
  }
}

async function made(at: Instance, path: string, body: object, token = admin): Promise<number> {
  const answer = await at.call('POST', path, { token, body })
  assert.is(answer.status, 201, answer.text)
  return Number(answer.body.data.id)
}

async function login(at: Instance, email: string, password = PASSWORD): Promise<string> {
  const answer = await at.call('POST', '/auth/login', { body: { email, password } })
  assert.is(answer.status, 200, answer.text)
  return answer.body.data.token
}

async function register(at: Instance, name: string): Promise<{ readonly id: number; readonly token: string }> {
  const body = { first_name: name, last_name: 'Tester', email: `${name}@people.example` }
  const answer = await at.call('POST', '/auth/register', {
    body: { ...body, password: PASSWORD, password_confirmation: PASSWORD },
  })
  assert.is(answer.status, 201, answer.text)
  return { id: answer.body.data.user.id, token: answer.body.data.token }
}

async function roleId(slug: string): Promise<number> {
  const { body } = await one.call('GET', '/settings/roles', { token: admin })
  return body.data.find((role: { slug: string }) => role.slug === slug).id
}

test.before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plinth-two-'))
  shared = await testDatabase()
  files = await s3Server()
  // Both at once: the first start of a cluster is migrated and seeded by one of them.
  ;[one, two] = clustered
    ? await Promise.all([instance('one'), instance('two')])
    : [await instance('one'), await instance('two')]
  admin = await login(one, EMAIL)
})
test.after(async () => {
  await Promise.all([one?.engine.close(), two?.engine.close()])
  await files?.close()
  await shared?.close()
  await rm(folder, { recursive: true, force: true })
})

test('both started at once made one admin, and a sign-in at one is good at the other', async () => {
  const { body } = await two.call('GET', '/users', { token: admin })
  assert.equal(
    body.data.map((user: { email: string }) => user.email),
    [EMAIL],
  )
})

test('who signs out at one is out at the other', async () => {
  const token = await login(one, EMAIL)
  assert.is((await two.call('GET', '/auth/me', { token })).status, 200)
  assert.is((await one.call('POST', '/auth/logout', { token })).status, 200)
  assert.is((await two.call('GET', '/auth/me', { token })).status, 401)
})

test('a changed role, and changed permissions of a role, are in force at the other', async () => {
  const { id, token } = await register(one, 'rita')
  assert.is((await two.call('GET', '/contacts', { token })).status, 403)
  await one.call('PUT', `/users/${id}`, { token: admin, body: { role_id: await roleId('agent') } })
  assert.is((await two.call('GET', '/contacts', { token })).status, 200)
  const role = await made(one, '/settings/roles', { name: 'Clerk', permissions: ['contacts.view'] })
  await one.call('PUT', `/users/${id}`, { token: admin, body: { role_id: role } })
  assert.is((await two.call('GET', '/contacts', { token })).status, 200)
  await one.call('PUT', `/settings/roles/${role}`, { token: admin, body: { permissions: [] } })
  assert.is((await two.call('GET', '/contacts', { token })).status, 403)
})

test('who is declined or deleted at one is out at the other', async () => {
  const declined = await register(one, 'dora')
  assert.is((await two.call('GET', '/auth/me', { token: declined.token })).status, 200)
  await one.call('POST', `/users/pending/${declined.id}/decline`, { token: admin })
  assert.is((await two.call('GET', '/auth/me', { token: declined.token })).status, 401)
  const deleted = await register(two, 'emil')
  assert.is((await one.call('DELETE', `/users/${deleted.id}`, { token: admin })).status, 204)
  assert.is((await two.call('GET', '/auth/me', { token: deleted.token })).status, 401)
})

withRedis(
  'a status that is renamed at one has its new name at the other as soon as Redis has told, on tickets too',
  async () => {
    const id = await made(one, '/tickets', { subject: 'Printer', details: 'Broken' })
    const before = await two.call('GET', `/tickets/${id}`, { token: admin })
    const status = before.body.data.status_id
    for (let turn = 0; turn < 10; turn += 1) {
      const [writer, reader] = turn % 2 === 0 ? [one, two] : [two, one]
      const body = { name: `Open ${turn}` }
      assert.is((await writer.call('PUT', `/settings/statuses/${status}`, { token: admin, body })).status, 200)
      const shown = async () => (await reader.call('GET', `/tickets/${id}`, { token: admin })).body.data.status.name
      await until(async () => (await shown()) === body.name)
      const listed = await reader.call('GET', '/settings/statuses', { token: admin })
      assert.ok(listed.body.data.some(({ name }: { name: string }) => name === `Open ${turn}`))
    }
  },
)

test('a file that comes in at one is given out at the other', async () => {
  const text = 'Paper tray: empty\n'
  const boundary = 'between'
  const body = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="tray.txt"\r\nContent-Type: text/plain\r\n\r\n${text}\r\n--${boundary}--\r\n`
  const headers = {
    'content-type': `multipart/form-data; boundary=${boundary}`,
    'content-length': String(Buffer.byteLength(body)),
  }
  const sent = await one.call('POST', '/media', { token: admin, body, headers })
  assert.is(sent.status, 201, sent.text)
  const file = await two.call('GET', `/media/${sent.body.data.id}/download`, { token: admin })
  assert.is(file.status, 200, file.text)
  assert.is(file.text, text)
})

test('an answer is replayed by the other when the request comes again with its key', async () => {
  const call = { token: admin, body: { name: 'Once' }, headers: { 'idempotency-key': 'once' } }
  const first = await one.call('POST', '/organizations', call)
  const again = await two.call('POST', '/organizations', call)
  assert.is(again.body.data.id, first.body.data.id)
  assert.is(again.headers['idempotency-replayed'], 'true')
})

test('each mail leaves once, by whichever instance', async () => {
  const mailsOf = async (at: Instance) => (await readdir(at.outbox).catch(() => [])).filter((n) => n.endsWith('.eml'))
  const count = async () => (await mailsOf(one)).length + (await mailsOf(two)).length
  const before = await count()
  const people = Array.from({ length: 12 }, (_, index) => index)
  await Promise.all(
    people.map((index) =>
      made(index % 2 === 0 ? one : two, '/customers', {
        first_name: 'C',
        last_name: 'D',
        email: `c${index}@people.example`,
      }),
    ),
  )
  await until(async () => (await count()) >= before + people.length)
  // Time for one mail too many.
  await pause(300)
  assert.is(await count(), before + people.length)
})

withRedis('requests are counted together', async () => {
  const remaining = async (at: Instance) =>
    Number((await at.call('GET', '/auth/me', { token: admin })).headers['x-ratelimit-remaining'])
  const three = async () => [await remaining(one), await remaining(two), await remaining(one)] as const
  const inTurn = ([first, second, third]: readonly number[]) => second === first! - 1 && third === first! - 2
  let seen = await three()
  for (let tries = 0; tries < 3 && !inTurn(seen); tries += 1) {
    // A new minute may have begun in between; and where Redis does not answer for 80 ms, an instance counts alone for a second.
    await pause(1_100)
    seen = await three()
  }
  assert.ok(inTurn(seen), seen.join(' '))
})

withRedis('guesses at one are counted at the other', async () => {
  const guess = async (at: Instance) =>
    (await at.call('POST', '/auth/login', { body: { email: EMAIL, password: 'a guess' } })).status
  let status = 401
  for (let tries = 0; tries < 2 * AUTH_LIMIT && status === 401; tries += 1)
    status = await guess(tries % 2 === 0 ? one : two)
  assert.is(status, 429)
  assert.equal([await guess(one), await guess(two)], [429, 429])
})

function pause(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms))
}

test.run()
