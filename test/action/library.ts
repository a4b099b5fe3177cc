/** A small library with members, loans and tags: enough relations, policies and types to ask everything of actions. */
import { application, type TestApplication } from '../support/application.ts'

export const FILES = {
  'app.yaml': `
name: Library
prefix: /api/v1
plugins: { timestamps: {}, soft_delete: {}, who: {}, probe: {} }
`,
  'shelves.yaml': `
resource: shelves
label: Shelf
cache: true
soft_delete: true
restore: true
fields:
  name: { type: string, required: true, max: 40, unique: true }
  slug: { type: slug, from: name, unique: true }
  is_default: { type: boolean, default: false }
lookup: [id, slug]
sort: { default: name }
search: [name]
policies:
  view: [{ who: signed_in }]
  create: [{ permission: shelves.manage }]
  update: [{ permission: shelves.manage }]
  delete: [{ permission: shelves.manage }]
  restore: [{ permission: shelves.manage }]
`,
  'novels.yaml': `
resource: novels
label: Novel
of: books
where: { kind: novel, shelf.is_default: true }
fields: { title: { type: string }, kind: { type: enum }, pages: { type: integer } }
relations: { shelf: { belongs_to: shelves, embed: [id, name] } }
soft_delete: true
restore: true
policies:
  view: [{ who: signed_in }]
  create: [{ who: signed_in }]
  update: [{ who: signed_in }]
  delete: [{ who: signed_in }]
  restore: [{ who: signed_in }]
`,
  'places.yaml': `
resource: places
fields: { row: { type: integer }, seat: { type: integer } }
indexes: [{ fields: [row, seat], unique: true }]
actions: [create]
policies: { create: [{ who: signed_in }] }
`,
  'tags.yaml': `
resource: tags
count: { capped: 5 }
fields: { name: { type: string, required: true } }
policies:
  view: [{ who: signed_in }]
  create: [{ who: signed_in }]
`,
  'books.yaml': `
resource: books
label: Book
soft_delete: true
restore: true
fields:
  title: { type: string, required: true }
  pages: { type: integer, min: 1, max: 5000 }
  price: { type: decimal, precision: 10, scale: 2 }
  kind: { type: enum, values: [novel, poetry, essay], default: novel }
  printed_on: { type: date }
  notes: { type: text, read: { permission: books.edit }, write: { permission: books.edit } }
  isbn: { type: string, immutable: true }
  words: { type: list, of: string, max_items: 5 }
  reviews_count: { type: count, of: reviews }
  lent: { type: boolean, default: false }
  seen_at: { type: timestamp }
  serial: { type: integer, min: 0, max: 9000000000000 }
  details: { type: json }
  bought_on: { type: date, read: { permission: books.edit } }
  length: { type: string, computed: "case when t.pages > 300 then 'long' else 'short' end" }
relations:
  shelf: { belongs_to: shelves, embed: [id, name], default: { is_default: true } }
  owner: { belongs_to: members, embed: [id, name] }
  reviews: { has_many: reviews, show: single, order: id, embed: [id, text, stars, created_at, { by: owner.name }] }
  tags: { many_to_many: tags, embed: [id, name] }
filters: [title, pages, price, printed_on, words, notes, seen_at, serial, details, shelf.slug, shelf.is_default]
ranges: { printed: printed_on, seen: seen_at, paged: pages, bought: bought_on }
sort:
  keys: [title, pages, price, kind, printed_on, isbn, lent, seen_at, serial, bought_on, shelf_id, owner_id, created_at, updated_at, shelf.name, notes]
  default: id
search: [title, notes, shelf.name]
policies:
  view: [{ permission: books.edit }, { role: member, where: { owner: $actor } }]
  create: [{ permission: books.edit }, { role: member, set: { owner: $actor }, fields: [title, pages, kind] }]
  update: [{ permission: books.edit }, { role: member, where: { owner: $actor }, fields: [title] }]
  delete: [{ permission: books.edit }]
  restore: [{ permission: books.edit }]
`,
  'members.yaml': `
resource: members
fields: { name: { type: string, required: true }, email: { type: email, unique: true }, pin: { type: secret } }
policies:
  view: [{ permission: books.edit }, { who: signed_in, where: { id: $actor } }]
  create: [{ permission: books.edit }]
  update: [{ permission: books.edit }]
  delete: [{ permission: books.edit }]
`,
  'reviews.yaml': `
resource: reviews
label: Review
fields:
  text: { type: text, required: true }
  stars: { type: integer, min: 1, max: 5 }
  is_private: { type: boolean, default: false, write: { permission: books.edit } }
relations:
  book: { belongs_to: books, required: true, embed: [id, title] }
  owner: { belongs_to: members, embed: [id, name] }
actions: [get]
nested: { book: { path: reviews, actions: [list, create] } }
policies:
  view: [{ permission: books.edit }, { role: member, where: { book.owner: $actor, is_private: false } }]
  create: [{ permission: books.edit }, { role: member, where: { book.owner: $actor }, set: { owner: $actor } }]
`,
  'loans.yaml': `
resource: loans
conceal: true
fields:
  text: { type: string, required: true }
  state: { type: enum, values: [open, closed], default: open }
  keeper: { type: integer }
relations:
  book: { belongs_to: books, where: { kind: { ne: essay } }, embed: [id, title, { shelf_name: shelf.name }] }
  tags: { many_to_many: tags, embed: [id, name], write: { permission: loans.tag } }
policies:
  view: [{ permission: books.edit }, { role: member, where: { keeper: $actor } }]
  create: [{ role: member, where: { keeper: $actor } }, { role: member, where: { state: open } }, { permission: books.edit }]
  update: [{ permission: books.edit }, { role: member, where: { keeper: $actor }, fields: [text, state, keeper, tags] }, { role: member, where: { state: open }, fields: [text, keeper] }]
  delete: [{ role: member, where: { keeper: $actor } }]
`,
  'drafts.yaml': `
resource: drafts
label: Draft
conceal: true
soft_delete: true
restore: true
fields: { text: { type: string, required: true }, is_public: { type: boolean, default: false } }
relations: { writer: { belongs_to: members, read_only: true }, remarks: { has_many: remarks } }
policies:
  view: [{ role: member, where: { any: [{ is_public: true }, { writer: $actor }] } }]
  create: [{ role: member, set: { writer: $actor } }]
  update: [{ role: member, where: { writer: $actor } }]
  delete: [{ role: member, where: { writer: $actor } }]
  restore: [{ role: member, where: { writer: $actor } }]
`,
  'remarks.yaml': `
resource: remarks
label: Remark
fields: { text: { type: string, required: true } }
relations: { draft: { belongs_to: drafts, required: true } }
actions: []
nested: { draft: { path: remarks, actions: [list, create] } }
policies:
  view: [{ role: member }]
  create: [{ role: member, where: { draft.writer: $actor } }]
`,
  'notes.yaml': `
resource: notes
label: Note
fields: { text: { type: string, required: true }, stamp: { type: string } }
soft_delete: true
restore: true
policies:
  view: [{ who: signed_in }]
  create: [{ who: signed_in }]
  update: [{ who: signed_in }]
  delete: [{ who: signed_in }]
  restore: [{ who: signed_in }]
hooks:
  create: [probe.outer, probe.inner]
  update: [probe.outer, probe.inner]
  delete: [probe.outer, probe.inner]
  restore: [probe.outer, probe.inner]
`,
  'notes_log.yaml': `
resource: notes_log
fields: { text: { type: string } }
filters: [text]
actions: [list]
policies: { view: [{ who: anyone }] }
`,
  'teams.yaml': `
resource: teams
fields: { constructor: { type: string, required: true }, valueOf: { type: string, default: x }, hasOwnProperty: { type: integer } }
sort: { default: constructor }
filters: [constructor, valueOf]
policies: { view: [{ who: anyone }], create: [{ who: anyone }], update: [{ who: anyone }] }
actions: [list, get, create, update]
`,
  'shouts.yaml': `
resource: shouts
fields: { text: { type: string, required: true } }
policies: { view: [{ who: anyone }], create: [{ who: anyone }], update: [{ who: anyone }], delete: [{ who: anyone }] }
hooks: { create: [probe.shout], update: [probe.shout], delete: [probe.instead] }
`,
  'events.yaml': `
resource: events
fields: { text: { type: string } }
actions: [list]
count: estimated
policies: { view: [{ who: anyone }] }
`,
}

