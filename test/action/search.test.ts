/** Search: words in any order and field, phrases, words that must not be there, and texts without case and accents. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { application, type TestApplication } from '../support/application.ts'

const ANYONE = 'create: [{ who: signed_in }], update: [], delete: []'

const RESOURCES = {
  'app.yaml': 'name: Help\nplugins: { timestamps: {}, soft_delete: {}, who: {} }\n',
  'states.yaml': `
resource: states
fields: { name: { type: string, required: true } }
policies: { view: [{ who: signed_in }], ${ANYONE} }
`,
  'people.yaml': `
resource: people
fields: { name: { type: string, required: true } }
policies: { view: [{ role: agent }], ${ANYONE} }
`,
  'labels.yaml': `
resource: labels
fields: { name: { type: string, required: true } }
policies: { view: [{ who: signed_in }], ${ANYONE} }
`,
  'comments.yaml': `
resource: comments
soft_delete: true
fields:
  text:     { type: text, required: true }
  internal: { type: boolean, default: false }
relations:
  ticket: { belongs_to: tickets }
  writer: { belongs_to: people, embed: false }
search: [text, ticket.comments.text]
policies: { view: [{ role: agent }, { role: guest, where: { internal: false } }], ${ANYONE.replace('delete: []', 'delete: [{ role: agent }]')} }
`,
  'tickets.yaml': `
resource: tickets
fields:
  code:    { type: string, unique: true }
  subject: { type: string, required: true }
  details: { type: text }
  secret:  { type: string, read: [{ role: agent }] }
  extra:   { type: json, schema: { type: object, properties: { colour: { type: string } } } }
relations:
  state: { belongs_to: states, embed: [id, name] }
  owner: { belongs_to: people, embed: false }
  comments: { has_many: comments, embed: false }
  labels: { many_to_many: labels, embed: false }
search: [code, subject, details, secret, state.name, owner.name, comments.text, comments.writer.name, labels.name, extra.colour]
sort: { default: id }
policies: { view: [{ role: agent }, { role: guest, where: { subject: { ne: Hidden } } }], ${ANYONE} }
`,
}

const AGENT = '1:agent:'
const GUEST = '2:guest:'

const TICKETS = [
  { code: 'GS-001', subject: 'Laserdrucker streikt', details: 'Größe A3, Straße 7', state_id: 1, owner_id: 1 },
  { code: 'GS-002', subject: 'The printer is broken', details: 'in the café', state_id: 2, secret: 'purple' },
  { code: 'GS-010', subject: 'Printer paper', details: 'The paper is "thin" and 100% white', state_id: 1 },
  { code: 'X_1', subject: 'Łódź, Smørrebrød and Ærø', details: null, state_id: null },
  {
    code: 'X21',
    subject: 'Hidden',
    details: 'printer',
    state_id: 2,
    owner_id: 1,
    label_ids: [1],
    extra: { colour: 'Türkis' },
  },
]

const search = suite('search')
let app: TestApplication

search.before(async () => {
  app = await application({ resources: RESOURCES, plugins: 'test/support/plugins', env: { RATE_LIMIT: '1000' } })
  const create = async (path: string, body: unknown) => {
    const { status, text } = await app.call('POST', path, { token: AGENT, body })
    assert.is(status, 201, text)
  }
  for (const name of ['Open', 'Closed']) await create('/states', { name })
  await create('/people', { name: 'Renée Müller' })
  for (const name of ['Urgent', 'Wombats']) await create('/labels', { name })
  for (const ticket of TICKETS) await create('/tickets', ticket)
  for (const comment of COMMENTS) await create('/comments', comment)
  assert.is((await app.call('DELETE', '/comments/5', { token: AGENT })).status, 204)
})
search.after(() => app.close())

const COMMENTS = [
  { ticket_id: 1, text: 'Toner is empty' },
  { ticket_id: 1, text: 'A new cartridge is on its way', internal: true },
  { ticket_id: 2, text: 'Toner was replaced', internal: true },
  { ticket_id: 3, text: 'Toner is forgotten', writer_id: 1 },
  { ticket_id: 3, text: 'A wombat' },
]

async function found(text: string, token = AGENT, more = ''): Promise<readonly number[]> {
  const answer = await app.call('GET', `/tickets?search=${encodeURIComponent(text)}${more}`, { token })
  assert.is(answer.status, 200, answer.text)
  const list = answer.body.data as { id: number }[]
  assert.is(answer.body.meta.pagination.total, list.length)
  return list.map(({ id }) => id)
}

const CASES: readonly (readonly [string, readonly number[]])[] = [
  ['printer', [2, 3, 5]],
  ['printer broken', [2]],
  ['broken  printer', [2]],
  ['BROKEN The', [2]],
  ['printer open', [3]],
  ['open closed', []],
  ['drucker', [1]],
  ['drucker 001 müll', [1]],
  ['"is broken"', [2]],
  ['"broken is"', []],
  ['"is BROKEN" closed', [2]],
  ['"is broken', [2]],
  ['printer -paper', [2, 5]],
  ['-paper printer -closed', []],
  ['-printer', [1, 4]],
  ['-"is broken" printer', [3, 5]],
  ['printer -"paper is"', [2, 5]],
  ['-printer -open -"ÆRØ"', []],
  ['GS-001', [1]],
  ['gs-0', [1, 2, 3]],
  ['- printer', [2, 3]],
  ['""', []],
  ['"thin"', [3]],
  ['100%', [3]],
  ['x_1', [4]],
  ['cafe', [2]],
  ['CAFÉ', [2]],
  ['cafe\u0301', [2]],
  ['grosse', [1]],
  ['GRÖSSE', [1]],
  ['strasse', [1]],
  ['straße', [1]],
  ['lodz smorrebrod', [4]],
  ['renee MULLER', [1, 3, 5]],
  ['the the THE', [2, 3]],
  ['toner', [1, 2, 3]],
  ['toner cartridge', [1]],
  ['toner printer', [2, 3]],
  ['toner -printer', [1]],
  ['printer -toner', [5]],
  ['wombat', []],
  ['forgotten muller', [3]],
  ['urgent', [5]],
  ['turkis', [5]],
]
for (const [text, ids] of CASES) {
  search(`${text} finds ${ids.join(' and ') || 'nothing'}`, async () => {
    assert.equal(await found(text), ids)
  })
}

search('what the caller may not read is neither found nor left out', async () => {
  assert.equal(await found('printer purple'), [2])
  assert.equal(await found('printer -purple'), [3, 5])
  assert.equal(await found('printer purple', GUEST), [])
  assert.equal(await found('printer -purple', GUEST), [2, 3])
  assert.equal(await found('-müller', GUEST), [1, 2, 3, 4])
  assert.equal(await found('printer müller', GUEST), [])
})

search('of related records only those that the caller sees are searched', async () => {
  assert.equal(await found('toner', GUEST), [1, 3])
  assert.equal(await found('toner cartridge', GUEST), [])
  assert.equal(await found('printer -toner', GUEST), [2])
  assert.equal(await found('forgotten muller', GUEST), [])
  const comments = async (token: string) =>
    (await app.call('GET', '/comments?search=cartridge', { token })).body.data.map(({ id }: { id: number }) => id)
  assert.equal(await comments(AGENT), [1, 2])
  assert.equal(await comments(GUEST), [])
})

search('pages, cursors and exclusions agree', async () => {
  const first = await app.call('GET', '/tickets?search=printer+-hidden&per_page=1&cursor=first', { token: AGENT })
  const next = first.body.meta.pagination.next_cursor
  const second = await app.call('GET', `/tickets?search=printer+-hidden&per_page=1&cursor=${next}`, { token: AGENT })
  assert.equal(
    [first, second].map(({ body }) => body.data[0].id),
    [2, 3],
  )
  assert.is(second.body.meta.pagination.next_cursor, null)
})

search('an index of each text is over what is compared', async () => {
  const { rows } = await app.engine.database.knex.raw(
    `select indexdef from pg_indexes where schemaname = current_schema() and indexdef like '%gin_trgm_ops%'`,
  )
  assert.is(rows.length, 8)
  for (const { indexdef } of rows) assert.match(indexdef, /lower\(.*normalize/is)
})

search.run()
