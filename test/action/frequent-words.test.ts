/** Searches for words that stand in more texts than one answer looks at: right records in the right order, and a total that says it may be more. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { application, type TestApplication } from '../support/application.ts'
import { creating } from './created.ts'
import { commentsFile, HELP, POLICIES } from './help.ts'

const RESOURCES = {
  ...HELP,
  'app.yaml':
    'name: Help\nlimits: { searchCounted: 12, searchRanked: 5, searchWalked: 4 }\nplugins: { timestamps: {}, soft_delete: {}, who: {} }\n',
  'articles.yaml': `
resource: articles
fields: { title: { type: string, required: true }, text: { type: text, required: true } }
search: { fields: { title: 3, text: 1 } }
policies: { view: [{ who: signed_in }], ${POLICIES} }
`,
  'comments.yaml': commentsFile('soft_delete: true\n'),
  'tickets.yaml': `
resource: tickets
soft_delete: true
fields: { subject: { type: string, required: true }, place: { type: integer } }
relations:
  state: { belongs_to: states, embed: [id, name] }
  comments: { has_many: comments, embed: false }
filters: [place]
search: [subject, state.name, comments.text]
sort: { keys: [id, subject, place, state.name], default: id }
policies: { view: [{ role: agent }, { role: guest, where: { place: { lt: 30 } } }], ${POLICIES.replace('delete: []', 'delete: [{ role: agent }]')} }
`,
}

const AGENT = '1:agent:'
const GUEST = '2:guest:'
const COUNT = 40

interface Made {
  readonly id: number
  readonly place: number
  /** What is searched, for each of the two. */
  readonly texts: Readonly<Record<string, readonly string[]>>
}

const test = suite('frequent words')
let app: TestApplication
const made: Made[] = []

test.before(async () => {
  app = await application({ resources: RESOURCES, plugins: 'test/support/plugins', env: { RATE_LIMIT: '10000' } })
  const create = creating(app, AGENT)
  for (const name of ['Open', 'Late']) await create('/states', { name })
  const comments: unknown[] = []
  const tickets: unknown[] = []
  for (let id = 1; id <= COUNT; id += 1) {
    const place = (id * 17) % 41
    // "paper" stands in every ticket, "toner" in the later half only, "router" in comments, "rare" in three.
    const subject = `Paper ${id}${id > COUNT / 2 ? ' toner' : ''}${id % 13 === 0 ? ' rare' : ''}`
    const state = id % 3 === 0 ? 2 : 1
    const said = [{ text: `The router ${id}`, internal: id % 2 === 0 }]
    if (id % 4 === 0) said.push({ text: 'A router, again', internal: false })
    tickets.push({ subject, place, state_id: state })
    comments.push(...said.map((one) => ({ ...one, ticket_id: id })))
    const own = [subject, state === 2 ? 'Late' : 'Open']
    const open = said.filter(({ internal }) => !internal)
    made.push({
      id,
      place,
      texts: {
        [AGENT]: [...own, ...said.map(({ text }) => text)],
        [GUEST]: [...own, ...open.map(({ text }) => text)],
      },
    })
  }
  const articles = Array.from({ length: 20 }, (_, at) => {
    const words = ['ink', ...(at % 2 === 0 ? ['pen'] : []), ...(at % 8 === 0 ? ['quill'] : [])].join(' ')
    // The oldest has the words in its title.
    return at === 0 ? { title: words, text: 'On writing' } : { title: `Article ${at}`, text: words }
  })
  for (const [path, records] of [
    ['/articles', articles],
    ['/tickets', tickets],
    ['/comments', comments],
  ] as const) {
    const { status, text } = await app.call('POST', `${path}/batch`, { token: AGENT, body: { create: records } })
    assert.is(status, 200, text)
  }
  assert.is((await app.call('DELETE', '/tickets/40', { token: AGENT })).status, 204)
  made.pop()
})
test.after(() => app.close())

