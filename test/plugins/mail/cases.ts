/** Cases with people of several roles, and automations that mail them. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ActionRecord, JsonObject } from '../../../engine/index.ts'
import { asSystem } from '../../../engine/plugin/as-system.ts'
import { act } from '../../support/act.ts'
import { application, type TestApplication } from '../../support/application.ts'
import { until } from '../../support/wait.ts'

const ALL = 'policies: { view: [{ who: anyone }], create: [{ who: anyone }], update: [{ who: anyone }], delete: [] }'

const ROLES = `
resource: roles
seeds:
  rows:
    - { name: Admin, slug: admin, permissions: ["*"] }
    - { name: Agent, slug: agent, permissions: [cases.view] }
    - { name: Customer, slug: customer, permissions: [] }
`

const CASES = `
resource: cases
soft_delete: true
fields:
  subject: { type: string, required: true }
  details: { type: text }
  secret:  { type: string, read: { role: admin } }
  pin:     { type: secret }
  state:   { type: enum, values: [new, late, gone], default: new }
  number:  { type: integer }
  cc:      { type: list, of: email, default: [] }
  due_at:  { type: timestamp }
  labels_count: { type: count, of: notes }
relations:
  user:     { belongs_to: users, embed: [id, name] }
  helper:   { belongs_to: users, embed: [id, name] }
  contact:  { belongs_to: contacts, embed: [id] }
  watchers: { many_to_many: users }
  notes:    { has_many: notes }
policies:
  view:
    - { permission: cases.view }
    - { role: customer, where: { user: $actor } }
  create: [{ who: anyone }]
  update: [{ who: anyone }]
  delete: []
`

/** A text that stands in a file of its own. */
const PLANNED = 'Dear {{ user.name }},\n\n{{ details | quote }}\n\n{{ base_url | button: "Open" }}\n'

/** The files of the application, with these automations of cases. */
export function casesWith(automations: string): Readonly<Record<string, string>> {
  return {
    'app.yaml': [
      'name: Cases & Co',
      'plugins: { timestamps: {}, soft_delete: {}, mail: { reply_to: help@cases.example }, auth: { roles: [admin, agent, customer] } }',
      'limits: { listenerPollMs: 100, automationPollMs: 50 }',
    ].join('\n'),
    'roles.yaml': ROLES,
    'contacts.yaml': `resource: contacts\nfields: { name: { type: string }, email: { type: email } }\n${ALL}`,
    'notes.yaml': `resource: notes\nfields: { text: { type: string } }\nrelations: { case: { belongs_to: cases } }\n${ALL}`,
    'cases.yaml': `${CASES}automations:\n${automations}`,
    'mails/planned.liquid': PLANNED,
  }
}

export interface Cases extends TestApplication {
  /** An account with a role, whose address is known to be its owner's unless that is said. */
  account(name: string, role: string, more?: JsonObject): Promise<number>
  contact(name: string): Promise<number>
  make(body: JsonObject, watchers?: readonly number[]): Promise<number>
  /** Mails to these people so far, as `name: subject`, in the order of names; waits until there are so many. */
  mailed(count: number): Promise<readonly string[]>
  /** The text of the last mail to somebody. */
  mailTo(name: string): Promise<string>
  /** Does what an automation does for these records, and gives how many statements that took. */
  act(automation: string, records: readonly ActionRecord[]): Promise<number>
}

export async function openCases(automations: string): Promise<Cases> {
  const app = await application({ resources: casesWith(automations) })
  const { engine } = app
  const { knex } = engine.database
  const mails = async (): Promise<readonly string[]> => {
    const folder = join(app.dataDir, 'outbox')
    const files = (await readdir(folder).catch(() => [])).filter((file) => file.endsWith('.eml')).sort()
    const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')))
    return texts.map((text) =>
      text
        .replace(/=\r?\n/g, '')
        .replaceAll('=3D', '=')
        .replace(/\r\n/g, '\n'),
    )
  }
  const nameOf = (mail: string): string => /^To: (\S+)@/m.exec(mail)?.[1] ?? ''
  return {
    ...app,
    async account(name, role, more = {}) {
      const { id: role_id } = await knex('roles').where({ slug: role }).first('id')
      const row = {
        first_name: name,
        last_name: 'Tester',
        email: `${name}@people.example`,
        email_verified: true,
        role_id,
      }
      const [made] = await knex('users')
        .insert({ ...row, status: 'active', ...more })
        .returning('id')
      return made.id
    },
    async contact(name) {
      const [made] = await knex('contacts')
        .insert({ name, email: `${name}@contacts.example` })
        .returning('id')
      return made.id
    },
    async make(body, watchers = []) {
      const more = watchers.length > 0 ? { watcher_ids: [...watchers] } : {}
      const made = await asSystem(engine.app, 'mail', ({ records }) => records('cases').create({ ...body, ...more }))
      return Number(made.id)
    },
    async mailed(count) {
      await until(async () => (await mails()).length >= count, 30_000)
      const open = `select count(*) from plinth_job where name = 'mail.send' and finished_at is null`
      await until(async () => (await engine.database.adhoc.run({ text: open }, []))[0]?.[0] === '0', 30_000)
      return (await mails()).map((mail) => `${nameOf(mail)}: ${/^Subject: (.*)$/m.exec(mail)?.[1]}`).sort()
    },
    async mailTo(name) {
      return (await mails()).findLast((mail) => nameOf(mail) === name) ?? ''
    },
    act: (automation, records) => act(engine, `cases.${automation}`, records),
  }
}
