/** Many new records of one request: each is judged with those before it, where its judgement looks at records of its own table. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { SYSTEM } from '../../engine/actor.ts'
import { pluginContext } from '../../engine/context/plugin-context.ts'
import { executionOf } from '../../engine/run/execution.ts'
import { application, type TestApplication } from '../support/application.ts'

const test = suite('judged by others')
let app: TestApplication

const ANYONE = `policies:
  view: [{ who: anyone }]
  create: [{ who: anyone }]
actions: [list, create]
`

function below(name: string, parts: string): Readonly<Record<string, string>> {
  return { [`${name}.yaml`]: `resource: ${name}\n${parts}` }
}

const NAME = 'fields: { name: { type: string } }'
const BOX = 'relations: { box: { belongs_to: boxes, embed: false } }'

/** Of each, a box takes two; the others are refused, or get something else. */
const FILES = {
  'app.yaml': 'name: Boxes\n',
  'boxes.yaml': `resource: boxes
fields: { size: { type: integer, default: 2 }, used: { type: integer, computed: "(select count(*)::integer from counted c where c.box_id = t.id)" } }
relations: { chosen: { has_many: chosen }, admitted: { has_many: admitted }, marks: { has_many: marks } }
${ANYONE}`,
  ...below(
    'chosen',
    `${NAME}
relations: { box: { belongs_to: boxes, where: { chosen: { count: { lt: 2 } } }, embed: false } }
${ANYONE}`,
  ),
  ...below(
    'admitted',
    `${NAME}
${BOX}
policies: { view: [{ who: anyone }], create: [{ who: anyone, where: { box.admitted: { count: { lt: 2 } } } }] }
actions: [list, create]
`,
  ),
  ...below(
    'counted',
    `${NAME}
relations: { box: { belongs_to: boxes, where: { used: { lt: 2 } }, embed: false } }
${ANYONE}`,
  ),
  ...below(
    'shelves',
    `fields: { name: { type: string } }
relations: { seen: { has_many: seen, by: shelf } }
policies: { view: [{ who: anyone, where: { seen: { count: { lt: 2 } } } }], create: [{ who: anyone }] }
actions: [list, create]
`,
  ),
  ...below(
    'seen',
    `${NAME}
relations: { shelf: { belongs_to: shelves, embed: false } }
${ANYONE}`,
  ),
  ...below(
    'marks',
    `fields: { name: { type: string }, is_first: { type: boolean, default: false, read_only: true } }
relations: { box: { belongs_to: boxes, embed: false }, first: { belongs_to: marks, read_only: true, embed: false } }
follows:
  - { on: [create, import], when: { box.marks: { none: {} } }, set: { is_first: true } }
  - { on: [create, import], set: { first: { is_first: true, box: $record.box } } }
${ANYONE}`,
  ),
  ...below(
    'codes',
    `table: codes
existing: true
fields: { name: { type: string, unique: true } }
${ANYONE}`,
  ),
}

test.before(async () => {
  const before = 'create table codes (id serial primary key, name varchar(255))'
  app = await application({ resources: FILES, before })
  for (const path of ['/boxes', '/shelves']) await app.call('POST', path, { body: {} })
})
test.after(() => app.close())

const FOUR = ['a', 'b', 'c', 'd']

for (const [path, key, told] of [
  ['chosen', 'box_id', 'The selected box is invalid'],
  ['counted', 'box_id', 'The selected box is invalid'],
  ['seen', 'shelf_id', 'The selected shelf is invalid'],
  ['admitted', 'box_id', undefined],
] as const) {
  const bodies = FOUR.map((name) => ({ name, [key]: 1 }))

  test(`${path}: what a batch creates counts for the rest of it`, async () => {
    const all = await app.call('POST', `/${path}/batch`, { body: { create: bodies } })
    assert.is(all.status, told === undefined ? 403 : 422, all.text)
    if (told !== undefined) assert.equal(all.at('errors'), { [`create.2.${key}`]: [told], [`create.3.${key}`]: [told] })
    const { body } = await app.call('POST', `/${path}/batch?partial=true`, { body: { create: bodies } })
    const status = told === undefined ? 403 : 422
    assert.equal(
      body.data.create.map((one: { status: number }) => one.status),
      [201, 201, status, status],
    )
    assert.is((await app.call('GET', `/${path}`)).list.length, 2)
  })
}

test('what follows from the records that are there follows from those before too', async () => {
  const { body } = await app.call('POST', '/marks/batch', {
    body: { create: FOUR.map((name) => ({ name, box_id: 1 })) },
  })
  const marks = body.data.create.map(({ is_first, first_id }: Record<string, unknown>) => [is_first, first_id])
  assert.equal(
    marks.slice(1),
    [1, 1, 1].map((id) => [false, id]),
  )
  assert.is(marks[0][0], true)
})

test('a value is there once, also in a table without an index for it', async () => {
  const body = { create: [{ name: 'a' }, { name: 'a' }] }
  assert.is((await app.call('POST', '/codes/batch', { body })).status, 422)
  const call = { actor: SYSTEM, requestId: 'test', afterCommit: () => undefined }
  const { records } = pluginContext(executionOf(app.engine.app.foundation, call), {})
  const made = await records('codes', 'system').createEach(
    ['b', 'b', 'c'].map((name) => ({ input: { name } })),
    { only: 'id' },
  )
  assert.equal(
    made.map((one) => 'record' in one),
    [true, false, true],
  )
})

test.run()
