/** All records that a filter finds, and the record with a unique value, written by one request. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Ask, KEEPER, SELLER, things } from './things.ts'

const test = suite('records by filter and by unique value')
let call: Ask
let close: () => Promise<void>

test.before(async () => {
  ;({ call, close } = await things())
})
test.after(() => close?.())

test('all that a filter finds is changed, unless there is more than max', async () => {
  const create = [1, 2, 3].map((at) => ({ code: `f${at}`, name: `F${at}`, price: 77 }))
  await call('POST', 'things/batch', { create })
  const more = await call('PATCH', 'things?price=77&max=2', { sold: true })
  assert.is(more.status, 409)
  assert.match(String(more.at('message')), /^3 records match/)
  assert.equal((await call('GET', 'things?price=77&sold=true')).list, [])
  const counted = await call('PATCH', 'things?price=77&max=2&dry_run=true', { sold: true })
  assert.equal(counted.at('data'), { matched: 3 })
  const done = await call('PATCH', 'things?price=77&max=3', { sold: true })
  assert.is(done.status, 200, done.text)
  assert.is(done.at('data.matched'), 3)
  assert.is((await call('GET', 'things?price=77&sold=true')).list.length, 3)
  const wrong = await call('PATCH', 'things?price=77&max=3', { price: -5 })
  assert.is(wrong.status, 422)
  assert.equal(Object.keys(wrong.at('errors') as object), ['price'], 'what is wrong for each of them is told once')
  const [record] = (await call('GET', 'things?price=77&per_page=1')).list
  const taken = await call('PATCH', 'things?price=77&max=3', { code: String(record?.code) })
  assert.is(taken.status, 422, taken.text)
  const places = Object.keys(taken.at('errors') as object)
  assert.ok(places.length < 3 && places.every((place) => place.endsWith('.code') && place !== `${record?.id}.code`))
})

test('partly: each record that a filter finds is written for itself, and those that are refused are named', async () => {
  const create = [1, 2, 3].map((at) => ({ code: `p${at}`, name: `P${at}`, price: 88 }))
  const made = await call('POST', 'things/batch', { create })
  const [one, two, three] = (made.at('data.create') as readonly { readonly id: number }[]).map(({ id }) => id)
  const told = await call('PATCH', 'things?price=88&max=3&partial=true', { code: 'p2' })
  assert.is(told.status, 200, told.text)
  assert.equal([told.at('data.matched'), told.at('data.ids')], [3, [two]])
  const refused = told.at('data.refused') as readonly Record<string, unknown>[]
  assert.equal(
    refused.map(({ code, id, status }) => [id, status, code]),
    [
      [one, 422, 'validation_failed'],
      [three, 422, 'validation_failed'],
    ],
  )
  assert.equal(Object.keys(refused[0]?.errors as object), ['code'])
  await call('POST', 'things', { code: 'p4', name: 'P4', price: 88 })
  const more = await call('PATCH', 'things?price=88&max=3&partial=true', { sold: true })
  assert.is(more.status, 409, 'what came since the count is not written, and nothing else is')
  assert.equal((await call('GET', 'things?price=88&sold=true')).list, [])
  const deleted = await call('DELETE', 'things?price=88&max=4&partial=true')
  assert.equal([deleted.at('data.ids.length'), deleted.at('data.refused')], [4, []])
})

test('all that a filter finds is deleted, and a request that chooses nothing is refused', async () => {
  const all = await call('DELETE', 'things?max=500')
  assert.is(all.status, 422)
  assert.equal(Object.keys(all.at('errors') as object), ['filter'])
  assert.equal((await call('DELETE', 'things?price=77')).at('errors'), { max: ['The max is required'] })
  for (const max of ['0', '-1', '501', '9007199254740991']) {
    const { errors } = (await call('DELETE', `things?price=77&max=${max}`)).body
    assert.equal(errors, { max: ['The max must be between 1 and 500'] }, max)
  }
  assert.equal(Object.keys((await call('DELETE', 'things?price=77&max=10&page=2')).at('errors') as object), ['page'])
  assert.equal(Object.keys((await call('DELETE', 'things?pric=77&max=10')).at('errors') as object), ['pric'])
  assert.equal((await call('DELETE', 'things?search=F2&max=10')).at('data.matched'), 1)
  assert.equal((await call('DELETE', 'things?price=77&max=10')).at('data.matched'), 2)
  assert.equal((await call('GET', 'things?price=77')).list, [])
})

test('a condition finds records as in a list, and one that its caller may not ask is refused', async () => {
  await call('POST', 'things/batch', {
    create: [
      { code: 'w1', name: 'W1', price: 31 },
      { code: 'w2', name: 'W2', price: 32 },
    ],
  })
  const where = (condition: object) => `where=${encodeURIComponent(JSON.stringify(condition))}`
  const done = await call('PATCH', `things?${where({ any: [{ price: 31 }, { code: 'w2' }] })}&max=5`, { sold: true })
  assert.is(done.at('data.matched'), 2)
  assert.is((await call('DELETE', `things?${where({ prize: 31 })}&max=5`)).status, 422)
  for (const nothing of [{}, { all: [] }, { any: [{ code: 'w1' }, {}] }, { not: { all: [{}] } }])
    assert.is((await call('DELETE', `things?${where(nothing)}&max=500`)).status, 422, JSON.stringify(nothing))
})

test('an empty value is refused, whatever else the query says, and lists still count it as absent', async () => {
  await call('POST', 'things/batch', { create: [{ code: 'e1', name: 'E1', price: 41 }] })
  const name = fc.constantFrom('price', 'code', 'search', 'where', 'price[gte]', 'code[contains]', 'code[ne]')
  const value = fc.constantFrom('', '', ' ', '  ')
  const listed = fc
    .tuple(fc.constantFrom('price[in]', 'price[not_in]', 'code[not_in]'), fc.constantFrom('', ',', '7,', ',7', '7,,8'))
    .map(([one, text]) => [one, text] as const)
  const place = fc.boolean()
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.tuple(name, value), listed), place, async ([empty, text], first) => {
      const pair = `${encodeURIComponent(empty)}=${encodeURIComponent(text)}`
      const query = first ? `${pair}&price=41&max=500` : `price=41&max=500&${pair}`
      for (const [method, body] of [
        ['PATCH', { sold: true }],
        ['DELETE', undefined],
      ] as const) {
        const refused = await call(method, `things?${query}`, body)
        assert.is(refused.status, 422, `${method} ${query}`)
        assert.ok(Object.keys(refused.at('errors') as object)[0]?.startsWith(empty), `${method} ${query}`)
      }
    }),
    { numRuns: 40 },
  )
  assert.is((await call('DELETE', 'things?price=41&max=5&dry_run=')).status, 422)
  assert.is((await call('GET', 'things?code=&price=41')).list.length, 1)
})

test('a condition that an empty value makes true of every record is refused where records are written', async () => {
  const textual = fc
    .tuple(fc.constant('code'), fc.constantFrom('contains', 'starts_with', 'ends_with'))
    .map(([field, operator]): object => ({ [field]: { [operator]: '' } }))
  const { whole } = fc.letrec<{ whole: object }>((tie) => ({
    whole: fc.oneof(
      { maxDepth: 2 },
      textual,
      fc.array(tie('whole'), { minLength: 1, maxLength: 2 }).map((all) => ({ all })),
      fc.tuple(tie('whole')).map(([one]) => ({ any: [{ price: 41 }, one] })),
      tie('whole').map((one) => ({ all: [{ price: 41 }, one] })),
      tie('whole').map((not) => ({ not })),
    ),
  }))
  await fc.assert(
    fc.asyncProperty(whole, async (condition) => {
      const query = `things?where=${encodeURIComponent(JSON.stringify(condition))}&max=500`
      assert.is((await call('GET', query.replace('&max=500', ''))).status, 200)
      const refused = await call('DELETE', query)
      assert.is(refused.status, 422, JSON.stringify(condition))
      const [place = '', [sentence = ''] = []] =
        Object.entries(refused.at('errors') as Record<string, string[]>)[0] ?? []
      assert.match(place, /^where\./)
      assert.match(sentence, 'holds for every record')
    }),
    { numRuns: 40 },
  )
  assert.is((await call('GET', 'things?price=41')).list.length, 1)
})

test('a filter finds only what its caller may see', async () => {
  await call('POST', 'things/batch', { create: [{ code: 'k9', name: 'K9', price: 9 }] })
  await call('POST', 'things/batch', { create: [{ code: 's9', name: 'S9', price: 9 }] }, SELLER)
  const changed = await call('PATCH', 'things?price=9&max=9', { name: 'nine' }, SELLER)
  assert.is(changed.at('data.matched'), 1)
  assert.is((await call('GET', 'things/code:k9')).at('data.name'), 'K9')
  assert.is((await call('DELETE', 'things?price=9&max=9', undefined, SELLER)).status, 403)
})

test('a unique value names the record that is changed, or created where there is none', async () => {
  const made = await call('PUT', 'things/by/code/u1', { name: 'U1' })
  assert.is(made.status, 201, made.text)
  assert.is(made.headers.location, `/things/${made.at('data.id')}`)
  const changed = await call('PUT', 'things/by/code/u1', { name: 'U2', code: 'u1' })
  assert.is(changed.status, 200, changed.text)
  assert.equal([changed.at('data.id'), changed.at('data.name')], [made.at('data.id'), 'U2'])
  assert.equal((await call('PUT', 'things/by/code/u1', { code: 'u2', name: 'x' })).at('errors'), {
    code: ['The code field must be the value of the path'],
  })
  assert.equal((await call('PUT', 'things/by/name/u1', {})).at('errors'), { field: ['The field must be one of code'] })
  assert.equal(Object.keys((await call('PUT', 'things/by/code/new', {})).at('errors') as object), ['name'])
  assert.is((await call('PUT', 'things/by/code/new', { name: 'n' }, KEEPER, { 'if-match': '"x"' })).status, 412)
  assert.is((await call('PUT', 'things/by/code/u1', { name: 'n' }, SELLER)).status, 403)
  const only = { 'if-none-match': '*' }
  const there = await call('PUT', 'things/by/code/u1', { name: 'U3' }, KEEPER, only)
  assert.equal([there.status, there.at('message')], [412, 'There is a record with this value already'])
  assert.equal(
    (await call('GET', 'things?code=u1')).list.map(({ name }) => name),
    ['U2'],
  )
  assert.is((await call('PUT', 'things/by/code/u3', { name: 'U3' }, KEEPER, only)).status, 201)
})

test('an upsert of one value by twenty clients at once makes one record', async () => {
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, at) => call('PUT', 'things/by/code/race', { name: `R${at}` })),
  )
  assert.is(answers.filter(({ status }) => status === 201).length, 1)
  assert.is(answers.filter(({ status }) => status === 200).length, 19)
  assert.is((await call('GET', 'things?code=race')).list.length, 1)
  const only = await Promise.all(
    Array.from({ length: 20 }, (_, at) =>
      call('PUT', 'things/by/code/first', { name: `F${at}` }, KEEPER, { 'if-none-match': '*' }),
    ),
  )
  assert.equal(only.map(({ status }) => status).sort(), [201, ...Array.from({ length: 19 }, () => 412)])
})

test('a resource with batch: false has none of these routes', async () => {
  assert.is((await call('POST', 'marks/batch', { create: [{ name: 'm' }] })).status, 405)
  assert.is((await call('PATCH', 'marks?max=1', {})).status, 405)
  assert.is((await call('PUT', 'marks/by/name/m', {})).status, 404)
})

test.run()
