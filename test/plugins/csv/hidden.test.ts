/** An export shows of other records what its reader may see of them, or what answers show beside the record anyway. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { application, type TestApplication } from '../../support/application.ts'

const STAFF = '1:staff:all.see'
const ANN = '1:member:'

const FILES = {
  'app.yaml': 'name: Orders\nprefix: /api/v1\nplugins: { timestamps: {}, soft_delete: {}, who: {}, csv: {} }\n',
  'firms.yaml': `
resource: firms
soft_delete: true
fields: { name: { type: string } }
policies:
  view: [{ who: signed_in }]
  create: [{ permission: all.see }]
  delete: [{ permission: all.see }]
`,
  'people.yaml': `
resource: people
fields:
  name: { type: string }
  email: { type: email }
  rank: { type: string, read: { permission: all.see } }
relations: { firm: { belongs_to: firms } }
policies:
  view: [{ permission: all.see }, { role: member, where: { id: $actor } }]
  create: [{ permission: all.see }]
`,
  'orders.yaml': `
resource: orders
fields: { title: { type: string } }
relations: { person: { belongs_to: people, embed: [id, name] } }
csv:
  export: [{ who: signed_in }]
  columns: { Title: title, Name: person.name, Mail: person.email, Rank: person.rank, Firm: person.firm.name }
policies:
  view: [{ who: signed_in }]
  create: [{ permission: all.see }]
`,
}

const test = suite('csv: what an export hides')
let app: TestApplication

test.before(async () => {
  app = await application({ resources: FILES, plugins: 'test/action/plugins' })
  const make = async (path: string, body: object): Promise<void> => {
    assert.is((await app.call('POST', `/api/v1${path}`, { token: STAFF, body })).status, 201)
  }
  await make('/firms', { name: 'Acme' })
  await make('/people', { name: 'Ann', email: 'ann@x.example', rank: 'A', firm_id: 1 })
  await make('/people', { name: 'Ben', email: 'ben@x.example', rank: 'B', firm_id: 1 })
  await make('/orders', { title: 'one', person_id: 1 })
  await make('/orders', { title: 'two', person_id: 2 })
  await make('/orders', { title: 'three' })
})
test.after(() => app.close())

const exported = async (token: string): Promise<readonly string[]> => {
  const { text } = await app.call('GET', '/api/v1/orders/export?bom=false&sort=id', { token })
  return text.split('\n').slice(1, -1)
}

test('of a record that the reader may not see, it has what the list embeds and nothing else', async () => {
  assert.equal(await exported(STAFF), ['one,Ann,ann@x.example,A,Acme', 'two,Ben,ben@x.example,B,Acme', 'three,,,,'])
  assert.equal(await exported(ANN), ['one,Ann,ann@x.example,,Acme', 'two,Ben,,,', 'three,,,,'])
})

test('of a deleted record, it has no more than of one that the reader may not see', async () => {
  assert.is((await app.call('DELETE', '/api/v1/firms/1', { token: STAFF })).status, 204)
  assert.equal((await exported(ANN))[0], 'one,Ann,ann@x.example,,')
  assert.equal((await exported(STAFF))[0], 'one,Ann,ann@x.example,A,')
})

test.run()
