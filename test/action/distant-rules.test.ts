/** Rules over several relations and over many-to-many links, judged wherever a record on the way is written. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { SYSTEM } from '../../engine/actor.ts'
import { pluginContext } from '../../engine/context/plugin-context.ts'
import { ApiError } from '../../engine/error.ts'
import type { JsonObject } from '../../engine/json.ts'
import { executionOf } from '../../engine/run/execution.ts'
import { type Answer, application, type TestApplication } from '../support/application.ts'
import { sentencesIn } from '../support/sentence-codes.ts'
import { RESOURCES } from './distant.ts'

const distant = suite('rules over several relations')
let app: TestApplication

distant.before(async () => {
  app = await application({ resources: RESOURCES, plugins: 'test/support/plugins' })
})
distant.after(() => app?.close())

const send = (method: string, path: string, body?: JsonObject): Promise<Answer> =>
  app.call(method, path, { token: '1:clerk:', body })
async function make(resource: string, body: JsonObject = {}): Promise<number> {
  const answer = await send('POST', `/${resource}`, body)
  assert.is(answer.status, 201, answer.text)
  return Number((answer.body.data as JsonObject).id)
}
const says = ({ body, status }: Answer) => [status, body.errors ?? body.message]
const ok = async (answer: Promise<Answer>): Promise<void> => {
  const { status, text } = await answer
  assert.ok(status < 300, text)
}
const patch = (resource: string, id: number, body: JsonObject) => send('PATCH', `/${resource}/${id}`, body)
const remove = (resource: string, id: number) => send('DELETE', `/${resource}/${id}`)
const restore = (resource: string, id: number) => send('POST', `/${resource}/${id}/restore`)

interface World {
  readonly region: number
  readonly branch: number
  readonly item: number
}
async function world(): Promise<World> {
  const region = await make('regions')
  const branch = await make('branches', { region_id: region })
  return { region, branch, item: await make('items', { branch_id: branch }) }
}

/** Several bookings in one transaction, by plugin code. */
async function batch(bodies: readonly JsonObject[]): Promise<unknown> {
  const call = { actor: SYSTEM, requestId: 'test', afterCommit: () => undefined }
  const { records } = pluginContext(executionOf(app.engine.app.foundation, call), {})
  const made = await records('bookings', 'system').createEach(bodies.map((input) => ({ input })))
  return made.map((one) =>
    'error' in one && one.error instanceof ApiError
      ? one.error.params.errors === undefined
        ? one.error.message
        : sentencesIn(one.error.params.errors)
      : 'made',
  )
}

const CLOSED = { item_id: ['The region is closed'] }

distant('three relations away, the record is judged when it is written', async () => {
  const { region, item } = await world()
  const there = await world()
  await ok(patch('regions', region, { is_open: false }))
  assert.equal(says(await send('POST', '/bookings', { item_id: item })), [422, CLOSED])
  assert.equal(says(await send('POST', `/items/${item}/bookings`, {})), [422, CLOSED])
  assert.equal(await batch([{ item_id: there.item }, { item_id: item }]), ['made', CLOSED])
  const id = await make('bookings', { item_id: there.item })
  assert.equal(says(await patch('bookings', id, { item_id: item })), [422, CLOSED])
})

distant('three relations away, each record on the way is judged when it is written', async () => {
  const [here, closed] = [await world(), await world()]
  const id = await make('bookings', { item_id: here.item })
  await ok(patch('regions', closed.region, { is_open: false }))
  const refused = [409, 'The region is closed']
  assert.equal(says(await patch('regions', here.region, { is_open: false })), refused)
  assert.equal(says(await patch('branches', here.branch, { region_id: closed.region })), refused)
  assert.equal(says(await patch('items', here.item, { branch_id: closed.branch })), refused)
  await ok(patch('regions', here.region, { name: 'Named' }))
  // A deleted booking binds nobody, and does not come back into what is closed.
  await ok(remove('bookings', id))
  await ok(patch('branches', here.branch, { region_id: closed.region }))
  assert.equal(says(await restore('bookings', id)), [409, 'The region is closed'])
  await ok(patch('branches', here.branch, { region_id: here.region }))
  await ok(restore('bookings', id))
})

