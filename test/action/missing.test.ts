/** What a policy opens by what is not there: a deleted record on its path, a value that the caller does not have. Nothing. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { explainRequest } from '../../engine/explain/request-report.ts'
import { executionOf } from '../../engine/run/execution.ts'
import { ANN, BEN, type Library, library, STAFF } from './library.ts'

const PAGES = `
resource: pages
label: Page
fields: { text: { type: string, required: true } }
relations:
  book: { belongs_to: books, embed: [id, title] }
  lines: { has_many: lines, show: single, embed: [id, text] }
filters: [book.title]
search: [book.title]
policies:
  view:
    - { permission: books.edit }
    - { role: member, where: { book.owner: $actor } }
    - { role: archivist, where: { with_deleted: { book.owner: $actor } } }
    - { role: outsider, where: { book.owner: { ne: $actor } } }
    - { role: doubter, where: { not: { book.owner: $actor } } }
    - { role: librarian, where: { book.shelf.slug: main } }
  create: [{ permission: books.edit }]
  update: [{ role: member, where: { book.owner: $actor } }, { role: archivist, where: { with_deleted: { book.owner: $actor } } }]
  delete: [{ role: member, where: { book.owner: $actor } }]
`

const LINES = `
resource: lines
label: Line
fields: { text: { type: string, required: true } }
relations: { page: { belongs_to: pages, where: { book.kind: { ne: essay } }, embed: [id] } }
nested: { page: { path: lines, actions: [list, create] } }
policies:
  view: [{ permission: books.edit }, { role: member, where: { page.book.owner: $actor } }]
  create: [{ permission: books.edit }, { role: member, where: { page.book.owner: $actor } }]
  update: [{ permission: books.edit }]
`

/** Each role is one condition by a value that no caller of this application has; `$actor` itself is missing to the anonymous. */
const WINGS = `
resource: wings
fields: { name: { type: string, required: true }, size: { type: integer } }
relations: { book: { belongs_to: books }, warden: { belongs_to: members } }
policies:
  view:
    - { permission: books.edit }
    - { role: same, where: { size: $actor.size } }
    - { role: other, where: { size: { ne: $actor.size } } }
    - { role: unlike, where: { not: { size: $actor.size } } }
    - { role: larger, where: { not: { size: { lte: $actor.size } } } }
    - { role: through, where: { book.pages: { ne: $actor.size } } }
    - { role: neither, where: { not: { any: [{ size: $actor.size }, { book.pages: $actor.size }] } } }
    - { who: anyone, where: { warden: { ne: $actor } } }
  create: [{ permission: books.edit }]
actions: [list, get, create]
`

/** People reach their teams' tasks by relations to many, at the end of a path and behind one. */
const TEAMWORK = {
  'crews.yaml': `
resource: crews
soft_delete: true
restore: true
fields: { name: { type: string } }
relations: { people: { many_to_many: members }, seats: { has_many: seats } }
policies: { view: [{ permission: books.edit }], create: [{ permission: books.edit }], delete: [{ permission: books.edit }], restore: [{ permission: books.edit }] }
`,
  'seats.yaml': `
resource: seats
relations: { crew: { belongs_to: crews }, person: { belongs_to: members } }
policies: { view: [{ permission: books.edit }], create: [{ permission: books.edit }] }
`,
  'tasks.yaml': `
resource: tasks
fields: { text: { type: string, required: true } }
relations: { crew: { belongs_to: crews } }
policies:
${['view', 'update', 'delete']
  .map(
    (policy) => `  ${policy}:
    - { permission: books.edit }
    - { role: linked, where: { crew.people: { some: { id: $actor } } } }
    - { role: seated, where: { crew.seats: { count: { gte: 1 }, where: { person: $actor } } } }
    - { role: alone, where: { crew.people: { none: { id: $actor } } } }
    - { role: every, where: { crew.people: { every: { id: { ne: $actor } } } } }
    - { role: unseated, where: { not: { crew.seats: { count: { gte: 1 }, where: { person: $actor } } } } }
    - { role: kept, where: { with_deleted: { crew.people: { some: { id: $actor } } } } }`,
  )
  .join('\n')}
  create: [{ permission: books.edit }]
`,
}

