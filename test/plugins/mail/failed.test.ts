/** Mails that cannot be filled in or sent: their runs have failed, and operators are told by commands, the doctor and the log. */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { lookAtWork } from '../../../engine/doctor/growth.ts'
import { application, type TestApplication } from '../../../engine/testing/index.ts'
import { type Folder, folder } from '../../cli/world.ts'
import { printed } from '../../support/printed.ts'
import { until } from '../../support/wait.ts'
import { SHOP } from '../../testing/shop.ts'

const test = suite('mails that fail')

const ORDERS = `resource: orders
fields:
  what: { type: string, required: true }
  zone: { type: string, default: UTC }
  due_at: { type: timestamp }
relations: { by: { belongs_to: users, embed: [id, name] } }
automations:
  thank: { on: [create], mail: { to: by, subject: "{{ what }}", text: "{{ due_at | date: '%d.%m. %H:%M', zone }}" } }
policies:
  view:   [{ permission: orders.pack }, { who: signed_in, where: { by: $actor } }]
  create: [{ who: signed_in, set: { by: $actor } }]
actions: [list, get, create]
`

let shop: Folder
let app: TestApplication
const logged: string[] = []
const note = (about: unknown, said?: string): void => void logged.push(`${said} ${JSON.stringify(about)}`)

test.before.each(async () => {
  const named = SHOP['resources/app.yaml'].replace('mail: {}', 'mail: {}, jobs: {}')
  shop = folder({ ...SHOP, 'resources/app.yaml': named, 'resources/orders.yaml': ORDERS })
  const log = { debug() {}, info() {}, warn() {}, error: note }
  app = await application({ folder: shop.path, log })
})
test.after.each(async () => {
  await app?.close()
  shop?.remove()
})

const automations = async (...words: readonly string[]): Promise<string> =>
  (await printed(() => app.engine.command('automations', words))).text

const doctor = async (): Promise<string> => {
  const { app: served, database } = app.engine
  const found = await lookAtWork(database, served.catalog, new Date(), { lateMs: 600_000 })
  return found.map(({ message }) => message).join('\n')
}

test('a text that a value of the record spoils fails the run of that record alone', async () => {
  const ann = await app.person('customer', 'Ann')
  const due = '2030-01-02T11:00:00Z'
  const [wrong, right] = [
    await ann.post('/orders', { what: 'Tea', zone: 'Europe/Zuerich', due_at: due }),
    await ann.post('/orders', { what: 'Jam', zone: 'Europe/Zurich', due_at: due }),
  ]
  await app.settled()
  const mails = await app.mails()
  assert.equal(
    mails.map(({ subject }) => subject),
    ['Jam'],
  )
  assert.match(mails[0]?.text ?? '', '02.01. 12:00')
  const reason = 'A text of the automation cannot be filled in: Invalid time zone specified: Europe/Zuerich'
  const told = await automations()
  assert.match(told, /orders\.thank: done 1, failed 1|orders\.thank: failed 1, done 1/)
  assert.match(told, `orders.thank, record ${wrong.data.id} for `)
  assert.match(told, reason)
  assert.match(await doctor(), '1 runs of automations failed')
  assert.ok(
    logged.some((one) => one.startsWith('an automation failed for a record') && one.includes(reason)),
    logged.join('\n'),
  )
  // What was wrong is mended, and the run is tried again with its change.
  await app.engine.database.knex('orders').where({ id: wrong.data.id }).update({ zone: 'UTC' })
  assert.match(await automations('retry', 'orders.thank'), 'Tried again: 1')
  await app.wait('1 minute')
  assert.equal(
    (await app.mails()).map(({ subject }) => subject),
    ['Jam', 'Tea'],
  )
  assert.match(await automations(), 'orders.thank: done 2')
  assert.is(right.status, 201)
})

test('a mail whose job is given up makes its run a failed one, until it is sent', async () => {
  const { database, app: served } = app.engine
  // A file where the outbox would be: no mail can be written.
  writeFileSync(join(app.dataDir, 'outbox'), '')
  const ann = await app.person('customer', 'Ann')
  const { data } = await ann.post('/orders', { what: 'Tea' })
  const tried = database.knex('plinth_job').where({ name: 'mail.send', status: 'pending' }).whereNotNull('error')
  await until(async () => (await tried.clone()).length === 1, 30_000)
  assert.match(await automations(), 'orders.thank: done 1')
  await tried.clone().update({ status: 'failed', finished_at: database.knex.fn.now() })
  const told = await automations()
  assert.match(told, 'orders.thank: failed 1')
  assert.match(told, `orders.thank, record ${data.id} for `)
  assert.match(await doctor(), '1 runs of automations failed')
  rmSync(join(app.dataDir, 'outbox'))
  assert.match(await automations('retry', 'orders.thank'), 'Tried again: 1')
  served.foundation.jobs.wake()
  await app.settled()
  assert.equal(
    (await app.mails()).map(({ subject }) => subject),
    ['Tea'],
  )
  assert.match(await automations(), 'orders.thank: done 1')
})

test.run()