distant('records between are counted with those behind them', async () => {
  const { branch, region } = await world()
  const there = await world()
  const few = [409, 'A region has at most three items']
  await make('items', { branch_id: branch })
  const third = await make('items', { branch_id: branch })
  assert.equal(says(await send('POST', '/items', { branch_id: branch })), few)
  assert.equal(says(await patch('items', there.item, { branch_id: branch })), few)
  assert.equal(says(await patch('branches', there.branch, { region_id: region })), few)
  await ok(remove('items', third))
  await ok(patch('branches', there.branch, { region_id: region }))
  assert.equal(says(await restore('items', third)), few)
  await ok(remove('branches', there.branch))
  await ok(restore('items', third))
  assert.equal(says(await restore('branches', there.branch)), few)
})

distant('links are judged with the record that is written', async () => {
  const { item } = await world()
  const [tag, banned, draft] = [
    await make('tags'),
    await make('tags', { is_banned: true }),
    await make('tags', { name: 'draft' }),
  ]
  const body = { item_id: item }
  const final = { is_final: ['What is final has a tag'] }
  assert.equal(says(await send('POST', '/bookings', { ...body, tag_ids: [tag, banned] })), [409, 'A tag is banned'])
  assert.equal(says(await send('POST', `/items/${item}/bookings`, { tag_ids: [banned] })), [409, 'A tag is banned'])
  assert.equal(says(await send('POST', '/bookings', { ...body, is_final: true })), [422, final])
  assert.equal(says(await send('POST', '/bookings', { ...body, is_final: true, tag_ids: [] })), [422, final])
  assert.equal(
    await batch([
      { ...body, is_final: true, tag_ids: [tag] },
      { ...body, tag_ids: [banned] },
    ]),
    ['made', 'A tag is banned'],
  )
  const id = await make('bookings', { ...body, is_final: true, tag_ids: [tag] })
  assert.equal(says(await patch('bookings', id, { tag_ids: [] })), [422, final])
  assert.equal(says(await patch('bookings', id, { tag_ids: [tag, banned] })), [409, 'A tag is banned'])
  assert.equal(says(await patch('bookings', id, { tag_ids: [tag, draft] })), [409, 'Drafts are no bookings'])
  // What would be wrong one after the other is right together.
  await ok(patch('bookings', id, { is_final: false, tag_ids: [] }))
  assert.equal(says(await patch('bookings', id, { is_final: true })), [422, final])
  await ok(patch('bookings', id, { is_final: true, tag_ids: [tag] }))
  await ok(patch('bookings', id, { name: 'Named' }))
})

distant('links are judged from the other side, by every write there', async () => {
  const { item } = await world()
  const [tag, banned, draft] = [await make('tags'), await make('tags', { is_banned: true }), await make('tags')]
  const id = await make('bookings', { item_id: item, is_final: true, tag_ids: [tag] })
  const none = [409, 'What is final has a tag']
  assert.equal(says(await patch('tags', tag, { is_banned: true })), [409, 'A tag is banned'])
  assert.equal(says(await patch('tags', tag, { booking_ids: [] })), none)
  assert.equal(says(await remove('tags', tag)), none)
  assert.equal(says(await patch('tags', banned, { booking_ids: [id] })), [409, 'A tag is banned'])
  assert.equal(says(await send('POST', '/tags', { is_banned: true, booking_ids: [id] })), [409, 'A tag is banned'])
  const second = await make('tags', { booking_ids: [id] })
  await ok(patch('tags', tag, { booking_ids: [] }))
  assert.equal(says(await remove('tags', second)), none)
  await ok(patch('bookings', id, { tag_ids: [tag, second] }))
  await ok(remove('tags', second))
  await ok(patch('bookings', id, { is_final: false }))
  await ok(remove('tags', tag))
  assert.equal(says(await patch('bookings', id, { is_final: true })), [422, { is_final: ['What is final has a tag'] }])
  await ok(restore('tags', tag))
  await ok(patch('bookings', id, { is_final: true }))
  // A rule of the moment of writing binds nobody else.
  await ok(patch('bookings', id, { tag_ids: [tag, draft] }))
  await ok(patch('tags', draft, { name: 'draft' }))
})

