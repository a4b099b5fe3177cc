/** Tasks with automations, and what they did. */
import { createEngine, type Engine } from '../../engine/engine.ts'
import type { JsonObject } from '../../engine/json.ts'
import { application, type TestApplication } from '../support/application.ts'
import { SILENT } from '../support/database.ts'
import { broken, rung } from './plugins/bell/rung.ts'

const ALL =
  'policies: { view: [{ who: anyone }], create: [{ who: anyone }], update: [{ who: anyone }], delete: [{ who: anyone }] }'

const TASKS = `
resource: tasks
soft_delete: true
activity: true
fields:
  name:     { type: string, required: true }
  state:    { type: enum, values: [open, done, closed], default: open, nullable: false }
  is_late:  { type: boolean, default: false, nullable: false }
  note:     { type: string }
  count:    { type: integer, default: 0, nullable: false }
  due_at:   { type: timestamp }
  due_on:   { type: date }
  done_at:  { type: timestamp, read_only: true }
relations:
  team:   { belongs_to: teams }
  worker: { belongs_to: workers }
rules:
  closed_stays: { on: [update], when: { note: stuck }, must: { state: { ne: closed } }, says: A stuck task is not closed }
`

/** Starts the application with these automations of tasks. */
export function openTasks(automations: string, backoffMs = 500): Promise<TestApplication> {
  // What another file left behind.
  rung.length = 0
  broken.clear()
  return application({
    resources: {
      'app.yaml': [
        'name: Tasks',
        'plugins: { soft_delete: {}, jobs: {}, activity: {}, bell: {} }',
        `limits: { listenerBackoffMs: ${backoffMs}, listenerPollMs: 100, automationPollMs: 50 }`,
      ].join('\n'),
      'teams.yaml': `resource: teams\nfields: { name: { type: string } }\n${ALL}`,
      'workers.yaml': `resource: workers\nfields: { name: { type: string }, is_away: { type: boolean, default: false, nullable: false } }\nrelations: { team: { belongs_to: teams } }\n${ALL}`,
      'notes.yaml': `resource: notes\nfields: { text: { type: string, required: true }, size: { type: integer, read_only: true } }\nrelations: { task: { belongs_to: tasks } }\n${ALL}`,
      'rings.yaml': `resource: rings\nfields: { task: { type: integer }, text: { type: string } }\n${ALL}`,
      'tasks.yaml': `${TASKS}${ALL}\nautomations:\n${automations}`,
    },
    plugins: new URL('./plugins', import.meta.url).pathname,
    env: { METRICS_TOKEN: 'numbers' },
  })
}

/** A second instance on the same database. */
export async function secondInstance(app: TestApplication): Promise<Engine> {
  const { settings } = app.engine.app.foundation
  const made = await createEngine({ settings, log: SILENT, database: app.engine.database })
  if (made.value === undefined) throw new Error('the second instance did not start')
  await made.value.listen()
  return made.value
}

export async function make(app: TestApplication, path: string, body: JsonObject): Promise<number> {
  const answer = await app.call('POST', `/${path}`, { body })
  if (answer.status !== 201) throw new Error(`POST /${path}: ${answer.text}`)
  return Number(answer.at('data.id'))
}

export async function read(app: TestApplication, path: string): Promise<JsonObject> {
  return (await app.call('GET', `/${path}`)).at('data') as JsonObject
}

/** Values of the database, row by row. */
export function rows(app: TestApplication, text: string, values: readonly unknown[] = []) {
  return app.engine.database.adhoc.run({ text }, values)
}

/** The runs of an automation: record and outcome with what was done, in the order of records. */
export async function runs(app: TestApplication, automation: string): Promise<readonly string[]> {
  const text = `select record_id, outcome, what from plinth_automation_run where automation = $1 order by record_id, at, cause`
  return (await rows(app, text, [automation])).map(
    ([id, outcome, what]) => `${id} ${outcome}: ${(JSON.parse(what ?? '[]') as string[]).join('; ')}`,
  )
}

/** Lets an automation have begun some time ago, so that moments since then count. */
export async function began(app: TestApplication, ago: string): Promise<void> {
  await rows(
    app,
    'update plinth_automation set began_at = clock_timestamp() - $1::interval, worked_until = clock_timestamp() - $1::interval',
    [ago],
  )
}

/** A moment so many minutes from now. */
export function inMinutes(minutes: number): string {
  return new Date(Date.now() + minutes * 60_000).toISOString()
}
