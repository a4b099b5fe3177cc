/** Many records by one request: a batch of operations. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { application } from '../support/application.ts'
import { type Ask, KEEPER, READER, SELLER, things } from './things.ts'

const test = suite('a batch')
let call: Ask
let close: () => Promise<void>

test.before(async () => {
  ;({ call, close } = await things())
})
test.after(() => close?.())

async function names(query = ''): Promise<readonly string[]> {
  const { list } = await call('GET', `things?per_page=100&sort=id${query}`)
  return list.map(({ name }) => String(name))
}

test('a batch creates, changes, deletes and restores in one transaction, and answers the records', async () => {
  const first = await call('POST', 'things/batch', {
    create: [
      { code: 'a', name: 'A', price: 1 },
      { code: 'b', name: 'B' },
      { code: 'c', name: 'C' },
    ],
  })
  assert.is(first.status, 200, first.text)
  const made = first.at('data.create') as { id: number; name: string }[]
  assert.equal(
    made.map(({ name }) => name),
    ['A', 'B', 'C'],
  )
  const again = await call('POST', 'things/batch', {
    update: [
      { id: made[0]!.id, name: 'AA' },
      { id: 'code:b', price: 5 },
    ],
    delete: [made[2]!.id],
    create: [{ code: 'd', name: 'D' }],
  })
  assert.is(again.status, 200, again.text)
  assert.equal(
    (again.at('data.update') as { name: string; price: number }[]).map(({ name, price }) => [name, price]),
    [
      ['AA', 1],
      ['B', 5],
    ],
  )
  assert.equal(again.at('data.delete'), [made[2]!.id])
  assert.equal(await names(), ['AA', 'B', 'D'])
  const back = await call('POST', 'things/batch', { restore: [made[2]!.id] })
  assert.equal((back.at('data.restore') as { name: string }[])[0]?.name, 'C')
})

test('of many mistakes the first hundred are told with their number, and the answer is no longer than what was sent', async () => {
  const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`wrong_${at}`, 1]))
  const counts = fc.array(fc.nat({ max: 60 }), { minLength: 1, maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(counts, fc.boolean(), async (numbers, partial) => {
      const create = numbers.map((count, at) => ({ code: `many${at}`, name: 'Many', ...keys(count) }))
      const total = numbers.reduce((sum, count) => sum + count, 0)
      fc.pre(total > 0 && (!partial || total > 100))
      const answer = await call('POST', `things/batch?partial=${partial}`, { create })
      if (!partial) {
        assert.is(answer.status, 422)
        assert.is(Object.keys(answer.at('errors') as object).length, Math.min(total, 100))
        assert.is(answer.at('meta.errors_total'), total > 100 ? total : undefined)
        return
      }
      const outcomes = answer.at('data.create') as {
        status: number
        errors?: object
        errors_total?: number
        data?: object
      }[]
      assert.equal(
        outcomes.map(({ errors = {}, errors_total }) => errors_total ?? Object.keys(errors).length),
        numbers,
      )
      assert.is(outcomes.flatMap(({ errors = {} }) => Object.keys(errors)).length, 100)
      const made = outcomes.flatMap(({ data }) => (data === undefined ? [] : [Reflect.get(data, 'id')]))
      if (made.length > 0) await call('POST', 'things/batch', { delete: made })
    }),
    { numRuns: 25 },
  )
  const create = Array.from({ length: 500 }, (_, at) => ({ code: `x${at}`, name: 'X', ...keys(100) }))
  const { status, text, at } = await call('POST', 'things/batch', { create })
  assert.is(status, 422)
  assert.is(at('meta.errors_total'), 50_000)
  assert.ok(text.length < 30_000, `${text.length} characters`)
})

test('what is wrong with any of them refuses all, and every mistake is told in its place', async () => {
  const before = await names()
  const answer = await call('POST', 'things/batch', {
    create: [{ code: 'x', name: 'X' }, { code: 'a' }, { code: 'y', name: 'Y', price: 0 }],
    update: [
      { id: 'code:a', price: -1 },
      { id: 4711, name: 'nobody' },
      { id: 'code:b', colour: 'red' },
    ],
  })
  assert.is(answer.status, 422, answer.text)
  assert.equal(answer.at('errors'), {
    'create.1.code': ['The code has already been taken'],
    'create.1.name': ['The name field is required'],
    'create.2': ['What is free counts as sold'],
    'update.0.price': ['The price field must be at least 0'],
    'update.1': ['Thing not found'],
    'update.2.colour': ['Unknown field "colour"'],
  })
  assert.equal((answer.at('error_codes') as Record<string, string[]>)['create.1.code'], ['taken'])
  assert.equal(await names(), before)
})

test('two new records of one batch do not get the same unique value', async () => {
  const answer = await call('POST', 'things/batch', {
    create: [
      { code: 'twin', name: '1' },
      { code: 'twin', name: '2' },
    ],
  })
  assert.is(answer.status, 422)
  assert.equal(Object.keys(answer.at('errors') as object), ['create.1.code'])
  assert.equal((await call('GET', 'things?code=twin')).list, [])
})

test('where all are refused for the same other reason, the answer has its status', async () => {
  const missing = await call('POST', 'things/batch', { delete: [4711, 4712] })
  assert.is(missing.status, 404)
  assert.is(missing.at('message'), 'delete.0: Thing not found')
  const forbidden = await call('POST', 'things/batch', { delete: [1] }, SELLER)
  assert.is(forbidden.status, 403)
})

test('partial=true does each for itself and answers each', async () => {
  const answer = await call('POST', 'things/batch?partial=true', {
    create: [
      { code: 'p1', name: 'P1' },
      { code: 'p1', name: 'again' },
      { name: 'no code' },
      { code: 'p2', name: 'P2' },
    ],
    delete: ['code:p1', 4711],
  })
  assert.is(answer.status, 200, answer.text)
  const made = answer.at('data.create') as { status: number; code?: string; errors?: object; data?: { name: string } }[]
  assert.equal(
    made.map(({ status }) => status),
    [201, 422, 422, 201],
  )
  assert.is(made[0]?.data?.name, 'P1')
  assert.equal(made[1]?.errors, { code: ['The code has already been taken'] })
  assert.is(made[1]?.code, 'validation_failed')
  const gone = answer.at('data.delete') as { status: number; message?: string }[]
  assert.equal(
    gone.map(({ status, message }) => [status, message]),
    [
      [200, undefined],
      [404, 'Thing not found'],
    ],
  )
  assert.equal((await call('GET', 'things?code=p2')).list.length, 1)
})

test('a change says which version it is about, and an outcome which one it left', async () => {
  const { id } = (await call('POST', 'things', { code: 'v1', name: 'V1' })).at('data') as { readonly id: number }
  const once = async (change: object) => {
    const answer = await call('POST', 'things/batch?partial=true', { update: [{ id, ...change }] })
    return (answer.at('data.update') as readonly { status: number; code?: string; etag?: string }[])[0]!
  }
  const first = await once({ name: 'V2' })
  assert.is(first.etag, (await call('GET', `things/${id}`)).headers.etag)
  assert.is((await once({ name: 'V3', if_match: first.etag })).status, 200)
  const stale = await once({ name: 'V4', if_match: first.etag })
  assert.equal([stale.status, stale.code, stale.etag], [412, 'stale_version', undefined])
  const all = await call('POST', 'things/batch', { update: [{ id, name: 'V5', if_match: first.etag }] })
  assert.is(all.status, 412, all.text)
  const wrong = await call('POST', 'things/batch', { update: [{ id, name: 'V5', if_match: 7 }] })
  assert.equal(wrong.at('errors'), { 'update.0': ['The update.0.if match field must be the ETag of the record'] })
  const found = await call('PATCH', 'things?code=v1&max=1&partial=true', { name: 'V6' })
  const [etag] = found.at('data.etags') as readonly string[]
  assert.is(etag, (await call('GET', `things/${id}`)).headers.etag)
  assert.is((await once({ name: 'V7', if_match: '*' })).status, 200)
  assert.equal(await names('&code=v1'), ['V7'])
})

test('where a field has the name of the version, it is the field that is written', async () => {
  const app = await application({
    resources: {
      'app.yaml': "name: Tags\nprefix: ''\n",
      'tags.yaml': `resource: tags
batch: true
fields: { if_match: { type: string } }
policies: { view: [{ who: anyone }], create: [{ who: anyone }], update: [{ who: anyone }] }
`,
    },
  })
  const { id } = (await app.call('POST', '/tags', { body: { if_match: 'a' } })).at('data') as { readonly id: number }
  const { status, text } = await app.call('POST', '/tags/batch', { body: { update: [{ id, if_match: 'b' }] } })
  assert.is(status, 200, text)
  assert.is((await app.call('GET', `/tags/${id}`)).at('data.if_match'), 'b')
  await app.close()
})

test('a batch with 5 bad records of 100 writes 95 with partial, and none without', async () => {
  const create = Array.from({ length: 100 }, (_, at) => ({
    code: `n${at}`,
    name: `N${at}`,
    price: at % 20 === 7 ? -1 : 1,
  }))
  const whole = await call('POST', 'things/batch', { create })
  assert.is(whole.status, 422)
  assert.equal(Object.keys(whole.at('errors') as object).length, 5)
  assert.equal(
    (await call('GET', 'things?search=N')).list.filter(({ name }) => /^N\d/.test(String(name))),
    [],
  )
  const partial = await call('POST', 'things/batch?partial=true', { create })
  const statuses = (partial.at('data.create') as { status: number }[]).map(({ status }) => status)
  assert.is(statuses.filter((status) => status === 201).length, 95)
  assert.is(statuses.filter((status) => status === 422).length, 5)
  await call('DELETE', 'things?code[starts_with]=n&max=200')
})

test('each record passes the policies of its caller', async () => {
  const made = await call('POST', 'things/batch', { create: [{ code: 's1', name: 'S1' }] }, SELLER)
  assert.is(made.status, 200, made.text)
  const mixed = await call(
    'POST',
    'things/batch',
    {
      update: [
        { id: 'code:s1', name: 'mine' },
        { id: 'code:a', name: 'not mine' },
      ],
    },
    SELLER,
  )
  assert.is(mixed.status, 403)
  assert.match(String(mixed.at('message')), /^update\.1: /)
  assert.is((await call('POST', 'things/batch', { create: [] }, READER)).status, 403)
  assert.is((await call('POST', 'things/batch', { create: [{}] }, '')).status, 401)
})

test('a body that is no batch is refused with what is expected', async () => {
  const wrong = await call('POST', 'things/batch', {
    creates: [],
    update: {},
    delete: [{ id: 1 }, null],
    create: ['x'],
  })
  assert.is(wrong.status, 422)
  assert.equal(wrong.at('errors'), {
    creates: ['Unknown field "creates"; did you mean "create"?'],
    'create.0': ['The create.0 field must be an object'],
    update: ['The update field must be a list'],
    'delete.0': ['The delete.0 field must be the id of a record'],
    'delete.1': ['The delete.1 field must be the id of a record'],
  })
  assert.equal((await call('POST', 'things/batch', {})).at('errors'), {
    batch: ['The batch must have at least 1 item'],
  })
  const many = await call('POST', 'things/batch', { delete: Array.from({ length: 501 }, (_, at) => at + 1) })
  assert.equal(many.at('errors'), { batch: ['The batch must have at most 500 items'] })
})

test('records of which nothing but what a rule sets is sent are created', async () => {
  const answer = await call('POST', 'badges/batch', { create: [{ kind: 'plain' }, { kind: 'plain' }, {}, {}] })
  assert.is(answer.status, 200, answer.text)
  assert.equal(
    (answer.at('data.create') as { kind: string }[]).map(({ kind }) => kind),
    ['plain', 'plain', 'plain', 'plain'],
  )
})

test('a batch with an Idempotency-Key is done once', async () => {
  const body = { create: [{ code: 'once', name: 'Once' }] }
  const key = { 'idempotency-key': 'batch-1' }
  const [first, second] = [
    await call('POST', 'things/batch', body, KEEPER, key),
    await call('POST', 'things/batch', body, KEEPER, key),
  ]
  assert.is(first.status, 200, first.text)
  assert.is(second.text, first.text)
  assert.is(second.headers['idempotency-replayed'], 'true')
})

test('each started hundred of records counts as a request', async () => {
  const left = (answer: { headers: Record<string, unknown> }) => Number(answer.headers['x-ratelimit-remaining'])
  const before = left(await call('GET', 'things'))
  const ids = Array.from({ length: 101 }, (_, at) => 1_000_000 + at)
  assert.is(left(await call('POST', 'things/batch', { delete: ids })), before - 3)
})

test.run()
