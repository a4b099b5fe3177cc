/** A condition that an author gives a name compares only what its caller may see, as every other filter of a list does. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ANN, BEN, FILES, type Library, library, STAFF, STRANGER } from './library.ts'
import { fill } from './shelf.ts'

const test = suite('conditions with a name')
let app: Library

const FILTERS = `filters:
  title: title
  has_notes: { notes: { null: false } }
  quiet_or_thin: { any: [{ notes: quiet }, { pages: { lt: 5 } }] }
  has_private: { reviews: { some: { is_private: true } } }
  all_public: { reviews: { every: { is_private: false } } }
  reviewed_twice: { reviews: { count: { gte: 2 } } }
  of_ben: { owner.email: ben@example.org }
  not_of_ben: { owner.email: { ne: ben@example.org } }
  mine: { owner: $actor }
`

test.before(async () => {
  const books = FILES['books.yaml']!.replace(/^filters: .*\n/m, FILTERS)
  const reviews = `${FILES['reviews.yaml']}
filters: { of_a_quiet_book: { book.notes: quiet }, of_a_book_of_ben: { book.owner.name: Ben } }
`
  app = await library({ 'books.yaml': books, 'reviews.yaml': reviews })
  await fill(app)
  await app.expect(201, 'POST', '/books/1/reviews', ANN, { text: 'good', stars: 5 })
  await app.expect(201, 'POST', '/books/1/reviews', STAFF, { text: 'bad', stars: 1, is_private: true })
})
test.after(() => app.close())

async function found(query: string, token: string, path = '/books'): Promise<readonly number[] | string> {
  const { body, status } = await app.call('GET', `/api/v1${path}?sort=id&${query}`, { token })
  return status === 200 ? body.data.map(({ id }: { id: number }) => id) : `${status} ${JSON.stringify(body.errors)}`
}

test('records that the caller may not see are not there', async () => {
  assert.equal(await found('has_private=true', STAFF), [1])
  assert.equal(await found('has_private=true', ANN), [])
  assert.equal(await found('has_private=false', ANN), await found('', ANN))
  assert.equal(await found('all_public=true', ANN), await found('', ANN))
  assert.equal(await found('reviewed_twice=true', STAFF), [1])
  assert.equal(await found('reviewed_twice=true', ANN), [])
})

test('what holds of an absent value holds of a record that is out of sight', async () => {
  const all = await found('', BEN)
  assert.equal(await found('of_ben=true', BEN), all)
  assert.equal(await found('not_of_ben=false', BEN), all)
  assert.equal(await found('mine=true', BEN), all)
  assert.equal(await found('of_ben=true', ANN), [])
  assert.equal(await found('not_of_ben=true', ANN), await found('', ANN))
})

test('a condition over a field that the caller may not read is no parameter', async () => {
  assert.equal(await found('has_notes=true', STAFF), [1])
  for (const name of ['has_notes', 'quiet_or_thin'])
    for (const word of ['true', 'false', 'maybe'])
      assert.match(
        String(await found(`${name}=${word}`, ANN)),
        new RegExp(
          `^422 {"${name}":\\["Unknown parameter \\\\"${name}\\\\"; known here: (?!.*(has_notes|quiet_or_thin)).*has_private`,
        ),
      )
  assert.match(String(await found('has_note=true', STAFF)), /did you mean \\"has_notes\\"/)
  assert.not.match(String(await found('has_note=true', ANN)), /has_notes/)
  assert.match(String(await found('of_a_quiet_book=true', ANN, '/books/1/reviews')), /Unknown parameter/)
  assert.equal(await found('of_a_quiet_book=true', STAFF, '/books/1/reviews'), [1, 2])
})

test('nor is one over records of which the caller may see none', async () => {
  assert.match(String(await found('has_private=true', STRANGER)), /^403/)
})

test('figures, and writes by filters, go by the same', async () => {
  const { body } = await app.call('GET', '/api/v1/books?has_private=true&cursor=first', { token: ANN })
  assert.equal(body.data, [])
  const deleted = await app.call('DELETE', '/api/v1/books?has_private=true&max=5&dry_run=true', { token: STAFF })
  assert.equal(deleted.body.data, { matched: 1 })
})

test('the document of a reader has the conditions that it may ask for', async () => {
  const parameters = async (token: string): Promise<readonly string[]> => {
    const { body } = await app.call('GET', '/openapi.json', { token })
    return body.paths['/api/v1/books'].get.parameters.map(({ name }: { name?: string }) => name)
  }
  const [staff, ann] = [await parameters(STAFF), await parameters(ANN)]
  assert.ok(staff.includes('has_notes') && staff.includes('has_private'))
  assert.ok(!ann.includes('has_notes') && ann.includes('has_private'))
})

test.run()
