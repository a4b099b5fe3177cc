/** What a definition becomes: completed, linked, frozen, and the same whatever the order of files. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Field } from '../../engine/catalog/catalog.ts'
import { plural, singular } from '../../engine/catalog/name.ts'
import { pathName } from '../../engine/plan/plan.ts'
import { filterKey } from '../../engine/resolve/indexes.ts'
import { DESK_FILES } from './desk.ts'
import { embedText, indexLine, resolved, resolveFiles, resourceOf, summary } from './resolves.ts'

const resolving = suite('resolve')

const ROLES = 'fields: { name: { type: string } }\npolicies: { view: [] }'

resolving('a mid-size application becomes what its files say', () => {
  const catalog = resolved(DESK_FILES)
  const text = summary(catalog.resources.get('tickets')!).replaceAll(
    ' where deleted_at null {"kind":"literal","value":true}',
    ' live',
  )
  assert.snapshot(
    text,
    `tickets "Ticket" /tickets on tickets
  field id integer not null read-only
  field uid sequence not null read-only
  field subject string required not null
  field details text required not null
  field level enum
  field status_id reference
  field user_id reference
  field assigned_to reference
  field deleted_at timestamp read-only never
  field created_at timestamp not null read-only
  field updated_at timestamp not null read-only
  belongs_to status → statuses {id name}
  belongs_to user → users {id first_name role_name=role.name}
  belongs_to assignedTo → users {id role{id name slug}}
  has_many comments → ticket_comments by ticket_id {id comment ticket_id user_id created_at updated_at user{id first_name}}
  many_to_many labels → labels {id name}
  filters id level status_id user_id assigned_to created_at status.slug
  sort id status.name; default -created_at -id
  search subject status.name
  actions list get create update delete restore
  unique (uid) live
  index (status_id, id) live
  index (user_id, id) live
  index (assigned_to, id) live
  index (level, id) live
  index (created_at, id) live
  trigram (subject) live
`,
  )
})

resolving('a record has a name for people, and so have many of them', () => {
  const { resources } = resolved({
    people: 'fields: { born: { type: date }, full_name: { type: string }, note: { type: text } }\nactions: []',
    library_cards:
      'label: Card\ntitle: [person.full_name, number]\nfields: { number: { type: sequence } }\nrelations: { person: { belongs_to: people } }\nactions: []',
    kunden:
      'label: { one: Kunde, many: Kunden }\ntitle: stadt\nfields: { name: { type: string, show: single }, stadt: { type: string } }\nactions: []',
    counts: 'fields: { size: { type: integer }, secret: { type: string, show: never } }\nactions: []',
  })
  const named = [...resources.values()].map(({ label, name, plural, title }) => [
    name,
    label,
    plural,
    title.map(pathName).join(' '),
  ])
  assert.equal(named, [
    ['counts', 'Count', 'Counts', ''],
    ['kunden', 'Kunde', 'Kunden', 'stadt'],
    ['library_cards', 'Card', 'Cards', 'person.full_name number'],
    ['people', 'Person', 'People', 'full_name'],
  ])
})

resolving('an English label has the plural whose singular it is', () => {
  const words = [
    'Reply',
    'Day',
    'Box',
    'Match',
    'Address',
    'Ticket comment',
    'FAQ',
    'Person',
    'child',
    'movie',
    'Status',
  ]
  assert.equal(words.map(plural), [
    'Replies',
    'Days',
    'Boxes',
    'Matches',
    'Addresses',
    'Ticket comments',
    'FAQs',
    'People',
    'children',
    'movies',
    'Statuses',
  ])
  for (const word of words.filter((one) => !one.includes(' ')))
    assert.is(singular(plural(word)).toLowerCase(), word.toLowerCase())
})

resolving('names of fields become labels as people write them', () => {
  const fields = ['uid', 'sla_state', 'first_name', 'webhook_urls', 'subCategory', 'api_key', 'is_bus']
  const { resources } = resolved({
    faqs: `fields: { ${fields.map((name) => `${name}: { type: string }`).join(', ')} }\nactions: []`,
    sla_targets: 'fields: { name: { type: string } }\nactions: []',
  })
  const labels = fields.map((name) => resources.get('faqs')?.fields.get(name)?.label)
  assert.equal(labels, ['UID', 'SLA state', 'First name', 'Webhook URLs', 'Sub category', 'API key', 'Is bus'])
  const { label, plural: many } = resources.get('faqs')!
  assert.equal([label, many, resources.get('sla_targets')?.label], ['FAQ', 'FAQs', 'SLA Target'])
})

resolving('the order of files changes nothing', () => {
  const forward = [...resolved(DESK_FILES).resources.values()].map(summary).join('\n')
  const backward = Object.fromEntries(Object.entries(DESK_FILES).reverse())
  assert.is([...resolved(backward).resources.values()].map(summary).join('\n'), forward)
  const names = Object.keys(DESK_FILES)
  for (let turn = 1; turn < names.length; turn += 1) {
    const turned = [...names.slice(turn), ...names.slice(0, turn)].map((name) => [name, DESK_FILES[name]!])
    assert.is([...resolved(Object.fromEntries(turned)).resources.values()].map(summary).join('\n'), forward)
  }
})

resolving('names give labels, paths and tables', () => {
  const { label, path, table } = resourceOf({ sub_categories: ROLES }, 'sub_categories')
  assert.equal({ label, path, table }, { label: 'Sub Category', path: 'sub-categories', table: 'sub_categories' })
  const labels = ['statuses', 'news', 'people', 'addresses', 'knowledge_base', 'movies', 'boxes', 'houses'].map(
    (name) => resourceOf({ [name]: ROLES }, name).label,
  )
  assert.equal(labels, ['Status', 'News', 'Person', 'Address', 'Knowledge Base', 'Movie', 'Box', 'House'])
})

resolving('a catalog cannot be changed, its maps neither', () => {
  const catalog = resolved(DESK_FILES)
  const tickets = catalog.resources.get('tickets')!
  assert.ok(Object.isFrozen(tickets) && Object.isFrozen(tickets.policies.view[0]) && Object.isFrozen(tickets.key))
  assert.throws(
    () => Map.prototype.set.name === 'set' && (tickets.fields as Map<string, never>).clear(),
    /cannot be changed/,
  )
})

resolving('required, nullable and defaults are completed by the type', () => {
  const fields =
    'fields: { a: { type: decimal, scale: 2, default: "1.5" }, b: { type: boolean, default: false, nullable: false }, c: { type: timestamp, default: $now }, d: { type: email, required: true } }'
  const { fields: made } = resourceOf({ things: `${fields}\npolicies: { view: [] }` }, 'things')
  assert.is(made.get('b')?.nullable, false)
  assert.is(made.get('b')?.default, false)
  assert.is(made.get('c')?.defaultMoment, 'now')
  assert.is(made.get('c')?.default, undefined)
  assert.equal([made.get('d')?.required, made.get('d')?.nullable], [true, false])
  assert.equal([made.get('a')?.required, made.get('a')?.nullable, made.get('a')?.default], [false, true, '1.50'])
})

/** Everything of a catalog that has the type and the options of a field, however deep it lies. */
function typedParts(value: unknown, found = new Set<object>()): readonly Pick<Field, 'type' | 'options' | 'sqlType'>[] {
  const look = (one: unknown): void => {
    if (typeof one !== 'object' || one === null || found.has(one) || 'source' in one) return
    found.add(one)
    for (const part of one instanceof Map || one instanceof Set ? one : Object.values(one)) look(part)
  }
  look(value)
  return [...found].flatMap((one) => ('type' in one && 'options' in one && 'column' in one ? [one as Field] : []))
}

