/** What is removed or cleared with a record that is removed for good is written as by any other delete or update. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { JsonObject } from '../../engine/json.ts'
import type { Answer } from '../support/answer.ts'
import { application, type TestApplication } from '../support/application.ts'

const test = suite('removed for good')
let app: TestApplication

const POLICIES = `policies:
  view: [{ who: signed_in }]
  create: [{ who: signed_in }]
  update: [{ who: signed_in }]
  delete: [{ who: signed_in }]`
const FILES = {
  'app.yaml': 'name: Shop\nprefix: /s\nplugins: { timestamps: {}, soft_delete: {}, who: {} }\n',
  'totals.yaml': `resource: totals\nlabel: Total\nfields: { lines: { type: integer, default: 0 }, open: { type: integer, default: 0 } }\n${POLICIES}`,
  'orders.yaml': `
resource: orders
label: Order
log_changes: true
fields: { lines_made: { type: integer, default: 0 } }
relations: { part_of: { belongs_to: orders, on_delete: cascade } }
rules: { few: { on: [update], must: { lines_made: { lte: 9 } }, says: Nine lines at most } }
${POLICIES}
`,
  // It goes with its order.
  'lines.yaml': `
resource: lines
label: Line
log_changes: true
fields:
  is_fixed: { type: boolean, default: false }
  is_main: { type: boolean, default: false }
relations:
  order: { belongs_to: orders, required: true, on_delete: cascade }
  total: { belongs_to: totals, required: true }
rules:
  fixed: { on: [delete], must: { is_fixed: false }, says: A fixed line stays }
  one_main: { at_least: 1, where: { is_main: true }, says: One main line stays }
  one_of_each: { at_least: 1, per: order, says: An order has a line }
follows:
  - { of: total, on: [create], set: { lines: { plus: [$record.total.lines, 1] } } }
  - { of: total, on: [delete], set: { lines: { minus: [$record.total.lines, 1] } } }
  - { of: order, on: [create], set: { lines_made: { plus: [$record.order.lines_made, 1] } } }
  - { of: order, on: [delete], set: { lines_made: { minus: [$record.order.lines_made, 1] } } }
${POLICIES}
`,
  // It goes with its line, and can be deleted and restored by itself.
  'marks.yaml': `
resource: marks
label: Mark
soft_delete: true
log_changes: true
fields: { word: { type: string } }
relations: { line: { belongs_to: lines, on_delete: cascade }, total: { belongs_to: totals } }
follows: [{ of: total, on: [delete], set: { open: { plus: [$record.total.open, 1] } } }]
${POLICIES}
`,
  // It stays without its order.
  'notes.yaml': `
resource: notes
label: Note
log_changes: true
fields:
  text: { type: string }
  left_at: { type: timestamp, read_only: true }
  is_bound: { type: boolean, default: false }
relations:
  order: { belongs_to: orders, on_delete: set_null }
  total: { belongs_to: totals }
rules:
  bound: { must: { any: [{ is_bound: false }, { not: { order: null } }] }, holds: when_written, says: A bound note has an order }
  noted: { at_least: 1, per: order, says: An order has a note }
follows:
  - { on: [update], changed: order, when: { order: null }, set: { left_at: $now } }
  - { of: total, on: [update], changed: order, set: { open: { plus: [$record.total.open, 1] } } }
${POLICIES}
`,
  // Nobody else changes its order.
  'slips.yaml': `
resource: slips
log_changes: true
relations: { order: { belongs_to: orders, immutable: true, on_delete: set_null } }
${POLICIES}
`,
}

const call = (method: string, path: string, body?: JsonObject): Promise<Answer> =>
  app.call(method, `/s${path}`, { body, token: '7:worker:' })
const done = async (method: string, path: string, body?: JsonObject): Promise<JsonObject> => {
  const answer = await call(method, path, body)
  assert.ok(answer.status < 300, answer.text)
  return (answer.body?.data ?? {}) as JsonObject
}
const make = async (path: string, body: JsonObject = {}): Promise<number> => Number((await done('POST', path, body)).id)
const read = (path: string): Promise<JsonObject> => done('GET', path)
const rows = (text: string, values: readonly unknown[]) => app.engine.database.adhoc.run({ text }, values)
const logOf = async (resource: string, id: number): Promise<readonly unknown[]> => {
  const text = `select action || ' ' || coalesce(actor_id::text, '') || ' ' || (select coalesce(string_agg(x->>'field', ',' order by x->>'field'), '') from jsonb_array_elements(changes) x) from plinth_change where resource = $1 and record_id::text = $2::text and action <> 'create' order by id`
  return (await rows(text, [resource, String(id)])).map(([line]) => line)
}

test.before(async () => {
  app = await application({ resources: FILES, plugins: 'test/support/plugins' })
  await make('/lines', { order_id: await make('/orders'), total_id: await make('/totals'), is_main: true })
})
test.after(() => app.close())

test('what goes with a record is deleted: what follows from that follows, and the log tells of each', async () => {
  const [order, total] = [await make('/orders'), await make('/totals')]
  const under = await make('/orders', { part_of_id: order })
  const lines: number[] = []
  for (const order_id of [order, order, under]) lines.push(await make('/lines', { order_id, total_id: total }))
  const mark = await make('/marks', { line_id: lines[0]!, total_id: total, word: 'secret' })
  const gone = await make('/marks', { line_id: lines[0]!, total_id: total })
  await done('DELETE', `/marks/${gone}`)
  await done('DELETE', `/orders/${order}`)
  const { lines: left, open } = await read(`/totals/${total}`)
  assert.equal([left, open], [0, 2])
  for (const [resource, id] of [...lines.map((line) => ['lines', line] as const), ['marks', mark]] as const) {
    assert.equal(await rows(`select 1 from ${resource} where id = $1`, [id]), [])
    assert.equal(await logOf(resource, id), ['delete 7 '])
  }
  // Of what is gone for good no value is kept.
  assert.equal(
    await rows(`select 1 from plinth_change where resource = 'marks' and changes::text like '%secret%'`, []),
    [],
  )
  // What is on its way out itself gets no values any more: its lines were counted once each, when they came.
  assert.equal(await logOf('orders', order), ['update 7 ', 'update 7 ', 'delete 7 '])
  assert.equal(await logOf('orders', under), ['update 7 ', 'delete 7 '])
})

test('a rule of what would go with a record refuses the delete of that record, and nothing is kept', async () => {
  const [order, total] = [await make('/orders'), await make('/totals')]
  const first = await make('/lines', { order_id: order, total_id: total })
  await make('/lines', { order_id: order, total_id: total, is_fixed: true })
  const refused = await call('DELETE', `/orders/${order}`)
  assert.equal([refused.status, refused.body.message], [409, 'A fixed line stays'])
  assert.is((await read(`/totals/${total}`)).lines, 2)
  assert.is((await read(`/lines/${first}`)).order_id, order)
  assert.equal(await logOf('lines', first), [])
})

test('at_least holds also where the last one goes with another record, but for the group that goes itself', async () => {
  const [main] = await rows('select order_id from lines where is_main', [])
  const refused = await call('DELETE', `/orders/${main?.[0]}`)
  assert.equal([refused.status, refused.body.message], [409, 'One main line stays'])
  const [order, total] = [await make('/orders'), await make('/totals')]
  const line = await make('/lines', { order_id: order, total_id: total })
  assert.is((await call('DELETE', `/lines/${line}`)).status, 409)
  await done('DELETE', `/orders/${order}`)
})

test('what stays without a record is updated: rules, what follows, the moment and the log', async () => {
  const [order, total] = [await make('/orders'), await make('/totals')]
  const note = await make('/notes', { order_id: order, total_id: total, text: 'x' })
  const slip = await make('/slips', { order_id: order })
  const before = await read(`/notes/${note}`)
  await done('DELETE', `/orders/${order}`)
  const after = await read(`/notes/${note}`)
  assert.is(after.order_id, null)
  assert.ok(after.left_at !== null && String(after.updated_at) > String(before.updated_at))
  assert.is((await read(`/totals/${total}`)).open, 1)
  assert.equal(await logOf('notes', note), ['update 7 left_at,order_id'])
  assert.equal(await logOf('slips', slip), ['update 7 order_id'])
})

test('a rule of what would stay without a record refuses the delete of that record', async () => {
  const order = await make('/orders')
  const note = await make('/notes', { order_id: order, is_bound: true })
  const refused = await call('DELETE', `/orders/${order}`)
  assert.equal([refused.status, refused.body.message], [409, 'A bound note has an order'])
  assert.is((await read(`/notes/${note}`)).order_id, order)
})

test('a batch and a delete by filter go the same way', async () => {
  const [order, other, total] = [await make('/orders'), await make('/orders'), await make('/totals')]
  for (const order_id of [order, other]) await make('/lines', { order_id, total_id: total })
  await done('POST', '/orders/batch', { delete: [order, other] })
  assert.is((await read(`/totals/${total}`)).lines, 0)
})

test('twenty records that go at once with what belongs to them are counted each', async () => {
  const total = await make('/totals')
  const orders: number[] = []
  for (let i = 0; i < 20; i++) {
    orders.push(await make('/orders'))
    await make('/lines', { order_id: orders[i]!, total_id: total })
  }
  const answers = await Promise.all(orders.map((id) => call('DELETE', `/orders/${id}`)))
  assert.equal(
    answers.map(({ status }) => status),
    orders.map(() => 204),
  )
  assert.is((await read(`/totals/${total}`)).lines, 0)
})

test.run()
