/** `Prefer: can`: what a caller may do to each record that it reads, exactly as the writes decide. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ANN, BEN, type Library, library, STAFF, STRANGER } from './library.ts'

const test = suite('can')
let app: Library
const TOKENS = { staff: STAFF, ann: ANN, ben: BEN, stranger: STRANGER }

const JOBS = {
  'jobs.yaml': `resource: jobs
fields:
  name: { type: string, required: true }
  note: { type: string, write: { permission: books.edit } }
  mark: { type: string, immutable: true }
  state: { type: enum, values: [new, done, lost], default: new }
relations: { owner: { belongs_to: members, embed: [id, name] }, tags: { many_to_many: tags } }
moves: { state: { allow: [{ from: new, to: done }, { from: done, to: lost, permission: books.edit }] } }
policies:
  view: [{ who: signed_in }]
  create: [{ permission: books.edit }]
  update: [{ permission: books.edit }, { role: member, where: { owner: $actor }, fields: [name, state, tags] }, { role: member, where: { owner: null }, fields: [name] }]
  delete: [{ permission: books.edit, where: { state: lost } }, { role: member, where: { owner: $actor, state: new } }]`,
  'lines.yaml': `resource: lines
fields: { text: { type: string }, is_open: { type: boolean, default: true } }
relations: { job: { belongs_to: jobs, required: true } }
actions: []
nested: { job: { path: lines, actions: [list, create] } }
policies:
  view: [{ who: signed_in }]
  create: [{ permission: books.edit }, { role: member, where: { job.owner: $actor, is_open: true }, fields: [text] }, { role: member, where: { not: { any: [{ job.state: new }, { is_open: false }] } }, fields: [is_open, text] }]`,
}

test.before(async () => {
  app = await library(JOBS)
  await app.expect(201, 'POST', '/tags', STAFF, { name: 'a tag' })
  for (const owner_id of [1, 2, null]) {
    for (const state of ['new', 'done', 'lost'])
      await app.expect(201, 'POST', '/jobs', STAFF, { name: 'a job', owner_id, state })
    await app.expect(201, 'POST', '/books', STAFF, { title: 'A book', owner_id })
  }
})
test.after(() => app.close())

interface Can {
  readonly update: readonly string[]
  readonly delete: boolean
  readonly moves?: Readonly<Record<string, readonly string[]>>
  readonly create?: Readonly<Record<string, readonly string[]>>
}

const ask = (path: string, token: string, prefer = 'can') =>
  app.call('GET', `/api/v1${path}`, { token, headers: { prefer } })

test('a record says which fields its caller may change, and to which words it may be moved', async () => {
  const { body, headers } = await ask('/jobs/1', ANN)
  assert.is(headers['preference-applied'], 'can')
  assert.equal(body.meta.can, {
    update: ['name', 'state', 'tag_ids'],
    delete: true,
    moves: { state: ['done'] },
    create: { lines: ['text'] },
  })
  assert.equal((await ask('/jobs/4', ANN)).body.meta.can, {
    update: [],
    delete: false,
    moves: { state: [] },
    create: {},
  })
  const staff = (await ask('/jobs/2', STAFF)).body.meta.can
  assert.equal(staff.update, ['name', 'note', 'state', 'owner_id', 'tag_ids'])
  assert.equal(staff.moves, { state: ['lost'] })
})

test('without the header there is nothing of it, and other preferences mean nothing', async () => {
  for (const prefer of ['explain', 'cannot', 'x=can'])
    assert.not('can' in (await ask('/jobs/1', ANN, prefer)).body.meta)
  assert.ok('can' in (await ask('/jobs/1', ANN, 'respond-async, can')).body.meta)
  const { body } = await app.call('GET', '/api/v1/jobs', { token: ANN })
  assert.not('can' in body.meta)
})

test('a list says it of each of its records, whatever their fields and order are', async () => {
  for (const query of ['', '?fields=name&sort=-name', '?cursor=first', '?state=new', '?id=3'])
    for (const token of Object.values(TOKENS)) {
      const { body, status } = await ask(`/jobs${query}`, token)
      assert.is(status, 200, body)
      const { data } = (await app.call('GET', `/api/v1/jobs${query.replace('fields=name&', '')}`, { token })).body
      assert.is(Object.keys(body.meta.can).length, data.length)
      for (const { id } of data) assert.equal(body.meta.can[id], (await ask(`/jobs/${id}`, token)).body.meta.can)
    }
  const found = (await ask('/books?search=book', STAFF)).body
  assert.is(Object.keys(found.meta.can).length, 3)
  const queried = await app.call('POST', '/api/v1/jobs/query', { token: ANN, body: {}, headers: { prefer: 'can' } })
  assert.ok(queried.body.meta.can[1])
})

test('it allows what the writes allow, and nothing else: caller by caller, record by record', async () => {
  const tried = async (token: string, method: string, path: string, body?: unknown) =>
    (await app.call(method, `/api/v1${path}?dry_run=true`, { token, body })).status
  for (const [name, token] of Object.entries(TOKENS))
    for (let id = 1; id <= 9; id += 1) {
      const can: Can = (await ask(`/jobs/${id}`, token)).body.meta.can
      const values = { name: 'other', note: 'other', mark: 'other', tag_ids: [1] }
      for (const [field, value] of Object.entries(values)) {
        const status = await tried(token, 'PATCH', `/jobs/${id}`, { [field]: value })
        // A field that nobody changes is refused with 422 to those who may change others.
        assert.is(status === 200, can.update.includes(field), `${name}: ${field} of ${id}: ${status}`)
      }
      const job = await app.expect(200, 'GET', `/jobs/${id}`, token)
      for (const state of ['new', 'done', 'lost']) {
        if (state === job.state) continue
        const status = await tried(token, 'PATCH', `/jobs/${id}`, { state })
        assert.is(status === 200, can.moves!.state!.includes(state), `${name}: ${id} to ${state}: ${status}`)
      }
      for (const field of ['text', 'is_open']) {
        const body = { [field]: field === 'text' ? 'a line' : true, ...(field === 'is_open' ? { text: 'x' } : {}) }
        const status = await tried(token, 'POST', `/jobs/${id}/lines`, body)
        const names = can.create?.lines ?? []
        if (field === 'text') assert.is(status === 200, names.includes(field), `${name}: a line below ${id}: ${status}`)
      }
    }
})

test('who may not delete is refused, and who may does', async () => {
  for (let id = 1; id <= 9; id += 1) {
    const allowed: string[] = []
    for (const token of Object.values(TOKENS)) {
      const can: Can = (await ask(`/jobs/${id}`, token)).body.meta.can
      if (can.delete) allowed.push(token)
      else await app.expect(403, 'DELETE', `/jobs/${id}`, token)
    }
    const [first] = allowed
    if (first !== undefined) await app.expect(204, 'DELETE', `/jobs/${id}`, first)
  }
})

test('a conditional read goes by the record, a list by the rights too', async () => {
  const { headers } = await ask('/jobs/2', ANN)
  const plain = await app.call('GET', '/api/v1/jobs/2', { token: ANN })
  assert.is(headers.etag, plain.headers.etag)
  assert.is.not((await ask('/jobs', ANN)).headers.etag, (await ask('/jobs', ANN, 'x')).headers.etag)
})

test.run()