distant('a record that comes back is judged with its links', async () => {
  const { item } = await world()
  const tag = await make('tags')
  const id = await make('bookings', { item_id: item, tag_ids: [tag] })
  await ok(remove('bookings', id))
  await ok(patch('tags', tag, { is_banned: true }))
  assert.equal(says(await restore('bookings', id)), [409, 'A tag is banned'])
  await ok(remove('tags', tag))
  await ok(restore('bookings', id))
  assert.equal(says(await restore('tags', tag)), [409, 'A tag is banned'])
})

distant('pairs that are records of their own are judged as such', async () => {
  const { item } = await world()
  const [ada, bo, cy] = [await make('people'), await make('people'), await make('people')]
  const two = [409, 'Two may watch']
  assert.equal(says(await send('POST', '/bookings', { item_id: item, watcher_ids: [ada, bo, cy] })), two)
  const id = await make('bookings', { item_id: item, watcher_ids: [ada, bo] })
  assert.equal(says(await send('POST', '/watches', { booking_id: id, person_id: cy })), two)
  const other = await make('bookings', { item_id: item })
  const watch = await make('watches', { booking_id: other, person_id: cy })
  assert.equal(says(await patch('watches', watch, { booking_id: id })), two)
  await ok(remove('people', ada))
  await ok(patch('watches', watch, { booking_id: id }))
})

distant('links behind other records are judged from all sides', async () => {
  const { branch, item } = await world()
  const [tag, secret] = [await make('tags'), await make('tags', { is_secret: true })]
  const id = await make('bookings', { item_id: item, tag_ids: [tag] })
  await ok(patch('items', item, { is_public: true }))
  const refused = [409, 'A public item has no secret bookings']
  assert.equal(says(await patch('bookings', id, { tag_ids: [secret] })), refused)
  assert.equal(says(await send('POST', '/bookings', { item_id: item, tag_ids: [secret] })), refused)
  assert.equal(says(await patch('tags', secret, { booking_ids: [id] })), refused)
  assert.equal(says(await patch('tags', tag, { is_secret: true })), refused)
  const elsewhere = await make('items', { branch_id: branch })
  const hidden = await make('bookings', { item_id: elsewhere, tag_ids: [secret] })
  assert.equal(says(await patch('bookings', hidden, { item_id: item })), refused)
  assert.equal(says(await patch('items', elsewhere, { is_public: true })), refused)
  await ok(remove('bookings', hidden))
  await ok(patch('items', elsewhere, { is_public: true }))
  assert.equal(says(await restore('bookings', hidden)), refused)
})

distant('a rule of a part of a table binds that part alone', async () => {
  const [small, large] = [await world(), await world()]
  await make('large-items', { branch_id: large.branch })
  const refused = [409, 'A large item needs an open region']
  assert.equal(says(await patch('regions', large.region, { is_open: false })), refused)
  await ok(patch('regions', small.region, { is_open: false }))
  assert.equal(says(await patch('items', small.item, { name: 'large' })), refused)
})

distant('of two writes that would break a rule together, one succeeds', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { item, region } = await world()
    const tag = await make('tags')
    const id = await make('bookings', { item_id: item })
    const far = await world()
    const pairs: readonly (readonly [Promise<Answer>, Promise<Answer>])[] = [
      [patch('bookings', id, { tag_ids: [tag] }), patch('tags', tag, { is_banned: true })],
      [send('POST', '/bookings', { item_id: far.item }), patch('regions', far.region, { is_open: false })],
    ]
    for (const pair of pairs) {
      const statuses = (await Promise.all(pair)).map(({ status }) => status)
      assert.is(statuses.filter((status) => status < 300).length, 1, statuses.join())
    }
    await ok(patch('regions', region, { name: 'Named' }))
  }
})

distant('of the last two tags of a final booking, one goes', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { item } = await world()
    const [one, two] = [await make('tags'), await make('tags')]
    const id = await make('bookings', { item_id: item, is_final: true, tag_ids: [one, two] })
    const answers = await Promise.all([remove('tags', one), patch('tags', two, { booking_ids: [] })])
    assert.equal(answers.map(({ status }) => status < 300).sort(), [false, true])
    await ok(patch('bookings', id, { name: 'Named' }))
  }
})

distant.run()
