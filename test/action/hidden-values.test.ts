/** What a body says of a hidden value is refused alike, whether it is right or wrong: an update answers no guesses. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ANN, FILES, type Library, library, STAFF } from './library.ts'

const test = suite('guesses at hidden values')
let app: Library

const KEEPERS = '{ permission: books.edit }'
const SAFES = `
resource: safes
label: Safe
fields:
  name: { type: string, required: true }
  level: { type: integer, max: 100, read: ${KEEPERS}, write: ${KEEPERS} }
  state: { type: enum, values: [open, shut], default: open, read: ${KEEPERS} }
  opened_on: { type: date, read: ${KEEPERS}, immutable: true }
  risk: { type: boolean, default: false, show: never, write: ${KEEPERS} }
  pin: { type: secret, write: ${KEEPERS} }
  words: { type: list, of: string, read: ${KEEPERS} }
  place: { type: string, renamed_from: { name: spot }, read: ${KEEPERS}, write: ${KEEPERS} }
relations:
  keeper: { belongs_to: members, read: ${KEEPERS} }
  tags: { many_to_many: tags, embed: [id], read: ${KEEPERS}, write: ${KEEPERS} }
policies:
  view: [{ who: signed_in }]
  create: [${KEEPERS}]
  update: [${KEEPERS}, { role: member, fields: [name, level, risk, pin, tags, place] }]
`

/** All of it may be changed, as far as a field can be. */
const CHESTS = `
resource: chests
label: Chest
fields:
  name: { type: string }
  opened_on: { type: date, read: ${KEEPERS}, immutable: true }
  place: { type: string, renamed_from: { name: spot }, read: ${KEEPERS} }
actions: [get, create, update]
policies: { view: [{ who: signed_in }], create: [{ who: signed_in }], update: [{ who: signed_in }] }
`

const STORED = {
  name: 'Old',
  level: 5,
  state: 'shut',
  opened_on: '2026-01-02',
  risk: true,
  pin: '1234',
  words: ['a'],
  place: 'cellar',
  keeper_id: 2,
  tag_ids: [1],
}

const GUESSES: readonly (readonly [name: string, right: unknown, wrong: unknown])[] = [
  ['level', 5, 6],
  ['level', '5', '6'],
  ['state', 'shut', 'open'],
  ['opened_on', '2026-01-02', '2026-01-03'],
  ['risk', true, false],
  ['pin', '1234', '1235'],
  ['words', ['a'], ['b']],
  ['place', 'cellar', 'attic'],
  ['spot', 'cellar', 'attic'],
  ['keeper_id', 2, 1],
  ['tag_ids', [1], []],
]

test.before(async () => {
  app = await library({ ...FILES, 'safes.yaml': SAFES, 'chests.yaml': CHESTS })
  await app.expect(201, 'POST', '/tags', STAFF, { name: 'old' })
  await app.expect(201, 'POST', '/safes', STAFF, STORED)
})
test.after(() => app.close())

async function told(method: string, path: string, token: string, body: object): Promise<string> {
  const { status, body: answer } = await app.call(method, `/api/v1${path}`, { token, body })
  return JSON.stringify([status, answer.message, answer.errors ?? null])
}

for (const [name, right, wrong] of GUESSES)
  test(`${name}: ${JSON.stringify(right)} or ${JSON.stringify(wrong)}`, async () => {
    for (const beside of [{}, { name: 'Mine' }]) {
      const update = (value: unknown): Promise<string> => told('PATCH', '/safes/1', ANN, { ...beside, [name]: value })
      const batch = (value: unknown): Promise<string> =>
        told('POST', '/safes/batch', ANN, { update: [{ id: 1, ...beside, [name]: value }] })
      for (const ask of [update, batch]) {
        assert.is(await ask(right), await ask(wrong))
        assert.match(await ask(right), /^\[4/)
      }
    }
  })

test('a value that cannot be changed', async () => {
  const { id } = await app.expect(201, 'POST', '/chests', STAFF, { opened_on: '2026-01-02' })
  const ask = (opened_on: string): Promise<string> => told('PATCH', `/chests/${id}`, ANN, { name: 'Mine', opened_on })
  assert.is(await ask('2026-01-02'), await ask('2026-01-03'))
})

test('two values under both names of a field', async () => {
  const both = (place: string, spot: string): Promise<string> => told('PATCH', '/safes/1', ANN, { place, spot })
  assert.is(await both('cellar', 'roof'), await both('attic', 'roof'))
  assert.is(await both('roof', 'cellar'), await both('roof', 'attic'))
})

test('a value that may be written and not read: whether it was stored already shows in no moment', async () => {
  for (const beside of [{}, { name: 'Mine' }]) {
    const { id, updated_at: before } = await app.expect(201, 'POST', '/chests', STAFF, { place: 'cellar', ...beside })
    for (const place of ['cellar', 'cellar', 'attic', 'attic']) {
      const { updated_at: then } = await app.expect(200, 'GET', `/chests/${id}`, ANN)
      // Moments have milliseconds.
      await new Promise((done) => setTimeout(done, 2))
      const { updated_at: now } = await app.expect(200, 'PATCH', `/chests/${id}`, ANN, { ...beside, place })
      assert.ok(now > then && now > before, `${place}: ${now}`)
    }
    const { updated_at: then } = await app.expect(200, 'GET', `/chests/${id}`, STAFF)
    const same = await app.expect(200, 'PATCH', `/chests/${id}`, STAFF, { ...beside, place: 'attic' })
    assert.is(same.updated_at, then, 'for who reads it, it is no change')
  }
})

test('two values under both names of a field that may be written and not read', async () => {
  const { id } = await app.expect(201, 'POST', '/chests', STAFF, { place: 'cellar' })
  const both = (place: string, spot: string): Promise<string> => told('PATCH', `/chests/${id}`, ANN, { place, spot })
  assert.is(await both('cellar', 'roof'), await both('attic', 'roof'))
  assert.is(await both('roof', 'cellar'), await both('roof', 'attic'))
  assert.match(await both('cellar', 'roof'), /^\[422/)
  const read = await app.expect(200, 'PATCH', `/chests/${id}`, STAFF, { place: 'cellar', spot: 'roof' })
  assert.is(read.place, 'roof', 'who reads it sends it back with one of the two changed')
})

test('whoever may read the values sends them back', async () => {
  const stored = await app.expect(200, 'GET', '/safes/1', STAFF)
  assert.is(stored.name, 'Old')
  const { pin: _, risk: __, ...sent } = { ...stored, name: 'New' }
  assert.is((await app.expect(200, 'PATCH', '/safes/1', STAFF, sent)).name, 'New')
  assert.is((await app.expect(200, 'PATCH', '/safes/1', ANN, { id: 1, name: 'Newer' })).name, 'Newer')
})

test.run()
