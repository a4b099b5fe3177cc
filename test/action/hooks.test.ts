/** Hooks around writes: their order, what they may change, one transaction for all, and what waits for the commit. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Answer } from '../support/application.ts'
import { ANN, type Library, library } from './library.ts'
import { journal } from './plugins/probe/index.ts'

const test = suite('hooks')
let app: Library

/** Where much of a record is filled by rules and not by who makes it. */
const PARCELS = `
resource: parcels
label: Parcel
soft_delete: true
restore: true
fields:
  name: { type: string, required: true }
  slug: { type: slug, from: name, unique: true }
  note: { type: string }
  state: { type: enum, values: [new, sent, lost], default: new }
  posted_at: { type: timestamp, default: $now }
relations:
  shelf: { belongs_to: shelves, default: { is_default: true } }
  owner: { belongs_to: members }
policies:
  view: [{ who: signed_in }]
  create: [{ role: member, where: { state: sent }, set: { note: sent at once } }, { role: member, set: { note: waits, owner: $actor } }]
  update: [{ role: member, set: { note: changed } }]
  delete: [{ role: member }]
  restore: [{ role: member }]
hooks: { create: [probe.judge], update: [probe.judge], delete: [probe.judge], restore: [probe.judge] }
`
/** The same with another default, as an admin would change it. */
const LOST = PARCELS.replace('resource: parcels', 'resource: lost').replace('default: new', 'default: lost')

test.before(async () => {
  app = await library({ 'parcels.yaml': PARCELS, 'lost.yaml': LOST })
})
test.after(() => app.close())
test.before.each(() => {
  journal.length = 0
})

const call = (method: string, path: string, body?: unknown): Promise<Answer> =>
  app.call(method, `/api/v1${path}`, { token: ANN, body })

async function counts(): Promise<readonly number[]> {
  const text = 'select (select count(*) from notes), (select count(*) from notes_log)'
  const [row] = await app.engine.database.adhoc.run({ text }, [])
  return row!.map(Number)
}

test('run in the order of the YAML, around the write, and work waits for the commit', async () => {
  const [notes = 0] = await counts()
  const answer = await call('POST', '/notes', { text: 'first' })
  assert.is(answer.status, 201, answer.text)
  assert.equal(journal, [
    'outer before create',
    'inner before',
    'inner after create - → first',
    'sees true',
    'outer after',
    `committed with ${notes + 1}`,
  ])
})

test('see the record before and after every action', async () => {
  const { id } = (await call('POST', '/notes', { text: 'one' })).body.data
  journal.length = 0
  await call('PATCH', `/notes/${id}`, { text: 'two' })
  await call('DELETE', `/notes/${id}`)
  await call('POST', `/notes/${id}/restore`)
  assert.equal(
    journal.filter((line) => line.startsWith('inner after')),
    ['inner after update one → two', 'inner after delete two → two', 'inner after restore two → two'],
  )
})

test('do not run when nothing changes, or when the write is refused before', async () => {
  const { id } = (await call('POST', '/notes', { text: 'still' })).body.data
  journal.length = 0
  assert.is((await call('PATCH', `/notes/${id}`, { text: 'still' })).status, 200)
  assert.is((await call('POST', `/notes/${id}/restore`)).status, 200)
  assert.is((await call('POST', '/notes', { text: '' })).status, 422)
  assert.is((await call('PATCH', '/notes/99999', { text: 'x' })).status, 404)
  assert.equal(journal, [])
})

test('take keys of their own from the body', async () => {
  assert.is((await call('POST', '/notes', { text: 'moody', mood: 'good' })).body.data.stamp, 'good')
  const answer = await call('POST', '/notes', { text: 'moody', mood: 'odd' })
  assert.equal(answer.body.errors, { mood: ['The mood field must be one of good, bad'] })
  assert.is((await call('DELETE', '/shouts/1')).status, 404)
})

test('change what is written', async () => {
  const made = await call('POST', '/shouts', { text: 'quiet' })
  assert.is(made.body.data.text, 'QUIET')
  const { id, updated_at } = made.body.data
  const same = await call('PATCH', `/shouts/${id}`, { text: 'quiet' })
  assert.is(same.body.data.text, 'QUIET')
  assert.is(same.body.data.updated_at, updated_at, 'what a hook turned into the stored value is no change')
  assert.is((await call('PATCH', `/shouts/${id}`, { text: 'loud' })).body.data.text, 'LOUD')
})

