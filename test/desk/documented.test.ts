/** The examples of queries, for admins in resources/guide and for clients in /docs, are asked word for word. */
import { readFile } from 'node:fs/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Desk, openDesk } from './desk.ts'

const test = suite('desk: documented queries')
let desk: Desk
let pages: Readonly<Record<string, string>>

test.before(async () => {
  desk = await openDesk()
  const document = await desk.get('//openapi.json', desk.admin)
  const guides = ['lists-and-filters', 'search', 'batches'].map((name) =>
    readFile(`resources/guide/${name}.md`, 'utf8'),
  )
  pages = {
    'resources/guide': (await Promise.all(guides)).join('\n'),
    '/docs': String(document.at('info.x-guide')),
  }
  const ticket = { subject: 'The printer is broken', details: 'It is on fire.' }
  assert.is((await desk.post('/tickets', desk.admin, ticket)).status, 201)
})
test.after(() => desk.close())

/** Code in a text: what stands between backticks. */
const codeIn = (page: string): readonly string[] => [...page.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code)

/** Parameters of a list that are written out: `fields=id,subject`. */
const isQuery = (code: string): boolean =>
  /^[a-z_]+(\[[a-z_]+\])?=[^ ]+$/.test(code) && !/^(by|of|max|partial|dry_run|with_parent)=/.test(code)

test('parameters of lists are understood', async () => {
  for (const [page, text] of Object.entries(pages)) {
    const queries = codeIn(text).filter(isQuery)
    assert.ok(queries.length >= 5, `${page}: ${queries}`)
    for (const query of queries) {
      const path = query.startsWith('sort=-count') ? `/tickets/summary?by=status_id&${query}` : `/tickets?${query}`
      const answer = await desk.get(path, desk.admin)
      assert.is(answer.status, 200, `${page}: ${query}: ${answer.text}`)
    }
  }
})

test('`fields` and `omit` answer with what they name, and with all but that', async () => {
  for (const [page, text] of Object.entries(pages)) {
    const example = codeIn(text).find((code) => code.startsWith('fields='))
    assert.ok(example, page)
    const names = example.slice('fields='.length).split(',')
    const [first] = (await desk.get(`/tickets?${example}`, desk.admin)).list
    assert.equal(Object.keys(first ?? {}).sort(), [...new Set(names.map((name) => name.split('.')[0]))].sort(), page)
  }
})

test('conditions are understood', async () => {
  for (const [page, text] of Object.entries(pages)) {
    const conditions = codeIn(text).filter((code) => /^\{"(any|all|not)"/.test(code))
    const written = [...text.matchAll(/^GET \/api\/v1\/tickets\?where=(\{.*\})$/gm)].map(([, code = '']) => code)
    assert.ok(conditions.length + written.length > 0, page)
    for (const condition of [...conditions, ...written]) {
      const answer = await desk.get(`/tickets?where=${encodeURIComponent(condition)}`, desk.admin)
      assert.is(answer.status, 200, `${page}: ${condition}: ${answer.text}`)
    }
  }
  const [, body = ''] = /`(\{"where":[^`]*\})`/.exec(pages['/docs'] ?? '') ?? []
  assert.is((await desk.post('/tickets/query', desk.admin, JSON.parse(body))).status, 200)
})

test('summaries have the terms that are asked for', async () => {
  for (const [page, text] of Object.entries(pages)) {
    const [, query = ''] = /GET [^\s`]*\/summary\?([^\s`]+)/.exec(text) ?? []
    const answer = await desk.get(`/tickets/summary?${query}`, desk.admin)
    assert.is(answer.status, 200, `${page}: ${query}: ${answer.text}`)
    const asked = new URLSearchParams(query)
    const terms = `${asked.get('by')},${asked.get('of')}`.split(',')
    const [group = {}] = answer.list
    for (const term of terms) assert.ok(term in group, `${page}: ${term} in ${JSON.stringify(group)}`)
  }
})

test('searches find, correct and show what they say', async () => {
  for (const [page, text] of Object.entries(pages)) {
    const [, query = ''] = /[?`](search=prnter&snippets=true)/.exec(text) ?? []
    const answer = await desk.get(`/tickets?${query}`, desk.admin)
    assert.is(answer.status, 200, `${page}: ${answer.text}`)
    assert.equal(answer.at('meta.search.corrected'), { prnter: 'printer' }, page)
    assert.match(JSON.stringify(answer.at('meta.search.matches')), '<mark>printer</mark>', page)
  }
})
test.run()
