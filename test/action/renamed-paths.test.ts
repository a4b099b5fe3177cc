/** Earlier names in paths, lookups, summaries, files and records that come with another one. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Answer, application, type TestApplication } from '../support/application.ts'

const test = suite('earlier names: paths, summaries, files')

const POLICIES =
  'policies: { view: [{ who: anyone }], create: [{ who: anyone }], update: [{ who: anyone }], delete: [{ who: anyone }] }'
const SINCE = 'since: 2026-01-01, until: 2027-01-01'

const RESOURCES = {
  'app.yaml': 'name: Shop\nprefix: /api\nplugins: { timestamps: {}, jobs: {}, csv: {} }\n',
  'people.yaml': `resource: people
fields: { name: { type: string, required: true, unique: true } }
lookup: [id, name]
${POLICIES}`,
  'orders.yaml': `resource: orders
lookup: [id, number]
batch: true
fields:
  number: { type: string, required: true, unique: true, max: 10, renamed_from: { name: code, ${SINCE} } }
  amount: { type: decimal, renamed_from: { name: total, ${SINCE} } }
  state:  { type: enum, values: [open, paid], renamed_from: { name: status, ${SINCE} } }
  due_on: { type: date, renamed_from: { name: due, ${SINCE} } }
relations:
  buyer: { belongs_to: people, column: buyer_ref_id, renamed_from: { name: client, ${SINCE} } }
  lines: { has_many: lines, with_parent: true, show: single, embed: [id, text] }
filters: [buyer_ref_id, state]
summary: true
csv:
  import: [{ who: anyone }]
  columns: { Number: { path: number, key: true }, Buyer: buyer.name, Amount: amount }
${POLICIES}`,
  'lines.yaml': `resource: lines
fields:
  text: { type: string, required: true, max: 10, renamed_from: { name: title, ${SINCE} } }
relations:
  order: { belongs_to: orders, required: true }
${POLICIES}`,
}

let app: TestApplication
test.before(async () => {
  app = await application({ resources: RESOURCES, env: { METRICS_TOKEN: 'metrics-token-of-the-test' } })
  await app.call('POST', '/api/people', { body: { name: 'Ann' } })
  for (const [number, amount] of [
    ['A1', '10.00'],
    ['A2', '5.00'],
  ]) {
    const body = { number, amount, state: 'open', due_on: '2026-03-04', buyer_ref_id: 1 }
    assert.is((await app.call('POST', '/api/orders', { body })).status, 201)
  }
})
test.after(() => app?.close())

/** What clients of earlier versions are told beside the answer. */
function isTold({ headers }: Answer): void {
  assert.equal([headers.deprecation, headers.sunset], ['@1767225600', 'Fri, 01 Jan 2027 00:00:00 GMT'])
}

async function isCounted(resource: string, name: string): Promise<void> {
  const { text } = await app.call('GET', '/metrics', { token: 'metrics-token-of-the-test' })
  assert.match(text, `plinth_earlier_names_total{resource="${resource}",name="${name}",role="anonymous",use="asked"}`)
}

test('a lookup names the field by its earlier name', async () => {
  const found = await app.call('GET', '/api/orders/code:A1?fields=id,number')
  assert.equal([found.status, found.at('data.number')], [200, 'A1'])
  isTold(found)
  await isCounted('orders', 'code')
  const now = await app.call('GET', '/api/orders/number:A1?fields=id,number')
  assert.equal([now.status, now.headers.deprecation], [200, undefined])
  assert.is((await app.call('GET', '/api/orders/total:10')).status, 404)
})

test('a unique value is written under the earlier name of its field', async () => {
  const path = '/api/orders/by/code/A3'
  const made = await app.call('PUT', path, { body: { code: 'A3', total: '1.00' } })
  assert.equal([made.status, made.at('data.number'), made.at('data.amount')], [201, 'A3', '1.00'])
  isTold(made)
  const changed = await app.call('PUT', path, { body: { amount: '2.00' } })
  assert.equal([changed.status, changed.at('data.amount')], [200, '2.00'])
  for (const name of ['code', 'number']) {
    const other = await app.call('PUT', path, { body: { [name]: 'B' } })
    assert.equal([other.status, Object.keys(other.body.errors)], [422, [name]])
  }
  const long = await app.call('PUT', '/api/orders/by/code/A12345678901', { body: {} })
  assert.equal([long.status, Object.keys(long.body.errors)], [422, ['code']])
  const unknown = await app.call('PUT', '/api/orders/by/kode/A3', { body: {} })
  assert.equal(unknown.body.errors, { field: ['The field must be one of number'] })
  await app.call('DELETE', `/api/orders/${made.at('data.id')}`)
})

