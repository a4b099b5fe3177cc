/** GET /<path>/summary: counts, sums and means by groups, of the records that the caller sees. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { application, type TestApplication } from '../support/application.ts'

const RESOURCES = {
  'app.yaml': 'name: Shop\nplugins: { who: {} }\n',
  'kinds.yaml': `
resource: kinds
fields: { name: { type: string, required: true } }
policies: { view: [{ who: signed_in }], create: [{ role: keeper }], update: [], delete: [] }
`,
  'sales.yaml': `
resource: sales
search: [note]
fields:
  note:   { type: string }
  pieces: { type: integer }
  price:  { type: decimal, scale: 2 }
  state:  { type: enum, values: [open, paid] }
  gift:   { type: boolean, default: false, nullable: false }
  sold_on: { type: date }
  asked_at: { type: timestamp }
  sent_at: { type: timestamp }
  margin: { type: integer, read: [{ role: keeper }] }
  secret_state: { type: enum, values: [x, y], read: [{ role: keeper }] }
relations:
  kind: { belongs_to: kinds, embed: [id, name] }
summary: true
filters: [pieces]
policies:
  view: [{ role: keeper }, { role: seller, where: { gift: false } }]
  create: [{ role: keeper }]
  update: []
  delete: []
`,
  'notes.yaml': `
resource: notes
fields: { text: { type: string }, stars: { type: integer }, day: { type: date } }
summary: { by: [day], of: [stars] }
policies: { view: [{ who: anyone }], create: [{ role: keeper }], update: [], delete: [] }
`,
  'plain.yaml': `
resource: plains
fields: { text: { type: string } }
policies: { view: [{ who: anyone }], create: [{ role: keeper }], update: [], delete: [] }
`,
}

const KEEPER = '1:keeper:'
const SELLER = '2:seller:'

const SALES = [
  {
    kind_id: 1,
    pieces: 1,
    price: '1.50',
    state: 'open',
    sold_on: '2026-01-05',
    asked_at: '2026-01-05T10:00:00Z',
    sent_at: '2026-01-05T11:00:00Z',
  },
  {
    kind_id: 1,
    pieces: 2,
    price: '2.50',
    state: 'paid',
    sold_on: '2026-01-06',
    asked_at: '2026-01-05T23:30:00Z',
    sent_at: '2026-01-06T01:30:00Z',
    margin: 9,
  },
  {
    kind_id: 2,
    pieces: 6,
    price: '10.00',
    state: 'paid',
    sold_on: '2026-01-21',
    note: 'large',
    asked_at: '2026-01-21T10:00:00Z',
    secret_state: 'x',
  },
  { kind_id: null, pieces: null, price: null, state: 'open', sold_on: null, gift: true, asked_at: null },
]

type Group = Record<string, unknown>

let app: TestApplication
const test = suite('summary')

test.before(async () => {
  app = await application({ resources: RESOURCES, plugins: 'test/support/plugins' })
  const post = async (path: string, body: object) => {
    const answer = await app.call('POST', path, { token: KEEPER, body })
    assert.is(answer.status, 201, answer.text)
  }
  for (const name of ['Tea', 'Cups']) await post('/kinds', { name })
  for (const sale of SALES) await post('/sales', sale)
})
test.after(() => app?.close())

async function summary(query: string, token = KEEPER): Promise<Group[]> {
  const answer = await app.call('GET', `/sales/summary?${query}`, { token })
  assert.is(answer.status, 200, answer.text)
  return answer.body.data
}

/** What is wrong, by parameter. */
async function refused(query: string, token = KEEPER): Promise<Record<string, string>> {
  const answer = await app.call('GET', `/sales/summary?${query}`, { token })
  assert.is(answer.status, 422, answer.text)
  const errors: Record<string, string[]> = answer.body.errors
  return Object.fromEntries(Object.entries(errors).map(([name, sentences]) => [name, sentences.join('. ')]))
}

test('without words it is the count of all', async () => {
  assert.equal(await summary(''), [{ count: 4 }])
  assert.equal(await summary('', SELLER), [{ count: 3 }])
})

test('groups of a relation have its record, and come in order, those without one last', async () => {
  assert.equal(await summary('by=kind_id&of=count,sum:pieces,avg:pieces,min:price,max:price,sum:price'), [
    {
      kind_id: 1,
      count: 2,
      'sum:pieces': 3,
      'avg:pieces': 1.5,
      'min:price': '1.50',
      'max:price': '2.50',
      'sum:price': '4.00',
      kind: { id: 1, name: 'Tea' },
    },
    {
      kind_id: 2,
      count: 1,
      'sum:pieces': 6,
      'avg:pieces': 6,
      'min:price': '10.00',
      'max:price': '10.00',
      'sum:price': '10.00',
      kind: { id: 2, name: 'Cups' },
    },
    {
      kind_id: null,
      count: 1,
      'sum:pieces': null,
      'avg:pieces': null,
      'min:price': null,
      'max:price': null,
      'sum:price': null,
      kind: null,
    },
  ])
})

