/** kill -9 under writes: what follows from each write is done once, in the order of the writes of its record. */
import { setTimeout as sleep } from 'node:timers/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { folder } from '../cli/world.ts'
import { until } from '../support/wait.ts'
import { openRestartable, type Restartable } from './restartable.ts'
import { addFigures, cyclesOf } from './table.ts'

const WRITERS = 8
const CYCLES = cyclesOf(3)

/** Every change is noted, and each new record enqueues a job; neither has a key that would hide a second one. */
const PLUGIN = `import { definePlugin } from 'plinth'
const AUDIT = \`select
  (select count(*) from plinth_change),
  (select count(*) from plinth_change c where not exists (select 1 from echoes e where e.change_id = c.id)),
  (select count(*) - count(distinct change_id) from echoes),
  (select count(*) from (select change_id < lag(change_id) over (partition by note_id order by id) as back from echoes) o where back),
  (select count(*) from plinth_change c
    left join (select payload ->> 'change' as change, count(*) as jobs from plinth_job where name = 'follow.mark' group by 1) j
      on j.change = c.id::text
    where c.action = 'create' and j.jobs is distinct from 1),
  (select count(*) from notes)\`

export default definePlugin({
  name: 'follow',
  description: 'What follows from notes.',
  listeners: {
    note: {
      description: 'Notes each change.',
      to: { notes: ['create', 'update'] },
      run: async ({ transaction }, changes) => {
        await transaction.knex('echoes').insert(changes.map(({ id, recordId }) => ({ change_id: id, note_id: recordId })))
      },
    },
    work: {
      description: 'Enqueues a job for each new note.',
      to: { notes: ['create'] },
      run: async ({ enqueue }, changes) => {
        for (const { id } of changes) await enqueue('follow.mark', { change: id }, { runAt: new Date('2100-01-01') })
      },
    },
  },
  jobs: { mark: { description: 'Is only counted.', run: async () => null } },
  routes: [{
    method: 'GET', path: '/audit', summary: 'Compares the log with what came of it', access: 'public',
    output: { type: 'array', items: { type: 'integer' } },
    handle: async ({ database }) => {
      const [row] = await database.adhoc.run({ text: AUDIT }, [])
      return { data: row.map(Number) }
    },
  }],
})
`

const files = folder({
  'resources/app.yaml': 'name: Notes\nprefix: /api\nplugins: { timestamps: {}, follow: {} }\n',
  'resources/notes.yaml': [
    'resource: notes',
    'log_changes: true',
    'fields: { title: { type: string, required: true } }',
    'policies: { view: [{ who: anyone }], create: [{ who: anyone }], update: [{ who: anyone }] }',
  ].join('\n'),
  'resources/echoes.yaml':
    'resource: echoes\nactions: []\nfields: { change_id: { type: integer }, note_id: { type: integer } }\n',
  'plugins/follow/index.ts': PLUGIN,
  'package.json': '{ "type": "module" }',
})

const test = suite<{ service: Restartable }>('faults: kill -9 and listeners')
test.before(async (context) => {
  context.service = await openRestartable({ resources: `${files.path}/resources`, plugins: `${files.path}/plugins` })
})
test.after(async ({ service }) => {
  await service.close()
  files.remove()
})

interface Sent {
  created: number
  changed: number
  readonly statuses: number[]
}

/** Creates a note and changes it three times, again and again, until the service is gone. */
async function write({ url }: Restartable, sent: Sent): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const call = async (method: string, path: string, title: string): Promise<{ readonly id: number }> => {
    const answer = await fetch(`${url}/api${path}`, { method, headers, body: JSON.stringify({ title }) })
    sent.statuses.push(answer.status)
    return ((await answer.json()) as { data: { id: number } }).data
  }
  try {
    for (;;) {
      const { id } = await call('POST', '/notes', 'new')
      sent.created += 1
      for (let i = 0; i < 3; i += 1) {
        await call('PUT', `/notes/${id}`, `change ${i}`)
        sent.changed += 1
      }
    }
  } catch {
    // The service is gone.
  }
}

interface Audit {
  readonly changes: number
  readonly missing: number
  readonly doubled: number
  readonly disordered: number
  readonly jobs: number
  readonly notes: number
}

async function audit({ url }: Restartable): Promise<Audit> {
  const answer = await fetch(`${url}/api/audit`)
  const text = await answer.text()
  if (!answer.ok) throw new Error(`the audit was answered ${answer.status}: ${text}`)
  const { data } = JSON.parse(text) as { data: readonly number[] }
  const [changes = 0, missing = 0, doubled = 0, disordered = 0, jobs = 0, notes = 0] = data
  return { changes, missing, doubled, disordered, jobs, notes }
}

test('what follows from a write is there once, in order, whenever the process is killed', async ({ service }) => {
  const sent: Sent = { created: 0, changed: 0, statuses: [] }
  let recoveryMs = 0
  for (let cycle = 0; cycle < CYCLES; cycle += 1) {
    const writers = Array.from({ length: WRITERS }, () => write(service, sent))
    const answered = sent.statuses.length
    await until(() => sent.statuses.length > answered + 40, 10_000)
    await sleep(Math.random() * 500)
    await service.kill()
    await Promise.all(writers)
    await service.start()
    const started = performance.now()
    await until(async () => {
      const { missing, jobs } = await audit(service)
      return missing + jobs === 0
    }, 20_000)
    recoveryMs = Math.max(recoveryMs, performance.now() - started)
  }
  const { changes, missing, doubled, disordered, jobs, notes } = await audit(service)
  const acknowledged = sent.created + sent.changed
  const figures = {
    lost: Math.max(0, acknowledged - changes) + missing + jobs,
    doubled,
    torn: disordered,
    wrong: sent.statuses.filter((status) => status !== 200 && status !== 201).length,
  }
  addFigures({ fault: 'kill -9, listeners', cycles: CYCLES, acknowledged, ...figures, recoveryMs })
  assert.equal(figures, { lost: 0, doubled: 0, torn: 0, wrong: 0 })
  assert.ok(notes >= sent.created && acknowledged > CYCLES, 'the writers were answered')
})
test.run()