/** Who calls: staff may everything, members see their own, a stranger has no permission. */
export const STAFF = '1:staff:books.edit,shelves.manage'
export const ANN = '1:member:'
export const BEN = '2:member:'
export const STRANGER = '9::'

export interface Library extends TestApplication {
  /** A call whose status must be as expected; gives `data`. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever an answer holds
  expect(status: number, method: string, path: string, token?: string, body?: unknown): Promise<any>
}

/** The library with two members (ids 1 and 2) and the shelves Main (1, the default) and Cellar (2), on an empty database of its own. */
export async function library(files: Readonly<Record<string, string>> = {}): Promise<Library> {
  const app = await application({ resources: { ...FILES, ...files }, plugins: 'test/action/plugins' })
  const expect: Library['expect'] = async (status, method, path, token = STAFF, body = undefined) => {
    const answer = await app.call(method, `/api/v1${path}`, { token, body })
    if (answer.status !== status)
      throw new Error(`${method} ${path}: ${answer.status} instead of ${status}: ${answer.text}`)
    return answer.body.data ?? answer.body
  }
  await expect(201, 'POST', '/members', STAFF, { name: 'Ann', email: 'ann@example.org', pin: '1234' })
  await expect(201, 'POST', '/members', STAFF, { name: 'Ben', email: 'ben@example.org' })
  await expect(201, 'POST', '/shelves', STAFF, { name: 'Main', is_default: true })
  await expect(201, 'POST', '/shelves', STAFF, { name: 'Cellar' })
  return { ...app, expect }
}
