/** Writers of one record at a time: versions, and changes that must not lose each other. */
import { setTimeout as sleep } from 'node:timers/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Answer } from '../support/application.ts'
import { type Library, library, STAFF } from './library.ts'

const test = suite('race')
let app: Library

test.before(async () => {
  app = await library()
})
test.after(() => app.close())

const patch = (path: string, body: unknown, headers = {}): Promise<Answer> =>
  app.call('PATCH', `/api/v1${path}`, { token: STAFF, body, headers })
/** The same, again and again where the service is too busy for it: a machine with other work refuses some of fifty at once. */
async function patchAtLast(path: string, body: unknown): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    const answer = await patch(path, body)
    if (answer.status !== 503 || tries === 20) return answer
    // What makes it busy ends meanwhile.
    await sleep(100)
  }
}
const make = (path: string, body: unknown) => app.expect(201, 'POST', path, STAFF, body)
const read = (path: string) => app.expect(200, 'GET', path)

test('If-Match lets the newest version through and stops the older', async () => {
  const book = await make('/books', { title: 'Raced', pages: 100 })
  const { headers } = await app.call('GET', `/api/v1/books/${book.id}`, { token: STAFF })
  const tag = String(headers.etag)
  assert.is((await patch(`/books/${book.id}`, { pages: 1 }, { 'if-match': '"other"' })).status, 412)
  assert.is((await patch(`/books/${book.id}`, { pages: 1 }, { 'if-match': `"other", ${tag}` })).status, 200)
  const stale = await patch(`/books/${book.id}`, { pages: 2 }, { 'if-match': tag })
  assert.is(stale.status, 412)
  assert.match(stale.body.message, /read it again/)
  assert.is((await patch(`/books/${book.id}`, {}, { 'if-match': tag })).status, 412)
  assert.is((await patch(`/books/${book.id}`, { pages: 'x' }, { 'if-match': tag })).status, 422)
  const forced = await patch(`/books/${book.id}`, { pages: 3 }, { 'if-match': '*' })
  assert.is(forced.status, 200)
  const weak = `W/${forced.headers.etag}`
  assert.is((await patch(`/books/${book.id}`, { pages: 4 }, { 'if-match': weak })).status, 200)
})

test('of parallel writers with one version one succeeds', async () => {
  const book = await make('/books', { title: 'Raced', pages: 100 })
  const { headers } = await app.call('GET', `/api/v1/books/${book.id}`, { token: STAFF })
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, i) =>
      patch(`/books/${book.id}`, { pages: i + 1 }, { 'if-match': String(headers.etag) }),
    ),
  )
  assert.equal(answers.map(({ status }) => status).sort(), [200, ...Array.from({ length: 9 }, () => 412)])
})

test('fifty parallel changes of different fields are all there at the end', async () => {
  const book = await make('/books', { title: 'Busy' })
  const bodies = Array.from({ length: 10 }, (_, i) => [
    { title: `Busy ${i}` },
    { pages: 500 + i },
    { price: `${i}.00` },
    { notes: `n${i}` },
    { serial: i },
  ])
  const answers = await Promise.all(bodies.flat().map((body) => patchAtLast(`/books/${book.id}`, body)))
  for (const answer of answers) assert.is(answer.status, 200, answer.text)
  const found = await read(`/books/${book.id}`)
  for (const name of ['title', 'pages', 'price', 'notes', 'serial']) {
    const sent = bodies.flat().map((body) => Reflect.get(body, name))
    assert.ok(found[name] !== undefined && sent.includes(found[name]), `${name}: ${found[name]}`)
  }
})

test('parallel changes in transactions do not lose each other', async () => {
  const note = await make('/notes', { text: 'n' })
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, i) =>
      patchAtLast(`/notes/${note.id}`, i % 2 ? { text: `n${i}` } : { stamp: `s${i}` }),
    ),
  )
  for (const answer of answers) assert.is(answer.status, 200, answer.text)
  const found = await read(`/notes/${note.id}`)
  assert.match(found.text, /^n\d$/)
  assert.match(found.stamp, /^s\d$/)
})

test.run()