resolving(
  'each field holds the type that its values have in SQL, those inside JSON and those of parts of a value too',
  () => {
    const files = {
      rents: `fields:
  code: { type: string, max: 12 }
  price: { type: decimal, precision: 8, scale: 2 }
  paid: { type: integer, max: 9000000000 }
  begins: { type: timestamp }
  ends: { type: timestamp }
  hours: { type: decimal, precision: 12, scale: 3, read_only: true }
  extra: { type: json, schema: { type: object, properties: { doors: { type: integer }, note: { type: string } } } }
filters: [price, extra.doors, extra.note]
follows: [{ set: { hours: { hours_between: [$record.begins, $record.ends] } } }]
policies: { view: [] }`,
    }
    const parts = [DESK_FILES, files].flatMap((some) => typedParts(resolved(some)))
    const names = new Set(parts.map((part) => ('name' in part ? part.name : '')))
    for (const name of ['code', 'extra.doors', 'hours']) assert.ok(names.has(name), name)
    for (const { options, sqlType, type } of parts) assert.is(sqlType, type.column(options).replace(/\(.*?\)/, ''))
  },
)

resolving('a resource on another table takes over what it lists and is given what its scope says', () => {
  const customers = resolved(DESK_FILES).resources.get('customers')!
  assert.equal([customers.owner, customers.table, customers.path], ['users', 'users', 'customers'])
  assert.is(customers.fields.get('email')?.type.name, 'email')
  assert.is(customers.fields.get('password')?.required, false)
  assert.is(customers.fields.get('tickets_count')?.count, 'tickets')
  assert.not.ok(customers.fields.has('role_id'))
  assert.ok(customers.live !== undefined && customers.deleteSets?.length === 1)
  const [set, ...none] = customers.scopeSets
  assert.is(none.length, 0)
  assert.is(set?.field.column, 'role_id')
  assert.ok(set !== undefined && 'selection' in set)
  assert.is(set.selection.resource, 'roles')
  assert.is(filterKey(set.selection.where), 'slug eq {"kind":"literal","value":"customer"}')
})

