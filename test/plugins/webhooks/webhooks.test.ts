/** Webhooks: what is sent, to whom, how it is signed, and what an admin sees of it. */
import { Webhook } from 'standardwebhooks'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { until } from '../../support/wait.ts'
import { type Data, type Library, openLibrary, openReceiver, type Receiver } from './world.ts'

let library: Library
let receiver: Receiver
const test = suite('webhooks')

test.before(async () => {
  library = await openLibrary()
})
test.after(() => library.close())
test.before.each(async () => {
  receiver = await openReceiver()
})
test.after.each(async () => {
  for (const { id } of await library.must('GET', '/webhooks')) await library.must('DELETE', `/webhooks/${id}`)
  await receiver.close()
})

const hook = (more: object = {}, token?: string): Promise<Data> =>
  library.must('POST', '/webhooks', { name: 'A', address: receiver.url, events: ['books.*'], ...more }, token)

const settled = (webhook: Data, count: number): Promise<readonly Data[]> => ended(webhook, count, 'delivered')

async function ended(webhook: Data, count: number, status: string): Promise<readonly Data[]> {
  let found: readonly Data[] = []
  await until(async () => {
    found = await library.deliveries(webhook.id)
    return found.filter((one) => one.status === status).length >= count
  })
  return found
}

test('a change is sent, signed so that an independent library verifies it', async () => {
  const webhook = await hook()
  const book = await library.must('POST', '/books', { title: 'One', price: '9.50', pin: '12345678' })
  const [got] = await receiver.until(1)
  const payload = new Webhook(webhook.secret).verify(got!.body, { ...got!.headers }) as Data
  assert.is(payload.type, 'books.create')
  assert.match(payload.timestamp, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
  assert.equal(payload.data.record, await library.must('GET', `/books/${book.id}`))
  assert.equal([payload.data.resource, payload.data.id, payload.data.actor_id], ['books', book.id, 1])
  assert.ok(payload.data.changes.some(({ field, to }: Data) => field === 'title' && to === 'One'))
  assert.not.match(got!.body, /pin|12345678/)
  assert.is(got!.headers['content-type'], 'application/json')
  assert.throws(() => new Webhook('whsec_d3Jvbmcgc2VjcmV0IG9mIHRoaXMgdGVzdA==').verify(got!.body, { ...got!.headers }))
  const [delivery] = await settled(webhook, 1)
  assert.equal(
    [delivery?.event, delivery?.message_id, delivery?.attempts_made, delivery?.last_status],
    ['books.create', got!.headers['webhook-id'], 1, 204],
  )
  const { attempts } = await library.must('GET', `/webhook-deliveries/${delivery?.id}`)
  assert.equal([attempts.length, attempts[0].status, attempts[0].error], [1, 204, null])
  const seen = await library.must('GET', `/webhooks/${webhook.id}`)
  assert.ok(seen.last_success_at)
  assert.is(seen.failures, 0)
})

test('each action has its event, and only those that are asked for are sent', async () => {
  const all = await hook()
  const some = await hook({ events: ['books.delete', 'shelves.create'] })
  const book = await library.must('POST', '/books', { title: 'Two' })
  await library.must('PUT', `/books/${book.id}`, { title: 'Three' })
  // What changed is told of a record that is still there.
  await settled(all, 2)
  await library.must('DELETE', `/books/${book.id}`)
  await library.must('POST', `/books/${book.id}/restore`)
  await library.must('POST', '/shelves', { name: 'S' })
  const events = async (webhook: Data, count: number) => (await settled(webhook, count)).map(({ event }) => event)
  assert.equal(await events(all, 4), ['books.create', 'books.update', 'books.delete', 'books.restore'])
  assert.equal(await events(some, 2), ['books.delete', 'shelves.create'])
  const update = receiver.received.find(({ json }) => json.type === 'books.update')
  assert.equal(update?.json.data.changes, [{ field: 'title', from: 'Two', to: 'Three' }])
})

test('a change of links alone is sent', async () => {
  const webhook = await hook({ events: ['books.update'] })
  const shelf = await library.must('POST', '/shelves', { name: 'S' })
  const book = await library.must('POST', '/books', { title: 'Linked' })
  await library.must('PUT', `/books/${book.id}`, { copy_ids: [shelf.id] })
  await settled(webhook, 1)
  const { changes, record } = receiver.received[0]!.json.data
  assert.equal([changes, record.copies], [[{ field: 'copies', from: null, to: null }], [{ id: shelf.id, name: 'S' }]])
})

test('a condition chooses the records', async () => {
  const shelf = await library.must('POST', '/shelves', { name: 'Novels' })
  const webhook = await hook({ where: { any: [{ pages: { gt: 500 } }, { 'shelf.name': 'Novels' }] } })
  await library.must('POST', '/books', { title: 'Short' })
  const long = await library.must('POST', '/books', { title: 'Long', pages: 900 })
  const novel = await library.must('POST', '/books', { title: 'Novel', shelf_id: shelf.id })
  await settled(webhook, 2)
  assert.equal(receiver.received.map(({ json }) => json.data.id).sort(), [long.id, novel.id])
})

test('an owner is sent what the owner may see, and no more', async () => {
  const editor = await library.person('editor', 'Eda')
  const webhook = await hook({}, editor.token)
  assert.is(webhook.owner.id, editor.id)
  await library.must('POST', '/books', { title: 'Closed', is_open: false })
  const open = await library.must('POST', '/books', { title: 'Open', price: '3.00' })
  await library.must('PUT', `/books/${open.id}`, { price: '4.00' })
  await library.must('PUT', `/books/${open.id}`, { price: '5.00', title: 'Opened' })
  await settled(webhook, 2)
  assert.equal(
    receiver.received.map(({ json }) => [json.type, json.data.id]),
    [
      ['books.create', open.id],
      ['books.update', open.id],
    ],
  )
  assert.not.match(JSON.stringify(receiver.received), /price|Closed/)
  assert.equal(receiver.received[1]?.json.data.changes, [{ field: 'title', from: 'Open', to: 'Opened' }])
})

test('whoever changes a webhook becomes its owner', async () => {
  const editor = await library.person('editor', 'Ella')
  const webhook = await hook()
  const changed = await library.must(
    'PUT',
    `/webhooks/${webhook.id}`,
    { address: `${receiver.url}/ella` },
    editor.token,
  )
  assert.is(changed.owner.id, editor.id)
  await library.must('POST', '/books', { title: 'Hidden', is_open: false })
  const open = await library.must('POST', '/books', { title: 'Shown' })
  await settled(webhook, 1)
  assert.equal(
    receiver.received.map(({ json }) => json.data.id),
    [open.id],
  )
})

test('a webhook whose owner lost the permission, or is gone, is switched off and says why', async () => {
  const roles: readonly Data[] = await library.must('GET', '/settings/roles')
  for (const lost of ['permission', 'account']) {
    const editor = await library.person('editor', `Eve${lost}`)
    const webhook = await hook({}, editor.token)
    if (lost === 'account') await library.must('DELETE', `/users/${editor.id}`)
    else await library.must('PUT', `/users/${editor.id}`, { role_id: roles.find(({ slug }) => slug === 'reader')?.id })
    await library.must('POST', '/books', { title: 'For nobody' })
    let seen: Data = {}
    await until(async () => {
      seen = await library.must('GET', `/webhooks/${webhook.id}`)
      return seen.active === false
    })
    assert.match(
      seen.paused_reason,
      lost === 'account' ? /not there any more/ : /no longer the permission webhooks.manage/,
    )
    assert.ok(seen.paused_at)
    const on = await library.must('PUT', `/webhooks/${webhook.id}`, { active: true })
    assert.equal([on.active, on.paused_at, on.paused_reason, on.owner.id], [true, null, null, 1])
    await library.must('DELETE', `/webhooks/${webhook.id}`)
  }
  assert.is(receiver.received.length, 0)
})

test('what is wrong is told at its place, and nothing is written', async () => {
  const refused = async (more: object) => {
    const answer = await library.call('POST', '/webhooks', { name: 'A', address: receiver.url, events: ['*'], ...more })
    assert.is(answer.status, 422, answer.text)
    return answer.body?.errors as Readonly<Record<string, readonly string[]>>
  }
  assert.match((await refused({ events: ['books.crate'] })).events?.[0] ?? '', /did you mean "books.create"\?/)
  assert.match(
    (await refused({ events: ['visits.create'] })).events?.[0] ?? '',
    /An event is "\*", or one of books, shelves with/,
  )
  for (const event of ['books', '*.create', 'books.*.x', '.', 'webhooks.ping', 'books.purge'])
    assert.ok((await refused({ events: [event] })).events, event)
  assert.ok((await refused({ events: [] })).events)
  const wrong = await refused({ events: ['books.*'], where: { titel: 'x', 'shelf.name': { lik: 'y' } } })
  assert.equal(Object.keys(wrong), ['where.shelf.name.lik'])
  assert.match((await refused({ events: ['books.*'], where: { titel: 'x' } }))['where.titel']?.[0] ?? '', /title/)
  assert.ok((await refused({ events: ['books.*'], where: { pin: { null: false } } })).where)
  assert.ok((await refused({ events: ['*'], where: { pages: 1 } }))['where.pages'], 'shelves have no pages')
  assert.ok((await refused({ secret: 'mine' })).secret)
  assert.equal(await library.must('GET', '/webhooks'), [])
})

test('a webhook is changed to nothing that it could not be made with', async () => {
  const webhook = await hook({ where: { pages: { gt: 5 } } })
  const refused = async (body: object) => (await library.call('PUT', `/webhooks/${webhook.id}`, body)).status
  assert.is(await refused({ events: ['shelves.create'] }), 422, 'shelves have no pages')
  assert.is(await refused({ address: 'http://10.0.0.1/' }), 422)
  assert.is(await refused({ where: { nothing: 1 } }), 422)
  assert.is(await refused({ events: ['books.create'], where: null }), 200)
})

test('the secret is shown once, and is nowhere else', async () => {
  const webhook = await hook()
  assert.match(webhook.secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  const answers = await Promise.all(
    [
      library.call('GET', `/webhooks/${webhook.id}`),
      library.call('GET', '/webhooks'),
      library.call('PUT', `/webhooks/${webhook.id}`, { name: 'B' }),
    ].map(async (answer) => (await answer).text),
  )
  for (const text of answers) assert.not.match(text, /whsec|sealed/)
  const { database } = library.app.engine
  const [row] = await database.adhoc.run({ text: 'select sealed from webhooks where id = $1::int' }, [webhook.id])
  assert.not.ok(row?.[0]?.includes(webhook.secret.slice(6)))
})

test('an answer with a secret is not kept for a retry', async () => {
  const body = { name: 'Once', address: receiver.url, events: ['*'] }
  const send = () =>
    library.app.call('POST', '/api/webhooks', { token: library.admin, body, headers: { 'idempotency-key': 'once-1' } })
  const [first, second] = [await send(), await send()]
  assert.is(first.status, 201)
  assert.is(second.status, 409)
  assert.match(second.text, /could not be kept/)
  assert.is((await library.must('GET', '/webhooks')).length, 1)
  const rows = await library.app.engine.database.adhoc.run({ text: 'select body from plinth_idempotency' }, [])
  assert.not.match(JSON.stringify(rows), /whsec/)
})

test('after a rotation both secrets verify what is sent', async () => {
  const webhook = await hook()
  const { secret } = await library.must('POST', `/webhooks/${webhook.id}/rotate`)
  assert.is.not(secret, webhook.secret)
  await library.must('POST', '/books', { title: 'Rotated' })
  const [got] = await receiver.until(1)
  for (const one of [secret, webhook.secret]) new Webhook(one).verify(got!.body, { ...got!.headers })
  const later = `update webhooks set previous_until = now() - interval '1 second' where id = $1::int`
  await library.app.engine.database.adhoc.run({ text: later }, [webhook.id])
  await library.must('POST', '/books', { title: 'A day later' })
  const [, next] = await receiver.until(2)
  new Webhook(secret).verify(next!.body, { ...next!.headers })
  assert.throws(() => new Webhook(webhook.secret).verify(next!.body, { ...next!.headers }))
})

test('a test is sent to a webhook that is off, and nothing else is', async () => {
  const webhook = await hook({ active: false })
  await library.must('POST', '/books', { title: 'Unheard' })
  const { delivery_id, message_id } = await library.must('POST', `/webhooks/${webhook.id}/test`)
  const [got] = await receiver.until(1)
  assert.equal([got?.json.type, got?.headers['webhook-id']], ['webhooks.ping', message_id])
  await settled(webhook, 1)
  assert.is((await library.must('GET', `/webhook-deliveries/${delivery_id}`)).status, 'delivered')
  assert.is((await library.deliveries(webhook.id)).length, 1)
})

test('what was missed is sent again: since a moment, or by its delivery, with the id that it had', async () => {
  const since = new Date().toISOString()
  const webhook = await hook()
  const book = await library.must('POST', '/books', { title: 'Heard' })
  await settled(webhook, 1)
  // A message may come twice: an attempt whose answer is not seen in time is made again.
  const heard = receiver.received.length
  await library.must('PUT', `/webhooks/${webhook.id}`, { active: false })
  await library.must('PUT', `/books/${book.id}`, { title: 'Missed' })
  await library.heard()
  assert.is((await library.call('POST', `/webhooks/${webhook.id}/replay`, { since })).status, 409, 'it is off')
  await library.must('PUT', `/webhooks/${webhook.id}`, { active: true })
  assert.equal(await library.must('POST', `/webhooks/${webhook.id}/replay`, { since }), { queued: 2 })
  await until(() => receiver.received.some(({ json }) => json.type === 'books.update'))
  const again = receiver.received.slice(heard)
  assert.equal([...new Set(again.map(({ json }) => json.type))], ['books.create', 'books.update'])
  const created = (some: typeof again) =>
    some.findLast(({ json }) => json.type === 'books.create')?.headers['webhook-id']
  assert.is(created(again), created(receiver.received.slice(0, heard)))
  const [first] = await settled(webhook, 2)
  const before = receiver.received.length
  assert.equal(await library.must('POST', `/webhooks/${webhook.id}/replay`, { deliveries: [first?.id] }), { queued: 1 })
  assert.is((await receiver.until(before + 1))[before]?.headers['webhook-id'], first?.message_id)
  const other = await hook()
  const refused = await library.call('POST', `/webhooks/${other.id}/replay`, { deliveries: [first?.id] })
  assert.is(refused.status, 422)
  assert.is((await library.call('POST', `/webhooks/${webhook.id}/replay`, {})).status, 422)
  assert.is((await library.call('POST', `/webhooks/${webhook.id}/replay`, { since, deliveries: [1] })).status, 422)
})

test('nobody without the permission sees or makes any of it', async () => {
  const reader = await library.person('reader', 'Rita')
  const webhook = await hook()
  const body = { name: 'B', address: receiver.url, events: ['*'] }
  const statuses = await Promise.all(
    [
      library.call('GET', '/webhooks', undefined, reader.token),
      library.call('GET', `/webhooks/${webhook.id}`, undefined, reader.token),
      library.call('POST', '/webhooks', body, reader.token),
      library.call('PUT', `/webhooks/${webhook.id}`, { name: 'C' }, reader.token),
      library.call('DELETE', `/webhooks/${webhook.id}`, undefined, reader.token),
      library.call('POST', `/webhooks/${webhook.id}/rotate`, undefined, reader.token),
      library.call('POST', `/webhooks/${webhook.id}/test`, undefined, reader.token),
      library.call('POST', `/webhooks/${webhook.id}/replay`, { deliveries: [1] }, reader.token),
      library.call('GET', '/webhook-deliveries', undefined, reader.token),
    ].map(async (answer) => (await answer).status),
  )
  assert.equal(statuses, Array(9).fill(403))
  assert.is((await library.call('POST', '/webhooks/999/test', {})).status, 404)
})

test.run()
