/** `fields`, `omit` and `include`: what of each record is answered, by whom it can be asked for, and what is read for it. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Actor } from '../../engine/actor.ts'
import { readListQuery } from '../../engine/ask/list.ts'
import { readRecordQuery } from '../../engine/ask/projection.ts'
import type { Resource } from '../../engine/catalog/catalog.ts'
import { recordPlan } from '../../engine/run/read.ts'
import { compilePage } from '../../engine/statement/list.ts'
import { compileGet } from '../../engine/statement/record.ts'
import type { Answer } from '../support/application.ts'
import { ANN, FILES, type Library, library, STAFF } from './library.ts'
import { fill } from './shelf.ts'

const test = suite('parts of records')
let app: Library

const ASKED = {
  'books.yaml': FILES['books.yaml']
    .replace(
      'tags: { many_to_many: tags, embed: [id, name] }',
      'tags: { many_to_many: tags, embed: [id, name], show: asked }\n  critics: { has_many: reviews, by: book, show: asked, embed: [id, { by: owner.name }] }',
    )
    .replace('serial: {', 'summary: { type: string, computed: "t.title || \'!\'", show: asked }\n  serial: {'),
}

test.before(async () => {
  app = await library(ASKED)
  await app.expect(201, 'POST', '/tags', STAFF, { name: 'old' })
  await fill(app)
  await app.expect(200, 'PUT', '/books/1', STAFF, { tag_ids: [1] })
  for (const stars of [1, 2, 3, 4, 5]) {
    const review = { text: `${stars} stars`, stars, is_private: stars === 5 }
    await app.expect(201, 'POST', '/books/1/reviews', STAFF, review)
  }
})
test.after(() => app.close())

async function books(query: string, token = STAFF): Promise<Answer> {
  const answer = await app.call('GET', `/api/v1/books?${query}`, { token })
  assert.is(answer.status, 200, answer.text)
  return answer
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever an answer holds
async function first(query: string, token = STAFF): Promise<any> {
  return (await books(query, token)).body.data[0]
}

test('a list answers with the fields that are named, in the order of answers', async () => {
  assert.equal(await first('fields=title,id'), { id: 1, title: 'Alpha 100% true' })
  assert.equal(await first('fields=id,shelf.name,owner'), {
    id: 1,
    shelf: { name: 'Main' },
    owner: { id: 1, name: 'Ann' },
  })
  assert.equal(await first('fields=shelf,shelf.name&fields=pages'), { pages: 10, shelf: { id: 1, name: 'Main' } })
  assert.equal(await first('fields=summary'), { summary: 'Alpha 100% true!' })
})

test('it answers without those that are left out', async () => {
  const all = await first('')
  const { notes, created_at, shelf, ...rest } = all
  assert.equal(await first('omit=notes,created_at,shelf.id'), { ...rest, shelf: { name: shelf.name } })
  assert.equal(await first('fields=id,title,pages&omit=title'), { id: 1, pages: 10 })
  assert.ok(notes && created_at)
})

test('a single record does the same', async () => {
  const get = async (query: string) => app.call('GET', `/api/v1/books/1?${query}`, { token: STAFF })
  assert.equal((await get('fields=id,reviews.stars')).body.data, {
    id: 1,
    reviews: [{ stars: 1 }, { stars: 2 }, { stars: 3 }, { stars: 4 }, { stars: 5 }],
  })
  assert.equal((await get('fields=id&include=tags')).body.data, { id: 1 })
  assert.equal((await get('include=tags&fields=id,tags')).body.data, { id: 1, tags: [{ id: 1, name: 'old' }] })
  assert.is((await get('include=reviews(2)')).body.data.reviews.length, 2)
  assert.is((await get('')).body.data.tags, undefined)
  assert.is((await get('omit=reviews')).body.data.reviews, undefined)
})

test('a list includes what stands in single answers, and what is only asked for, bounded', async () => {
  assert.equal(
    (await first('include=reviews(2)')).reviews.map(({ stars }: { stars: number }) => stars),
    [1, 2],
    'in the order of the relation',
  )
  assert.equal(
    (await first('include=critics(2)')).critics.map(({ id }: { id: number }) => id),
    [5, 4],
    'newest first',
  )
  assert.equal((await first('include=tags&fields=id,tags.name')).tags, [{ name: 'old' }])
  assert.is((await first('include=critics')).critics.length, 5)
})

test('what is included is within the sight of its reader', async () => {
  const record = await first('include=critics,reviews', ANN)
  assert.is(record.critics.length, 4)
  assert.is(record.reviews.length, 4)
})

test('it goes with conditions, cursors, searches, nested lists and bodies', async () => {
  const page = await books('fields=title&cursor=first&per_page=1&sort=-pages')
  assert.equal(page.body.data, [{ title: 'Ärger' }])
  const next = await books(`fields=title&per_page=1&sort=-pages&cursor=${page.at('meta.pagination.next_cursor')}`)
  assert.equal(next.body.data, [{ title: 'Gamma back\\slash' }])
  assert.equal((await books('fields=id&search=alpha')).body.data, [{ id: 1 }])
  assert.equal((await books('fields=id&where={"pages":10}')).body.data, [{ id: 1 }])
  const nested = await app.call('GET', '/api/v1/books/1/reviews?fields=stars&per_page=1', { token: STAFF })
  assert.equal(nested.body.data, [{ stars: 1 }])
  const body = { fields: ['id', 'shelf.name'], include: ['tags'], sort: 'id', per_page: 1 }
  const asked = await app.call('POST', '/api/v1/books/query', {
    token: STAFF,
    body: { ...body, fields: [...body.fields, 'tags'] },
  })
  assert.equal(asked.body.data, [{ id: 1, shelf: { name: 'Main' }, tags: [{ id: 1, name: 'old' }] }])
})

const REFUSED: readonly (readonly [query: string, parameter: string, sentence: RegExp])[] = [
  ['fields=titel', 'fields', /^Unknown field "titel"; did you mean "title"\?/],
  ['fields=shelf.nam', 'fields', /did you mean "shelf.name"\?/],
  ['fields=shelf.slug', 'fields', /^Unknown field "shelf.slug"; (did you mean|fields here)/],
  ['fields=owner.pin', 'fields', /^Unknown field "owner.pin"/],
  ['fields=reviews', 'fields', /^Unknown field "reviews"/],
  ['fields=title.x', 'fields', /^Unknown field "title.x"/],
  ['fields=__proto__', 'fields', /^Unknown field/],
  ['omit=titel', 'omit', /did you mean "title"\?/],
  ['include=review', 'include', /^Unknown field "review"; did you mean "reviews"\?/],
  ['include=title', 'include', /^Unknown field "title"/],
  ['include=reviews(0)', 'include', /from 1 to 50/],
  ['include=reviews(51)', 'include', /from 1 to 50/],
  ['include=owner(2)', 'include', /leads to one record/],
  ['include=reviews(x)', 'include', /^Unknown field "reviews\(x\)"/],
  [`fields=${Array.from({ length: 201 }, () => 'id').join()}`, 'fields', /at most 200 values/],
]

for (const [query, parameter, sentence] of REFUSED) {
  test(`${query.slice(0, 40)} is refused`, async () => {
    const answer = await app.call('GET', `/api/v1/books?${query}`, { token: STAFF })
    assert.is(answer.status, 422, answer.text)
    assert.equal(Object.keys(answer.body.errors), [parameter])
    assert.match(answer.body.errors[parameter][0], sentence)
    if (query === 'fields=reviews') return
    const single = await app.call('GET', `/api/v1/books/1?${query}`, { token: STAFF })
    assert.is(single.status, 422, single.text)
  })
}

test('what may not be read is refused as what is not there', async () => {
  const [hidden, absent] = await Promise.all(
    ['notes', 'nonsense_'].map((name) => app.call('GET', `/api/v1/books?fields=${name}`, { token: ANN })),
  )
  assert.is(hidden!.status, 422)
  const words = (answer: Answer, name: string) => answer.body.errors.fields[0].replace(name, '').replace(/; .*/, '')
  assert.is(words(hidden!, 'notes'), words(absent!, 'nonsense_'))
  assert.not.match(hidden!.body.errors.fields[0].slice(22), /notes|bought_on/)
  const single = await app.call('GET', '/api/v1/books/1?page=1', { token: STAFF })
  assert.match(single.body.errors.page[0], /^Unknown parameter "page"/)
})