test('a summary is grouped, summed up and sorted by earlier names', async () => {
  const [was, is] = await Promise.all([
    app.call('GET', '/api/orders/summary?by=status,due:month,client_id&of=count,sum:total&sort=-sum:total&status=open'),
    app.call(
      'GET',
      '/api/orders/summary?by=state,due_on:month,buyer_ref_id&of=count,sum:amount&sort=-sum:amount&state=open',
    ),
  ])
  assert.is(was.status, 200, was.text)
  const later = was.text
    .replaceAll('"due:month"', '"due_on:month"')
    .replaceAll('sum:total', 'sum:amount')
    .replaceAll('"client_id"', '"buyer_ref_id"')
    .replaceAll('"status"', '"state"')
  assert.equal(JSON.parse(later).data, is.body.data)
  isTold(was)
  assert.is(is.headers.deprecation, undefined)
  for (const name of ['status', 'due', 'total', 'client_id']) await isCounted('orders', name)
  const wrong = await app.call('GET', '/api/orders/summary?by=statu')
  assert.not.match(wrong.text, /state, .*state/)
})

test('a relation with a column of its own has the key of before', async () => {
  const { body } = await app.call('GET', '/api/orders?client_id=1&fields=id,client_id,buyer_ref_id,client')
  assert.is(body.data.length, 2)
  assert.equal(body.data[0].client, { id: 1, name: 'Ann' })
  assert.equal([body.data[0].client_id, body.data[0].buyer_ref_id], [1, 1])
  const changed = await app.call('PATCH', '/api/orders/1', { body: { client_id: null } })
  assert.equal([changed.status, changed.at('data.buyer_ref_id')], [200, null])
  await app.call('PATCH', '/api/orders/1', { body: { client_id: 1 } })
})

test('records that come with another one have earlier keys too, and complaints name what was sent', async () => {
  const made = await app.call('POST', '/api/orders', {
    body: { number: 'L1', lines: [{ title: 'one' }, { text: 'two' }] },
  })
  assert.is(made.status, 201, made.text)
  assert.equal(
    (made.at('data.lines') as { text: string }[]).map(({ text }) => text),
    ['one', 'two'],
  )
  isTold(made)
  await isCounted('lines', 'title')
  const lines = [{ title: 'much too long for it' }, { text: 'much too long for it' }]
  const refused = await app.call('POST', '/api/orders', { body: { number: 'L2', lines } })
  assert.equal([refused.status, Object.keys(refused.body.errors)], [422, ['lines.0.title', 'lines.1.text']])
  const { paths } = app.engine.app.document() as { paths: object }
  assert.ok(paths)
  await app.call('DELETE', `/api/orders/${made.at('data.id')}`)
})

/** Imports orders from a file of these rows. */
function imported(rows: string, path = '/api/orders/import', headers: Readonly<Record<string, string>> = {}) {
  const part = 'content-disposition: form-data; name="file"; filename="orders.csv"\r\ncontent-type: text/csv'
  return app.call('POST', path, {
    body: `--b\r\n${part}\r\n\r\n${rows}\r\n--b--\r\n`,
    headers: { 'content-type': 'multipart/form-data; boundary=b', ...headers },
  })
}

test('a file of before has its titles, and whoever sends it is told and counted', async () => {
  const answer = await imported('Code,Client,Total\r\nF1,Ann,7.50\r\n')
  assert.is(answer.status, 200, answer.text)
  isTold(answer)
  for (const name of ['code', 'client', 'total']) await isCounted('orders', name)
  const { body } = await app.call('GET', '/api/orders/number:F1')
  assert.equal([body.data.amount, body.data.buyer.name], ['7.50', 'Ann'])
})

test('present titles are not told of, and a map may name what was before', async () => {
  const present = await imported('Number,Buyer,Amount\r\nF2,Ann,1.00\r\n')
  assert.equal([present.status, present.headers.deprecation], [200, undefined], present.text)
  const before = await count('client')
  const mapped = await imported('Number,Who,Amount\r\nF3,Ann,1.00\r\n', '/api/orders/import?map=Who:Client')
  assert.is(mapped.status, 200, mapped.text)
  isTold(mapped)
  assert.is(await count('client'), before + 1)
})

async function count(name: string): Promise<number> {
  const { text } = await app.call('GET', '/metrics', { token: 'metrics-token-of-the-test' })
  const line = `plinth_earlier_names_total{resource="orders",name="${name}",role="anonymous",use="asked"} `
  return Number(text.slice(text.indexOf(line) + line.length).split('\n', 1)[0])
}

test.run()
