/** What follows from a write in another record: in the same transaction, as any other update, or the write is refused with it. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { explainRequest } from '../../engine/explain/request-report.ts'
import type { JsonObject } from '../../engine/json.ts'
import { executionOf } from '../../engine/run/execution.ts'
import type { Answer } from '../support/answer.ts'
import { application, type TestApplication } from '../support/application.ts'

const test = suite('what follows in other records')
let app: TestApplication

const POLICIES = `policies:
  view: [{ who: signed_in }]
  create: [{ who: signed_in }]
  update: [{ who: signed_in }]
  delete: [{ who: signed_in }]`
const RESTORE = `${POLICIES}
  restore: [{ who: signed_in }]`
const FILES = {
  'app.yaml': 'name: Work\nprefix: /crew\nplugins: { timestamps: {}, soft_delete: {}, who: {} }\n',
  'stages.yaml': `
resource: stages
label: Stage
fields: { name: { type: string, required: true }, is_open: { type: boolean, default: true } }
${POLICIES}
`,
  'projects.yaml': `
resource: projects
label: Project
soft_delete: true
fields:
  name: { type: string, required: true }
  tasks_made: { type: integer, default: 0, read_only: true, max: 25 }
  spent: { type: integer, default: 0 }
  first_note_at: { type: timestamp, read_only: true }
  last_writer: { type: integer, read_only: true }
  is_locked: { type: boolean, default: false }
relations:
  stage: { belongs_to: stages, required: true, embed: [id, name] }
rules:
  locked:
    must: { any: [{ is_locked: false }, { spent: $before.spent }] }
    on: [update]
    says: The project is locked
    at: spent
log_changes: true
${POLICIES}
`,
  'tasks.yaml': `
resource: tasks
label: Task
soft_delete: true
restore: true
fields:
  name: { type: string, required: true }
  minutes: { type: integer, default: 0 }
  is_done: { type: boolean, default: false }
relations:
  project: { belongs_to: projects, embed: [id, name, tasks_made, stage_id] }
follows:
  - { of: project, on: [create], set: { tasks_made: { plus: [$record.project.tasks_made, 1] }, last_writer: $actor } }
  - of: project
    on: [create, update]
    changed: [minutes, is_done]
    when: { is_done: true, minutes: { gt: 0 } }
    set: { spent: { plus: [$record.project.spent, $record.minutes] } }
  - { of: project, on: [delete], set: { tasks_made: { minus: [$record.project.tasks_made, 1] } } }
  - { of: project, on: [restore], set: { tasks_made: { plus: [$record.project.tasks_made, 1] } } }
  - of: project
    on: [create]
    when: { project.stage.is_open: false }
    set: { stage: { is_open: true } }
${RESTORE}
`,
  'stays.yaml': `
resource: stays
label: Stay
fields: { minutes: { type: integer, default: 1 } }
relations: { project: { belongs_to: projects, required: true } }
follows:
  - { of: project, on: [delete], when: { minutes: { gt: 0 } }, set: { spent: { minus: [$record.project.spent, $record.minutes] } } }
${POLICIES}
`,
  'notes.yaml': `
resource: notes
label: Note
fields: { text: { type: string, required: true } }
relations: { task: { belongs_to: tasks, required: true } }
follows:
  - of: task.project
    on: [create]
    role: staff
    when: { task.project.first_note_at: null }
    set: { first_note_at: $now }
  - of: task
    on: [create]
    permission: tasks.end
    set: { is_done: true }
${POLICIES}
`,
}

const WORKER = '7:worker:'
const STAFF = '8:staff:'
const BOSS = '9:boss:tasks.end'

const call = (method: string, path: string, body?: JsonObject, token = WORKER): Promise<Answer> =>
  app.call(method, `/crew${path}`, { body, token })
const make = async (path: string, body: JsonObject, token = WORKER): Promise<number> => {
  const answer = await call('POST', path, body, token)
  assert.is(answer.status, 201, answer.text)
  return Number((answer.body.data as JsonObject).id)
}
const read = async (path: string): Promise<JsonObject> => (await call('GET', path)).body.data as JsonObject

let open = 0
let ended = 0
test.before(async () => {
  app = await application({ resources: FILES, plugins: 'test/support/plugins' })
  open = await make('/stages', { name: 'Open' })
  ended = await make('/stages', { name: 'Ended', is_open: false })
})
test.after(() => app.close())

const project = (more: JsonObject = {}): Promise<number> =>
  make('/projects', { name: 'Bridge', stage_id: open, ...more })

test('the other record gets its values, and the answer already shows them', async () => {
  const id = await project()
  const before = await read(`/projects/${id}`)
  const { body } = await call('POST', '/tasks', { name: 'Dig', project_id: id })
  assert.is(((body.data as JsonObject).project as JsonObject).tasks_made, 1)
  const after = await read(`/projects/${id}`)
  assert.is(after.last_writer, 7)
  assert.ok(String(after.updated_at) > String(before.updated_at))
})

test('it is a change of the other record like any other: the log of changes holds it', async () => {
  const id = await project()
  await make('/tasks', { name: 'Dig', project_id: id })
  const text = `select action, actor_id from plinth_change where resource = 'projects' and record_id = $1 order by id`
  const rows = await app.engine.database.adhoc.run({ text }, [id])
  assert.equal(
    rows.map(([action, actor]) => [action, actor]),
    [
      ['create', '7'],
      ['update', '7'],
    ],
  )
})

test('an entry waits for what it names, and for its condition', async () => {
  const id = await project()
  const task = await make('/tasks', { name: 'Dig', minutes: 30, project_id: id })
  assert.is((await read(`/projects/${id}`)).spent, 0)
  await call('PATCH', `/tasks/${task}`, { is_done: true })
  assert.is((await read(`/projects/${id}`)).spent, 30)
  await call('PATCH', `/tasks/${task}`, { name: 'Dig deeper' })
  assert.is((await read(`/projects/${id}`)).spent, 30)
})

test('a value may be a record that a filter selects, and entries see what earlier ones set', async () => {
  const id = await project({ stage_id: ended })
  await make('/tasks', { name: 'Dig', project_id: id, minutes: 5, is_done: true })
  const { stage_id, spent, tasks_made } = await read(`/projects/${id}`)
  assert.equal([stage_id, spent, tasks_made], [open, 5, 1])
})

test('it follows over several relations, from those alone whom the entry names, and entries set each other off', async () => {
  const id = await project()
  const task = await make('/tasks', { name: 'Dig', minutes: 10, project_id: id })
  await make('/notes', { text: 'Mine', task_id: task })
  assert.is((await read(`/projects/${id}`)).first_note_at, null)
  await make('/notes', { text: 'Ours', task_id: task }, STAFF)
  const first = (await read(`/projects/${id}`)).first_note_at
  assert.type(first, 'string')
  await make('/notes', { text: 'Ours again', task_id: task }, STAFF)
  assert.is((await read(`/projects/${id}`)).first_note_at, first)
  assert.is((await read(`/tasks/${task}`)).is_done, false)
  await make('/notes', { text: 'Over', task_id: task }, BOSS)
  assert.is((await read(`/tasks/${task}`)).is_done, true)
  assert.is((await read(`/projects/${id}`)).spent, 10)
})

test('a refusal there refuses the write, in the words of the rule, and nothing stays', async () => {
  const id = await project({ is_locked: true })
  const answer = await call('POST', '/tasks', { name: 'Dig', minutes: 5, is_done: true, project_id: id })
  assert.is(answer.status, 409, answer.text)
  assert.is(answer.body.message, 'Project: The project is locked')
  assert.is((await read(`/projects/${id}`)).tasks_made, 0)
  const { list } = await call('GET', `/tasks?project_id=${id}`)
  assert.equal(list, [])
})

test('without another record, or with a deleted one, nothing follows', async () => {
  await make('/tasks', { name: 'Alone' })
  const id = await project()
  const task = await make('/tasks', { name: 'Dig', minutes: 5, project_id: id })
  assert.is((await call('DELETE', `/projects/${id}`)).status, 204)
  assert.is((await call('PATCH', `/tasks/${task}`, { is_done: true })).status, 200)
})

test('of many at once none is lost', async () => {
  const id = await project()
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      call('POST', '/tasks', { name: `Dig ${i}`, minutes: 1, is_done: true, project_id: id }),
    ),
  )
  for (const answer of answers) assert.is(answer.status, 201, answer.text)
  const { tasks_made, spent } = await read(`/projects/${id}`)
  assert.equal([tasks_made, spent], [20, 20])
})

test('a value that the other field cannot hold refuses the write', async () => {
  const id = await project()
  for (let i = 0; i < 25; i++) await make('/tasks', { name: `Dig ${i}`, project_id: id })
  const answer = await call('POST', '/tasks', { name: 'One too many', project_id: id })
  assert.is(answer.status, 409, answer.text)
  assert.match(String(answer.body.message), /^Project: /)
})

test('it follows from a delete and a restore too, also where the row goes for good', async () => {
  const id = await project({ spent: 7 })
  const [one, two] = [
    await make('/tasks', { name: 'Dig', project_id: id }),
    await make('/tasks', { name: 'Fill', project_id: id }),
  ]
  assert.is((await call('DELETE', `/tasks/${one}`)).status, 204)
  assert.is((await read(`/projects/${id}`)).tasks_made, 1)
  assert.is((await call('POST', `/tasks/${one}/restore`)).status, 200)
  assert.is((await read(`/projects/${id}`)).tasks_made, 2)
  const stay = await make('/stays', { minutes: 3, project_id: id })
  assert.is((await call('DELETE', `/stays/${stay}`)).status, 204)
  assert.is((await read(`/projects/${id}`)).spent, 4)
  await call('PATCH', `/projects/${id}`, { is_locked: true })
  const locked = await make('/stays', { minutes: 3, project_id: id })
  assert.is((await call('DELETE', `/stays/${locked}`)).status, 409)
  assert.is((await call('GET', `/stays/${locked}`)).status, 200)
  assert.is((await read(`/tasks/${two}`)).name, 'Fill')
})

test('explain names each entry with its place, and whether it follows from writes of the caller', async () => {
  const { catalog } = app.engine.app
  const explained = async (kind: 'user' | 'system', role: string) => {
    const actor = { kind, id: 1, role, permissions: new Set<string>(), attributes: {} }
    const call = { actor, requestId: 'test', afterCommit: () => undefined }
    const question = {
      resource: catalog.resources.get('notes')!,
      action: 'create' as const,
      query: new URLSearchParams(),
    }
    const { elsewhere } = await explainRequest(executionOf(app.engine.app.foundation, call), question)
    return elsewhere.map(({ entry, place, speaks }) => [entry.slice(0, 20), place.replace(/^.*\//, ''), speaks])
  }
  assert.equal(await explained('user', 'staff'), [
    ['of: task.project on:', 'notes.yaml:7:5', true],
    ['of: task on: [create', 'notes.yaml:12:5', false],
  ])
  assert.equal(
    (await explained('system', 'staff')).map((one) => one[2]),
    [false, false],
  )
})

test('the reference tells what may change with a write, and by whose', async () => {
  const { paths } = (await app.call('GET', '/openapi.json')).body as { readonly paths: Record<string, object> }
  const told =
    'What may change with it:\\n- `first_note_at` of its `task.project`, by the role `staff`\\n- `is_done` of its `task`, by holders of `tasks.end`'
  assert.match(JSON.stringify(paths['/crew/notes'] ?? paths), told)
})

test.run()
