/** Who may write a record that it may not view is told nothing of it: neither by the answer nor by what is refused. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ANN, BEN, FILES, type Library, library, STAFF } from './library.ts'

const test = suite('writes of what is not seen')
let app: Library

const KEEPERS = '{ permission: books.edit }'
const VAULTS = `
resource: vaults
label: Vault
conceal: true
soft_delete: true
restore: true
show_moves: true
fields:
  name: { type: string }
  code: { type: string, unique: true }
  owner: { type: integer }
  state: { type: enum, values: [open, shut, sealed], default: open }
  made_in: { type: string, immutable: true }
  level: { type: integer, write: ${KEEPERS} }
  made_by: { type: string, read_only: true, default: Smith }
relations:
  tags: { many_to_many: tags, embed: [id], write: ${KEEPERS} }
moves:
  state: { allow: [{ from: open, to: shut }, { from: shut, to: [open, sealed] }] }
policies:
  view: [${KEEPERS}, { role: member, where: { owner: $actor } }]
  create: [{ who: signed_in }]
  update: [${KEEPERS}, { role: member }]
  delete: [{ role: member }]
  restore: [{ role: member }]
`

/** The same under fields that only some may read. */
const SAFES = `
resource: safes
label: Safe
show_moves: true
fields: { state: { type: enum, values: [open, shut, sealed], default: open, read: ${KEEPERS} } }
moves:
  state: { allow: [{ from: open, to: shut }, { from: shut, to: open }, { from: shut, to: sealed, permission: books.edit }] }
policies: { view: [{ who: signed_in }], create: [{ who: signed_in }], update: [{ who: signed_in }] }
`

const STORED = { name: 'Old', code: 'A1', owner: 1, state: 'shut', made_in: 'Berlin', level: 5, tag_ids: [1] }

test.before(async () => {
  app = await library({ ...FILES, 'vaults.yaml': VAULTS, 'safes.yaml': SAFES })
  await app.expect(201, 'POST', '/tags', STAFF, { name: 'old' })
})
test.after(() => app.close())

const vault = async (more: object = {}): Promise<number> =>
  (await app.expect(201, 'POST', '/vaults', STAFF, { ...STORED, code: undefined, ...more })).id

test('the answer has the id alone', async () => {
  const id = await vault({ code: 'B1' })
  await app.expect(404, 'GET', `/vaults/${id}`, BEN)
  for (const body of [{}, { name: 'New' }]) {
    const { body: answer } = await app.call('PATCH', `/api/v1/vaults/${id}`, { token: BEN, body })
    assert.equal([answer.data, answer.meta.moves], [{ id }, undefined])
  }
  assert.equal(await app.expect(200, 'PUT', '/vaults/by/code/B1', BEN, { name: 'Newer' }), { id })
  const batch = await app.expect(200, 'POST', '/vaults/batch', BEN, { update: [{ id, name: 'Newest' }] })
  assert.equal(batch, { update: [{ id }] })
  const own = await vault({ owner: 2, name: 'Mine' })
  const mixed = await app.expect(200, 'POST', '/vaults/batch', BEN, { update: [{ id: own, name: 'My own' }, { id }] })
  assert.equal([mixed.update[0].name, mixed.update[1]], ['My own', { id }])
  assert.is((await app.expect(200, 'GET', `/vaults/${id}`)).name, 'Newest')
  await app.expect(204, 'DELETE', `/vaults/${id}`, BEN)
  assert.equal(await app.expect(200, 'POST', `/vaults/${id}/restore`, BEN), { id })
})

test('who made a record, saw it before it was written or sees it then is answered with all of it', async () => {
  assert.is((await app.expect(201, 'POST', '/vaults', BEN, { name: 'Left', owner: 1 })).name, 'Left')
  const id = await vault({ owner: 2 })
  assert.is((await app.expect(200, 'PATCH', `/vaults/${id}`, BEN, { owner: 1 })).owner, 1, 'handed over')
  assert.equal(await app.expect(200, 'PATCH', `/vaults/${id}`, BEN, { name: 'x' }), { id })
  assert.is((await app.expect(200, 'PATCH', `/vaults/${id}`, BEN, { owner: 2 })).made_in, 'Berlin', 'taken')
})

for (const [name, right, wrong] of [
  ['level', 5, 6],
  ['made_in', 'Berlin', 'Rome'],
  ['made_by', 'Smith', 'Jones'],
  ['tag_ids', [1], []],
  ['tags', [{ id: 1 }], [{ id: 2 }]],
] as const)
  test(`a guess at ${name} is refused alike, whether it is right or wrong`, async () => {
    const id = await vault()
    const told = await Promise.all(
      [right, wrong].map(async (value) => {
        const answer = await app.call('PATCH', `/api/v1/vaults/${id}`, { token: BEN, body: { [name]: value } })
        return [answer.status, answer.body.message, answer.body.errors ?? null]
      }),
    )
    assert.equal(told[0], told[1])
    assert.ok(Number(told[0]?.[0]) >= 400)
    await app.expect(200, 'PATCH', `/vaults/${id}`, STAFF, { [name]: right })
  })

test('an ETag of the whole record names no version of it', async () => {
  const id = await vault()
  const { headers } = await app.call('GET', `/api/v1/vaults/${id}`, { token: STAFF })
  const tag = { 'if-match': String(headers.etag) }
  const call = (token: string, method: string) =>
    app.call(method, `/api/v1/vaults/${id}`, {
      token,
      headers: tag,
      ...(method === 'PATCH' && { body: { name: 'x' } }),
    })
  assert.equal([(await call(BEN, 'PATCH')).status, (await call(BEN, 'DELETE')).status], [412, 412])
  assert.is((await call(ANN, 'PATCH')).status, 200, 'who sees it names it so')
})

test('a refused move tells the word that is left to nobody who may not read it', async () => {
  const id = await vault()
  const hidden = await app.call('PATCH', `/api/v1/vaults/${id}`, { token: BEN, body: { state: 'sealed' } })
  assert.is(hidden.status, 200)
  const refused = (token: string, state: string) =>
    app.call('PATCH', `/api/v1/vaults/${id}`, { token, body: { state } })
  assert.is((await refused(BEN, 'open')).body.message, 'The vault cannot be moved so')
  assert.match((await refused(ANN, 'open')).body.message, /from "sealed" to "open"/)
  const { id: safe } = await app.expect(201, 'POST', '/safes', STAFF, { state: 'shut' })
  const read = async (token: string) => (await app.call('GET', `/api/v1/safes/${safe}`, { token })).body.meta.moves
  assert.equal(await read(ANN), undefined)
  assert.equal(await read(STAFF), { state: ['open', 'sealed'] })
  const answer = await app.call('PATCH', `/api/v1/safes/${safe}`, { token: ANN, body: { state: 'sealed' } })
  assert.equal([answer.status, answer.body.message], [409, 'The safe cannot be moved so'])
})

test.run()
