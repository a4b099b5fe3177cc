/** Lists of values in a query: by id, with commas and backslashes in values, and as clients write them that were made from the document. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { application, type TestApplication } from '../support/application.ts'
import { clientOf } from '../support/client.ts'

const test = suite('lists of values')

const WORDS = ['plain', 'a', 'b', 'a,b', 'a\\b', 'a\\,b', '\\', ',', '\\\\', 'a\\', 'x, y', ',,', 'b,']

const OPEN = `policies:
  view: [{ who: anyone }]
  create: [{ who: anyone }]
  update: [{ who: anyone }]
`

const YAML = {
  'app.yaml': 'name: Words\nversion: v1\nprefix: /api\nplugins: { timestamps: {} }\n',
  'shelves.yaml': `resource: shelves
id: { type: string }
fields: { name: { type: string } }
${OPEN}`,
  'words.yaml': `resource: words
batch: true
fields:
  kind: { type: enum, values: ${JSON.stringify(WORDS)} }
  text: { type: string }
  stars: { type: integer }
  seen_at: { type: timestamp }
relations: { shelf: { belongs_to: shelves } }
filters: [text, stars, seen_at]
sort: { default: id }
${OPEN}`,
}

let app: TestApplication
let folder: string

test.before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plinth-words-'))
  for (const [name, text] of Object.entries(YAML)) await writeFile(join(folder, name), text)
  app = await application({ resources: folder })
  const made = (path: string, body: unknown) =>
    app.call('POST', path, { body }).then(({ status, text }) => assert.is(status, 201, text))
  for (const word of WORDS) await made('/api/shelves', { id: word, name: word })
  for (const [at, word] of WORDS.entries()) {
    const seen_at = `2026-01-${String(at + 1).padStart(2, '0')}T12:00:00Z`
    await made('/api/words', { kind: word, text: word, shelf_id: word, stars: at, seen_at })
  }
})
test.after(async () => {
  await app?.close()
  await rm(folder, { recursive: true })
})

async function found(parameters: readonly (readonly [string, string])[], path = '/api/words'): Promise<string[]> {
  const { status, body, text } = await app.call(
    'GET',
    `${path}?${new URLSearchParams(parameters as [string, string][])}`,
  )
  assert.is(status, 200, text)
  return body.data.map(({ id, kind }: { id: string; kind?: string }) => kind ?? id)
}

/** As an author of a client would write it by the documents. */
const escaped = (word: string): string => word.replaceAll('\\', '\\\\').replaceAll(',', '\\,')
const some = fc.uniqueArray(fc.constantFrom(...WORDS), { minLength: 1 })
const sorted = (words: readonly string[]): string[] => WORDS.filter((word) => words.includes(word))

test('the id is a filter of every list, whatever its type', async () => {
  assert.equal(await found([['id', '2,3']]), ['a', 'b'])
  assert.equal(
    await found([
      ['id', '2'],
      ['id', '4'],
    ]),
    ['a', 'a,b'],
  )
  assert.equal(
    await found([
      ['id[gt]', '11'],
      ['id[not_in]', '13'],
    ]),
    [',,'],
  )
  assert.equal(await found([['id', '0,99999999999']]), [])
  assert.equal((await found([['id', 'a,b']], '/api/shelves')).sort(), ['a', 'b'])
  assert.equal(await found([['id', 'a\\,b']], '/api/shelves'), ['a,b'])
  assert.equal((await app.call('GET', '/api/words?id=x')).body.error_codes, { id: ['wrong_type'] })
  const changed = await app.call('PATCH', '/api/words?id=1,2&max=2&dry_run=true', { body: { stars: 5 } })
  assert.is(changed.body.data.matched, 2, changed.text)
})

test('a value with a comma is one value in every list of values, by \\, and a backslash by \\\\', async () => {
  const lists = ['kind', 'shelf_id', 'kind[in]', 'text[in]', 'shelf_id[in]']
  await fc.assert(
    fc.asyncProperty(some, fc.constantFrom(...lists), async (words, name) => {
      assert.equal(await found([[name, words.map(escaped).join(',')]]), sorted(words), name)
      assert.equal(await found(words.map((word) => [name, escaped(word)])), sorted(words), `${name} repeated`)
      const body = { [name]: words }
      const asked = await app.call('POST', '/api/words/query', { body })
      assert.equal(
        asked.body.data.map(({ kind }: { kind: string }) => kind),
        sorted(words),
        JSON.stringify(body),
      )
    }),
    { numRuns: 60 },
  )
  assert.equal(await found([['kind[not_in]', WORDS.slice(1).map(escaped).join(',')]]), ['plain'])
  // The plain parameter of a text is one value, and so is that of an operator that takes one.
  for (const name of ['text', 'kind[eq]', 'text[eq]', 'text[starts_with]'])
    assert.equal(await found([[name, 'a\\,b']]), ['a\\,b'], name)
})

test('operators[name[operator]] is name[operator], as clients write it that read the document so', async () => {
  const asked: readonly (readonly [string, string])[] = [
    ['seen_at[gte]', '2026-01-05'],
    ['seen_at[between]', '2026-01-05,2026-01-06'],
    ['stars[lt]', '3'],
    ['kind[not_in]', 'plain,a\\,b'],
    ['kind[null]', 'false'],
    ['text[contains]', ','],
    ['id[ne]', '4'],
  ]
  await fc.assert(
    fc.asyncProperty(fc.subarray([...asked], { minLength: 1 }), async (some) => {
      const nested = some.map(([name, value]) => [`operators[${name}]`, value] as const)
      assert.equal(await found(nested), await found(some), JSON.stringify(some))
    }),
    { numRuns: 20 },
  )
  const { status, body } = await app.call('GET', '/api/words?operators[seen_at[gte]]=x&operators[stars]=1')
  assert.is(status, 422)
  assert.equal(Object.keys(body.errors).sort(), ['operators[stars]', 'seen_at[gte]'])
})

test('a client of its own asks for values with commas as they are', async () => {
  const client = (await clientOf(folder)).createClient({ baseUrl: app.address })
  await fc.assert(
    fc.asyncProperty(some, fc.constantFrom('kind', 'text', 'shelf_id'), async (words, name) => {
      for (const query of [{ [name]: words }, { [name]: { in: words } }]) {
        for (const ask of [client.words.list, client.words.query])
          assert.equal(
            (await ask(query)).data.map(({ kind }: { kind: string }) => kind),
            sorted(words),
            JSON.stringify(query),
          )
      }
      const [word] = words
      for (const ask of [client.words.list, client.words.query])
        assert.equal(
          (await ask({ [name]: word })).data.map(({ kind }: { kind: string }) => kind),
          [word],
        )
    }),
    { numRuns: 20 },
  )
})

test.run()
