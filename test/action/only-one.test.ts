/** The record that loses its yes to another one is written as by any other update, or the write that takes it is refused. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { JsonObject } from '../../engine/json.ts'
import type { Answer } from '../support/answer.ts'
import { application, type TestApplication } from '../support/application.ts'

const test = suite('the only one')
let app: TestApplication

const POLICIES = `policies:
  view: [{ who: signed_in }]
  create: [{ who: signed_in }]
  update: [{ who: signed_in }]
  delete: [{ who: signed_in }]
  restore: [{ who: signed_in }]`
const FILES = {
  'app.yaml': 'name: Boards\nprefix: /b\nplugins: { timestamps: {}, soft_delete: {}, who: {} }\n',
  'boards.yaml': `
resource: boards
label: Board
fields:
  name: { type: string }
  losses: { type: integer, default: 0, max: 3 }
  is_strict: { type: boolean, default: false }
relations:
  modes: { has_many: modes }
rules:
  strict_boards_keep_theirs:
    when: { is_strict: true }
    must: { modes: { none: { is_default: false, is_kept: true } } }
    holds: always
    says: The strict board keeps it
policies:
  view: [{ who: signed_in }]
  create: [{ who: signed_in }]
  update: [{ who: signed_in }]
  delete: [{ who: signed_in }]
`,
  'modes.yaml': `
resource: modes
label: Mode
soft_delete: true
restore: true
log_changes: true
fields:
  name: { type: string }
  is_default: { type: boolean, default: false, nullable: false }
  is_pinned: { type: boolean, default: false }
  is_kept: { type: boolean, default: false }
  group: { type: string }
  lost_at: { type: timestamp, read_only: true }
  touched: { type: integer, default: 0 }
relations:
  board: { belongs_to: boards, required: true }
rules:
  one: { only_one: is_default, per: board }
  pinned: { must: { any: [{ is_default: true }, { is_pinned: false }] }, says: A pinned mode stays the default, at: is_pinned }
  one_stays: { at_least: 1, where: { is_default: true, group: kept }, per: [board, group], says: The group keeps one }
  few_others: { at_most: 2, where: { is_default: false, group: few }, per: [board, group], says: Two others at most }
follows:
  - { on: [update], changed: is_default, when: { is_default: false }, set: { lost_at: $now } }
  - { of: board, on: [update], changed: is_default, when: { is_default: false }, set: { losses: { plus: [$record.board.losses, 1] } } }
update_sets: { touched: 7 }
${POLICIES}
`,
  // Parts of one table: bread and cakes have a favourite each.
  'goods.yaml': `
resource: goods
label: Good
soft_delete: true
restore: true
log_changes: true
fields:
  name: { type: string }
  kind: { type: enum, values: [bread, cake], required: true }
  is_best: { type: boolean, default: false, nullable: false }
${POLICIES}
`,
  'breads.yaml': `
resource: breads
of: goods
label: Bread
where: { kind: bread }
fields:
  name: { type: string }
  is_best: { type: boolean, default: false, nullable: false }
rules: { best: { only_one: is_best } }
${POLICIES}
`,
  'cakes.yaml': `
resource: cakes
of: goods
label: Cake
where: { kind: cake }
fields:
  name: { type: string }
  is_best: { type: boolean, default: false, nullable: false }
${POLICIES}
`,
  // Setting it up again makes a room the main one.
  'rooms.yaml': `
resource: rooms
label: Room
soft_delete: true
restore: true
fields:
  name: { type: string }
  floor: { type: integer, default: 1 }
  is_main: { type: boolean, default: false, nullable: false }
restore_sets: { deleted_at: null, is_main: true, floor: 2 }
rules:
  main: { only_one: is_main, per: floor }
  one_at_most: { at_most: 1, where: { is_main: true }, per: floor, says: One at most }
  another_stays: { at_least: 1, where: { is_main: false, floor: 9 }, says: Another one stays }
${POLICIES}
`,
}

const call = (method: string, path: string, body?: JsonObject): Promise<Answer> =>
  app.call(method, `/b${path}`, { body, token: '7:worker:' })
const done = async (method: string, path: string, body?: JsonObject): Promise<JsonObject> => {
  const answer = await call(method, path, body)
  assert.ok(answer.status < 300, answer.text)
  return (answer.body?.data ?? {}) as JsonObject
}
const make = async (path: string, body: JsonObject): Promise<number> => Number((await done('POST', path, body)).id)
const read = (path: string): Promise<JsonObject> => done('GET', path)
const list = async (path: string): Promise<readonly JsonObject[]> => (await call('GET', path)).body.data as JsonObject[]
const logOf = async (resource: string, id: number): Promise<readonly (string | null)[]> => {
  const text = `select action || ' ' || coalesce(actor_id::text, '') || ' ' || (select coalesce(string_agg(x->>'field', ',' order by x->>'field'), '') from jsonb_array_elements(changes) x) from plinth_change where resource = $1 and record_id::text = $2::text and action = 'update' order by id`
  const rows = await app.engine.database.adhoc.run({ text }, [resource, String(id)])
  return rows.map(([line]) => line ?? null)
}
const board = (more: JsonObject = {}): Promise<number> => make('/boards', { name: 'B', ...more })
const mode = (board_id: number, more: JsonObject = {}): Promise<number> =>
  make('/modes', { name: 'M', board_id, ...more })
const best = async (path: string, ids: readonly number[], name: string): Promise<readonly boolean[]> => {
  const found: boolean[] = []
  for (const id of ids) found.push((await read(`${path}/${id}`))[name] === true)
  return found
}

test.before(async () => {
  app = await application({ resources: FILES, plugins: 'test/support/plugins' })
})
test.after(() => app.close())

for (const [how, take] of [
  ['a new record', (at: number) => mode(at, { is_default: true })],
  ['an update', async (at: number) => done('PATCH', `/modes/${await mode(at)}`, { is_default: true })],
  [
    'a batch',
    (at: number) => done('POST', '/modes/batch', { create: [{ name: 'N', board_id: at, is_default: true }] }),
  ],
  [
    'an update that comes from another group',
    async (at: number) => done('PATCH', `/modes/${await mode(await board(), { is_default: true })}`, { board_id: at }),
  ],
] as const) {
  test(`what loses its yes to ${how} is written with all that follows`, async () => {
    const at = await board()
    const first = await mode(at, { is_default: true })
    const before = await read(`/modes/${first}`)
    await take(at)
    const after = await read(`/modes/${first}`)
    assert.equal([after.is_default, after.touched], [false, 7])
    assert.ok(after.lost_at !== null && String(after.updated_at) > String(before.updated_at))
    assert.is((await read(`/boards/${at}`)).losses, 1)
    assert.equal(await logOf('modes', first), ['update 7 is_default,lost_at'])
  })
}

for (const [rule, prepare, says] of [
  [
    'its own rule',
    (at: number) => mode(at, { is_default: true, is_pinned: true }),
    'Mode: A pinned mode stays the default',
  ],
  ['at_least', (at: number) => mode(at, { is_default: true, group: 'kept' }), 'The group keeps one'],
  [
    'at_most',
    async (at: number) => {
      await mode(at, { group: 'few' })
      await mode(at, { group: 'few' })
      return mode(at, { is_default: true, group: 'few' })
    },
    'Two others at most',
  ],
  [
    'a rule of others that holds always',
    async (at: number) => {
      await done('PATCH', `/boards/${at}`, { is_strict: true })
      return mode(at, { is_default: true, is_kept: true })
    },
    'The strict board keeps it',
  ],
  [
    'what follows in another record',
    async (at: number) => {
      await done('PATCH', `/boards/${at}`, { losses: 3 })
      return mode(at, { is_default: true })
    },
    'Board: The losses field must not be greater than 3.',
  ],
] as const) {
  test(`who would take the yes is refused by ${rule} of the one that has it, and nothing is kept`, async () => {
    const at = await board()
    const first = await prepare(at)
    const other = await mode(at, { name: 'other' })
    const refused = await call('PATCH', `/modes/${other}`, { is_default: true })
    assert.is(refused.status, 409, refused.text)
    assert.match(String(refused.body.message), says.slice(0, 20))
    assert.equal(await best('/modes', [first, other], 'is_default'), [true, false])
    assert.is((await call('POST', '/modes', { name: 'N', board_id: at, is_default: true })).status, 409)
  })
}

test('both are judged as they are in the end: the one that takes it does not count beside the one that loses it', async () => {
  const first = await make('/rooms', { name: 'A', floor: 9, is_main: true })
  const second = await make('/rooms', { name: 'B', floor: 9 })
  await done('PATCH', `/rooms/${second}`, { is_main: true })
  assert.equal(await best('/rooms', [first, second], 'is_main'), [false, true])
})

test('of a part of a table only records of its kind lose their yes', async () => {
  const cake = await make('/cakes', { name: 'C', is_best: true })
  const bread = await make('/breads', { name: 'A', is_best: true })
  const other = await make('/goods', { name: 'B', kind: 'bread', is_best: true })
  assert.equal(await best('/goods', [cake, bread, other], 'is_best'), [true, false, true])
  await done('PATCH', `/cakes/${cake}`, { is_best: false })
  await done('PATCH', `/cakes/${cake}`, { is_best: true })
  assert.equal(await best('/goods', [cake, bread, other], 'is_best'), [true, false, true])
  assert.equal(await logOf('goods', bread), ['update 7 is_best'])
  // What changes its kind comes to those that have one already.
  await done('PATCH', `/goods/${cake}`, { kind: 'bread' })
  assert.equal(await best('/goods', [cake, bread, other], 'is_best'), [true, false, false])
})

test('a deleted record keeps its yes, and gives it up where another has it when it comes back', async () => {
  const at = await board()
  const first = await mode(at, { is_default: true })
  await done('DELETE', `/modes/${first}`)
  const second = await mode(at, { is_default: true })
  const text = 'select is_default from modes where id = $1'
  assert.equal(await app.engine.database.adhoc.run({ text }, [first]), [['t']])
  await done('POST', `/modes/${first}/restore`)
  assert.equal(await best('/modes', [first, second], 'is_default'), [false, true])
  await done('DELETE', `/modes/${second}`)
  await done('POST', `/modes/${second}/restore`)
  assert.equal(await best('/modes', [first, second], 'is_default'), [false, true])
  const bread = await make('/breads', { name: 'A', is_best: true })
  await done('DELETE', `/goods/${bread}`)
  const cake = await make('/cakes', { name: 'C', is_best: true })
  for (const { id, is_best } of await list('/breads'))
    if (is_best === true) await done('PATCH', `/breads/${id}`, { is_best: false })
  await done('POST', `/breads/${bread}/restore`)
  assert.equal(await best('/goods', [cake, bread], 'is_best'), [true, true])
})

test('a restore that sets the yes gives it up all the same where another has it', async () => {
  const first = await make('/rooms', { name: 'A' })
  await done('DELETE', `/rooms/${first}`)
  await done('POST', `/rooms/${first}/restore`)
  assert.equal(await best('/rooms', [first], 'is_main'), [true])
  const second = await make('/rooms', { name: 'B' })
  await done('DELETE', `/rooms/${second}`)
  await done('POST', `/rooms/${second}/restore`)
  assert.equal(await best('/rooms', [first, second], 'is_main'), [true, false])
})

test('of twenty that take it at once one has it, and each loss was told', async () => {
  const at = await board({ losses: -40 })
  const ids: number[] = []
  for (let i = 0; i < 10; i++) ids.push(await mode(at))
  const takes = [...ids, ...ids].map((id, i) =>
    i < 10
      ? call('PATCH', `/modes/${id}`, { is_default: true })
      : call('POST', '/modes', { name: 'N', board_id: at, is_default: true }),
  )
  for (const answer of await Promise.all(takes)) assert.ok(answer.status < 300, answer.text)
  const all = await list(`/modes?board_id=${at}&per_page=100`)
  assert.is(all.filter(({ is_default }) => is_default).length, 1)
  assert.is((await read(`/boards/${at}`)).losses, -40 + 19)
})

test('records of different groups that take it at once do not wait for each other for ever', async () => {
  const boards: number[] = []
  for (let i = 0; i < 10; i++) {
    boards.push(await board())
    await mode(boards[i]!, { is_default: true })
  }
  const takes = boards.map((at) => call('POST', '/modes', { name: 'N', board_id: at, is_default: true }))
  assert.equal(
    (await Promise.all(takes)).map(({ status }) => status),
    takes.map(() => 201),
  )
})

test.run()
