/** Articles and FAQs that are not published: two desks that differ in drafts alone answer the same to all who do not manage them. */
import { readdir, readFile } from 'node:fs/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { application } from '../support/application.ts'
import { testDatabase } from '../support/database.ts'
import { type Desk, openDesk, PASSWORD, type Person } from './desk.ts'

const test = suite('desk: what is published')
let desk: Desk
const readers = new Map<string, Person>()
const drafts: { readonly path: string; readonly name: string }[] = []
let ticket = 0

test.before(async () => {
  desk = await openDesk()
  readers.set('a customer', await desk.person('customer', 'Cleo'))
  readers.set('an agent', await desk.person('agent', 'Alba'))
  readers.set('a reader', await withRole('reader', ['knowledge_base.view', 'faqs.view']))
  const everything = ['knowledge_base.view', 'faqs.view', 'ai.use', 'dashboard.view', 'dashboard.analytics']
  readers.set('a helper', await withRole('helper', [...everything, 'reports.view', 'tickets.view', 'users.view']))
  for (const [path, name, flag] of [
    ['/knowledge-base', 'title', 'published'],
    ['/faqs', 'name', 'status'],
  ] as const) {
    const shown = { [name]: 'How the gate opens', details: 'Press the green button of the gate.', [flag]: true }
    assert.is((await desk.post(path, desk.admin, shown)).status, 201)
    const hidden = { [name]: 'Zebra gate', details: 'The zebra gate breaks when it rains.', [flag]: false }
    drafts.push({ path: `${path}/${(await desk.post(path, desk.admin, hidden)).at('data.id')}`, name })
  }
  const asked = { subject: 'The gate', details: 'The zebra gate and the giraffe gate break when it rains.' }
  ticket = Number((await desk.post('/tickets', readers.get('a customer'), asked)).at('data.id'))
})
test.after(() => desk.close())

async function withRole(slug: string, permissions: readonly string[]): Promise<Person> {
  const made = await desk.post('/settings/roles', desk.admin, { name: slug, slug, permissions })
  assert.is(made.status, 201, made.text)
  return desk.person(slug, `Person ${slug}`.replace(' ', ''))
}

const lists = ['/knowledge-base', '/faqs'].flatMap((path) =>
  [
    '',
    '?search=zebra',
    '?search=giraffe',
    '?search=gate&sort=-id',
    '?sort=updated_at',
    '?per_page=1',
    '?cursor=first&per_page=1',
    '?fields=id,details',
    '?where={"details":{"contains":"zebra"}}',
    '?published=false',
    '?status=false',
  ].map((query) => `GET ${path}${query}`),
)

const asked = (reader: Person): readonly string[] =>
  // Agents manage articles, and no FAQs.
  reader === readers.get('an agent') ? requests().filter((one) => !one.includes(' /knowledge-base')) : requests()

const requests = (): readonly string[] => [
  ...lists,
  ...drafts.flatMap(({ path }) => ['GET', 'PUT', 'PATCH', 'DELETE'].map((method) => `${method} ${path}`)),
  'GET /ai/knowledge-base/suggestions?query=zebra',
  'GET /ai/knowledge-base/suggestions?query=giraffe',
  'GET /ai/knowledge-base/suggestions?query=gate&limit=50',
  'POST /ai/response-suggestions',
  `GET /ai/tickets/${ticket}/suggestions`,
  'GET /ai/status',
  'GET /dashboard',
  'GET /dashboard/metrics',
  'GET /dashboard/analytics',
  'GET /settings/types?sort=id',
  'GET /notifications',
  `GET /tickets/${ticket}`,
]

/** Every answer without its times. */
async function told(reader: Person): Promise<ReadonlyMap<string, string>> {
  const answers = new Map<string, string>()
  for (const one of asked(reader)) {
    const [method = '', path = ''] = one.split(/ (.*)/s)
    const body = method === 'POST' ? { ticket_id: ticket } : ['PUT', 'PATCH'].includes(method) ? {} : undefined
    const { at, body: answer, status } = await desk.call(method, encodeURI(path), { as: reader, body })
    answers.set(one, JSON.stringify([status, answer?.data, at('message'), answer?.meta?.pagination, answer?.errors]))
  }
  return answers
}

