/** What `plinth plan` and `plinth doctor` tell of roles that keep what the YAML no longer says. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { connect } from '../../engine/database/connect.ts'
import { readSettings } from '../../engine/settings.ts'
import { SILENT, type TestDatabase, testDatabase } from '../support/database.ts'
import { placeOf, serveOnce } from './serving.ts'
import { type Folder, folder, plinth } from './world.ts'

const plan = suite('plan: roles')

const FILES = {
  'resources/app.yaml':
    'name: Desk\nprefix: /api\nplugins: { timestamps: {}, soft_delete: {}, mail: {}, auth: { roles: [admin, agent, customer] } }\n',
  'resources/tickets.yaml': `resource: tickets
fields:
  subject: { type: string, required: true }
actions: [list, get, delete]
policies:
  view:   [{ permission: tickets.view }]
  delete: [{ permission: tickets.delete }]
`,
}

let place: Folder
let base: TestDatabase | undefined

const env = () => placeOf(place, base)

const run = (...args: readonly string[]) => plinth(['plan', ...args], env())

function roles(...rows: readonly string[]): void {
  const lines = rows.map((row) => `    - ${row}\n`).join('')
  place.write('resources/roles.yaml', `resource: roles\nseeds:\n  key: slug\n  rows:\n${lines}`)
}

const agent = (...held: readonly string[]) => `{ slug: agent, name: Agent, permissions: [${held}] }`

plan.before(async () => {
  place = folder(FILES)
  if (process.env.TEST_DATABASE_URL !== undefined) base = await testDatabase()
})
plan.after(async () => {
  await base?.close()
  place?.remove()
})

plan('roles that keep what their seeds no longer give are told, with the step that takes it', async () => {
  roles(agent('tickets.view', 'tickets.delete'), '{ slug: clerk, name: Clerk, permissions: [tickets.view] }')
  await serveOnce(
    env(),
    `with given as (update roles set permissions = '["tickets.view","tickets.delete"]' where slug = 'agent')
    insert into users (first_name, last_name, email, role_id)
    select 'A', n::text, n || '@desk.example', (select id from roles where slug = 'clerk') from generate_series(1, 2) n`,
  )
  assert.not.match((await run()).said, 'In roles')
  roles(agent('tickets.view'))
  const { code, said } = await run()
  assert.is(code, 0)
  const told = said
    .slice(said.indexOf('In roles'))
    .replace(/(roles\/)\d+/g, '$1n')
    .split('\n')
    .map((line) => line.trim())
  assert.equal(told, [
    'In roles, which seeds write once and never change:',
    'agent: the role keeps tickets.delete, which its seed gave before; 0 accounts have it',
    '→ to take it away, PATCH /api/settings/roles/n with "permissions" as the seed has them',
    'clerk: no seed names the role any more, and it stays; 2 accounts have it',
    '→ to take it away, give them another role, and then DELETE /api/settings/roles/n',
  ])
  assert.is((await run('--exit-code')).code, 3)
  const json = JSON.parse((await run('--json')).said).roles
  assert.equal(
    json.map(({ accounts, permissions, role }: Record<string, unknown>) => [role, permissions, accounts]),
    [
      ['agent', ['tickets.delete'], 0],
      ['clerk', undefined, 2],
    ],
  )
})

plan('a role that no seed names is told until nobody has it, also by the doctor', async () => {
  const doctor = async () => {
    const { checks } = JSON.parse((await plinth(['doctor', '--json'], env())).said)
    return checks
      .filter(({ check }: { readonly check: string }) => check === 'roles')
      .map(({ advice = '', level, message }: Record<string, string>) => `${level} ${message} ${advice}`)
      .join()
  }
  await serveOnce(env())
  const { code, said } = await run('--exit-code')
  assert.is(code, 0, said)
  assert.match(said, 'clerk: no seed names the role any more, and it stays; 2 accounts have it')
  assert.not.match(said, 'agent: the role keeps')
  assert.match(
    await doctor(),
    /^warning clerk is a role that no seed names any more, and 2 accounts have it give them another role, and then DELETE \/api\/settings\/roles\/\d+$/,
  )
  const { value: settings } = readSettings(env())
  assert.ok(settings)
  const database = await connect(settings, { log: SILENT, joins: true })
  await database.adhoc.run({ text: `update users set role_id = (select id from roles where slug = 'agent')` }, [])
  await database.close()
  assert.not.match((await run()).said, 'In roles')
  assert.match(await doctor(), /^ok /)
})

plan.run()
