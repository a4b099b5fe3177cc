/** What the client does beside asking: errors as classes, repetitions, pages, batches; over HTTP, on a small application. */
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { application, type TestApplication } from '../support/application.ts'
import { type AnyClient, clientOf } from '../support/client.ts'

const test = suite('plinth client: requests')

const YAML = {
  'app.yaml': 'name: Notes\nversion: v1\nprefix: /api\nplugins: { timestamps: {}, soft_delete: {} }\n',
  'notes.yaml': `resource: notes
fields:
  title: { type: string, required: true, unique: true }
  stars: { type: integer, min: 1, max: 5 }
filters: [title, stars]
soft_delete: true
restore: true
policies:
  view:    [{ who: anyone }]
  create:  [{ who: anyone }]
  update:  [{ who: anyone }]
  delete:  [{ who: anyone }]
  restore: [{ who: anyone }]
`,
}

type Fetch = typeof globalThis.fetch

let served: TestApplication
let module: Awaited<ReturnType<typeof clientOf>>
let api: AnyClient

test.before(async () => {
  served = await application({ resources: YAML })
  module = await clientOf(join(served.dataDir, '..', 'resources'))
  api = client()
})
test.after(() => served?.close())

/** A client; `between` stands between it and the network. */
function client(between: Fetch = fetch, options: object = {}): AnyClient {
  return module.createClient({ baseUrl: `${served.address}/`, fetch: between, ...options })
}

/** Answers some requests itself, and notes each. */
function failing(times: number, fail: (...given: Parameters<Fetch>) => Promise<Response>) {
  const sent: RequestInit[] = []
  const between: Fetch = (url, init) => {
    sent.push(init ?? {})
    return sent.length <= times ? fail(url, init) : fetch(url, init)
  }
  return { between, sent }
}

function busy(status: number, retryAfter: string): () => Promise<Response> {
  const body = '{"success":false,"message":"Later","code":"unavailable","meta":{}}'
  return async () => new Response(body, { status, headers: { 'Retry-After': retryAfter } })
}

function key({ headers }: RequestInit = {}): string | null {
  return new Headers(headers).get('idempotency-key')
}

async function refused(asked: Promise<unknown>): Promise<Record<string, unknown>> {
  return asked.then(
    () => assert.unreachable('it should have been refused'),
    (error: unknown) => error as Record<string, unknown>,
  ) as Promise<Record<string, unknown>>
}

async function titles(): Promise<readonly string[]> {
  const found: string[] = []
  for await (const note of api.notes.each({ sort: 'id', per_page: 2 })) found.push(note.title)
  return found
}

test('a refusal is an error with its class, code, errors by field and their codes', async () => {
  const wrong = await refused(api.notes.create({ stars: 9 }))
  assert.ok(wrong instanceof module.ValidationFailed)
  assert.ok(wrong instanceof module.ApiError)
  assert.ok(wrong instanceof Error)
  assert.equal([wrong.name, wrong.status, wrong.code], ['ValidationFailed', 422, 'validation_failed'])
  assert.is(wrong.message, 'Validation failed')
  assert.equal(wrong.errors, {
    title: ['The title field is required'],
    stars: ['The stars field must be between 1 and 5'],
  })
  assert.equal(wrong.errorCodes, { title: ['required'], stars: ['out_of_range'] })
  assert.type(wrong.requestId, 'string')
  const absent = await refused(api.notes.get(999))
  assert.ok(absent instanceof module.NotFound)
  assert.equal([absent.code, absent.errors], ['record_not_found', {}])
})

test('a read that is told to wait is repeated, and one that is told to wait for long is not', async () => {
  for (const status of [429, 503]) {
    const { between, sent } = failing(2, busy(status, '0'))
    assert.is((await client(between).notes.list()).status, 200)
    assert.is(sent.length, 3)
  }
  const long = failing(1, busy(503, '61'))
  const error = await refused(client(long.between).notes.list())
  assert.ok(error instanceof module.Unavailable)
  assert.equal([error.retryAfter, long.sent.length], [61, 1])
  const often = failing(9, busy(429, '0'))
  assert.ok((await refused(client(often.between, { retries: 1 }).notes.list())) instanceof module.TooManyRequests)
  assert.is(often.sent.length, 2)
})

test('a creation has a key of its own by which a repetition creates nothing twice', async () => {
  const lost = failing(1, async (url, init) => {
    await fetch(url, init)
    throw new TypeError('the connection was lost')
  })
  const { data, headers } = await client(lost.between).notes.create({ title: 'once' })
  assert.is(data.title, 'once')
  assert.is(headers.get('idempotency-replayed'), 'true')
  assert.is(key(lost.sent[0])?.length, 32)
  assert.is(key(lost.sent[0]), key(lost.sent[1]))
  assert.equal(await titles(), ['once'])
  const own = failing(0, fetch)
  await client(own.between).notes.create({ title: 'mine' }, { idempotencyKey: 'a key of mine' })
  assert.is(key(own.sent[0]), 'a key of mine')
})