function expected(words: readonly string[], token: string, below = Number.POSITIVE_INFINITY): readonly number[] {
  return made
    .filter(({ place }) => (token === AGENT || place < 30) && place < below)
    .filter(({ texts }) => words.every((word) => texts[token]!.some((text) => text.toLowerCase().includes(word))))
    .map(({ id }) => id)
}

const placeOf = (id: number): number => made.find((one) => one.id === id)!.place

async function pages(query: string, token: string, list = '/tickets'): Promise<readonly number[]> {
  const found: number[] = []
  for (let page = 1; ; page += 1) {
    const { body, status, text } = await app.call('GET', `${list}?${query}&per_page=6&page=${page}`, { token })
    assert.is(status, 200, text)
    const records = body.data as { id: number }[]
    const { last_page, total, total_exact } = body.meta.pagination
    found.push(...records.map(({ id }) => id))
    assert.ok(total >= found.length, `${total} on page ${page}`)
    if (records.length === 0 || (total_exact !== false && page === last_page)) return found
  }
}

async function cursors(query: string, token: string, list = '/tickets'): Promise<readonly number[]> {
  const found: number[] = []
  for (let cursor: string | null = 'first'; cursor !== null; ) {
    const { body, status, text } = await app.call('GET', `${list}?${query}&per_page=6&cursor=${cursor}`, { token })
    assert.is(status, 200, text)
    found.push(...(body.data as { id: number }[]).map(({ id }) => id))
    cursor = body.meta.pagination.next_cursor
  }
  return found
}

for (const token of [AGENT, GUEST])
  for (const words of [
    ['paper'],
    ['toner'],
    ['router'],
    ['router', 'toner'],
    ['paper', 'rare'],
    ['late', 'router'],
    ['toner', 'open'],
    ['missing', 'paper'],
  ]) {
    const search = `search=${words.join('+')}`
    const name = `${token === AGENT ? 'an agent' : 'a guest'} finds ${words.join(' and ')}`
    test(`${name} on pages and by cursors`, async () => {
      const ids = expected(words, token)
      assert.equal(await pages(search, token), ids)
      assert.equal(await cursors(search, token), ids)
    })
    test(`${name} in another order, and with a filter`, async () => {
      const ids = [...expected(words, token)].sort((a, b) => placeOf(b) - placeOf(a))
      assert.equal(await pages(`${search}&sort=-place`, token), ids)
      assert.equal(await cursors(`${search}&sort=-place`, token), ids)
      const few = expected(words, token, 9)
      assert.equal(await pages(`${search}&place[lt]=9`, token), few)
    })
  }

test('a total that was not counted to the end says so, and one below the limit does not', async () => {
  const total = async (search: string) => {
    const { body } = await app.call('GET', `/tickets?search=${search}&per_page=2`, { token: AGENT })
    return [body.meta.pagination.total, body.meta.pagination.total_exact]
  }
  assert.equal(await total('rare'), [3, undefined])
  assert.equal(await total('paper+rare'), [3, undefined])
  assert.equal(await total('nothing'), [0, undefined])
  assert.equal((await total('paper'))[1], false)
  assert.equal((await total('paper+router'))[1], false)
})

test('words that are too common to rank by have the newest records first', async () => {
  const all = Array.from({ length: 20 }, (_, at) => 20 - at)
  for (const [search, ids] of [
    ['ink', all],
    ['pen', all.filter((id) => id % 2 === 1)],
    ['quill', [1, 17, 9]],
    ['ink+quill', [1, 17, 9]],
  ] as const) {
    assert.equal(await pages(`search=${search}`, GUEST, '/articles'), ids, search)
    assert.equal(await cursors(`search=${search}`, GUEST, '/articles'), ids, search)
  }
})

test('excluded words are left out of common ones', async () => {
  const without = expected(['paper'], AGENT).filter((id) => !expected(['toner'], AGENT).includes(id))
  assert.equal(await pages('search=paper+-toner', AGENT), without)
})

test.run()
