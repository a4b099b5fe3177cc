/** Searches with weights: identifiers first, then the heavier field and the closer match, then the newer record. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Answer, application, type TestApplication } from '../support/application.ts'
import { creating } from './created.ts'
import { commentsFile, HELP, POLICIES } from './help.ts'

const RESOURCES = {
  ...HELP,
  'comments.yaml': commentsFile(),
  'tickets.yaml': `
resource: tickets
fields:
  code:    { type: string, unique: true }
  subject: { type: string, required: true }
  details: { type: text }
  secret:  { type: string, read: [{ role: agent }] }
relations:
  state:    { belongs_to: states, embed: [id, name] }
  comments: { has_many: comments, embed: false }
search:
  fields: { code: 1, subject: 3, details: 1, secret: 100, state.name: 2, comments.text: 5 }
sort: { keys: [id, subject], default: id }
policies: { view: [{ who: signed_in }], ${POLICIES} }
`,
}

const AGENT = '1:agent:'
const GUEST = '2:guest:'

const TICKETS = [
  { code: 'GS-1', subject: 'Paper', details: 'The printer has none (see GS-10)' },
  { code: 'GS-10', subject: 'A laserprinter', details: 'GS-1' },
  { code: 'GS-100', subject: 'Printers hum', details: 'GS-1 and GS-1 again: printer' },
  { code: 'GS-4', subject: 'My printer', secret: 'wombat' },
  { code: 'GS-5', subject: 'The PRINTER', details: 'wombats' },
  { code: 'GS-6', subject: 'printer', details: 'C++ (a+b) \\d [x' },
  { code: 'GS-7', subject: 'Mail', details: 'Nothing', state_id: 1 },
  { code: 'GS-8', subject: 'Größe', details: 'a grosse matter' },
]

const test = suite('ranking')
let app: TestApplication

test.before(async () => {
  app = await application({ resources: RESOURCES, plugins: 'test/support/plugins', env: { RATE_LIMIT: '1000' } })
  const create = creating(app, AGENT)
  await create('/states', { name: 'Waiting for a wombat' })
  for (const ticket of TICKETS) await create('/tickets', ticket)
  await create('/comments', { ticket_id: 7, text: 'zebra crossing' })
  await create('/comments', { ticket_id: 8, text: 'zebra', internal: true })
})
test.after(() => app.close())

const get = (text: string, more = '', token = AGENT): Promise<Answer> =>
  app.call('GET', `/tickets?search=${encodeURIComponent(text)}${more}`, { token })

async function found(text: string, more = '', token = AGENT): Promise<readonly number[]> {
  const answer = await get(text, more, token)
  assert.is(answer.status, 200, answer.text)
  return answer.body.data.map(({ id }: { id: number }) => id)
}

test('the whole text comes before a word, its beginning, its inside, and a lighter field', async () => {
  assert.equal(await found('printer'), [6, 5, 4, 3, 2, 1])
})

test('an identifier comes first, whatever else is heavier', async () => {
  assert.equal(await found('gs-1'), [1, 2, 3])
  assert.equal(await found('GS-10'), [2, 1, 3])
})

test('every word counts', async () => {
  assert.equal(await found('printer gs-5'), [5])
  assert.equal(await found('printer gs'), [6, 5, 4, 3, 2, 1])
})

test('as many words as are allowed are ranked', async () => {
  assert.equal(await found('gs-6 printer c++ (a+b) "[x" -waiting -zebra -hum -none -wombat'), [6])
  assert.equal(await found('p pr pri prin print printe printer rinter inter nter'), [6, 5, 4, 3, 2, 1])
})

test('letters and their accents count the same', async () => {
  assert.equal(await found('grosse'), [8])
  assert.equal(await found('GRO\u0308SSE'), [8])
})

test('signs are signs', async () => {
  for (const word of ['C++', '(a+b)', '\\d', '[x', '.', '*', 'e\u0301', '\u0301', 'Ⓐ', '\\']) {
    assert.is((await get(word)).status, 200, word)
  }
  assert.equal(await found('(a+b) c++ \\d [x'), [6])
})

test('a text that the caller may not read decides about no place', async () => {
  assert.equal(await found('wombat'), [4, 7, 5])
  assert.equal(await found('wombat', '', GUEST), [7, 5])
  assert.equal(await found('zebra'), [8, 7])
  assert.equal(await found('zebra', '', GUEST), [7])
})

test('another order may be asked for, and only exclusions have no rank', async () => {
  assert.equal(await found('printer', '&sort=id'), [1, 2, 3, 4, 5, 6])
  assert.equal(await found('printer', '&order=asc'), [1, 2, 3, 4, 5, 6])
  assert.equal(await found('-printer -nothing', ''), [8])
  assert.equal(await found('-printer', ''), [7, 8])
})

test('pages and cursors hold each record once, in the order of the rank', async () => {
  const pages = await Promise.all([1, 2, 3].map((page) => found('printer', `&per_page=2&page=${page}`)))
  assert.equal(pages.flat(), [6, 5, 4, 3, 2, 1])
  const read: number[] = []
  for (let cursor: string | null = 'first'; cursor !== null; ) {
    const answer: Answer = await get('printer', `&per_page=2&cursor=${cursor}`)
    assert.is(answer.status, 200, answer.text)
    read.push(...answer.body.data.map(({ id }: { id: number }) => id))
    cursor = answer.body.meta.pagination.next_cursor
  }
  assert.equal(read, [6, 5, 4, 3, 2, 1])
  const past = await get('printer', '&per_page=5&page=9')
  assert.equal([past.body.data, past.body.meta.pagination.total], [[], 6])
})

test('a cursor goes with its order only', async () => {
  const { next_cursor: ranked } = (await get('printer', '&per_page=2&cursor=first')).body.meta.pagination
  const { next_cursor: sorted } = (await get('printer', '&per_page=2&cursor=first&sort=id')).body.meta.pagination
  assert.is((await get('printer', `&sort=id&cursor=${ranked}`)).status, 422)
  assert.is((await get('printer', `&cursor=${sorted}`)).status, 422)
  assert.is((await app.call('GET', `/tickets?cursor=${ranked}`, { token: AGENT })).status, 422)
})

test.run()
