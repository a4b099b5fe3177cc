/** What is given up, switched off and let go of after days, and what an application may offer. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { saysAtBoot } from '../../plugin/application.ts'
import { runAhead } from '../../support/job.ts'
import { until } from '../../support/wait.ts'
import { type Data, type Library, libraryFiles, OPEN, openLibrary, openReceiver, type Receiver } from './world.ts'

let library: Library
let receiver: Receiver
const test = suite('webhooks after days')

test.before(async () => {
  library = await openLibrary()
  receiver = await openReceiver()
})
test.after(async () => {
  await library.close()
  await receiver.close()
})

const hook = (): Promise<Data> =>
  library.must('POST', '/webhooks', { name: 'A', address: receiver.url, events: ['books.*'] })

function sql(text: string, values: readonly unknown[]) {
  return library.app.engine.database.adhoc.run({ text }, values)
}

test('a message that waited for three days is given up, and one by a lease is not', async () => {
  const webhook = await hook()
  receiver.behave((response) => void response.writeHead(500).end())
  for (const title of ['Old', 'Leased', 'New']) await library.must('POST', '/books', { title })
  await until(
    async () => (await library.deliveries(webhook.id)).filter((one: Data) => one.last_status === 500).length === 3,
  )
  const [old, leased] = await library.deliveries(webhook.id)
  const age = `update webhook_deliveries set queued_at = now() - interval '73 hours' where id = any($1::int[])`
  await sql(age, [[old.id, leased.id]])
  await sql(`update webhook_deliveries set leased_until = now() + interval '1 minute' where id = $1::int`, [leased.id])
  assert.equal(await runAhead(library.app.engine, 'webhooks.tidy'), { given_up: 1, switched_off: 0 })
  assert.equal(
    (await library.deliveries(webhook.id)).map(({ status }: Data) => status),
    ['failed', 'pending', 'pending'],
  )
})

test('a webhook at which nothing has arrived for five days is switched off', async () => {
  const webhook = await hook()
  await library.must('POST', '/books', { title: 'Never' })
  await until(async () => (await library.deliveries(webhook.id))[0]?.last_status === 500)
  await sql(`update webhook_deliveries set status = 'failed', ended_at = now() where webhook_id = $1::int`, [
    webhook.id,
  ])
  assert.equal(await runAhead(library.app.engine, 'webhooks.tidy'), { given_up: 0, switched_off: 0 })
  const age = `update webhooks set created_at = now() - interval '6 days', updated_at = now() - interval '6 days' where id = $1::int`
  await sql(age, [webhook.id])
  assert.equal(await runAhead(library.app.engine, 'webhooks.tidy'), { given_up: 0, switched_off: 1 })
  const seen = await library.must('GET', `/webhooks/${webhook.id}`)
  assert.equal([seen.active, seen.paused_reason], [false, 'Nothing has arrived for five days'])
})

test('deliveries go after thirty days with their attempts', async () => {
  const webhook = await hook()
  receiver.behave((response) => void response.writeHead(204).end())
  await library.must('POST', '/books', { title: 'Kept' })
  await until(async () => (await library.deliveries(webhook.id))[0]?.status === 'delivered')
  const { id } = (await library.deliveries(webhook.id))[0]
  await sql(`update webhook_deliveries set created_at = now() - interval '31 days' where id = $1::int`, [id])
  await runAhead(library.app.engine, 'plinth.keep')
  assert.equal(await library.deliveries(webhook.id), [])
  assert.equal(await sql('select 1 from webhook_attempts where delivery_id = $1::int', [id]), [])
})

test('a webhook that is removed takes what waits with it', async () => {
  const webhook = await hook()
  receiver.behave((response) => void response.writeHead(500).end())
  await library.must('POST', '/books', { title: 'Waits' })
  await until(async () => (await library.deliveries(webhook.id))[0]?.last_status === 500)
  await library.must('DELETE', `/webhooks/${webhook.id}`)
  assert.equal(await library.deliveries(webhook.id), [])
})

test('only the owner of a table offers it', async () => {
  const novels = [
    'resource: novels',
    'of: books',
    'where: { title: Novel }',
    'webhooks: true',
    'fields: { title: { type: string } }',
    'actions: [list, get]',
    'policies: { view: [{ role: admin }] }',
  ].join('\n')
  const files = { ...libraryFiles(OPEN), 'novels.yaml': novels }
  const said = await saysAtBoot(
    Object.fromEntries(Object.entries(files).map(([name, text]) => [`resources/${name}`, text])),
  )
  assert.match(said.join('\n'), /webhooks\/owner.*write webhooks: true in "books"/s)
})

test.run()