const test = suite('what is missing in a policy')
let app: Library
let book = 0
let page = 0
let line = 0
let loose = 0

test.before(async () => {
  app = await library({ 'pages.yaml': PAGES, 'lines.yaml': LINES, 'wings.yaml': WINGS, ...TEAMWORK })
  const make = async (path: string, body: unknown): Promise<number> =>
    Number((await app.expect(201, 'POST', path, STAFF, body)).id)
  book = await make('/books', { title: 'Emma', owner_id: 1, shelf_id: 1 })
  page = await make('/pages', { text: 'One', book_id: book })
  line = await make('/lines', { text: 'Emma Woodhouse', page_id: page })
  loose = await make('/pages', { text: 'Loose' })
})
test.after(() => app?.close())

const status = async (method: string, path: string, token: string, body?: unknown): Promise<number> =>
  (await app.call(method, `/api/v1${path}`, { token, body })).status

const listed = async (path: string, token: string): Promise<readonly number[]> =>
  (await app.expect(200, 'GET', path, token)).map(({ id }: { id: number }) => id)

test('while the book is there, its owner reads and writes what hangs on it', async () => {
  assert.equal(await listed('/pages', ANN), [page])
  assert.equal(await listed(`/pages/${page}/lines`, ANN), [line])
  assert.is(await status('PATCH', `/pages/${page}`, ANN, { text: 'Two' }), 200)
  assert.equal(await listed('/pages', '1:librarian:'), [page])
  assert.equal(await listed('/pages', '1:outsider:'), [loose])
  assert.equal(await listed('/pages', '2:outsider:'), [page, loose])
  assert.equal(await listed('/pages', '2:doubter:'), [page, loose])
})

test('once it is deleted every action on what hangs on it is refused, however deep', async () => {
  await app.expect(204, 'DELETE', `/books/${book}`)
  assert.equal(await listed('/pages', ANN), [])
  assert.equal(await listed('/lines', ANN), [])
  assert.is((await app.call('GET', '/api/v1/pages', { token: ANN })).body.meta.pagination.total, 0)
  assert.is(await status('GET', `/pages/${page}`, ANN), 403)
  assert.is(await status('PATCH', `/pages/${page}`, ANN, { text: 'Three' }), 403)
  assert.is(await status('DELETE', `/pages/${page}`, ANN), 403)
  assert.is(await status('GET', `/pages/${page}/lines`, ANN), 403)
  assert.is(await status('POST', `/pages/${page}/lines`, ANN, { text: 'More' }), 403)
  assert.is(await status('GET', `/lines/${line}`, ANN), 403)
  assert.is(await status('POST', '/lines', ANN, { text: 'More', page_id: page }), 403)
})

test('the negated condition closes too: a deleted book is nobody’s, and not somebody else’s', async () => {
  assert.equal(await listed('/pages', '2:outsider:'), [loose])
  assert.equal(await listed('/pages', '2:doubter:'), [loose])
  assert.is(await status('GET', `/pages/${page}`, '2:outsider:'), 403)
})

test('with_deleted keeps it open to whom the policy says', async () => {
  assert.equal(await listed('/pages', '1:archivist:'), [page])
  assert.is(await status('PATCH', `/pages/${page}`, '1:archivist:', { text: 'Kept' }), 200)
  assert.equal(await listed('/pages', '2:archivist:'), [])
})

test('whoever needs no relation keeps working, and sees what is deleted where it is carried, but does not find by it', async () => {
  const shown = await app.expect(200, 'GET', `/pages/${page}`)
  assert.is(shown.book.title, 'Emma')
  assert.equal(
    shown.lines.map(({ id }: { id: number }) => id),
    [line],
  )
  for (const query of ['book.title=Emma', 'search=Emma', 'where={"book.title":"Emma"}'])
    assert.equal(await listed(`/pages?${query}`, STAFF), [], query)
  assert.equal(await listed('/pages?book.title[null]=true', STAFF), [page, loose])
})

