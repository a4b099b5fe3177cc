/** Resources whose ids are UUIDs or 64-bit numbers do whatever those with integers do. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { follow } from '../stream/client.ts'
import { flat, resolved } from '../support/document.ts'
import { until } from '../support/wait.ts'
import { ABSENT, type Books, FORM, type IdType, MALFORMED, openBooks } from './world.ts'

for (const type of ['uuid', 'bigint'] as const satisfies readonly IdType[]) {
  const test = suite(`ids: ${type}`)
  let app: Books
  let ann = ''
  let ben = ''
  let red = ''
  let blue = ''
  test.before(async () => {
    app = await openBooks(type)
    ann = await app.make('/authors', { name: 'Ann' })
    ben = await app.make('/authors', { name: 'Ben' })
    red = await app.make('/tags', { name: 'red' })
    blue = await app.make('/tags', { name: 'blue' })
  })
  test.after(() => app?.close())

  test('a new record gets an id, a later one a greater one, and is found by it', async () => {
    assert.match(ann, FORM[type])
    assert.ok(type === 'uuid' ? ben > ann : BigInt(ben) > BigInt(ann))
    const made = await app.call('POST', '/books', { body: { title: 'One', author_id: ann } })
    assert.is(made.status, 201, made.text)
    const id = made.at('data.id') as string
    assert.is(made.headers.location, `/books/${id}`)
    const read = await app.get(`/books/${id}`)
    assert.equal(read.at('data.author'), { id: ann, name: 'Ann' })
    assert.is(read.at('data.author_id'), ann)
    assert.is((await app.get(`/books/${id.toUpperCase()}`)).status, 200)
  })

  test('what is no id of the type is not found, as an id that no record has', async () => {
    for (const text of [...MALFORMED[type], ABSENT[type]])
      for (const path of [`/books/${text}`, `/authors/${text}`, `/authors/${text}/books`])
        assert.is((await app.get(path)).status, 404, path)
    assert.is((await app.call('PUT', `/books/${ABSENT[type]}`, { body: { title: 'x' } })).status, 404)
    assert.is((await app.call('DELETE', '/books/x')).status, 404)
  })

  test('a body names other records by such ids, and is told of those that are none', async () => {
    const absent = await app.call('POST', '/books', { body: { title: 'x', author_id: ABSENT[type] } })
    assert.equal([absent.status, absent.at('errors.author_id')], [422, ['The selected author is invalid']])
    const malformed = await app.call('POST', '/books', { body: { title: 'x', author_id: 'none' } })
    const sentence = type === 'uuid' ? 'The author id field must be a UUID' : 'The author id field must be an integer'
    assert.equal([malformed.status, malformed.at('errors.author_id')], [422, [sentence]])
    const own = await app.call('POST', '/books', { body: { id: ABSENT[type], title: 'x' } })
    assert.is(own.status, 422)
    const moved = await app.call('PUT', `/books/${await app.make('/books', { title: 'x' })}`, {
      body: { author_id: ben, id: ABSENT[type] },
    })
    assert.is(moved.status, 422)
  })

  test('many-to-many lists of ids are written, replaced and refused at their place', async () => {
    const id = await app.make('/books', { title: 'Tagged', tag_ids: [red, blue] })
    assert.equal((await app.get(`/books/${id}`)).at('data.tags'), [
      { id: red, name: 'red' },
      { id: blue, name: 'blue' },
    ])
    const less = await app.call('PUT', `/books/${id}`, { body: { tag_ids: [blue] } })
    assert.equal(less.at('data.tags'), [{ id: blue, name: 'blue' }])
    const wrong = await app.call('PUT', `/books/${id}`, { body: { tag_ids: [blue, ABSENT[type]] } })
    assert.equal(wrong.at('errors'), { 'tag_ids.1': ['The selected tags is invalid'] })
    const malformed = await app.call('PUT', `/books/${id}`, { body: { tag_ids: ['x'] } })
    assert.equal([malformed.status, Object.keys(malformed.at('errors') as object)], [422, ['tag_ids.0']])
    assert.is((await app.get('/books?tagged=true')).list.length, 0)
  })

  test('lists filter, sort, search and page by them', async () => {
    const cat = await app.make('/authors', { name: 'Cat' })
    const ids: string[] = []
    for (let n = 0; n < 7; n++) ids.push(await app.make('/books', { title: `Paged ${n}`, author_id: cat }))
    const path = `/books?author_id=${cat}`
    assert.is((await app.get(`${path},${ann}&per_page=50`)).list.filter(({ author_id }) => author_id === cat).length, 7)
    assert.is((await app.get(`/books?author_id[ne]=${cat}&search=Paged`)).list.length, 0)
    assert.is((await app.get(`/books?search=cat`)).list.length, 7)
    assert.equal(
      (await app.get('/authors?search=Paged')).list.map(({ id }) => id),
      [cat],
    )
    assert.is((await app.get('/books?author_id=none')).status, 422)
    assert.is((await app.get(`/books?author_id=${ABSENT[type]}`)).list.length, 0)
    const seen: unknown[] = []
    let cursor: string | null = 'first'
    while (cursor !== null) {
      const page = await app.get(`${path}&sort=-id&per_page=3&cursor=${cursor}`)
      assert.is(page.status, 200, page.text)
      seen.push(...page.list.map(({ id }) => id))
      cursor = page.at('meta.pagination.next_cursor') as string | null
    }
    assert.equal(seen, [...ids].reverse())
    assert.equal(
      (await app.get(`${path}&sort=id&page=2&per_page=5`)).list.map(({ id }) => id),
      ids.slice(5),
    )
    const forged = Buffer.from(JSON.stringify(['-id', "x'; drop table books"])).toString('base64url')
    assert.is((await app.get(`/books?sort=-id&cursor=${forged}`)).status, 422)
    assert.is((await app.get(`/authors/${cat}`)).at('data.books_count'), 7)
    assert.is((await app.get(`/authors/${cat}`)).at('data.pages'), 7)
    assert.is((await app.get(`/authors/${cat}/books?per_page=2`)).at('meta.pagination.total'), 7)
  })

  test('conditions of callers compare them', async () => {
    const where = async (condition: object) =>
      (await app.get(`/books?per_page=50&where=${encodeURIComponent(JSON.stringify(condition))}`)).list.length
    const [first = '', second = ''] = (await app.get(`/books?sort=id&per_page=2`)).list.map(({ id }) => String(id))
    assert.is(await where({ id: first }), 1)
    assert.is(await where({ id: [first, second] }), 2)
    assert.is(await where({ id: { lte: second } }), 2)
    assert.is(await where({ author_id: ABSENT[type] }), 0)
    assert.is(await where({ 'author.id': ann }), await where({ author_id: ann }))
    assert.is((await app.get(`/books?where=${encodeURIComponent('{"id":"none"}')}`)).status, 422)
    const query = await app.call('POST', '/books/query', { body: { where: { id: [first] } } })
    assert.is(query.list.length, 1, query.text)
  })

  test('many are written by one request, in order, and by filters', async () => {
    const made = await app.call('POST', '/books/batch', {
      body: { create: Array.from({ length: 20 }, (_, n) => ({ title: `Batch ${n}`, author_id: ben })) },
    })
    assert.is(made.status, 200, made.text)
    const records = made.at('data.create') as { id: string; title: string }[]
    assert.equal(
      records.map(({ title }) => title),
      Array.from({ length: 20 }, (_, n) => `Batch ${n}`),
    )
    const [first, second, third] = records.map(({ id }) => id)
    const changed = await app.call('POST', '/books/batch', {
      body: { update: [{ id: first, title: 'Changed' }], delete: [second, third] },
    })
    assert.is(changed.status, 200, changed.text)
    assert.equal(changed.at('data.delete'), [second, third])
    const absent = await app.call('POST', '/books/batch', { body: { delete: ['none'] } })
    assert.is(absent.status, 404, absent.text)
    const found = await app.call('PATCH', `/books?author_id=${ben}&max=100`, { body: { pages: 9 } })
    assert.is(found.at('data.matched'), 18)
    assert.match((found.at('data.ids') as string[])[0] ?? '', FORM[type])
    const total = await app.get(`/books/summary?by=author_id&author_id=${ben}`)
    assert.is(total.status, 200, total.text)
    const gone = await app.call('DELETE', `/books?author_id=${ben}&max=100`)
    assert.is(gone.at('data.matched'), 18, gone.text)
  })

  test('a unique value names a record, which is made where there is none', async () => {
    const made = await app.call('PUT', '/books/by/isbn/978-1', { body: { title: 'By ISBN' } })
    assert.is(made.status, 201, made.text)
    const again = await app.call('PUT', '/books/by/isbn/978-1', { body: { title: 'Again' } })
    assert.equal([again.status, again.at('data.id')], [200, made.at('data.id')])
  })

  test('children come with their record, rules of records hold, and what is removed takes its own along', async () => {
    const made = await app.call('POST', '/authors', { body: { name: 'Dan', books: [{ title: 'A' }, { title: 'B' }] } })
    assert.is(made.status, 201, made.text)
    const [one] = made.at('data.books') as { id: string }[]
    assert.is((await app.call('PUT', `/books/${one!.id}`, { body: { sequel_of_id: one!.id } })).status, 409)
    assert.is((await app.call('DELETE', `/authors/${made.at('data.id')}`)).status, 204)
    assert.is((await app.get(`/books/${one!.id}`)).status, 404)
  })

  test('what was changed is kept with the record, and names what it refers to', async () => {
    await app.call('PUT', `/authors/${ann}`, { body: { name: 'Anna' } })
    const kept = await app.call('GET', `/authors/${ann}/activity`, { token: '1:boss:' })
    assert.is(kept.status, 200, kept.text)
    assert.is(kept.list.length > 0, true)
    const book = await app.make('/books', { title: 'Kept', author_id: ann })
    await app.call('PUT', `/books/${book}`, { body: { author_id: ben } })
    const [last] = (await app.call('GET', `/books/${book}/activity`, { token: '1:boss:' })).list
    const [change] = (last?.changes ?? []) as Record<string, unknown>[]
    assert.equal([change?.from_name, change?.to_name, change?.to], ['Anna', 'Ben', ben])
  })

  test('readers of a stream are told with the id, and go on where they were', async () => {
    const reading = await follow(app.address, '/books/stream')
    await reading.come(1)
    const id = await app.make('/books', { title: 'Streamed' })
    await app.call('DELETE', `/books/${id}`)
    const other = await app.make('/books', { title: 'Other' })
    await until(async () => reading.told().includes(`created ${other}`))
    const last = reading.lastId()
    reading.close()
    const missed = await app.make('/books', { title: 'Missed' })
    await app.call('DELETE', `/books/${other}`)
    const further = await follow(app.address, '/books/stream', { 'last-event-id': last })
    await further.come(2)
    assert.equal([...further.told()].sort(), [`created ${missed}`, `deleted ${other}`].sort())
    // In the middle of a batch an id of the reader's own making is no place, or one behind which it goes on.
    for (const part of ['7', '~eA', '~JzsgZHJvcA'])
      assert.is((await follow(app.address, '/books/stream', { 'last-event-id': `${last}.1:1:.${part}` })).status, 200)
    further.close()
  })

  test('a file brings rows in and takes them out', async () => {
    const form = new FormData()
    form.set('file', new Blob(['Title,ISBN,Author,Pages\nFrom a file,978-9,Anna,12\n']), 'books.csv')
    const imported = await fetch(`${app.address}/books/import`, { method: 'POST', body: form })
    const report = (await imported.json()) as { data: { imported: number; ids: string[] } }
    assert.is(report.data.imported, 1, JSON.stringify(report))
    assert.match(report.data.ids[0] ?? '', FORM[type])
    assert.is((await app.get(`/books/${report.data.ids[0]}`)).at('data.author_id'), ann)
    const file = await app.get('/books/export?search=From')
    assert.match(file.text, String(report.data.ids[0]))
  })

  test('the reference says what they are', async () => {
    const { body } = await app.get('/openapi.json')
    const record = flat(body, { $ref: '#/components/schemas/Book' })
    const format = type === 'uuid' ? { type: 'string', format: 'uuid' } : { type: 'string', pattern: '^[0-9]{1,19}$' }
    const { author_id, id } = record.properties as Record<string, object>
    assert.equal({ ...format, ...id }, id)
    assert.match(JSON.stringify(author_id), type === 'uuid' ? '"format":"uuid"' : '[0-9]{1,19}')
    const { parameters } = body.paths['/books/{id}']
    assert.match(JSON.stringify(resolved(body, parameters[0])), type === 'uuid' ? '"format":"uuid"' : '[0-9]{1,19}')
  })

  test.run()
}
