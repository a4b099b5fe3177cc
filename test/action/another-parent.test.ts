/** A child that gets another parent by an update: what follows of it is right for both. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { JsonObject } from '../../engine/json.ts'
import type { Answer } from '../support/answer.ts'
import { application, type TestApplication } from '../support/application.ts'

const test = suite('another parent')
let app: TestApplication

const POLICIES = `policies:
  view: [{ who: signed_in }]
  create: [{ who: signed_in }]
  update: [{ who: signed_in }]
  delete: [{ who: signed_in }]`
const FILES = {
  'app.yaml': 'name: Work\nprefix: /w\nplugins: { timestamps: {}, soft_delete: {}, who: {} }\n',
  'firms.yaml': `resource: firms\nlabel: Firm\nfields: { spent: { type: integer, default: 0 } }\n${POLICIES}`,
  'projects.yaml': `
resource: projects
label: Project
fields:
  spent: { type: integer, default: 0, max: 1000 }
  size: { type: integer, default: 0 }
  ended: { type: integer, default: 0 }
  arrived: { type: integer, default: 0 }
  made: { type: integer, default: 0 }
  is_full: { type: boolean, default: false }
relations: { firm: { belongs_to: firms } }
rules: { full: { on: [update], when: { is_full: true }, must: { size: $before.size }, says: The project is full } }
follows: [{ of: firm, on: [update], changed: spent, set: { spent: { plus: [$record.firm.spent, 1] } } }]
log_changes: true
${POLICIES}
`,
  'tasks.yaml': `
resource: tasks
label: Task
soft_delete: true
restore: true
fields:
  minutes: { type: integer, default: 1 }
  is_done: { type: boolean, default: false }
  is_lost: { type: boolean, default: false }
relations: { project: { belongs_to: projects }, home: { belongs_to: projects } }
follows:
  - { on: [update], changed: is_lost, when: { is_lost: true }, set: { project: $record.home.id } }
  - of: project
    on: [create, restore]
    set: { spent: { plus: [$record.project.spent, $record.minutes] }, size: { plus: [$record.project.size, 1] } }
  - of: project
    on: [delete]
    set: { spent: { minus: [$record.project.spent, $record.minutes] }, size: { minus: [$record.project.size, 1] } }
  - { of: project, on: [create, restore], when: { is_done: true }, set: { ended: { plus: [$record.project.ended, 1] } } }
  - { of: project, on: [delete], when: { is_done: true }, set: { ended: { minus: [$record.project.ended, 1] } } }
  - { of: project, on: [update], changed: is_done, when: { is_done: true }, set: { ended: { plus: [$record.project.ended, 1] } } }
  - { of: project, on: [update], changed: is_done, when: { is_done: false }, set: { ended: { minus: [$record.project.ended, 1] } } }
  - { of: project, on: [create], set: { made: { plus: [$record.project.made, 1] } } }
  - { of: project, on: [update], changed: project, set: { arrived: { plus: [$record.project.arrived, 1] } } }
${POLICIES}
  restore: [{ who: signed_in }]
`,
}

const call = (method: string, path: string, body?: JsonObject): Promise<Answer> =>
  app.call(method, `/w${path}`, { body, token: '7:worker:' })
const done = async (method: string, path: string, body?: JsonObject): Promise<JsonObject> => {
  const answer = await call(method, path, body)
  assert.ok(answer.status < 300, answer.text)
  return (answer.body?.data ?? {}) as JsonObject
}
const make = async (path: string, body: JsonObject = {}): Promise<number> => Number((await done('POST', path, body)).id)
const figures = async (id: number): Promise<readonly unknown[]> => {
  const { ended, size, spent } = await done('GET', `/projects/${id}`)
  return [spent, size, ended]
}

test.before(async () => {
  app = await application({ resources: FILES, plugins: 'test/support/plugins' })
})
test.after(() => app.close())

test('the sum of the one that it leaves is less, and that of the one that it comes to is more', async () => {
  const [a, b] = [await make('/projects'), await make('/projects')]
  const task = await make('/tasks', { project_id: a, minutes: 5 })
  await done('PATCH', `/tasks/${task}`, { project_id: b, minutes: 7, is_done: true })
  assert.equal(
    [await figures(a), await figures(b)],
    [
      [0, 0, 0],
      [7, 1, 1],
    ],
  )
  await done('PATCH', `/tasks/${task}`, { project_id: null })
  assert.equal(
    [await figures(a), await figures(b)],
    [
      [0, 0, 0],
      [0, 0, 0],
    ],
  )
  await done('PATCH', `/tasks/${task}`, { project_id: a, is_done: false })
  assert.equal(await figures(a), [7, 1, 0])
  // What waits for the relation itself follows from an update, as before.
  const { arrived, made } = await done('GET', `/projects/${b}`)
  // What follows from creations alone is no figure of those that are there.
  assert.equal([arrived, made], [1, 0])
})

test('so it is where another parent follows from something else', async () => {
  const [a, b] = [await make('/projects'), await make('/projects')]
  const task = await make('/tasks', { project_id: a, home_id: b, minutes: 5 })
  await done('PATCH', `/tasks/${task}`, { is_lost: true })
  assert.equal(
    [await figures(a), await figures(b)],
    [
      [0, 0, 0],
      [5, 1, 0],
    ],
  )
})

test('where one of the two may not change, neither does, and nothing of the update is kept', async () => {
  const [a, b] = [await make('/projects'), await make('/projects')]
  const task = await make('/tasks', { project_id: a, minutes: 5 })
  for (const full of [a, b]) {
    await done('PATCH', `/projects/${full}`, { is_full: true })
    const refused = await call('PATCH', `/tasks/${task}`, { project_id: b })
    assert.equal([refused.status, refused.body.message], [409, 'The project is full'])
    assert.equal(
      [await figures(a), await figures(b)],
      [
        [5, 1, 0],
        [0, 0, 0],
      ],
    )
    await done('PATCH', `/projects/${full}`, { is_full: false })
  }
})

test('twenty that change places at once are counted where they are', async () => {
  const [a, b] = [await make('/projects'), await make('/projects')]
  const tasks: number[] = []
  for (let i = 0; i < 20; i++) tasks.push(await make('/tasks', { project_id: i % 2 === 0 ? a : b, minutes: i }))
  const moves = tasks.map((id, i) => call('PATCH', `/tasks/${id}`, { project_id: i % 2 === 0 ? b : a }))
  for (const { status, text } of await Promise.all(moves)) assert.is(status, 200, text)
  assert.equal(
    [await figures(a), await figures(b)],
    [
      [100, 10, 0],
      [90, 10, 0],
    ],
  )
})

interface Task {
  project: number | null
  minutes: number
  done: boolean
  gone: boolean
}

test('drawn writes leave each sum as what its children come to', async () => {
  const task = fc.nat(3)
  const project = fc.option(fc.nat(2))
  const command = fc.oneof(
    fc.record({ task, project, done: fc.option(fc.boolean()) }),
    fc.record({ kind: fc.constantFrom('delete' as const, 'restore' as const), task }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(command, { maxLength: 12 }), async (commands) => {
      const projects = [await make('/projects'), await make('/projects'), await make('/projects')]
      const model: Task[] = [1, 2, 4, 8].map((minutes) => ({ project: 0, minutes, done: false, gone: false }))
      const ids: number[] = []
      for (const { minutes } of model) ids.push(await make('/tasks', { project_id: projects[0]!, minutes }))
      for (const one of commands) {
        const known = model[one.task]!
        const path = `/tasks/${ids[one.task]}`
        if ('project' in one) {
          if (known.gone) continue
          known.project = one.project
          known.done = one.done ?? known.done
          const project_id = one.project === null ? null : projects[one.project]!
          await done('PATCH', path, { project_id, is_done: known.done })
        } else if (one.kind === 'restore') {
          await done('POST', `${path}/restore`)
          known.gone = false
        } else if (!known.gone) {
          await done('DELETE', path)
          known.gone = true
        }
      }
      const expected = projects.map((_, at) => {
        const own = model.filter((one) => one.project === at && !one.gone)
        return [own.reduce((sum, { minutes }) => sum + minutes, 0), own.length, own.filter((one) => one.done).length]
      })
      const found: (readonly unknown[])[] = []
      for (const id of projects) found.push(await figures(id))
      assert.equal(found, expected)
    }),
    { numRuns: 20 },
  )
})

test.run()
