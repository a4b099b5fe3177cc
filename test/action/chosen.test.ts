/** Which records may be chosen, as the `where` of a relation says, holds whichever way a record comes to be written. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { application, type TestApplication } from '../support/application.ts'

const test = suite('chosen records')
let app: TestApplication

const POLICIES = `policies:
  view: [{ who: anyone }]
  create: [{ who: anyone }]
  update: [{ who: anyone }]
`
const FILES = {
  'app.yaml': 'name: Boxes\n',
  'boxes.yaml': `resource: boxes
label: Box
fields: { is_open: { type: boolean, default: true, nullable: false } }
relations: { items: { has_many: items, with_parent: true, embed: [id] } }
actions: [get, create, update]
${POLICIES}`,
  'items.yaml': `resource: items
label: Item
fields: { name: { type: string } }
relations: { box: { belongs_to: boxes, where: { is_open: true }, embed: [id] } }
nested: { box: { path: items, actions: [create] } }
actions: [list, get, create, update]
${POLICIES}`,
}

const OPEN = 1
const SHUT = 2

test.before(async () => {
  app = await application({ resources: FILES })
  for (const is_open of [true, false]) await app.call('POST', '/boxes', { body: { is_open } })
  await app.call('POST', '/items', { body: { name: 'first', box_id: OPEN } })
})
test.after(() => app.close())

async function errors(method: string, path: string, body: object): Promise<unknown> {
  const { body: answer, status } = await app.call(method, path, { body })
  return status < 300 ? status : answer.errors
}

const REFUSAL = ['The selected box is invalid']

test('a record that may be chosen is taken', async () => {
  assert.is(await errors('POST', '/items', { box_id: OPEN }), 201)
  assert.is(await errors('POST', `/boxes/${OPEN}/items`, { name: 'below' }), 201)
  assert.is(await errors('POST', '/boxes', { items: [{ name: 'with it' }] }), 201)
})

test('another one is refused, also where the path names it', async () => {
  assert.equal(await errors('POST', '/items', { box_id: SHUT }), { box_id: REFUSAL })
  assert.equal(await errors('PATCH', '/items/1', { box_id: SHUT }), { box_id: REFUSAL })
  assert.equal(await errors('POST', `/boxes/${SHUT}/items`, { name: 'below' }), { box_id: REFUSAL })
  assert.equal(await errors('POST', '/items/batch', { create: [{ box_id: OPEN }, { box_id: SHUT }] }), {
    'create.1.box_id': REFUSAL,
  })
})

test('a record that comes with its children is one that they may choose', async () => {
  assert.equal(await errors('POST', '/boxes', { is_open: false, items: [{ name: 'with it' }] }), {
    'items.0.box_id': REFUSAL,
  })
})

test.run()
