/** Searches with a language: other forms of a word are found, marked, ranked and left out like the word itself. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { TestApplication } from '../support/application.ts'
import { creating } from './created.ts'
import { commentsFile, HELP, openedTwice, POLICIES } from './help.ts'

const TICKETS_FILE = `
resource: tickets
fields:
  code:    { type: string, unique: true }
  subject: { type: string, required: true }
  details: { type: text }
  extra:   { type: json, schema: { type: object, properties: { colour: { type: string } } } }
relations:
  state:    { belongs_to: states, embed: [id, name] }
  comments: { has_many: comments, embed: false }
search: { language: english, fields: [code, subject, details, state.name, comments.text, extra.colour] }
sort: { keys: [id, subject], default: id }
policies: { view: [{ who: signed_in }], ${POLICIES} }
`

const RESOURCES = {
  ...HELP,
  'comments.yaml': commentsFile('search: [text]\n'),
  'tickets.yaml': TICKETS_FILE,
  'ranked.yaml': `
resource: ranked
of: tickets
fields: { subject: {}, details: {} }
search: { language: english, fields: { subject: 3, details: 1 } }
sort: { keys: [id], default: id }
policies: { view: [{ who: signed_in }] }
actions: [list]
`,
  'notes.yaml': `
resource: notes
fields: { text: { type: text, required: true } }
search: { language: german, fields: [text] }
policies: { view: [{ who: signed_in }], ${POLICIES} }
`,
  'livres.yaml': `
resource: livres
fields: { titre: { type: text, required: true } }
search: { language: french, fields: [titre] }
policies: { view: [{ who: signed_in }], ${POLICIES} }
`,
  'slova.yaml': `
resource: slova
fields: { text: { type: text, required: true } }
search: { language: russian, fields: [text] }
policies: { view: [{ who: signed_in }], ${POLICIES} }
`,
  'words.yaml': `
resource: words
fields: { text: { type: text, required: true } }
search: { language: tamil, fields: [text] }
policies: { view: [{ who: signed_in }], ${POLICIES} }
`,
}

const AGENT = '1:agent:'
const GUEST = '2:guest:'

const test = suite('stems')
/** The second takes every word for a common one. */
let apps: readonly TestApplication[] = []

test.before(async () => {
  apps = await openedTwice(RESOURCES, fill)
})

async function fill(app: TestApplication): Promise<void> {
  const create = creating(app, AGENT)
  await create('/states', { name: 'Returned twice' })
  for (const ticket of [
    { code: 'GS-1', subject: 'My printer', details: 'It prints nothing' },
    { code: 'GS-2', subject: 'Happiness', details: 'The skies are clear' },
    { code: 'GS-3', subject: 'Reinstalled', details: 'Both monitors flickered', extra: { colour: 'reddish boxes' } },
    { code: 'GS-4', subject: 'Lost', details: 'A wallet', state_id: 1 },
    { code: 'GS-5', subject: 'Dying', details: 'Batteries, and a printing press' },
    { code: 'GS-6', subject: 'The café closes', details: 'Früher' },
  ])
    await create('/tickets', ticket)
  await create('/comments', { text: 'The technicians replied', ticket_id: 4, internal: true })
  await create('/comments', { text: 'It was repaired', ticket_id: 3 })
  for (const text of [
    'Der Drucker ist kaputt',
    'Zwei Häuser',
    'Straßen und Wege',
    'Die Rechnung',
    'Familie Müller',
    'Familie Mueller',
  ])
    await create('/notes', { text })
  for (const titre of ['Les chevaux blancs', 'Une lettre imprimée', 'Un cheval']) await create('/livres', { titre })
  for (const text of ['Новые книги', 'Новый принтер']) await create('/slova', { text })
  await create('/words', { text: 'மரங்கள்' })
}

test.after(async () => {
  for (const app of apps) await app.close()
})

const url = (path: string, search: string, rest: string): string =>
  `/${path}?search=${encodeURIComponent(search)}${rest}`

/** The ids that a search finds, lowest first. */
async function found(search: string, { path = 'tickets', user = AGENT, rest = '' } = {}): Promise<readonly number[]> {
  const [ids, others] = await Promise.all(
    apps.map(async (app) => {
      const answer = await app.call('GET', url(path, search, rest), { token: user })
      assert.is(answer.status, 200, answer.text)
      return answer.list.map(({ id }) => Number(id)).sort((a, b) => a - b)
    }),
  )
  assert.equal(ids, others, `${search} as a common word`)
  return ids!
}

/** `meta.search` of a search. */
async function told(search: string, rest = ''): Promise<Record<string, unknown>> {
  return (await apps[0]!.call('GET', url('tickets', search, rest), { token: AGENT })).body.meta.search
}

test('a word finds its other forms, in both directions', async () => {
  assert.equal(await found('printers'), [1])
  assert.equal(await found('printing'), [1, 5])
  assert.equal(await found('printed'), [1, 5])
  assert.equal(await found('monitor'), [3])
  assert.equal(await found('flickers'), [3])
  assert.equal(await found('happy'), [2])
  assert.equal(await found('sky'), [2])
  assert.equal(await found('battery'), [5])
  assert.equal(await found('die'), [5])
  assert.equal(await found('REINSTALLING'), [3])
})

