/** What a search tells beside its page: the fields in which its words stand, and pieces of their texts that are safe as HTML. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { application, type TestApplication } from '../support/application.ts'
import { creating } from './created.ts'
import { commentsFile, HELP, POLICIES } from './help.ts'

const RESOURCES = {
  ...HELP,
  'comments.yaml': commentsFile(),
  'tickets.yaml': `
resource: tickets
fields:
  subject: { type: string, required: true }
  details: { type: text }
  secret:  { type: string, read: [{ role: agent }] }
  inner:   { type: string, show: never, searched: true }
relations:
  state: { belongs_to: states, embed: [id, name] }
  comments: { has_many: comments, embed: false }
search: [subject, details, secret, inner, state.name, comments.text]
sort: { default: id }
policies: { view: [{ who: signed_in }], ${POLICIES} }
`,
}

const AGENT = '1:agent:'
const GUEST = '2:guest:'
const LONG = `${'Before all this nothing happened at all. '.repeat(20)}Then the wombat came. ${'Afterwards it was quiet. '.repeat(40)}`

const test = suite('snippets')
let app: TestApplication

test.before(async () => {
  app = await application({ resources: RESOURCES, plugins: 'test/support/plugins', env: { RATE_LIMIT: '1000' } })
  const create = creating(app, AGENT)
  await create('/states', { name: 'Printing' })
  for (const ticket of [
    { subject: 'The printer & <b>"it\'s"</b>', details: 'No PRINTER prints', state_id: 1 },
    { subject: 'Größe der Straße', details: 'cafe\u0301 and café', secret: 'the wombat', inner: 'hidden kangaroo' },
    { subject: 'Tale', details: LONG },
    { subject: '<mark>printer</mark><script>alert(1)</script>' },
  ])
    await create('/tickets', ticket)
  for (const comment of [
    { ticket_id: 1, text: 'A toner' },
    { ticket_id: 1, text: 'A toner in a box' },
    { ticket_id: 2, text: 'Toner of theirs', internal: true },
  ])
    await create('/comments', comment)
})
test.after(() => app.close())

async function matches(search: string, token = AGENT, more = '&snippets=true') {
  const { body, status, text } = await app.call('GET', `/tickets?search=${encodeURIComponent(search)}${more}`, {
    token,
  })
  assert.is(status, 200, text)
  return body.meta.search?.matches
}

test('every search says which fields have its words', async () => {
  assert.equal(await matches('printer', AGENT, ''), [
    { id: 1, fields: ['subject', 'details'] },
    { id: 4, fields: ['subject'] },
  ])
  assert.equal(await matches('prin toner', AGENT, ''), [
    { id: 1, fields: ['subject', 'details', 'state.name', 'comments.text'] },
  ])
  assert.equal(await matches('nothing like this', AGENT, ''), [])
  assert.equal(await matches('constructor __proto__'), [])
  assert.is(await matches('-printer', AGENT, ''), undefined)
})

test('a list without a search tells nothing of one', async () => {
  const { body } = await app.call('GET', '/tickets?snippets=true', { token: AGENT })
  assert.is(body.meta.search, undefined)
})

test('snippets mark the words, and nothing else in them is markup', async () => {
  assert.equal(await matches('printer'), [
    {
      id: 1,
      fields: ['subject', 'details'],
      snippets: {
        subject: 'The <mark>printer</mark> &amp; &lt;b&gt;&quot;it&#39;s&quot;&lt;/b&gt;',
        details: 'No <mark>PRINTER</mark> prints',
      },
    },
    {
      id: 4,
      fields: ['subject'],
      snippets: {
        subject: '&lt;mark&gt;<mark>printer</mark>&lt;/mark&gt;&lt;script&gt;alert(1)&lt;/script&gt;',
      },
    },
  ])
  const [markup] = (await matches('<script>')) as { snippets: { subject: string } }[]
  assert.match(markup!.snippets.subject, /<mark>&lt;script&gt;<\/mark>alert/)
})

test('words with accents are marked as they are written', async () => {
  const [found] = (await matches('grosse strasse cafe')) as { snippets: unknown }[]
  assert.equal(found!.snippets, {
    subject: '<mark>Größe</mark> der <mark>Straße</mark>',
    details: '<mark>cafe\u0301</mark> and <mark>café</mark>',
  })
})

test('a long text is cut between words around the first mark', async () => {
  const [found] = (await matches('wombat', GUEST)) as { snippets: { details: string } }[]
  const { details } = found!.snippets
  assert.match(details, /^….* Then the <mark>wombat<\/mark> came\. .*…$/)
  assert.ok(details.length < 220, details)
  assert.match(details.slice(1), /^(?:nothing|happened|at|all|Before|this)\b/)
})

test('of several texts that of most words is shown', async () => {
  const [found] = (await matches('toner box')) as { snippets: Record<string, string> }[]
  assert.is(found!.snippets['comments.text'], 'A <mark>toner</mark> in a <mark>box</mark>')
})

test('phrases and corrected words are marked', async () => {
  const [phrase] = (await matches('"prints" "printer prints"')) as { snippets: Record<string, string> }[]
  assert.is(phrase!.snippets.details, 'No <mark>PRINTER prints</mark>')
  const corrected = (await matches('prnter')) as { snippets: Record<string, string> }[]
  assert.is(corrected[0]!.snippets.details, 'No <mark>PRINTER</mark> prints')
})

test('a reader is shown no field and no record that it may not read', async () => {
  assert.equal(await matches('toner', GUEST, ''), [{ id: 1, fields: ['comments.text'] }])
  assert.equal(await matches('wombat', AGENT, ''), [
    { id: 2, fields: ['secret'] },
    { id: 3, fields: ['details'] },
  ])
  assert.equal(await matches('wombat', GUEST, ''), [{ id: 3, fields: ['details'] }])
  assert.equal(await matches('kangaroo'), [{ id: 2, fields: [], snippets: {} }])
})

test('pages by cursor and bodies of queries tell the same', async () => {
  assert.equal(
    ((await matches('printer', AGENT, '&cursor=first&per_page=1')) as { id: number }[]).map(({ id }) => id),
    [1],
  )
  const { body } = await app.call('POST', '/tickets/query', {
    token: AGENT,
    body: { search: 'printer', snippets: true, fields: ['subject'], sort: ['-id'] },
  })
  assert.equal(
    body.meta.search.matches.map(({ id }: { id: number }) => id),
    [4, 1],
  )
})

test('snippets is true or false, and of a list that can be searched', async () => {
  const wrong = await app.call('GET', '/tickets?search=x&snippets=yes', { token: AGENT })
  assert.equal(wrong.body.errors, { snippets: ['The snippets parameter must be true or false'] })
  const useless = await app.call('GET', '/states?snippets=true', { token: AGENT })
  assert.equal(useless.body.errors, { snippets: ['This list cannot be searched'] })
})

test.run()