test('a hook that never calls next has taken the write’s place', async () => {
  const { id } = (await call('POST', '/shouts', { text: 'x' })).body.data
  assert.is((await call('DELETE', `/shouts/${id}`)).status, 204)
  assert.equal(journal.at(-1), 'instead')
  assert.is((await call('GET', `/shouts/${id}`)).status, 200)
})

test('see the record as it will be written: defaults, what the clause sets, chosen records and made slugs', async () => {
  const made = await call('POST', '/parcels', { name: 'A box' })
  assert.is(made.status, 201, made.text)
  await call('POST', '/parcels', { name: 'A box', state: 'sent', shelf_id: null })
  assert.equal(journal, [
    'create: , A box, a-box, waits, new, 1, 1, now',
    'create: , A box, a-box-2, sent at once, sent, , , now',
  ])
  journal.length = 0
  const { id } = made.body.data
  await call('PATCH', `/parcels/${id}`, { state: 'sent' })
  await call('DELETE', `/parcels/${id}`)
  await call('POST', `/parcels/${id}/restore`)
  const kept = `${id}, A box, a-box, changed, sent, 1, 1, now`
  assert.equal(journal, [`update: ${kept}`, `delete: ${kept}`, `restore: ${kept}`])
})

test('see what a hook before them changed', async () => {
  const made = await call('POST', '/parcels', { name: 'Changed by the hook' })
  assert.is(made.body.data.note, 'waits', 'what a clause sets wins')
  assert.match(journal[0] ?? '', /^create: , Changed by the hook, changed-by-the-hook, waits, new/)
})

test('a rule over a value is not passed by leaving it out', async () => {
  assert.is((await call('POST', '/lost', { name: 'x', state: 'lost' })).status, 409)
  assert.is((await call('POST', '/lost', { name: 'x' })).body.message, 'Nothing begins lost')
  assert.is((await call('POST', '/lost', { name: 'x', state: null })).status, 201)
})

for (const [text, status, message] of [
  ['refuse early', 409, 'Refused early'],
  ['refuse late', 409, 'Refused late'],
  ['forbidden nested', 403, 'You need the permission shelves.manage'],
  ['break', 500, 'Server error'],
] as const) {
  test(`${text}: nothing stays, nothing follows`, async () => {
    const { id } = (await call('POST', '/notes', { text: 'before' })).body.data
    const before = await counts()
    for (const [method, path] of [
      ['POST', '/notes'],
      ['PATCH', `/notes/${id}`],
    ] as const) {
      journal.length = 0
      const answer = await call(method, path, { text })
      assert.is(answer.status, status, answer.text)
      assert.is(answer.body.message, message)
      assert.not.ok(journal.some((line) => line.startsWith('committed')))
    }
    assert.equal(await counts(), before)
    assert.is((await call('GET', `/notes/${id}`)).body.data.text, 'before')
  })
}

test('work after the commit that fails undoes nothing', async () => {
  const answer = await call('POST', '/notes', { text: 'fail after' })
  assert.is(answer.status, 201)
  assert.is((await call('GET', `/notes/${answer.body.data.id}`)).status, 200)
  assert.ok(journal.some((line) => line.startsWith('committed')))
})

test('records made by a hook run their own hooks in the same transaction', async () => {
  const [notes = 0] = await counts()
  const answer = await call('POST', '/notes', { text: 'nested' })
  assert.is(answer.status, 201, answer.text)
  assert.equal(
    journal.filter((line) => /outer|committed/.test(line)),
    [
      'outer before create',
      'outer before create',
      'outer after',
      'outer after',
      `committed with ${notes + 2}`,
      `committed with ${notes + 2}`,
    ],
  )
})

test('a hook may write the very record that is being changed', async () => {
  const { id } = (await call('POST', '/notes', { text: 'touch' })).body.data
  const answer = await call('PATCH', `/notes/${id}`, { text: 'after' })
  assert.is(answer.status, 200, answer.text)
  assert.is(answer.body.data.text, 'after')
  assert.is(answer.body.data.stamp, 'touched')
})

test('a record that a hook removed meanwhile is not found, and stays', async () => {
  const { id } = (await call('POST', '/notes', { text: 'vanish' })).body.data
  assert.is((await call('PATCH', `/notes/${id}`, { text: 'after' })).status, 404)
  assert.is((await call('GET', `/notes/${id}`)).body.data.text, 'vanish')
})

test.run()