test('a draft is told to nobody but those who manage it', async () => {
  const before = new Map<string, ReadonlyMap<string, string>>()
  for (const [name, reader] of readers) before.set(name, await told(reader))
  for (const { path, name } of drafts) {
    const changed = { [name]: 'Giraffe gate', details: 'The giraffe gate breaks when it rains and when it snows.' }
    assert.is((await desk.put(path, desk.admin, changed)).status, 200)
  }
  for (const [name, reader] of readers) {
    const after = await told(reader)
    for (const [request, answer] of before.get(name) ?? []) {
      assert.is(after.get(request), answer, `${name}: ${request}`)
      assert.not.match(answer, /zebra gate breaks/i, `${name}: ${request}`)
    }
  }
  const own = await desk.get('/knowledge-base?search=giraffe', readers.get('an agent'))
  assert.is(own.list.length, 1, own.text)
})

test('the AI quotes what is published, and forgets it when it is taken back', async () => {
  const found = async (): Promise<number> =>
    (await desk.get('/ai/knowledge-base/suggestions?query=giraffe', desk.admin)).list.length
  assert.is(await found(), 0)
  const { path } = drafts[0]!
  assert.is((await desk.put(path, desk.admin, { published: true })).status, 200)
  assert.is(await found(), 1)
  assert.is((await desk.get(path, readers.get('a customer'))).status, 200)
  assert.is((await desk.put(path, desk.admin, { published: false })).status, 200)
  assert.is(await found(), 0)
  const gone = await desk.get(path, readers.get('a customer'))
  assert.is(gone.at('message'), 'Article not found')
})

test('an article is published unless it says otherwise, and null is no answer', async () => {
  const article = { title: 'Opening hours', details: 'From nine to five.' }
  const made = await desk.post('/knowledge-base', desk.admin, article)
  assert.is(made.at('data.published'), true, made.text)
  assert.is((await desk.get(`/knowledge-base/${made.at('data.id')}`, readers.get('a reader'))).status, 200)
  const refused = await desk.post('/knowledge-base', desk.admin, { ...article, published: null })
  assert.is(refused.status, 422, refused.text)
  assert.ok(refused.at('errors.published'))
})

test('what was there before articles could be drafts stays published', async () => {
  // Words of a field that is not there would be a mistake.
  const names = (await readdir('resources')).filter((name) => /^\w+\.yaml$/.test(name))
  const files = Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await readFile(`resources/${name}`, 'utf8')] as const)),
  )
  const now = files['knowledge_base.yaml'] ?? ''
  const before = now.replace(/^ {2}published: .*\n/m, '').replaceAll(', where: { published: true }', '')
  assert.not.match(before, /published:/)
  const { database, close } = await testDatabase()
  const env = { ADMIN_EMAIL: 'boss@desk.example', ADMIN_PASSWORD: PASSWORD }
  const opened = async (file: string) => {
    const app = await application({ resources: { ...files, 'knowledge_base.yaml': file }, env, database })
    const body = { email: env.ADMIN_EMAIL, password: env.ADMIN_PASSWORD }
    const token = String((await app.call('POST', '/api/v1/auth/login', { body })).at('data.token'))
    return { app, token }
  }
  const old = await opened(before)
  const article = { title: 'Old', details: 'It was read by all.' }
  const made = await old.app.call('POST', '/api/v1/knowledge-base', { token: old.token, body: article })
  assert.is(made.status, 201, made.text)
  const { list } = await old.app.call('GET', '/api/v1/ai/knowledge-base/suggestions?query=read', old)
  assert.is(list.length, 1, 'articles without the field are all told')
  await old.app.close()
  const { app, token } = await opened(now)
  const kept = await app.call('GET', `/api/v1/knowledge-base/${made.at('data.id')}`, { token })
  assert.is(kept.at('data.published'), true, kept.text)
  await app.close()
  await close()
})

test.run()
