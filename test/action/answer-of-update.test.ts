/** The answer to an update is what GET gives then, also where it reads the written values by another way than the record. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { application, type TestApplication } from '../support/application.ts'

const ANYONE = `
policies: { view: [{ who: anyone }], create: [{ who: anyone }], update: [{ who: anyone }] }
`
const FILES = {
  'app.yaml': 'name: Answers\n',
  'places.yaml': `
resource: places
fields:
  name:        { type: string, required: true }
  open:        { type: boolean, default: true }
  size:        { type: integer, default: 1 }
  siblings:    { type: integer, computed: "(select count(*) from places p where p.size = t.size)" }
  visits:      { type: count, of: seen }
  spent:       { type: decimal, scale: 2, computed: { sum: seen.price } }
relations:
  parent:   { belongs_to: places, embed: [id, name] }
  children: { has_many: places, by: parent, embed: [id, name, open] }
  seen:     { has_many: visits, embed: [id, price, { where: place.name }] }
  guides:   { has_many: guides, through: visit, embed: [id, name] }
${ANYONE}`,
  'visits.yaml': `
resource: visits
fields:    { price: { type: decimal, scale: 2 } }
relations: { place: { belongs_to: places, embed: [id, name] } }
policies: { view: [{ who: anyone, where: { place.open: true } }], create: [{ who: anyone }] }
`,
  'guides.yaml': `
resource: guides
fields:    { name: { type: string } }
relations: { visit: { belongs_to: visits, embed: [id, { where: place.name }] } }
${ANYONE}`,
}

const test = suite('answer of an update')
let app: TestApplication

test.before(async () => {
  app = await application({ resources: FILES })
})
test.after(() => app.close())

async function made(path: string, body: unknown): Promise<number> {
  const answer = await app.call('POST', path, { body })
  assert.is(answer.status, 201, answer.text)
  return answer.body.data.id
}

/** Updates a place, and checks that the answer is what GET gives. */
async function changed(id: number, body: unknown) {
  const answer = await app.call('PATCH', `/places/${id}`, { body })
  assert.is(answer.status, 200, answer.text)
  const read = await app.call('GET', `/places/${id}`)
  assert.equal(answer.body.data, read.body.data)
  assert.is(answer.headers.etag, read.headers.etag)
  return answer.body.data
}

async function place(): Promise<number> {
  const id = await made('/places', { name: 'Old' })
  assert.is((await app.call('PATCH', `/places/${id}`, { body: { parent_id: id } })).status, 200)
  const visit = await made('/visits', { place_id: id, price: '2.50' })
  await made('/guides', { name: 'Ann', visit_id: visit })
  return id
}

test('a record that it refers to is itself', async () => {
  const { parent, children } = await changed(await place(), { name: 'New' })
  assert.is(parent.name, 'New')
  assert.is(children[0].name, 'New')
})

test('it becomes its own parent, and ceases to be', async () => {
  const id = await place()
  assert.equal((await changed(id, { parent_id: null })).children, [])
  assert.is((await changed(id, { parent_id: id })).children.length, 1)
})

test('records that may be seen because of what it is', async () => {
  const id = await place()
  const closed = await changed(id, { open: false })
  assert.equal([closed.seen, closed.visits, closed.spent], [[], 0, '0.00'])
  const { guides, seen, spent, visits } = await changed(id, { open: true })
  assert.equal([guides.length, seen.length, visits, spent], [1, 1, 1, '2.50'])
})

test('what other records show of it', async () => {
  assert.is((await changed(await place(), { name: 'Shown' })).seen[0].where, 'Shown')
})

test('SQL of an author that counts it', async () => {
  assert.is((await changed(await place(), { size: 77 })).siblings, 1)
})

test.run()
