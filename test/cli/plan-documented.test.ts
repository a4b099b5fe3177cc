/** What engine/guide/changing-a-live-system.md shows of `plinth plan` is what the command prints, and what the documents promise that it says. */
import { readFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type TestDatabase, testDatabase } from '../support/database.ts'
import { blocks } from '../support/page.ts'
import { placeOf, serveOnce } from './serving.ts'
import { type Folder, folder, plinth } from './world.ts'

const plan = suite('plan: what the documents show')

/** The line and the column that the page names. */
const PLACE = 283

/** As they are served, and as the file says then: each clause of a policy on a line of its own. */
function tickets(isChanged: boolean): string {
  const seen = isChanged
    ? [
        '{ role: admin }',
        '{ role: manager }',
        '{ permission: tickets.view, where: { urgent: true } }',
        '{ role: customer, where: { user: $actor } }',
      ]
    : ['{ permission: tickets.view }', '{ role: customer }']
  const fields = `resource: tickets
label: Ticket
soft_delete: true
restore: true
fields:
  subject: { type: string, required: true${isChanged ? '' : ', renamed_from: title'} }
${isChanged ? '' : '  tags:    { type: list, of: string, read_only: true, show: single }\n'}  urgent:  { type: boolean, default: false, nullable: false }
relations:
  user: { belongs_to: users }
policies:
  create:  [{ permission: tickets.manage }]
  update:  [{ permission: tickets.manage }]
  delete:  [{ permission: tickets.manage }]
  restore: [{ ${isChanged ? 'role: admin' : 'permission: tickets.manage'} }]
  view:
`
  const gap = '\n'.repeat(PLACE - fields.split('\n').length - seen.length + 1)
  return `${gap}${fields}${seen.map((clause) => `    - ${clause}\n`).join('')}`
}

const FILES = {
  'resources/app.yaml':
    'name: Desk\nprefix: /api\nplugins: { timestamps: {}, soft_delete: {}, mail: {}, auth: { roles: [admin, customer] } }\n',
  'resources/tickets.yaml': tickets(false),
  'resources/roles.yaml': `resource: roles
seeds:
  key: slug
  rows:
    - { name: Agent, slug: agent, permissions: [tickets.view] }
    - { name: Manager, slug: manager, permissions: [tickets.view, tickets.manage] }
`,
}

let place: Folder
let base: TestDatabase | undefined
let said: string

const env = () => placeOf(place, base)

plan.before(async () => {
  place = folder(FILES)
  if (process.env.TEST_DATABASE_URL !== undefined) base = await testDatabase()
  const rows = (count: number, more: string) => `select 'No. ' || n, ${more} from generate_series(1, ${count}) n`
  await serveOnce(
    env(),
    `insert into tickets (subject, urgent, deleted_at) ${rows(1204, 'false, null::timestamptz')}
    union all ${rows(3, 'true, null')} union all ${rows(38, 'true, now()')}`,
  )
  place.write('resources/tickets.yaml', tickets(true))
  const ran = await plinth(['plan'], env())
  assert.is(ran.code, 0, ran.complained)
  said = ran.said
})
plan.after(async () => {
  await base?.close()
  place?.remove()
})

plan('what changes for clients and in access is printed as the page shows it', () => {
  const [shown = ''] = blocks(readFileSync('engine/guide/changing-a-live-system.md', 'utf8'), '', 'Before a change')
  const printed = said
    .slice(said.indexOf('For clients'))
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d(?= UTC)/g, '2026-11-22 14:05')
    .replaceAll(/[^( ]*(?=resources\/tickets\.yaml)/g, '')
  // The earlier name that goes is another promise.
  const others = printed.split('\n').filter((line) => !/"(title|subject)"/.test(line))
  assert.is(others.join('\n').replace(/\d of \d changes break clients/, '1 of 1 change breaks clients'), shown.trim())
})

plan(
  'When nobody asks any more, take `renamed_from` away: the earlier name is gone then, and the plan says so.',
  () => {
    assert.match(said, '  Ticket: has no "title" any more\n')
  },
)

plan.run()
