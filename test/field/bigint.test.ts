/** A field of `type: bigint` over HTTP: exact values in bodies, answers, filters, order, files and documents. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { application, type TestApplication } from '../support/application.ts'
import { flat, resolved } from '../support/document.ts'

const test = suite('fields of 64-bit numbers')
let app: TestApplication

const RESOURCES = {
  'app.yaml': 'name: Posts\nplugins: { csv: {}, who: {} }\n',
  'posts.yaml': [
    'resource: posts',
    'fields:',
    '  name: { type: string, required: true }',
    '  foreign_id: { type: bigint, unique: true }',
    '  size: { type: bigint, default: "9007199254740993", nullable: false, min: -5, max: "9223372036854775806" }',
    '  wide: { type: integer, max: 9007199254740991 }',
    '  refs: { type: list, of: bigint, min: "0" }',
    'filters: [foreign_id, size, wide]',
    'sort: { keys: [id, foreign_id, size], default: id }',
    'csv: { export: [{ who: anyone }], import: [{ who: anyone }], columns: { Name: name, Foreign id: foreign_id, Size: size } }',
    'policies:',
    ...['view', 'create', 'update', 'delete'].map((policy) => `  ${policy}: [{ who: anyone }]`),
  ].join('\n'),
}

/** Whole numbers of 64 bits, many of them where doubles are too few. */
const whole = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.bigInt({ min: 2n ** 53n - 4n, max: 2n ** 53n + 4n }),
  fc.constantFrom(-(2n ** 63n), 2n ** 63n - 1n, 0n),
)

test.before(async () => {
  app = await application({ resources: RESOURCES, plugins: 'test/support/plugins' })
})
test.after(() => app?.close())

const post = (body: unknown) => app.call('POST', '/posts', { body })
const names = async (query: string): Promise<string[]> => {
  const { status, body, text } = await app.call('GET', `/posts?${query}&per_page=100`)
  assert.is(status, 200, text)
  return body.data.map(({ name }: { name: string }) => name)
}

test('what comes in goes out, is found alone and is sorted by its number', async () => {
  const numbers = [...new Set(fc.sample(whole, 60))]
  const sorted = [...numbers].sort((a, b) => (a < b ? -1 : 1)).map(String)
  for (const number of numbers) {
    const made = await post({ name: String(number), foreign_id: String(number), refs: ['9007199254740993'] })
    assert.is(made.status, 201, made.text)
    assert.is(made.at('data.foreign_id'), String(number))
    assert.equal(made.at('data.refs'), ['9007199254740993'])
    assert.is(made.at('data.size'), '9007199254740993')
  }
  assert.equal(await names('sort=foreign_id'), sorted)
  for (const number of numbers) {
    const at = sorted.indexOf(String(number))
    assert.equal(await names(`foreign_id=${number}`), [String(number)])
    assert.equal(await names(`sort=foreign_id&foreign_id[lt]=${number}`), sorted.slice(0, at))
    assert.equal(await names(`sort=foreign_id&foreign_id[gte]=${number}`), sorted.slice(at))
    const where = encodeURIComponent(JSON.stringify({ foreign_id: { in: [String(number)] } }))
    assert.equal(await names(`where=${where}`), [String(number)])
    const again = await post({ name: 'x', foreign_id: String(number) })
    assert.equal(again.at('errors.foreign_id'), ['The foreign id has already been taken'])
  }
  const pages: string[] = []
  for (let cursor = '&cursor=first'; ; ) {
    const page = await app.call('GET', `/posts?sort=-foreign_id&per_page=7${cursor}`)
    assert.is(page.status, 200, page.text)
    pages.push(...page.body.data.map(({ name }: { name: string }) => name))
    const next = page.body.meta.pagination.next_cursor
    if (!next) break
    cursor = `&cursor=${next}`
  }
  assert.equal(pages, [...sorted].reverse())
})

test('numbers are taken where they are exact, and refused where they are not', async () => {
  assert.is((await post({ name: 'n', size: 9007199254740991 })).at('data.size'), '9007199254740991')
  assert.is((await post({ name: 'n', size: ' +12 ' })).at('data.size'), '12')
  for (const [size, sentence] of [
    ['9007199254740993', 'The size is a number that cannot be kept exactly; send it as a string of digits'],
    ['9007199254740992', 'The size field must be sent as a string to keep all of its digits'],
    ['"9223372036854775807"', 'The size field must be at most 9223372036854775806'],
    ['-6', 'The size field must be at least -5'],
    ['"9223372036854775808"', 'The size field must be at most 9223372036854775806'],
    ['1.5', 'The size field must be an integer'],
    ['"1e3"', 'The size field must be an integer'],
  ]) {
    const refused = await post(`{"name":"n","size":${size}}`)
    assert.equal([refused.status, refused.at('errors.size')], [422, [sentence]])
  }
  assert.is((await app.call('GET', '/posts?size=9223372036854775808')).status, 422)
})

test('an integer is never found as another one', async () => {
  await post({ name: 'wide', wide: 9007199254740991 })
  for (const wide of ['9007199254740992', '9007199254740993', '99999999999999999999', '-99999999999999999999'])
    assert.equal(await names(`wide=${wide}`), [], wide)
  assert.equal(await names('wide[lt]=99999999999999999999'), ['wide'])
})

test('a file takes them out and in again', async () => {
  const file = (await app.call('GET', '/posts/export')).text
  const form = new FormData()
  const { total } = (await app.call('GET', '/posts')).body.meta.pagination
  assert.is(file.trim().split('\n').length, total + 1, file)
  assert.match(file, /\nwide,,9007199254740993\b/)
  form.set('file', new Blob(['Name,Foreign id,Size\nin,4611686018427387905,9007199254740995\n']), 'posts.csv')
  const imported = await (await fetch(`${app.address}/posts/import`, { method: 'POST', body: form })).text()
  assert.equal(await names('foreign_id=4611686018427387905&size=9007199254740995'), ['in'], imported)
  assert.match((await app.call('GET', '/posts/export?foreign_id=4611686018427387905')).text, '4611686018427387905')
})

test('the reference says what they are', async () => {
  const { body } = await app.call('GET', '/openapi.json')
  const { foreign_id } = flat(body, { $ref: '#/components/schemas/Post' }).properties
  const { pattern, type } = resolved(body, foreign_id)
  assert.equal([pattern, [type].flat()[0]], ['^-?[0-9]{1,19}$', 'string'])
})

test.run()
