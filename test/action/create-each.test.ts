/** Many records of plugin code at once, told by their ids: each is as it would be alone, and what is refused takes nothing along. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { SYSTEM } from '../../engine/actor.ts'
import { pluginContext } from '../../engine/context/plugin-context.ts'
import type { Creation, CreationEntry } from '../../engine/index.ts'
import type { JsonObject } from '../../engine/json.ts'
import { executionOf } from '../../engine/run/execution.ts'
import { application, type TestApplication } from '../support/application.ts'
import { sentencesIn } from '../support/sentence-codes.ts'

const test = suite('many records of plugin code')
let app: TestApplication

const OPEN = '{ view: [{ who: anyone }], create: [{ who: anyone }] }'

const RESOURCES: Readonly<Record<string, string>> = {
  'app.yaml': 'name: Orders\nplugins: { timestamps: {}, soft_delete: {} }',
  'states.yaml': [
    'resource: states',
    'fields: { name: { type: string, required: true, unique: true }, first: { type: boolean, default: false } }',
    `policies: ${OPEN}`,
    'seeds: { key: name, rows: [{ name: new, first: true }, { name: sent }] }',
  ].join('\n'),
  'orders.yaml': [
    'resource: orders',
    'timestamps: true',
    'log_changes: true',
    'fields:',
    '  number: { type: sequence, start: 1001 }',
    '  code: { type: string, required: true, unique: true, max: 20 }',
    '  pieces: { type: integer, default: 1, min: 1 }',
    '  note: { type: string }',
    '  tags: { type: list, of: string, default: [] }',
    '  sent_at: { type: timestamp }',
    'relations: { state: { belongs_to: states, required: true, default: { first: true } } }',
    'follows:',
    '  - when: { state.name: sent, sent_at: null }',
    '    on: [create, import]',
    '    set: { sent_at: $now }',
    'rules:',
    '  few: { must: { pieces: { lt: 100 } }, says: That is too many, at: pieces }',
    `policies: ${OPEN}`,
  ].join('\n'),
  'items.yaml': [
    'resource: items',
    'id: uuid',
    'log_changes: true',
    'fields: { name: { type: string, required: true }, size: { type: integer, default: 3 } }',
    `policies: ${OPEN}`,
  ].join('\n'),
}

test.before(async () => {
  app = await application({ resources: RESOURCES })
})
test.after(() => app?.close())

function createEach(resource: string, entries: readonly CreationEntry[], only?: 'id'): Promise<readonly Creation[]> {
  const call = { actor: SYSTEM, requestId: 'test', afterCommit: () => undefined }
  const { records } = pluginContext(executionOf(app.engine.app.foundation, call), {})
  return records(resource, 'system').createEach(entries, only && { only })
}

const idOf = (made: Creation | undefined): unknown =>
  made !== undefined && 'record' in made ? made.record.id : undefined
const told = (made: Creation): unknown => {
  if (!('error' in made)) return 'made'
  const { message, params } = made.error
  return params.errors === undefined ? message : sentencesIn(params.errors)
}

async function rows(text: string): Promise<readonly (readonly (string | null)[])[]> {
  return app.engine.database.adhoc.run({ text }, [])
}

/** Bodies with all that they may have, or lack, in turn. */
function bodies(word: string): readonly JsonObject[] {
  const parts: readonly JsonObject[] = [
    { pieces: 7 },
    { note: 'Ring "twice", \\ then wait' },
    { tags: ['a', 'b;c'] },
    { state_id: 2 },
    { sent_at: '2026-01-02T03:04:05Z' },
    { note: null },
  ]
  return Array.from({ length: 64 }, (_, at) =>
    Object.assign({ code: `${word}${at}` }, ...parts.filter((__, bit) => (at & (1 << bit)) !== 0)),
  )
}

/** What is stored, and what the log keeps of it, without what no two records have in common. */
async function stored(word: string): Promise<readonly (readonly (string | null)[])[]> {
  return rows(`select replace(o.code, '${word}', ''), o.pieces, o.note, o.tags, o.state_id, o.sent_at > now() - interval '1 hour',
      o.sent_at = '2026-01-02T03:04:05Z', o.created_at is not null, c.action, c.bulk,
      (select jsonb_agg(case when f->>'field' in ('code', 'number', 'sent_at', 'created_at') then f - 'to' else f end order by f->>'field')
        from jsonb_array_elements(c.changes) f)
    from orders o join plinth_change c on c.resource = 'orders' and c.record_id = o.id::text where o.code like '${word}%' order by o.id`)
}

