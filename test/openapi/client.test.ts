/** The client that `plinth client` makes compiles under strict settings, and refuses what the application would refuse. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { folder, NOTES, plinth } from '../cli/world.ts'
import { clientSource } from '../support/client.ts'
import { compile, wrongLines } from '../support/compile.ts'
import { blocks } from '../support/page.ts'

const test = suite('plinth client: types')

const NODE = { types: ['node'], noPropertyAccessFromIndexSignature: true, noImplicitReturns: true }
const BROWSER = { lib: ['ES2022', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'], types: [] }

const USE_LIBRARY = `import { type Book, createClient, NotFound, ValidationFailed } from './library.ts'
const api = createClient({ baseUrl: 'http://127.0.0.1', token: async () => 'token', fetch })
export async function use(signal: AbortSignal): Promise<unknown> {
  const page = await api.books.list(
    {
      price: { lt: '9' },
      format: ['paper', 'electronic'],
      branch_id: null,
      published_from: '1975-01-01',
      'author.last_name': { contains: 'guin' },
      sort: ['-price', 'author.last_name'],
      fields: ['id', 'author.name'],
    },
    { signal },
  )
  const ids: readonly number[] = page.data.map((book) => book.id)
  const name: string | null | undefined = page.data[0]?.author.name
  const total: number | null = page.meta.pagination.total
  for await (const book of api.books.each({
    where: { any: [{ price: { gt: '3' } }, { reviews: { some: { id: { gte: 4 } } } }], 'author.last_name': 'x' },
    include: ['reviews(5)', 'latest_loan'],
  })) {
    const rating: number | undefined = book.reviews[0]?.rating
    const due: string | undefined = book.latest_loan?.due_on
    if (rating === 5 && due !== undefined) return book.title
  }
  const whole: Book = (await api.books.get('978-0007113804')).data
  const less = await api.books.get(1, { omit: ['reviews', 'author.id'] })
  const author: string | null = less.data.author.name
  const done = await api.books.batch({ create: [{ title: 'a', isbn: 'b', author_id: 1 }], delete: [1] })
  const title: string | undefined = done.data.create?.[0]?.title
  const each = await api.books.batch({ delete: [1] }, { partial: true })
  const status: number | undefined = each.data.delete?.[0]?.status
  const { data } = await api.books.upsert('isbn', '978-0007113804', { title: 'x', author_id: 3 }, { ifMatch: '"x"' })
  const { matched } = (await api.books.updateMatching({ where: { id: [1, 2] }, max: 3 }, { pages: 3 })).data
  await api.members.loans(3).create({ book_id: 3, due_on: '2026-01-01' }, { idempotencyKey: 'mine' })
  const loans = await api.members.loans(3).list({ due_from: '2026-01-01' })
  await api.books.delete(1)
  const found = await api.books.query({ where: { not: { author: '$actor' } } }).catch((error: unknown) => {
    if (error instanceof NotFound || error instanceof ValidationFailed) return [error.code, error.errorCodes['title']?.[0] === 'required']
    throw error
  })
  return [ids, name, total, whole, author, title, status, data.id, matched, loans.data[0]?.book.writer, found]
}
`

/** The example of engine/guide/api.md, where top-level code is a module of its own. */
const [USE_DESK = ''] = blocks(readFileSync('engine/guide/api.md', 'utf8'), 'ts', 'A typed client')

const USE_SUMMARY = `import { createClient } from './client.ts'
const api = createClient()
export async function use(): Promise<unknown> {
  const { data: groups, meta } = await api.tickets.summary({ by: ['status_id', 'created_at:week'], of: ['count'] })
  const status: string | undefined = groups[0]?.status?.name
  return [meta.more, status, groups[0]?.['created_at:week'], groups[0]?.count]
}
`

test('the clients of the library and of the desk compile for Node and for browsers, and can be used', async () => {
  const files = {
    'library.ts': await clientSource('test/library/resources'),
    'client.ts': await clientSource('resources'),
    'use-library.ts': USE_LIBRARY,
    'use-desk.ts': USE_DESK,
    'use-summary.ts': USE_SUMMARY,
  }
  assert.is(compile(files, NODE), '')
  assert.is(compile(files, BROWSER), '')
})

