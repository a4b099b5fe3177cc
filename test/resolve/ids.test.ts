/** What authors read about ids that cannot be of the type that they write. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { complaints, resolved, VIEW } from './resolves.ts'

const test = suite('ids')

const USERS = {
  users: `fields: { email: { type: email } }\nrelations: { role: { belongs_to: roles } }\n${VIEW}`,
  roles: `fields: { slug: { type: slug }, permissions: { type: list, of: string } }\n${VIEW}`,
}
const THINGS = `fields: { name: { type: string } }\n${VIEW}`

/** Each complaint as `code at line:column: message`. */
const says = (files: Readonly<Record<string, string>>): readonly string[] =>
  [...complaints({ ...USERS, ...files }).matchAll(/^(\S+:\d+:\d+) error (\w+: .*)$/gm)].map(
    ([, at, what]) => `${at} ${what}`,
  )

test('an id is an integer, a bigint, a uuid or a word, also in a column of another name', () => {
  for (const [written, type, column] of [
    ['', 'integer', 'id'],
    ['id: bigint\n', 'bigint', 'id'],
    ['id: { type: uuid, column: thing_no }\n', 'uuid', 'thing_no'],
    ['id: { column: thing_no }\n', 'integer', 'thing_no'],
    ['id: string\n', 'string', 'id'],
  ] as const) {
    const { key } = resolved({ ...USERS, things: `${written}${THINGS}` }).resources.get('things')!
    assert.equal([key.name, key.type.name, key.column], ['id', type, column])
  }
})

test('what refers to a record has the type of its id', () => {
  const files = {
    ...USERS,
    things: `id: uuid\n${THINGS}`,
    parts: `relations: { thing: { belongs_to: things } }\n${VIEW}`,
  }
  const field = resolved(files).resources.get('parts')?.fields.get('thing_id')
  assert.is(field?.type.column(field.options), 'uuid')
})

test('another word than a type of ids is told with those that there are', () => {
  assert.match(
    complaints({ ...USERS, things: `id: uid\n${THINGS}` }),
    /things\.yaml:2:5 error unknown_word[\s\S]*expected: integer, bigint, uuid, string/,
  )
})

test('a field cannot be called id, and the hint says where its type stands', () => {
  assert.match(
    complaints({ ...USERS, things: `fields: { id: { type: uuid } }\n${VIEW}` }),
    /reserved_name: Every record has an "id" already[\s\S]*id: uuid/,
  )
})

test('accounts have integer ids, and nothing else is compared with the id of one', () => {
  assert.equal(says({ users: `id: uuid\n${USERS.users}` }), [
    'users.yaml:2:1 wrong_option: The ids of accounts are integers: "users" can have no others',
  ])
  const owned = `id: uuid\nfields: { name: { type: string } }\npolicies: { view: [{ who: signed_in, where: { id: $actor } }] }`
  assert.equal(says({ things: owned }), [
    'things.yaml:4:51 wrong_value: "id" (uuid) is never what $actor is: accounts have integer ids',
  ])
})

test('a resource on the table of another has its ids', () => {
  const parts = `of: things\nid: uuid\nfields: { name: { type: string } }\n${VIEW}`
  assert.equal(says({ things: THINGS, parts }), ['parts.yaml:3:1 of_mismatch: "parts" has the ids of "things"'])
  const there = `of: things\nexisting: true\nfields: { name: { type: string } }\n${VIEW}`
  assert.equal(says({ things: THINGS, parts: there }), [
    'parts.yaml:3:1 of_mismatch: Whether the table of "things" is there already is said in its own file',
  ])
})

test('automations act for records with integer ids alone, and choose such', () => {
  const rings = 'automations: { tell: { on: [create], set: { name: Old } } }'
  assert.equal(says({ things: `id: uuid\n${rings}\n${THINGS}` }), [
    'things.yaml:3:16 wrong_automation: Automations act for records with integer ids, and those of "things" are uuid',
  ])
  const picks = 'automations: { give: { on: [create], set: { thing: { pick: { name: A }, by: in_turn } } } }'
  const parts = `relations: { thing: { belongs_to: things } }\n${picks}\n${VIEW}`
  assert.equal(says({ things: `id: uuid\n${THINGS}`, parts }), [
    'parts.yaml:3:54 wrong_automation: Who is chosen has an integer id, and those of "things" are uuid',
  ])
})

test('ids are chosen in existing tables alone, where they are no words', () => {
  const { key } = resolved({
    ...USERS,
    things: `existing: true\nid: { column: no, chosen: true }\n${THINGS}`,
  }).resources.get('things')!
  assert.equal([key.required, key.readOnly, key.immutable], [true, false, true])
  assert.equal(says({ things: `id: { chosen: true }\n${THINGS}` }), [
    'things.yaml:2:7 wrong_option: The ids of a table that the engine makes are made with the records',
  ])
})

test.run()