test('explain names the relations whose records must not be deleted', async () => {
  const { foundation } = app.engine.app
  const actor = { kind: 'user', id: 1, role: 'member', permissions: new Set<string>(), attributes: {} } as const
  const call = executionOf(foundation, { actor, requestId: 'test', afterCommit: () => undefined })
  const ask = (resource: string, named: number) =>
    explainRequest(call, {
      resource: foundation.catalog.resources.get(resource)!,
      action: 'get',
      named: String(named),
      query: new URLSearchParams(),
    })
  const [, member, archivist] = (await ask('pages', page)).verdicts
  assert.equal([member?.reaches, member?.follows, archivist?.follows], [false, ['book'], []])
  assert.equal((await ask('lines', line)).verdicts[1]?.follows, ['page.book'])
})

test('a condition on what may be chosen asks for a record that is there, and leaves earlier choices alone', async () => {
  const chosen = await app.call('POST', '/api/v1/lines', { token: STAFF, body: { text: 'New', page_id: page } })
  assert.is(chosen.status, 422)
  assert.equal(chosen.body.errors, { page_id: ['The selected page is invalid'] })
  assert.is(await status('POST', '/lines', STAFF, { text: 'Free', page_id: loose }), 201)
  assert.is(await status('PATCH', `/lines/${line}`, STAFF, { text: 'Corrected' }), 200)
})

test('a record on the way counts as well as the last one', async () => {
  await app.expect(200, 'POST', `/books/${book}/restore`)
  assert.equal(await listed('/pages', ANN), [page])
  assert.equal(await listed('/pages', '1:librarian:'), [page])
  await app.expect(204, 'DELETE', '/shelves/1')
  assert.equal(await listed('/pages', '1:librarian:'), [])
  assert.equal(await listed('/books?shelf.slug=main', STAFF), [])
  assert.equal(await listed('/lines', BEN), [])
})

test('a value that the caller does not have opens nothing: neither equal nor unequal, neither negated nor over a relation', async () => {
  const wing = (await app.expect(201, 'POST', '/wings', STAFF, { name: 'East', size: 3, warden_id: 1 })).id
  await app.expect(201, 'POST', '/wings', STAFF, { name: 'Empty', warden_id: 1 })
  for (const role of ['same', 'other', 'unlike', 'larger', 'through', 'neither']) {
    assert.equal(await listed('/wings', `1:${role}:`), [], role)
    assert.is(await status('GET', `/wings/${wing}`, `1:${role}:`), 403, role)
  }
  const anonymous = await app.call('GET', '/api/v1/wings')
  assert.equal([anonymous.status, anonymous.body.data], [200, []], 'nobody is not somebody else')
  assert.is((await listed('/wings', '2:member:')).length, 2, 'and somebody else is')
})

test('what is asked of many records behind a deleted one opens nothing either, negated or not', async () => {
  const crew = (await app.expect(201, 'POST', '/crews', STAFF, { name: 'One', person_ids: [1] })).id
  await app.expect(201, 'POST', '/seats', STAFF, { crew_id: crew, person_id: 1 })
  const task = (await app.expect(201, 'POST', '/tasks', STAFF, { text: 'Sweep', crew_id: crew })).id
  const members = ['1:linked:', '1:seated:', '1:kept:']
  const others = ['2:alone:', '2:every:', '2:unseated:']
  for (const token of [...members, ...others]) assert.equal(await listed('/tasks', token), [task], token)
  for (const token of ['2:linked:', '2:seated:', '1:alone:', '1:every:', '1:unseated:'])
    assert.equal(await listed('/tasks', token), [], token)
  await app.expect(204, 'DELETE', `/crews/${crew}`)
  for (const token of [...members, ...others]) {
    const isKept = token === '1:kept:'
    assert.equal(await listed('/tasks', token), isKept ? [task] : [], token)
    assert.is(await status('GET', `/tasks/${task}`, token), isKept ? 200 : 403, token)
    assert.is(await status('PATCH', `/tasks/${task}`, token, { text: 'Wipe' }), isKept ? 200 : 403, token)
    if (!isKept) assert.is(await status('DELETE', `/tasks/${task}`, token), 403, token)
  }
  await app.expect(200, 'POST', `/crews/${crew}/restore`)
  for (const token of [...members, ...others]) assert.equal(await listed('/tasks', token), [task], token)
})

test.run()