test('what has no key is not repeated: changes, and a creation that wants none', async () => {
  const change = failing(1, busy(503, '0'))
  assert.ok((await refused(client(change.between).notes.update(1, { stars: 2 }))) instanceof module.Unavailable)
  const creation = failing(1, busy(503, '0'))
  const keyless = client(creation.between).notes.create({ title: 'none' }, { idempotencyKey: false })
  assert.ok((await refused(keyless)) instanceof module.Unavailable)
  const lost = failing(1, async () => {
    throw new TypeError('the connection was lost')
  })
  assert.ok((await refused(client(lost.between).notes.delete(1))) instanceof module.ConnectionFailed)
  assert.equal(
    [change, creation, lost].map(({ sent }) => sent.length),
    [1, 1, 1],
  )
  assert.is(key(creation.sent[0]), null)
})

test('a signal ends a request, also while it waits', async () => {
  const ending = new AbortController()
  const { between } = failing(1, async () => {
    setImmediate(() => ending.abort(new Error('enough')))
    return busy(503, '50')()
  })
  const error = await refused(client(between).notes.list({}, { signal: ending.signal }))
  assert.is(error.message, 'enough')
  assert.is((await refused(api.notes.list({}, { signal: AbortSignal.abort(new Error('before')) }))).message, 'before')
})

test('each request asks for the token, and sends the headers of the client and its own', async () => {
  const { between, sent } = failing(0, fetch)
  let number = 0
  const asking = client(between, { token: async () => `token-${++number}`, headers: { 'X-One': '1' } })
  await asking.notes.list()
  await asking.notes.list({}, { headers: { 'X-Two': '2' } })
  const headers = sent.map((init) => new Headers(init.headers))
  assert.equal(
    headers.map((one) => one.get('authorization')),
    ['Bearer token-1', 'Bearer token-2'],
  )
  assert.equal([headers[1]?.get('x-one'), headers[1]?.get('x-two')], ['1', '2'])
})

test('many records: a batch, all of it or each for itself, what matches, and a unique value', async () => {
  const made = await api.notes.batch({
    create: [
      { title: 'a', stars: 1 },
      { title: 'b', stars: 1 },
    ],
  })
  const [first] = made.data.create
  const each = await api.notes.batch({ create: [{ title: 'a' }], delete: [first.id] }, { partial: true })
  assert.equal([each.data.create[0].status, each.data.create[0].code], [422, 'validation_failed'])
  assert.is(each.data.delete[0].status, 200)
  assert.is((await api.notes.restore(first.id)).data.title, 'a')
  const counted = await api.notes.updateMatching({ stars: 1, max: 5, dry_run: true }, { stars: 2 })
  assert.equal(counted.data, { matched: 2 })
  const many = await refused(api.notes.updateMatching({ stars: [1], max: 1 }, { stars: 2 }))
  assert.ok(many instanceof module.Conflict)
  const changed = await api.notes.updateMatching({ where: { stars: { lt: 2 } }, max: 5 }, { stars: 2 })
  assert.is(changed.data.matched, 2)
  const created = await api.notes.upsert('title', 'a/b ü', { stars: 3 })
  const again = await api.notes.upsert('title', 'a/b ü', { stars: 4 }, { ifMatch: created.etag })
  assert.equal([created.status, again.status, again.data.stars], [201, 200, 4])
  const stale = await refused(api.notes.update(again.data.id, { stars: 5 }, { ifMatch: created.etag }))
  assert.ok(stale instanceof module.StaleVersion)
  assert.is((await api.notes.deleteMatching({ title: { starts_with: 'a/' }, max: 1 })).data.matched, 1)
})

test('all pages of a list come one after the other, and a query may stand in a body', async () => {
  assert.equal(await titles(), ['once', 'mine', 'a', 'b'])
  const query = { where: { any: [{ stars: 2 }, { title: 'mine' }] }, sort: ['-id'], fields: ['title'], stars: null }
  const { data, meta } = await api.notes.query({ ...query, stars: undefined })
  assert.equal(data, [{ title: 'b' }, { title: 'a' }, { title: 'mine' }])
  assert.is(meta.pagination.total, 3)
  assert.equal((await api.notes.query(query)).data, [{ title: 'mine' }])
  assert.equal((await api.notes.list({ stars: { between: [1, 2] }, omit: ['id'], per_page: 1 })).data.length, 1)
})

test.run()
