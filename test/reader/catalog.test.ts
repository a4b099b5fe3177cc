/** /catalog.json: what a caller may see and do as data, and nothing that depends on the rest. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Actor } from '../../engine/actor.ts'
import { catalogDocument } from '../../engine/reader/catalog-document.ts'
import { ANN, FILES, type Library, library, STAFF, STRANGER } from '../action/library.ts'
import { type Desk, openDesk, type Person } from '../desk/desk.ts'
import { resolved } from '../resolve/resolves.ts'

// biome-ignore lint/suspicious/noExplicitAny: a document is walked freely
type Document = any

const test = suite('catalog.json')
let desk: Desk
let app: Library
const people: Record<string, Person> = {}
const documents: Record<string, Document> = {}

test.before(async () => {
  desk = await openDesk()
  people.admin = desk.admin
  for (const role of ['agent', 'customer']) people[role] = await desk.person(role, `C${role}`)
  for (const [role, person] of Object.entries(people)) documents[role] = (await desk.get('//catalog.json', person)).body
  documents.nobody = (await desk.call('GET', '//catalog.json')).body
  app = await library()
})
test.after(async () => {
  await desk?.close()
  await app?.close()
})

const documentFor = async (token: string): Promise<Document> => (await app.call('GET', '/catalog.json', { token })).body

test('a resource has its names, its paths, and what its caller may do', async () => {
  const { books, members, reviews } = (await documentFor(ANN)).resources
  assert.equal(books.label, { one: 'Book', many: 'Books' })
  assert.is(books.path, '/api/v1/books')
  assert.equal(books.title, ['title'])
  assert.equal(books.actions, ['list', 'get', 'create', 'update'])
  assert.equal(books.below.reviews, { to: 'reviews', relation: 'book', actions: ['list', 'create'] })
  assert.equal(reviews.actions, ['get'])
  assert.equal(members.actions, ['list', 'get'])
  const staff = (await documentFor(STAFF)).resources.books
  assert.equal(staff.actions, ['list', 'get', 'create', 'update', 'delete', 'restore'])
  assert.is(staff.hides, true)
})

test('a field says its type, its bounds, and who reads and writes it', async () => {
  const { fields } = (await documentFor(ANN)).resources.books
  assert.equal(fields.title, {
    label: 'Title',
    type: 'string',
    schema: { type: 'string', maxLength: 255 },
    nullable: false,
    show: 'always',
    create: 'required',
    update: true,
  })
  assert.equal(fields.kind.schema.enum, ['novel', 'poetry', 'essay'])
  assert.is(fields.kind.create, 'optional')
  assert.is(fields.kind.default, 'novel')
  assert.not('update' in fields.kind)
  assert.equal([fields.pages.schema.minimum, fields.pages.schema.maximum], [1, 5000])
  assert.equal([fields.length.create, fields.length.update], [undefined, undefined])
  assert.not('notes' in fields)
  assert.not('bought_on' in fields)
  const staff = (await documentFor(STAFF)).resources
  assert.is(staff.books.fields.notes.update, true)
  assert.is(staff.members.fields.pin.create, 'optional', 'a secret is written')
  assert.not('show' in staff.members.fields.pin, 'and never answered')
  assert.not('pin' in (await documentFor(ANN)).resources.members.fields)
})

test('a relation says where it leads, and by which key it is written', async () => {
  const { books, loans } = (await documentFor(STAFF)).resources
  const { embed, kind, to, field } = books.relations.shelf
  assert.equal([kind, to, field], ['belongs_to', 'shelves', 'shelf_id'])
  assert.equal(embed, [
    { name: 'id', label: 'ID', type: 'integer' },
    { name: 'name', label: 'Name', type: 'string' },
  ])
  assert.equal([loans.relations.tags.writes, books.relations.tags.writes], [undefined, 'tag_ids'])
  assert.is(books.relations.reviews.kind, 'has_many')
})

test('what a list takes is what its caller may ask', async () => {
  const { list } = (await documentFor(ANN)).resources.books
  assert.ok(list.own)
  assert.equal(list.filters['shelf.slug'].path, 'shelf.slug')
  assert.ok(list.filters.pages.operators.includes('between'))
  assert.equal(list.filters.kind.words, ['novel', 'poetry', 'essay'])
  assert.not('notes' in list.filters)
  assert.equal(list.ranges, ['printed', 'seen', 'paged'])
  assert.not.ok(list.sort.keys.includes('bought_on') || list.sort.keys.includes('notes'))
  assert.equal(list.sort.default, ['id'])
  for (const key of list.sort.keys) await app.expect(200, 'GET', `/books?sort=${key}`, ANN)
  for (const name of Object.keys(list.filters)) await app.expect(200, 'GET', `/books?${name}[null]=true`, ANN)
})

test('a stranger is told of what anybody may do, and of nothing else', async () => {
  const nobody = (await app.call('GET', '/catalog.json')).body as Document
  assert.equal(Object.keys(nobody.resources), ['events', 'notes_log', 'shouts', 'teams'])
  assert.ok(Object.keys((await documentFor(STRANGER)).resources).includes('shelves'))
})

test('each list and each record type of the desk is there for those who may read it', async () => {
  for (const [role, person] of Object.entries(people))
    for (const [name, resource] of desk.engine.app.catalog.resources) {
      if (!resource.actions.has('list')) continue
      const { status } = await desk.get(`/${resource.path}?per_page=1`, person)
      const told = documents[role].resources[name]
      assert.is(status === 200, told?.actions.includes('list') === true, `${role}: ${name}`)
    }
})

test('a filter and a sort key of the desk are told to exactly those who may use them', async () => {
  for (const role of ['agent', 'customer']) {
    const { resources } = desk.engine.app.catalog
    for (const [name, { list, actions, path }] of Object.entries<Document>(documents[role].resources)) {
      if (list === undefined || !actions.includes('list')) continue
      for (const key of resources.get(name)!.sort.keys.keys()) {
        const { status } = await desk.call('GET', `/${path}?sort=${key}`.replace('//api/v1', ''), { as: people[role] })
        assert.is(status === 200, list.sort.keys.includes(key), `${role}: ${name} by ${key}`)
      }
      for (const filter of resources.get(name)!.filters.keys()) {
        const { at, status } = await desk.get(`${path.replace('/api/v1', '')}?${filter}[null]=true`, people[role])
        const unknown = status === 422 && JSON.stringify(at('error_codes')).includes('unknown_parameter')
        assert.is(!unknown, filter in list.filters, `${role}: ${name} filtered by ${filter}`)
      }
    }
  }
})

test('a list of permissions offers those that its writer holds', () => {
  const { permissions } = documents.admin.resources.roles.fields
  assert.equal(permissions.words.slice(0, 2), ['*', 'ai.manage'])
  assert.ok(permissions.words.includes('roles.manage'))
  assert.not('words' in (documents.agent.resources.roles?.fields.permissions ?? {}))
})

test('routes of plugins are told with what they take', () => {
  const { routes } = documents.agent.resources.tickets
  const merge = routes.find(({ path }: { path: string }) => path.endsWith('/merge'))
  assert.is(merge.method, 'POST')
  assert.ok(Object.keys(merge.input.properties).length > 0)
  assert.not.match(JSON.stringify(documents.customer), /\/merge"/)
  assert.match(JSON.stringify(documents.nobody.routes), /\/auth\/login/)
})

test('the stream of several lists is told to those who may follow a list', () => {
  assert.is(documents.customer.stream, '/api/v1/stream')
  assert.is(documents.customer.resources.tickets.stream, '/api/v1/tickets/stream')
  assert.not('stream' in documents.nobody)
})

test('its tag is that of the text, and only a browser keeps it', async () => {
  const first = await desk.get('//catalog.json', people.agent)
  assert.is(first.headers['cache-control'], 'private, no-cache')
  const headers = { 'if-none-match': String(first.headers.etag) }
  assert.is((await desk.call('GET', '//catalog.json', { as: people.agent, headers })).status, 304)
  assert.is((await desk.call('GET', '//catalog.json', { as: people.customer, headers })).status, 200)
})

/** Changes of the library that concern only those who hold `books.edit`. */
const HIDDEN: readonly ((files: Record<string, string>) => void)[] = [
  (files) => {
    files.audits = `resource: audits\nfields: { note: { type: string } }\nrelations: { book: { belongs_to: books } }\nnested: { book: { path: audits, actions: [list, create] } }\npolicies: { view: [{ permission: books.edit }], create: [{ permission: books.edit }] }\nactions: [list, get]`
  },
  (files) => {
    files.books = files.books!.replace(
      '  notes: {',
      '  cost: { type: enum, values: [low, high], read: { permission: books.edit }, write: { permission: books.edit } }\n  notes: {',
    )
    files.books = files.books
      .replace('filters: [title', 'filters: [cost, title')
      .replace('keys: [title', 'keys: [cost, title')
    files.books += 'moves: { cost: { allow: [{ from: low, to: high }] } }\n'
  },
  (files) => {
    files.books = files.books!.replace(
      '  owner: {',
      '  buyer: { belongs_to: members, embed: [id, name], read: { permission: books.edit }, write: { permission: books.edit } }\n  owner: {',
    )
    files.books = files.books.replace('filters: [title', 'filters: [buyer.name, title')
    files.books = files.books.replace('search: [title', 'search: [buyer.name, title')
  },
  (files) => {
    files.books = files.books!.replace('view: [', 'view: [{ permission: books.audit }, ')
    files.books += 'rules: { thick: { must: { pages: { gte: 1 } }, says: A book has pages } }\n'
  },
  (files) => {
    files.shelves = files.shelves!.replace('create: [', 'create: [{ permission: books.edit }, ')
    files.shelves = files.shelves.replace(
      '  is_default:',
      '  hidden_note: { type: string, show: never, read_only: true }\n  is_default:',
    )
  },
  (files) => {
    files.books += 'title: [title, notes]\n'
  },
]

function actorOf(token: string): Actor {
  const [id = '', role = '', permissions = ''] = token.split(':')
  const held = new Set(permissions.split(',').filter((word) => word !== ''))
  return { kind: 'user', id: Number(id), role: role || null, permissions: held, attributes: {} }
}

/** The document of the library with these changes. */
function textFor(changes: readonly number[], token: string): string {
  const own = ['books', 'shelves', 'members', 'reviews', 'tags'] as const
  const files: Record<string, string> = Object.fromEntries(own.map((name) => [name, FILES[`${name}.yaml`]]))
  for (const change of changes) HIDDEN[change]!(files)
  const catalog = resolved(files)
  return JSON.stringify(catalogDocument({ catalog, hooks: new Map() }, actorOf(token), []))
}

test('what the reader may not see changes no byte', () => {
  const [ann, stranger] = [textFor([], ANN), textFor([], STRANGER)]
  const all = HIDDEN.map((_, at) => at)
  assert.is.not(textFor([0], STAFF), textFor([], STAFF))
  fc.assert(
    fc.property(fc.subarray(all), (changes) => {
      assert.is(textFor(changes, ANN), ann)
      assert.is(textFor(changes, STRANGER), stranger)
    }),
    { numRuns: 25 },
  )
})

test.run()
