/** The test kit as applications use it: people of each role, requests and answers, time, and what follows from writes. */
import { readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { application, type TestApplication } from '../../engine/testing/index.ts'
import { type Folder, folder } from '../cli/world.ts'
import { SHOP } from './shop.ts'

const kit = suite('plinth/test')

const FILES = {
  ...SHOP,
  'resources/users.yaml': `resource: users
fields:
  street: { type: string }
  number: { type: integer, min: 1 }
`,
  'resources/orders.yaml': `resource: orders
fields:
  what:      { type: string, required: true }
  packed:    { type: boolean, default: false, nullable: false }
  packed_at: { type: timestamp, read_only: true }
relations:
  by: { belongs_to: users, embed: [id, name] }
follows:
  - { when: { packed: true }, changed: packed, set: { packed_at: $now } }
automations:
  thank:
    on: [update]
    changed: packed
    mail: { to: [by], subject: "Packed", text: "{{ what }} is on its way." }
policies:
  view:   [{ permission: orders.pack }, { who: signed_in, where: { by: $actor } }]
  create: [{ who: signed_in, set: { by: $actor }, fields: [what] }]
  update: [{ permission: orders.pack }]
`,
}

let shop: Folder
let app: TestApplication

kit.before(async () => {
  shop = folder(FILES)
  app = await application({ folder: shop.path, now: () => new Date('2030-05-06T07:08:09Z') })
})
kit.after(async () => {
  await app?.close()
  shop?.remove()
})

kit('people of each role send requests as themselves', async () => {
  const [ann, bob, clerk] = [
    await app.person('customer', 'Ann'),
    await app.person('customer', 'Bob', { street: 'Quay' }),
    await app.person('clerk'),
  ]
  const { status, data } = await ann.post('/orders', { what: 'Tea' })
  assert.equal([status, data.what, data.by.id], [201, 'Tea', ann.id])
  assert.equal((await ann.get('/orders')).data.length, 1)
  assert.equal((await bob.get('/orders')).data.length, 0)
  assert.is((await bob.patch(`/orders/${data.id}`, { packed: true })).status, 403)
  const packed = await clerk.patch(`/orders/${data.id}`, { packed: true })
  assert.is.not(packed.data.packed_at, null)
  assert.is(packed.meta.timestamp, '2030-05-06T07:08:09.000000Z')
  assert.is((await app.get('/orders')).status, 401)
  assert.is((await bob.get('/auth/me')).data.street, 'Quay')
  assert.is(await app.person('customer', 'Ann'), ann)
  assert.is.not(await app.person('customer'), ann)
})

kit('an answer tells what was refused, by field', async () => {
  const clerk = await app.person('clerk')
  const { status, code, message, errors, headers } = await clerk.post('/orders', {})
  assert.equal([status, code, message], [422, 'validation_failed', 'Validation failed'])
  assert.equal(errors, { what: ['The what field is required'] })
  assert.match(headers['content-type'] ?? '', 'application/json')
  assert.equal((await app.get('//livez')).status, 200)
  const sent = { body: '{', headers: { 'content-type': 'application/json' } }
  assert.is((await clerk.request('POST', '/orders', sent)).status, 400)
})

kit('people have any name, and an account of their own for each', async () => {
  const names = [
    'Änne',
    'Anne',
    'A nne',
    'Ödön de la Tour',
    '李',
    'Ναυσικά',
    'محمد',
    'Mr. O’Neil',
    'Ana-',
    '7',
    '…',
    'straße',
    'strasse',
  ]
  const ids = new Set<number>()
  for (const name of names) {
    const one = await app.person('customer', name)
    assert.is((await one.get('/auth/me')).data.first_name, name)
    ids.add(one.id)
  }
  assert.is(ids.size, names.length)
})

kit('records are read and written as the system, and what follows is waited for', async () => {
  const ann = await app.person('customer', 'Ann')
  const orders = app.records('orders')
  const { id } = await orders.create({ what: 'Jam', by_id: ann.id })
  await orders.update(Number(id), { packed: true })
  await app.settled()
  const mails = (await readdir(`${app.dataDir}/outbox`)).filter((name) => name.endsWith('.eml'))
  const texts = mails.map((name) => readFileSync(`${app.dataDir}/outbox/${name}`, 'utf8'))
  assert.is(texts.filter((text) => text.includes('Jam is on its way.')).length, 1)
  await orders.delete(Number(id))
  assert.is(await orders.get(Number(id)).then(String, (error) => error.code), 'record_not_found')
})

kit('says which roles there are, and why an account cannot be made', async () => {
  const wrong = await app.person('clark').then(String, (error: Error) => error.message)
  assert.is(wrong, 'There is no role "clark", did you mean "clerk"?')
  const refused = await app.person('clerk', 'Cid', { number: 0 }).then(String, (error: Error) => error.message)
  assert.match(refused, /^Cid, a clerk, could not be made: The number field must be at least 1/)
  assert.is((await app.person('clerk', 'Cid', { number: 3 })).role, 'clerk')
})

kit('each application has a database of its own, also after another', async () => {
  const others = [await application({ folder: shop.path }), await application({ folder: shop.path })]
  for (const other of others) assert.equal((await other.records('orders').list()).data, [])
  for (const other of others) await other.close()
  const next = await application({ folder: shop.path })
  assert.equal((await next.records('orders').list()).data, [])
  await next.close()
})

kit('an application with mistakes does not start, and its diagnostics say why', async () => {
  const broken = folder({ ...FILES, 'resources/orders.yaml': 'resource: orders\nfields: { what: { type: strin } }\n' })
  const said = await application({ folder: broken.path }).then(String, (error: Error) => error.message)
  assert.match(said, /orders\.yaml:2:25 error \w+/)
  broken.remove()
})

kit('nothing of the process or of a .env file decides what it does', async () => {
  const own = folder({ ...FILES, '.env': 'BASE_URL=https://shop.example\n' })
  const set = await application({ folder: own.path, env: { ADMIN_EMAIL: 'boss@shop.example' } })
  const { settings } = set.engine.app.foundation
  assert.equal([settings.baseUrl.includes('shop.example'), settings.env.ADMIN_EMAIL], [false, 'boss@shop.example'])
  await set.close()
  own.remove()
})

kit.run()