resolving('a relation goes through another one', () => {
  const files = {
    tickets:
      'relations: { entries: { has_many: messages, through: conversation, embed: [id, conversation_id] } }\npolicies: { view: [] }',
    conversations: 'relations: { ticket: { belongs_to: tickets } }\npolicies: { view: [] }',
    messages: 'relations: { conversation: { belongs_to: conversations } }\npolicies: { view: [] }',
  }
  const entries = resourceOf(files, 'tickets').relations.get('entries')
  assert.ok(entries?.kind === 'has_many')
  assert.equal(
    entries.by.map((step) => step.field.name),
    ['conversation_id', 'ticket_id'],
  )
})

resolving('both sides of a many_to_many find one joining table', () => {
  const files = {
    books: 'relations: { genres: { many_to_many: genres } }\npolicies: { view: [] }',
    genres: 'relations: { books: { many_to_many: books } }\npolicies: { view: [] }',
  }
  const [left, right] = [
    resourceOf(files, 'books').relations.get('genres'),
    resourceOf(files, 'genres').relations.get('books'),
  ]
  assert.ok(left?.kind === 'many_to_many' && right?.kind === 'many_to_many')
  assert.equal(left.through, { table: 'books_genres', from: 'book_id', to: 'genre_id' })
  assert.equal(right.through, { table: 'books_genres', from: 'genre_id', to: 'book_id' })
  assert.is(left.writeAs, 'genre_ids')
})

resolving('a resource that belongs to both sides is the joining table, by the columns of its relations', () => {
  const files = {
    books: 'relations: { readers: { many_to_many: people, through: loans } }\npolicies: { view: [] }',
    people: 'relations: { read: { many_to_many: books, through: loans } }\npolicies: { view: [] }',
    loans:
      'relations: { book: { belongs_to: books, required: true }, by: { belongs_to: people, column: person, required: true } }\nindexes: [{ fields: [book_id, person], unique: true }]\nactions: []',
  }
  const [left, right] = [
    resourceOf(files, 'books').relations.get('readers'),
    resourceOf(files, 'people').relations.get('read'),
  ]
  assert.ok(left?.kind === 'many_to_many' && right?.kind === 'many_to_many')
  assert.equal(left.through, { table: 'loans', from: 'book_id', to: 'person', named: true })
  assert.equal(right.through, { table: 'loans', from: 'person', to: 'book_id', named: true })
})

resolving('embeds that nobody wrote end where the limit is', () => {
  const files = {
    users: 'fields: { name: { type: string } }\nrelations: { team: { belongs_to: teams } }\npolicies: { view: [] }',
    teams:
      'fields: { name: { type: string } }\nrelations: { lead: { belongs_to: users, embed: [id, { team_name: team.name }] }, users: { has_many: users, by: team } }\npolicies: { view: [] }',
  }
  assert.is(embedText(resourceOf(files, 'users').relations.get('team')?.embed ?? []), 'id name')
  assert.is(
    embedText(resourceOf(files, 'teams').relations.get('users')?.embed ?? []),
    'id name team_id created_at updated_at',
  )
})