/** Each line behind the second is a mistake. */
const WRONG = `import { createClient } from './library.ts'
const api = createClient()
export const filter = api.books.list({ titel: 'x', title: 'y' })
export const value = api.books.list({ pages: 'many' })
export const operator = api.books.list({ pages: { contains: '3' } })
export const word = api.books.list({ format: 'stone' })
export const field = api.books.list({ fields: ['id', 'titel'] })
export const embedded = api.books.list({ fields: ['author.nam'] })
export const relation = api.books.list({ include: ['revews'] })
export const key = api.books.list({ sort: 'titel' })
export const condition = api.books.list({ where: { titel: 'x' } })
export const inner = api.books.list({ where: { any: [{ reviews: { some: { ratin: 3 } } }] } })
export const absent = api.books.list().then(({ data }) => data[0]?.reviews)
export const unasked = api.books.list({ fields: ['id'] }).then(({ data }) => data[0]?.title)
export const part = api.books.list({ fields: ['author.name'] }).then(({ data }) => data[0]?.author.id)
export const omitted = api.books.get(1, { omit: ['title'] }).then(({ data }) => data.title)
export const incomplete = api.books.create({ title: 'x', isbn: '1' })
export const unknown = api.books.update(1, { titel: 'x' })
export const fixed = api.books.update(1, { isbn: '978-0007113804' })
export const action = api.loans.delete(1)
export const below = api.books.loans(1)
export const unlimited = api.books.deleteMatching({ author_id: 1 })
export const unique = api.books.upsert('title', 'x', {})
export const summed = api.books.summary()
export const paged = api.books.each({ page: 2 })
export const tokens = createClient({ token: 7 })
`

test('what the application refuses does not compile', async () => {
  const said = compile({ 'library.ts': await clientSource('test/library/resources'), 'wrong.ts': WRONG }, NODE)
  const mistakes = WRONG.trimEnd().split('\n').length - 2
  assert.equal(
    [...new Set(wrongLines(said, 'wrong.ts'))],
    Array.from({ length: mistakes }, (_, index) => index + 3),
    said,
  )
  assert.equal(wrongLines(said, 'library.ts'), [])
})

const RESOURCE = (name: string, more = '') => `resource: ${name}
fields:
  title: { type: string, required: true }
${more}policies:
  view:   [{ who: anyone }]
  create: [{ who: anyone }]
`

test('resources may be called as the client, the language or a method calls something', async () => {
  const application = folder({
    'resources/app.yaml': 'name: Odd\nprefix: /api\nplugins: { timestamps: {} }\n',
    ...Object.fromEntries(
      ['records', 'errors', 'promises', 'pages', 'types', 'answers'].map((name) => [
        `resources/${name}.yaml`,
        RESOURCE(name),
      ]),
    ),
    'resources/clients.yaml': RESOURCE(
      'clients',
      'relations:\n  lists: { has_many: lists, with_parent: true, embed: [id, title] }\n',
    ),
    'resources/lists.yaml': RESOURCE(
      'lists',
      'relations:\n  client: { belongs_to: clients, required: true }\nnested:\n  client: { path: list, actions: [list, create] }\n',
    ),
  })
  const source = await clientSource(join(application.path, 'resources'))
  application.remove()
  const use = `import { createClient } from './odd.ts'
const api = createClient()
export const made = api.clients.listBelow(3).create({ title: 'x' })
export const both = api.clients.create({ title: 'x', lists: [{ title: 'y' }] })
export const title: Promise<string> = api.records.create({ title: 'x' }).then(({ data }) => data.title)
`
  assert.is(compile({ 'odd.ts': source, 'use.ts': use }, NODE), '')
})

test('the same application gives the same text, which names no time and no place', async () => {
  const [first, second] = [await clientSource('resources'), await clientSource('resources')]
  assert.ok(first === second)
  assert.not.ok(first.includes(process.cwd()))
  assert.not.match(first, /^import /m)
})

test('a pipe gets all of it', async () => {
  const line = `"${process.execPath}" --import tsx engine/cli/main.ts client | cat`
  const env = { ...process.env, RESOURCES_DIR: 'resources' }
  const source = await clientSource('resources')
  assert.ok(source.length > 100_000)
  assert.ok(execFileSync('sh', ['-c', line], { env, encoding: 'utf8' }) === source)
})

test('plinth client writes a file, or says why it cannot', async () => {
  const application = folder(NOTES)
  const env = { RESOURCES_DIR: `${application.path}/resources`, DATABASE_URL: 'postgres://127.0.0.1:1/no' }
  const file = join(application.path, 'web', 'client.ts')
  const { code, complained, said } = await plinth(['client', '--out', file], env)
  const written = readFileSync(file, 'utf8')
  const printed = await plinth(['client'], env)
  const refused = await plinth(['client', '--out', application.path], env)
  application.remove()
  assert.equal([code, complained, said], [0, '', `wrote ${file}`])
  assert.is(`${printed.said}\n`, written)
  assert.match(written, 'readonly notes: Pick<Resource<NoteTypes>')
  assert.is(refused.code, 1)
  assert.match(refused.complained, 'EISDIR')
})

test.run()