test('parts of words, identifiers and common words are found as without a language', async () => {
  assert.equal(await found('rinte'), [1])
  assert.equal(await found('gs-2'), [2])
  assert.equal(await found('nothing it'), [1])
  assert.equal(await found('the'), [2, 4, 6])
  assert.equal(await found('the', { user: GUEST }), [2, 6])
})

test('other forms stand in related records too, in those that the reader sees', async () => {
  assert.equal(await found('returning'), [4])
  assert.equal(await found('repairs'), [3])
  assert.equal(await found('technician reply'), [4])
  assert.equal(await found('replying'), [4])
  assert.equal(await found('replying', { user: GUEST }), [])
  assert.equal(await found('repairs', { user: GUEST }), [3])
  assert.equal(await found('box'), [3])
})

test('all words must be there, each in any form and field', async () => {
  assert.equal(await found('monitor repairs'), [3])
  assert.equal(await found('monitors printing'), [])
  assert.equal(await found('press dies'), [5])
})

test('what is quoted stands as it is written', async () => {
  assert.equal(await found('"printers"'), [])
  assert.equal(await found('"printing press"'), [5])
  assert.equal(await found('"printing presses"'), [])
})

test('a word that must not be there is not there in another form either, unless it is quoted', async () => {
  assert.equal(await found('printing -batteries'), [1])
  assert.equal(await found('printing -battery'), [1])
  assert.equal(await found('printing -"batterys"'), [1, 5])
  assert.equal(await found('-prints'), [2, 3, 4, 6])
})

test('accents stay without meaning', async () => {
  assert.equal(await found('cafes'), [6])
  assert.equal(await found('cafés'), [6])
  assert.equal(await found('HAUS', { path: 'notes' }), [2])
  assert.equal(await found('häuserns', { path: 'notes' }), [2])
  assert.equal(await found('imprimées', { path: 'livres' }), [2])
  assert.equal(await found('imprimees', { path: 'livres' }), [2])
})

test('other languages have other endings', async () => {
  assert.equal(await found('druckern', { path: 'notes' }), [1])
  assert.equal(await found('rechnungen', { path: 'notes' }), [4])
  // Newer versions of PostgreSQL find Mueller too.
  assert.ok((await found('müllers', { path: 'notes' })).includes(5))
  assert.equal(await found('chevaux', { path: 'livres' }), [1, 3])
  assert.equal(await found('cheval', { path: 'livres' }), [1, 3])
  assert.equal(await found('новая', { path: 'slova' }), [1, 2])
  assert.equal(await found('மரங்களை', { path: 'words' }), [1])
})

test('without a language there are no other forms', async () => {
  assert.equal(await found('-repairs', { path: 'comments' }), [1, 2])
  assert.equal(await found('-repairs'), [1, 2, 4, 5, 6])
})

test('a form of a word is the word for what is told: its field, its mark, and no correction', async () => {
  assert.equal(await told('printers', '&snippets=true'), {
    matches: [{ id: 1, fields: ['subject'], snippets: { subject: 'My <mark>printer</mark>' } }],
  })
  assert.equal(await told('monitor replying'), { matches: [] })
})

test('a misspelt word is corrected where it stands in no form', async () => {
  assert.equal(await told('flickres', '&snippets=true'), {
    corrected: { flickres: 'flickered' },
    matches: [{ id: 3, fields: ['details'], snippets: { details: 'Both monitors <mark>flickered</mark>' } }],
  })
})

test('in a ranked list another form counts more than a part of a word, and less than the word', async () => {
  const ranked = async (search: string) => {
    const { list } = await apps[0]!.call('GET', url('ranked', search, ''), { token: AGENT })
    return list.map(({ id }) => id)
  }
  assert.equal(await ranked('prints'), [1, 5])
  assert.equal(await ranked('die'), [5])
})

test('pages and cursors have each record once', async () => {
  const seen: number[] = []
  for (let cursor = 'first'; cursor; ) {
    const { body, list } = await apps[0]!.call('GET', url('tickets', 'printing', `&per_page=1&cursor=${cursor}`), {
      token: AGENT,
    })
    seen.push(...list.map(({ id }) => Number(id)))
    cursor = body.meta.pagination.next_cursor
  }
  assert.equal(seen, [1, 5])
  assert.equal(await found('printing', { rest: '&per_page=1&page=2' }), [5])
})

test('a text of any length and letters can be stored', async () => {
  const text = Array.from({ length: 60_000 }, (_, i) => String.fromCodePoint(0x20000 + (i % 40_000)))
    .join(' ')
    .slice(0, 60_000)
  const answer = await apps[0]!.call('POST', '/notes', { token: AGENT, body: { text: `${text} Drucker` } })
  assert.is(answer.status, 201, answer.text.slice(0, 300))
})

test.run()