test('a smaller shape reads fewer columns over fewer joins', () => {
  const { catalog } = app.engine.app
  const { plans } = app.engine.app.foundation
  const resource = catalog.resources.get('books') as Resource
  const actor: Actor = { kind: 'user', id: 1, role: 'staff', permissions: new Set(['books.edit']), attributes: {} }
  const page = (query: string) =>
    compilePage({ catalog, actor }, readListQuery({ catalog, actor, plans }, resource, new URLSearchParams(query)).plan)
      .statement.text
  const count = (text: string, part: RegExp) => [...text.matchAll(part)].length
  assert.is(page('fields=id,title').match(/^select (.*?) from/)?.[1], 't."id", t."title"')
  assert.is(count(page('fields=id,title'), /left join/g), 0)
  assert.is(count(page('fields=id,shelf.name'), /left join/g), 1)
  assert.is(count(page(''), /left join/g), 2)
  assert.is(count(page('omit=reviews_count'), /count\(/g), 0)
  assert.is(count(page('include=reviews(3)'), / limit 3\)/g), 1)
  const single = (query: string) => {
    const projection = readRecordQuery(catalog, resource, actor, new URLSearchParams(query))
    const how = { finds: resource.key, gathered: false, dead: false }
    return compileGet({ catalog, actor }, recordPlan({ actor, plans }, resource, how, projection)).statement.text
  }
  assert.is(count(single('fields=id'), /json_agg/g), 0)
  assert.ok(single('fields=id').length * 3 < single('').length)
})

test.run()