resolving('policies are all there, and relations stand for their foreign keys', () => {
  const { policies } = resolved(DESK_FILES).resources.get('tickets')!
  assert.equal(
    [policies.view.length, policies.create.length, policies.update.length, policies.restore.length],
    [2, 1, 0, 0],
  )
  assert.equal([...(policies.create[0]?.fields ?? [])], ['subject', 'details', 'label_ids'])
  assert.equal(
    policies.create[0]?.set.map((set) => set.field.name),
    ['user_id', 'status_id'],
  )
  assert.is(filterKey(policies.view[1]?.where), 'user_id eq {"kind":"actor"}')
})

resolving('permissions are collected with where they come from', () => {
  assert.equal(
    [...resolved(DESK_FILES).permissions],
    [
      ['tickets.view', 'desk'],
      ['users.view', 'customers'],
    ],
  )
})

resolving("a plugin's special filter is linked to the resource that uses it", () => {
  const type = resolved(DESK_FILES).resources.get('tickets')!.specials.get('type')
  assert.is(type?.name, 'desk.queue')
  assert.is(filterKey(type?.values.get('un_assigned')), 'assigned_to null {"kind":"literal","value":true}')
  assert.is(filterKey(type?.values.get('open')), 'status.slug in {"kind":"literal","value":["open","pending"]}')
})

resolving('seeds are decoded, and name other records by their values', () => {
  const files = {
    kinds:
      'fields: { slug: { type: slug, unique: true } }\nseeds: { key: slug, rows: [{ slug: seat }] }\npolicies: { view: [] }',
    things:
      'fields: { name: { type: string } }\nrelations: { kind: { belongs_to: kinds } }\nseeds: { key: name, rows: [{ name: Chair, kind: { slug: seat } }] }\npolicies: { view: [] }',
  }
  const { seeds } = resourceOf(files, 'things')
  assert.equal(
    seeds?.key.map((field) => field.name),
    ['name'],
  )
  const [name, kind] = seeds?.rows[0]?.assignments ?? []
  assert.ok(
    name !== undefined && 'operand' in name && name.operand.kind === 'literal' && name.operand.value === 'Chair',
  )
  assert.ok(
    kind !== undefined && 'selection' in kind && kind.selection.resource === 'kinds' && kind.field.name === 'kind_id',
  )
})

resolving('no index does what another one does already', () => {
  const things =
    'fields: { a: { type: string }, b: { type: string, unique: true }, long: { type: text } }\nfilters: [a, long]\nsearch: [a]\nindexes: [[a, id], { fields: [a, b], unique: true, where: { a: x } }]\ntimestamps: false\npolicies: { view: [] }'
  assert.equal(resourceOf({ things }, 'things').indexes.map(indexLine), [
    'index (a, id)',
    'unique (a, b) where a eq {"kind":"literal","value":"x"}',
    'unique by looks (a, b) where a eq {"kind":"literal","value":"x"}',
    'unique (b)',
    'unique by looks (b)',
    'trigram (a)',
  ])
})

resolving('sort keys that an author names have indexes, and then no others', () => {
  const fields = 'fields: { a: { type: string }, b: { type: string } }\ntimestamps: false\npolicies: { view: [] }'
  const lines = (more: string) => resourceOf({ things: `${fields}\n${more}` }, 'things').indexes.map(indexLine)
  assert.equal(lines(''), ['index (a, id)', 'index (b, id)'])
  assert.equal(lines('sort: { keys: [b] }'), ['index (b, id)'])
})

resolving('the indexes of a table stand at its owner, those for its guests too', () => {
  const files = {
    base: 'fields: { a: { type: text }, kind: { type: enum, values: [x] } }\ntimestamps: false\npolicies: { view: [] }',
    guest: 'of: base\nwhere: { kind: x }\nfields: { a: {} }\nsearch: [a]\npolicies: { view: [] }',
  }
  assert.equal(resourceOf(files, 'base').indexes.map(indexLine), ['index (kind, id)', 'trigram (a)'])
  assert.equal(resourceOf(files, 'guest').indexes, [])
})

resolving('app.yaml gives name, prefix, switches and narrower limits', () => {
  const app = 'name: Shop\nversion: v3\nprefix: /api\nlimits: { perPageMax: 20 }\nstrictness: { unknown_keys: ignore }'
  const { value } = resolveFiles({}, app)
  assert.equal(
    [value?.name, value?.version, value?.prefix, value?.limits.perPageMax, value?.limits.perPageDefault],
    ['Shop', 'v3', '/api', 20, 15],
  )
  assert.equal(value?.strictness, { unknownParameters: 'refuse', unknownKeys: 'ignore', malformedJson: 400 })
})

resolving.run()
