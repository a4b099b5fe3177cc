/** Automations that count: what one run reads, no other writer replaces before it is written. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { application, type TestApplication } from '../support/application.ts'
import { until } from '../support/wait.ts'
import { make, rows } from './world.ts'

const ALL =
  'policies: { view: [{ who: anyone }], create: [{ who: anyone }], update: [{ who: anyone }], delete: [{ who: anyone }] }'
const FILES = {
  'app.yaml':
    'name: Counts\nplugins: { soft_delete: {}, jobs: {} }\nlimits: { listenerBackoffMs: 100, listenerPollMs: 100 }\n',
  'counters.yaml': `resource: counters\nfields: { last: { type: integer, default: 0 } }\n${ALL}`,
  'workers.yaml': `resource: workers\nfields: { name: { type: string } }\n${ALL}`,
  'bills.yaml': `
resource: bills
fields: { n: { type: integer } }
relations: { counter: { belongs_to: counters } }
follows: [{ of: counter, on: [create], set: { last: $record.n } }]
${ALL}
`,
  'tasks.yaml': `
resource: tasks
fields:
  kind: { type: enum, values: [even, odd, other], default: other }
  n: { type: integer }
  hits: { type: integer, default: 0 }
  note: { type: string }
relations: { counter: { belongs_to: counters }, worker: { belongs_to: workers } }
follows:
  - { of: counter, on: [update], changed: n, set: { last: $record.n } }
${ALL}
automations:
  number:
    on: [create]
    set: { n: { plus: [$record.counter.last, 1] } }
  billed:
    on: [update]
    changed: note
    create: { bills: { counter: $record.counter, n: { plus: [$record.counter.last, 1] } } }
  hit:
    on: [update]
    changed: note
    set: { hits: { plus: [$record.hits, 1] } }
  even:
    on: [create]
    when: { kind: even }
    set: { worker: { pick: { name: { ne: none } }, by: fewest } }
  odd:
    on: [create]
    when: { kind: odd }
    set: { worker: { pick: { name: { ne: none } }, by: fewest } }
`,
}

const test = suite('automations that count')
let app: TestApplication

test.before(async () => {
  app = await application({ resources: FILES })
})
test.after(() => app.close())

const many = <T>(count: number, one: (i: number) => Promise<T>): Promise<readonly T[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => one(i)))
const runsOf = async (automation: string, ids: readonly number[]): Promise<number> =>
  (
    await rows(app, 'select 1 from plinth_automation_run where automation = $1 and record_id = any($2::int[])', [
      `tasks.${automation}`,
      ids,
    ])
  ).length
const numbers = async (text: string, values: readonly unknown[]): Promise<readonly number[]> =>
  (await rows(app, text, values)).map(([n]) => Number(n))
const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i + 1)

test('twenty records get twenty numbers of a counter that counts on by each', async () => {
  const counter_id = await make(app, 'counters', {})
  const ids = await many(20, () => make(app, 'tasks', { counter_id }))
  await until(async () => (await runsOf('number', ids)) === 20)
  assert.equal(await numbers('select n from tasks where counter_id = $1 order by n', [counter_id]), upTo(20))
})

test('so do twenty records that are created by automations, and each write of a record counts by itself', async () => {
  const counter_id = await make(app, 'counters', {})
  const id = await make(app, 'tasks', { counter_id })
  await until(async () => (await runsOf('number', [id])) === 1)
  await many(19, async (i) => {
    const answer = await app.call('PATCH', `/tasks/${id}`, { body: { note: String(i) } })
    assert.is(answer.status, 200, answer.text)
  })
  await until(async () => (await runsOf('billed', [id])) === 19 && (await runsOf('hit', [id])) === 19)
  assert.equal(await numbers('select n from bills where counter_id = $1 order by n', [counter_id]), upTo(20).slice(1))
  assert.equal(await numbers('select hits from tasks where id = $1', [id]), [19])
})

test('two automations that choose for one field share evenly what comes at once', async () => {
  for (const name of ['ada', 'bob', 'cy', 'dan']) await make(app, 'workers', { name })
  const ids = await many(20, (i) => make(app, 'tasks', { kind: i % 2 === 0 ? 'even' : 'odd' }))
  await until(async () => (await runsOf('even', ids)) + (await runsOf('odd', ids)) === 20)
  const text = 'select count(*) from tasks where id = any($1::int[]) and worker_id is not null group by worker_id'
  assert.equal(await numbers(text, [ids]), [5, 5, 5, 5])
})

test.run()
