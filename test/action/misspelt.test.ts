/** Misspelt words: what is found instead, what is told of it, and that it is never a word which the reader may not see. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { application, type TestApplication } from '../support/application.ts'
import { creating } from './created.ts'

const POLICIES = 'create: [{ who: signed_in }], update: [], delete: [{ role: agent }]'

const tickets = (search: string, name: string) => `
resource: ${name}
table: tickets
soft_delete: true
fields:
  code:    { type: string, unique: true }
  subject: { type: string, required: true }
  secret:  { type: string, read: [{ role: agent }] }
relations:
  owner: { belongs_to: people, embed: [id, name] }
  comments: { has_many: comments, by: ticket, embed: false }
search: ${search}
policies: { view: [{ role: agent }, { role: guest, where: { subject: { ne: Elephants } } }], ${POLICIES} }
`

const RESOURCES = {
  'app.yaml': 'name: Help\nplugins: { timestamps: {}, soft_delete: {}, who: {} }\n',
  'people.yaml': `
resource: people
fields: { name: { type: string, required: true } }
policies: { view: [{ who: signed_in }], ${POLICIES} }
`,
  'comments.yaml': `
resource: comments
soft_delete: true
fields: { text: { type: text, required: true }, internal: { type: boolean, default: false } }
relations: { ticket: { belongs_to: tickets } }
policies: { view: [{ role: agent }, { role: guest, where: { internal: false } }], ${POLICIES} }
`,
  'tickets.yaml': tickets('[code, subject, secret, owner.name, comments.text]', 'tickets').replace(
    'table: tickets\n',
    '',
  ),
  'ranked.yaml': `
resource: articles
fields: { title: { type: string, required: true }, text: { type: text } }
search: { fields: { title: 3, text: 1 } }
policies: { view: [{ who: signed_in }], ${POLICIES} }
`,
}

const AGENT = '1:agent:'
const GUEST = '2:guest:'

const test = suite('misspelt words')
let app: TestApplication

test.before(async () => {
  app = await application({ resources: RESOURCES, plugins: 'test/support/plugins', env: { RATE_LIMIT: '1000' } })
  const create = creating(app, AGENT)
  await create('/people', { name: 'Renée Müller' })
  for (const ticket of [
    { code: 'GS-001', subject: 'The printer smokes', owner_id: 1 },
    { code: 'GS-002', subject: 'Invoice for a keyboard', secret: 'Rhinoceros' },
    { code: 'GS-003', subject: 'Elephants' },
    { code: 'GS-004', subject: 'Deleted crocodile' },
    { code: 'GS-005', subject: 'The door creaks in the printing room' },
  ])
    await create('/tickets', ticket)
  for (const comment of [
    { ticket_id: 1, text: 'Straße gesperrt' },
    { ticket_id: 1, text: 'A hippopotamus', internal: true },
    { ticket_id: 3, text: 'Chimpanzee' },
    { ticket_id: 2, text: 'A flamingo' },
  ])
    await create('/comments', comment)
  for (const [title, text] of [
    ['Ink', 'for a scanner'],
    ['Scanner', 'needs no ink'],
  ])
    await create('/articles', { title, text })
  for (const path of ['/tickets/4', '/comments/4'])
    assert.is((await app.call('DELETE', path, { token: AGENT })).status, 204)
})
test.after(() => app.close())

async function found(text: string, token = AGENT, more = '', path = '/tickets') {
  const answer = await app.call('GET', `${path}?search=${encodeURIComponent(text)}${more}`, { token })
  assert.is(answer.status, 200, answer.text)
  const ids = (answer.body.data as { id: number }[]).map(({ id }) => id)
  return [ids, answer.body.meta.search?.corrected] as const
}

for (const [text, ids, corrected] of [
  ['prnter', [1], { prnter: 'printer' }],
  ['pritner', [1], { pritner: 'printer' }],
  ['PRINTTER', [1], { PRINTTER: 'printer' }],
  ['prinetr smokes', [1], { prinetr: 'printer' }],
  ['keybaord invioce', [2], { keybaord: 'keyboard', invioce: 'invoice' }],
  ['prnter -door', [1], { prnter: 'printer' }],
  ['mueller', [1], { mueller: 'muller' }],
  ['strase', [1], { strase: 'strasse' }],
  ['rhinozeros', [2], { rhinozeros: 'rhinoceros' }],
  ['hippopotmus', [1], { hippopotmus: 'hippopotamus' }],
  // A word that stands somewhere is right, even inside of another one.
  ['print', [1, 5], undefined],
  ['printer door', [], undefined],
  ['printer invoice', [], undefined],
  // What nothing resembles, what is quoted, and what is no word of letters stays as it is.
  ['zyxwvuts', [], undefined],
  ['"prnter"', [], undefined],
  ['gs-0011', [], undefined],
  ['prnter2', [], undefined],
  ['prn', [], undefined],
  // A correction that leaves nothing to show is not told.
  ['prnter invoice', [], undefined],
] as const)
  test(`${text} finds ${ids.join(' and ') || 'nothing'}${corrected ? ' corrected' : ''}`, async () => {
    assert.equal(await found(text), [ids, corrected])
  })

test('words of hidden records and fields are never taken for what was meant', async () => {
  for (const word of ['rhinozeros', 'hippopotmus', 'elefants', 'chimpanze'])
    assert.equal(await found(word, GUEST), [[], undefined], word)
  for (const word of ['elefants', 'chimpanze']) assert.equal((await found(word))[0], [3], word)
})

test('words of deleted records are none that occur', async () => {
  for (const word of ['crocodle', 'flamigo']) assert.equal(await found(word), [[], undefined], word)
})

test('words are those of the list as it is filtered', async () => {
  assert.equal(await found('printr', AGENT, '&owner_id=1'), [[1], { printr: 'printer' }])
  assert.equal(await found('printr', AGENT, '&owner_id[null]=true'), [[5], { printr: 'printing' }])
})

test('pages, cursors and bodies of queries are corrected alike', async () => {
  for (const query of ['per_page=1', 'per_page=1&cursor=first', 'fields=id,subject']) {
    const { body } = await app.call('GET', `/tickets?search=prnter&${query}`, { token: AGENT })
    assert.equal(body.meta.search.corrected, { prnter: 'printer' }, query)
  }
  const { body } = await app.call('POST', '/tickets/query', { token: AGENT, body: { search: 'prnter' } })
  assert.is(body.data[0].id, 1)
  assert.is(body.meta.pagination.total, 1)
})

test('a corrected search is ranked as the right one', async () => {
  assert.equal(await found('scaner', AGENT, '', '/articles'), [[2, 1], { scaner: 'scanner' }])
})

test('a search that changes records is never corrected', async () => {
  const { body, status } = await app.call('DELETE', '/tickets?search=prnter&max=10&dry_run=true', { token: AGENT })
  assert.is(status, 200)
  assert.is(body.data.matched, 0)
})

test.run()
