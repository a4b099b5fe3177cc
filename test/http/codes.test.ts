/** Refusals say for programs what they say for people: a code beside the message, and one for each sentence. */
import { readFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { codeOf, FIELD_ERRORS, fieldError } from '../../engine/field-error.ts'
import { type Library, library, STAFF, STRANGER } from '../action/library.ts'
import { codeInWords } from '../support/sentence-codes.ts'

const test = suite('http: codes of refusals')
let app: Library
test.before(async () => {
  app = await library()
})
test.after(() => app.close())

const ask = (method: string, path: string, body?: unknown, token: string | undefined = STAFF) =>
  app.call(method, `/api/v1${path}`, { body, token })

test('every refusal has its code beside its message', async () => {
  for (const [code, answer] of [
    ['route_not_found', ask('GET', '/nowhere')],
    ['record_not_found', ask('GET', '/books/999')],
    ['method_not_allowed', ask('PUT', '/books')],
    ['unauthenticated', app.call('GET', '/api/v1/books')],
    ['forbidden', ask('POST', '/shelves', { name: 'x' }, STRANGER)],
    ['malformed_body', ask('POST', '/books', '[1]')],
    ['validation_failed', ask('POST', '/books', {})],
    ['bad_request', ask('GET', '/books?a=%zz')],
  ] as const) {
    const { body } = await answer
    assert.is(body.code, code)
    assert.is(typeof body.message, 'string')
  }
})

test('each sentence has its code, under the same keys and in the same order', async () => {
  const wrong = {
    title: '',
    pages: 6_000,
    price: 'x',
    kind: 'song',
    printed_on: '2026',
    words: ['a', 'b', 'c', 'd', 'e', 'f'],
    serial: -1,
    lent: 'perhaps',
    shelf_id: 99,
    color: 1,
  }
  const { status, body } = await ask('POST', '/books', wrong)
  assert.is(status, 422)
  assert.equal(body.error_codes, {
    title: ['required'],
    pages: ['out_of_range'],
    price: ['wrong_type'],
    kind: ['not_allowed'],
    printed_on: ['wrong_format'],
    words: ['too_many'],
    serial: ['out_of_range'],
    lent: ['wrong_type'],
    shelf_id: ['invalid_selection'],
    color: ['unknown_field'],
  })
  assert.equal(Object.keys(body.errors).sort(), Object.keys(body.error_codes).sort())
  const query = await ask('GET', '/books?pages[near]=1&nothing=1&sort=smell&page=x&kind=a&pages=1.5')
  assert.equal(query.body.error_codes, {
    'pages[near]': ['unknown_operator'],
    nothing: ['unknown_parameter'],
    sort: ['unknown_sort'],
    page: ['wrong_type'],
    kind: ['not_allowed'],
    pages: ['wrong_type'],
  })
})

test('a code is given with its sentence, and never read off it', () => {
  assert.is(codeOf(fieldError('taken', 'Somebody else sits there')), 'taken')
  assert.is(codeOf('The seat is required'), 'invalid')
  assert.is(JSON.stringify(fieldError('taken', 'Somebody else sits there')), '"Somebody else sits there"')
})

test('sentences of one code read alike', () => {
  for (const [code, sentence] of [
    ['taken', 'The name has already been taken'],
    ['not_null', 'The lent field must not be null'],
    ['not_writable', 'The isbn field cannot be changed'],
    ['too_long', 'The title field must be at most 255 characters'],
    ['too_short', 'The code field must be at least 3 characters'],
    ['too_large', 'The price field must be at most 9.99'],
    ['too_small', 'The price field must be at least 0'],
    ['too_few', 'The words field must have at least 1 item'],
    ['repeated', 'The words field must not repeat another item'],
    ['given_twice', 'The page parameter was given twice; separate several values by commas'],
    ['not_text', 'The a.0 contains characters that are not text'],
    ['mismatch', 'The password confirmation does not match'],
    ['too_many', 'Only one file may be sent'],
    ['wrong_format', 'The email field must be a valid email address'],
    ['out_of_range', 'The pages field must be between 1 and 10'],
    ['invalid', 'The ticket is closed already'],
    ['unknown_field', 'Unknown field "has already been taken"'],
  ] as const) {
    assert.is(codeInWords(sentence), code, sentence)
  }
})

test('the documentation lists the codes', () => {
  const readme = readFileSync('engine/guide/api.md', 'utf8')
  for (const [code, meaning] of Object.entries(FIELD_ERRORS)) assert.ok(readme.includes(`| \`${code}\` | ${meaning} |`))
})

test('a creation says where the new record is', async () => {
  const { status, headers, body } = await ask('POST', '/books', { title: 'New' })
  assert.is(status, 201)
  assert.is(headers.location, `/api/v1/books/${body.data.id}`)
  assert.is((await app.call('GET', String(headers.location), { token: STAFF })).body.data.title, 'New')
  const below = await ask('POST', `/books/${body.data.id}/reviews`, { text: 'Good' })
  assert.is(below.headers.location, `/api/v1/reviews/${below.body.data.id}`)
})

test.run()
