/** What lists refuse: parameters, operators, values and orders that they cannot honour, each by its own name. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Answer } from '../support/application.ts'
import { type Library, STAFF } from './library.ts'
import { filledLibrary } from './shelf.ts'

const test = suite('list refusals')
let app: Library

test.before(async () => {
  app = await filledLibrary()
})
test.after(() => app.close())

async function list(query: string, token = STAFF): Promise<Answer> {
  return app.call('GET', `/api/v1/books?${query}`, { token })
}

const REFUSED: readonly (readonly [query: string, parameter: string, sentence: RegExp])[] = [
  ['titel=x', 'titel', /Unknown parameter "titel"; did you mean "title"\?/],
  ['titel=', 'titel', /Unknown parameter/],
  ['sheff.slug=x', 'sheff.slug', /did you mean "shelf.slug"/],
  ['perpage=3', 'perpage', /did you mean "per_page"/],
  ['isbn=1', 'isbn', /Unknown parameter/],
  ['__proto__=1', '__proto__', /Unknown parameter/],
  ['__proto__[eq]=1', '__proto__[eq]', /Unknown parameter/],
  ['constructor=1', 'constructor', /Unknown parameter/],
  ['toString=1', 'toString', /Unknown parameter/],
  ['hasOwnProperty[x]=1', 'hasOwnProperty[x]', /Unknown parameter/],
  ['pages=abc', 'pages', /must be an integer/],
  ['pages=1.5', 'pages', /must be an integer/],
  ['pages=1,x', 'pages', /must be an integer/],
  ['pages[between]=1', 'pages[between]', /two values/],
  ['pages[between]=1,2,3', 'pages[between]', /two values/],
  ['pages[between]=a,2', 'pages[between]', /must be an integer/],
  ['pages[contains]=1', 'pages[contains]', /does not go with this field; allowed: eq/],
  ['pages[like]=1', 'pages[like]', /Unknown operator "like"/],
  ['pages[constructor]=1', 'pages[constructor]', /Unknown operator/],
  ['pages[gt][x]=1', 'pages[gt][x]', /Unknown parameter "pages"/],
  ['pages[null]=maybe', 'pages[null]', /must be true or false/],
  ['price=cheap', 'price', /must be a number/],
  ['price=1e5', 'price', /must be a number/],
  ['kind=drama', 'kind', /must be one of novel, poetry, essay/],
  ['lent=yes', 'lent', /must be true or false/],
  ['printed_on=2001-02-30', 'printed_on', /must be a date/],
  ['printed_from=yesterday', 'printed_from', /must be a date/],
  ['seen_from=2026-01-01T00:00:00Z', 'seen_from', /must be a day/],
  ['seen_at=now', 'seen_at', /must be a time/],
  ['seen_at=infinity', 'seen_at', /must be a time/],
  ['seen_at=2026-01-01T00:00:00', 'seen_at', /must be a time with a zone/],
  ['shelf_id=abc', 'shelf_id', /must be an integer/],
  ['shelf_id[gt]=1', 'shelf_id[gt]', /does not go with/],
  ['shelf_id[in]=1,b', 'shelf_id[in]', /must be an integer/],
  ['details=1', 'details', /./],
  ['pages[gte]=1&pages[gte]=2', 'pages[gte]', /given twice and takes one value/],
  ['pages[null]=true&pages[null]=false', 'pages[null]', /given twice/],
  ['words=a&words=b', 'words', /given twice/],
  ['seen_from=2026-01-01&seen_from=2026-01-02', 'seen_from', /given twice/],
  ['page=1&page=2', 'page', /given twice/],
  ['order=asc&order=desc', 'order', /given twice/],
  ['search=a&search=b', 'search', /given twice/],
  ['pages=1&pages=x', 'pages', /must be an integer/],
  [Array.from({ length: 201 }, (_, i) => `pages=${i}`).join('&'), 'pages', /at most 200 values/],
  [`pages=${Array.from({ length: 201 }, (_, i) => i).join(',')}`, 'pages', /at most 200 values/],
  ['sort=titel', 'sort', /Cannot sort by "titel"; did you mean "title"\?/],
  ['sort=-', 'sort', /Cannot sort by ""/],
  ['sort=id,,title', 'sort', /Cannot sort by ""/],
  ['sort=words', 'sort', /Cannot sort by "words"/],
  ['sort=__proto__', 'sort', /Cannot sort/],
  ['sort=id,title,pages,price,kind,lent', 'sort', /At most 5 sort keys/],
  ['order=up', 'order', /asc or desc/],
  ['page=0', 'page', /positive integer/],
  ['page=-1', 'page', /positive integer/],
  ['page=1.0', 'page', /positive integer/],
  ['page=abc', 'page', /positive integer/],
  ['page=1e3', 'page', /positive integer/],
  ['per_page=0', 'per_page', /positive integer/],
  ['per_page=many', 'per_page', /positive integer/],
  ['cursor=first&page=1', 'page', /cannot be used together with cursor/],
  ['cursor=nonsense', 'cursor', /"first" or the next_cursor/],
  ['search=a+b+c+d+e+f+-g+h+i+j+"k+l"', 'search', /at most 10 words/],
  [`search=${'x'.repeat(256)}`, 'search', /at most 255/],
]

test('refuses what it cannot honour with 422, keyed by the parameter', async () => {
  for (const [query, parameter, sentence] of REFUSED) {
    const answer = await list(query)
    assert.is(answer.status, 422, `${query}: ${answer.text}`)
    assert.is(answer.body.message, 'Validation failed')
    assert.equal(Object.keys(answer.body.errors), [parameter], query)
    assert.match(answer.body.errors[parameter].join(' '), sentence)
  }
})

test('reports all mistakes of a query at once', async () => {
  const { body } = await list('pages=x&kind=y&sort=z&order=w&page=0&nonsense=1')
  assert.equal(Object.keys(body.errors).sort(), ['kind', 'nonsense', 'order', 'page', 'pages', 'sort'])
})

test('more than fifty conditions are too many', async () => {
  const words = ['eq', 'ne', 'in', 'not_in', 'lt', 'lte', 'gt', 'gte']
  const fields = [
    'pages=1',
    'price=1',
    'printed_on=2020-01-01',
    'seen_at=2020-01-01',
    'serial=1',
    'created_at=2020-01-01',
  ]
  const terms = fields.flatMap((field) => words.map((word) => field.replace('=', `[${word}]=`)))
  const fifty = [...terms, 'lent=1', 'kind=novel'].join('&')
  assert.is((await list(fifty)).status, 200)
  assert.equal((await list(`${fifty}&title=x`)).body.errors, { filter: ['At most 50 conditions are allowed'] })
})

test.run()
