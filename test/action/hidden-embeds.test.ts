/** What stands in an embed is held to its own `read`, also a relation that another record leads to. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ANN, FILES, type Library, library, STAFF } from './library.ts'

const test = suite('embeds of hidden relations')
let app: Library

const CASES = `
resource: cases
label: Case
fields: { title: { type: string } }
relations:
  agent: { belongs_to: members, embed: [id, name], read: { permission: books.edit } }
  marks: { has_many: marks, show: single, embed: [id, { agent_name: case.agent.name }, case] }
policies: { view: [{ who: signed_in }], create: [{ permission: books.edit }] }
actions: [list, get, create]
`
const MARKS = `
resource: marks
label: Mark
fields: { text: { type: string } }
relations:
  case: { belongs_to: cases, embed: [id, agent, { agent_name: agent.name }, { agent_no: agent_id }] }
summary: true
policies: { view: [{ who: signed_in }], create: [{ who: signed_in }], update: [{ who: signed_in }] }
actions: [list, get, create, update]
`
const LOTS = `
resource: lots
fields: { name: { type: string } }
relations:
  bids: { has_many: bids, order: "-amount", embed: [id] }
  best: { has_many: bids, first: true, order: "-amount", embed: [id] }
  by_bidder: { has_many: bids, order: bidder.name, embed: [id] }
policies: { view: [{ who: signed_in }] }
actions: [list, get]
`
const BIDS = `
resource: bids
fields: { amount: { type: integer, read: { permission: books.edit } } }
relations: { lot: { belongs_to: lots }, bidder: { belongs_to: members, embed: [id] } }
actions: []
policies: { view: [{ who: signed_in }] }
`

test.before(async () => {
  app = await library({
    ...FILES,
    'cases.yaml': CASES,
    'marks.yaml': MARKS,
    'lots.yaml': LOTS,
    'bids.yaml': BIDS,
  })
  await app.expect(201, 'POST', '/cases', STAFF, { title: 'First', agent_id: 1 })
  await app.expect(201, 'POST', '/marks', STAFF, { text: 'one', case_id: 1 })
})
test.after(() => app.close())

const REQUESTS = [
  ['GET', '/marks/1'],
  ['GET', '/marks'],
  ['GET', '/marks?fields=case'],
  ['GET', '/marks/summary?by=case_id'],
  ['GET', '/cases/1'],
  ['GET', '/cases?include=marks'],
  ['POST', '/marks', { text: 'two', case_id: 1 }],
  ['PATCH', '/marks/1', { text: 'three' }],
] as const

for (const [method, path, body] of REQUESTS)
  test(`${method} ${path}`, async () => {
    const asked = async (token: string) =>
      JSON.stringify((await app.call(method, `/api/v1${path}`, { token, body: body && { ...body, text: token } })).body)
    assert.match(await asked(STAFF), /"agent_name":"Ann"/)
    const answer = await asked(ANN)
    assert.match(answer, /"success":true/)
    assert.not.match(answer, /agent|"Ann"/)
  })

test('names of what is hidden are not known', async () => {
  for (const name of ['case.agent', 'case.agent.name', 'case.agent_name', 'case.agent_no']) {
    const { status, text } = await app.call('GET', `/api/v1/marks?fields=${name}`, { token: ANN })
    assert.is(status, 422, name)
    assert.not.match(text.replaceAll(name, ''), /agent/)
    assert.is((await app.call('GET', `/api/v1/marks?fields=${name}`, { token: STAFF })).status, 200, name)
  }
})

test('the document of a reader has what it is shown', async () => {
  const mark = async (token: string | undefined) => {
    const { body } = await app.call('GET', '/openapi.json', token === undefined ? {} : { token })
    return JSON.stringify(body.paths['/api/v1/marks/{id}'].get) + JSON.stringify(body.components.schemas)
  }
  assert.match(await mark(STAFF), /agent_name/)
  assert.not.match(await mark(ANN), /agent/)
})

test('embedded records are in no order that tells what is hidden, and none of them is the first by it', async () => {
  const { knex } = app.engine.database
  await knex.raw(`insert into lots (name, created_at, updated_at) values ('one', now(), now());
    insert into bids (amount, lot_id, bidder_id, created_at, updated_at)
      values (5, 1, 2, now(), now()), (9, 1, 1, now(), now()), (7, 1, 2, now(), now())`)
  const asked = async (path: string, token: string) => {
    const { data } = (await app.call('GET', `/api/v1${path}`, { token })).body
    const { best, bids, by_bidder } = Array.isArray(data) ? data[0] : data
    const ids = (list: { id: number }[]) => list.map(({ id }) => id)
    return [ids(bids), best?.id, ids(by_bidder)]
  }
  for (const path of ['/lots/1', '/lots', '/lots?include=bids(3)&fields=bids,best,by_bidder']) {
    assert.equal(await asked(path, STAFF), [[2, 3, 1], 2, [2, 1, 3]], path)
    assert.equal(await asked(path, ANN), [[3, 2, 1], undefined, [1, 2, 3]], path)
  }
})

test.run()