test('several groups, an order of their own, and a limit', async () => {
  assert.equal(await summary('by=state,gift&of=count,distinct:kind_id&sort=-distinct:kind_id,state'), [
    { state: 'paid', gift: false, count: 2, 'distinct:kind_id': 2 },
    { state: 'open', gift: false, count: 1, 'distinct:kind_id': 1 },
    { state: 'open', gift: true, count: 1, 'distinct:kind_id': 0 },
  ])
  const answer = await app.call('GET', '/sales/summary?by=state&sort=-state&limit=1', { token: KEEPER })
  assert.equal(answer.body.data, [{ state: 'paid', count: 2 }])
  assert.is(answer.body.meta.more, true)
})

test('weeks without records are there, and the clocks of a zone decide where a day begins', async () => {
  assert.equal(await summary('by=sold_on:week&of=count,sum:pieces,avg:pieces'), [
    { 'sold_on:week': '2026-01-05', count: 2, 'sum:pieces': 3, 'avg:pieces': 1.5 },
    { 'sold_on:week': '2026-01-12', count: 0, 'sum:pieces': 0, 'avg:pieces': null },
    { 'sold_on:week': '2026-01-19', count: 1, 'sum:pieces': 6, 'avg:pieces': 6 },
    { 'sold_on:week': null, count: 1, 'sum:pieces': null, 'avg:pieces': null },
  ])
  const days = async (zone: string) =>
    (await summary(`by=asked_at&pieces[lte]=2${zone}`)).map((group) => [group.asked_at, group.count])
  assert.equal(await days(''), [['2026-01-05', 2]])
  assert.equal(await days('&zone=Europe/Berlin'), [
    ['2026-01-05', 1],
    ['2026-01-06', 1],
  ])
})

test('periods are filled for each of the other groups', async () => {
  const months = await summary('by=state,sold_on:month&gift=false')
  assert.equal(
    months.map((group) => [group.state, group['sold_on:month'], group.count]),
    [
      ['open', '2026-01-01', 1],
      ['paid', '2026-01-01', 2],
    ],
  )
  const hours = await summary('by=asked_at:hour&pieces=2')
  assert.equal(hours, [{ 'asked_at:hour': '2026-01-05T23:00:00.000000Z', count: 1 }])
  for (const step of ['quarter', 'year']) assert.equal((await summary(`by=sold_on:${step}&pieces=1`)).length, 1)
})

test('the time between two moments, in seconds', async () => {
  assert.equal(await summary('of=avg:asked_at..sent_at,median:asked_at..sent_at,max:asked_at..sent_at,min:asked_at'), [
    {
      'avg:asked_at..sent_at': 5400,
      'median:asked_at..sent_at': 5400,
      'max:asked_at..sent_at': 7200,
      'min:asked_at': '2026-01-05T10:00:00.000000Z',
    },
  ])
  assert.equal(await summary('of=median:pieces'), [{ 'median:pieces': 2 }])
})

test('filters, conditions and search choose the records', async () => {
  assert.equal(await summary('state=paid'), [{ count: 2 }])
  assert.equal(await summary('search=larg'), [{ count: 1 }])
  assert.equal(await summary(`where=${encodeURIComponent('{"kind.id":1}')}&of=sum:pieces`), [{ 'sum:pieces': 3 }])
})

test('what the caller may not read is no word of a summary, and the same as what is not there', async () => {
  assert.equal(await summary('of=sum:margin'), [{ 'sum:margin': 9 }])
  assert.equal(await refused('of=sum:margin', SELLER), {
    of: 'There is no sum of "margin"; known: pieces, price, sold_on, asked_at, sent_at',
  })
  assert.equal(await refused('of=sum:margim', SELLER), {
    of: 'There is no sum of "margim"; known: pieces, price, sold_on, asked_at, sent_at',
  })
  assert.match((await refused('by=secret_state', SELLER)).by ?? '', /^Cannot group by "secret_state"/)
})

test('mistakes are told with what would be right', async () => {
  assert.match((await refused('by=stat')).by ?? '', 'did you mean "state"?')
  assert.match((await refused('by=note')).by ?? '', 'Cannot group by "note"')
  assert.match((await refused('by=sold_on:hour')).by ?? '', 'sold_on:day, sold_on:week')
  assert.match((await refused('by=state:week')).by ?? '', 'has no steps')
  assert.match((await refused('by=state,kind_id,gift,sold_on')).by ?? '', 'at most 3 items')
  assert.match((await refused('of=total:price')).of ?? '', 'There is no figure "total:price"')
  assert.match((await refused('of=avg:sent_at')).of ?? '', 'between two moments')
  assert.match((await refused('of=avg:pieces..price')).of ?? '', 'between two moments')
  assert.match((await refused('sort=-price')).sort ?? '', 'allowed: count')
  assert.match((await refused('zone=Mars')).zone ?? '', 'time zone')
  assert.match((await refused('limit=1001')).limit ?? '', 'between 1 and 1000')
  assert.equal(Object.keys(await refused('page=2&per_page=3&colour=red')).sort(), ['colour', 'page', 'per_page'])
})

test('a resource says what may be grouped and summed up, or has no summary', async () => {
  const notes = (query: string) => app.call('GET', `/notes/summary?${query}`)
  assert.equal((await notes('by=day:year&of=sum:stars')).body.data, [])
  assert.match((await notes('by=created_at')).body.errors.by[0], 'Cannot group by')
  assert.is((await app.call('GET', '/plains/summary')).status, 404)
  assert.is((await app.call('GET', '/sales/summary')).status, 401)
})

test.run()