test('records that lack different fields are as each would be alone, and so is what the log keeps of them', async () => {
  const together = await createEach(
    'orders',
    bodies('t').map((input) => ({ input })),
    'id',
  )
  for (const input of bodies('a')) await createEach('orders', [{ input }])
  assert.equal(await stored('t'), await stored('a'))
  const found = await rows(`select id from orders where code like 't%' order by substr(code, 2)::int`)
  assert.equal(
    together.map(idOf),
    found.map(([id]) => Number(id)),
    'in the order of the entries',
  )
  assert.equal(
    together.map(told),
    bodies('t').map(() => 'made'),
  )
})

test('what is refused is told for itself, whoever finds it, and takes no other with it', async () => {
  const inputs: readonly JsonObject[] = [
    ...Array.from({ length: 30 }, (_, at) => ({ code: `r${at}` })),
    { code: 'r30', pieces: 'many' },
    { code: 'r31', pieces: 100 },
    { code: 'r32', state_id: 99 },
    { note: 'without a code' },
    { code: 'r5' },
    { code: 'r35' },
  ]
  const made = await createEach(
    'orders',
    inputs.map((input) => ({ input })),
    'id',
  )
  const errors = made.map(told)
  assert.equal(errors.slice(0, 30), Array(30).fill('made'))
  assert.equal(errors.slice(30), [
    { pieces: ['The pieces field must be an integer'] },
    { pieces: ['That is too many'] },
    { state_id: ['The selected state is invalid'] },
    { code: ['The code field is required'] },
    { code: ['The code has already been taken'] },
    'made',
  ])
  assert.equal(await rows(`select count(*) from orders where code like 'r%'`), [['31']])
})

test('fields that only the program may write, and numbers of a sequence, stand beside those that are counted', async () => {
  const entries = [
    { input: { code: 'f0' }, fixed: { number: '90001' } },
    { input: { code: 'f1' } },
    { input: { code: 'f2' } },
  ]
  assert.equal((await createEach('orders', entries, 'id')).map(told), ['made', 'made', 'made'])
  const numbers = (await rows(`select number from orders where code like 'f%' order by id`)).flat().map(Number)
  assert.is(numbers[0], 90_001)
  assert.is(numbers[2], numbers[1]! + 1)
})

test('ids that the database does not count are told in the order of the entries', async () => {
  const entries = Array.from({ length: 20 }, (_, at) => ({
    input: { name: `Item ${at}`, ...(at % 2 === 0 ? { size: at } : {}) },
  }))
  const made = await createEach('items', entries, 'id')
  const found = await rows(`select id, name, size from items`)
  const names = new Map(found.map(([id, name, size]) => [id, `${name} ${size}`]))
  assert.equal(
    made.map((one) => names.get(String(idOf(one)))),
    entries.map((_, at) => `Item ${at} ${at % 2 === 0 ? at : 3}`),
  )
  const flags = await rows(`select count(*) from plinth_change c, jsonb_array_elements(c.changes) f
    where c.resource = 'items' and f->>'field' = 'size' and f->>'given' = 'false'`)
  assert.equal(flags, [['10']])
})

test('one statement creates a thousand', async () => {
  const call = { actor: SYSTEM, requestId: 'test', afterCommit: () => undefined }
  const around = executionOf(app.engine.app.foundation, call)
  const texts: string[] = []
  const { database } = around
  const counting: typeof database = {
    ...database,
    transaction: (work) =>
      database.transaction((transaction) =>
        work({
          knex: transaction.knex,
          run: (statement, values) => {
            texts.push(statement.text)
            return transaction.run(statement, values)
          },
        }),
      ),
  }
  const { records } = pluginContext({ ...around, database: counting }, {})
  const entries = Array.from({ length: 1_000 }, (_, at) => ({
    input: { code: `n${at}`, ...(at % 3 === 0 ? {} : { pieces: 2 }) },
  }))
  await records('orders', 'system').createEach(entries, { only: 'id' })
  assert.equal(
    texts.filter((text) => !text.includes('savepoint')).length,
    1,
    texts.map((text) => text.slice(-300)).join('\n'),
  )
})

test.run()
