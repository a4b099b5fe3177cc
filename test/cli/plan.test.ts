/** What `plinth plan` tells beside the database: what changes for clients, and what each role gains and loses. */
import { rmSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createEngine } from '../../engine/engine.ts'
import { servedLast } from '../../engine/migration/own/facts.ts'
import { readSettings } from '../../engine/settings.ts'
import { SILENT, type TestDatabase, testDatabase } from '../support/database.ts'
import { until } from '../support/wait.ts'
import { placeOf, serveOnce } from './serving.ts'
import { type Folder, folder, plinth, type Ran } from './world.ts'

const plan = suite('plan: the interface and access')

const TICKETS = `resource: tickets
label: Ticket
soft_delete: true
restore: true
fields:
  subject: { type: string, required: true }
  note:    { type: string }
  urgent:  { type: boolean, default: false, nullable: false }
relations:
  user: { belongs_to: users }
policies:
  view:    [{ permission: tickets.view }, { role: customer, where: { user: $actor } }]
  create:  [{ permission: tickets.view }]
  update:  [{ permission: tickets.view }]
  delete:  [{ permission: tickets.delete }]
  restore: [{ permission: tickets.delete }]
`

const FILES = {
  'resources/app.yaml':
    'name: Desk\nprefix: /api\nplugins: { timestamps: {}, soft_delete: {}, mail: {}, auth: { roles: [admin, agent, customer] } }\n',
  'resources/tickets.yaml': TICKETS,
  'resources/roles.yaml': `resource: roles
seeds:
  key: slug
  rows:
    - { slug: agent, name: Agent, permissions: [tickets.view] }
`,
}

let place: Folder
let base: TestDatabase | undefined

const env = () => placeOf(place, base)

function run(...args: string[]): Promise<Ran> {
  return plinth(['plan', ...args], env())
}

const serve = (sql?: string): Promise<string> => serveOnce(env(), sql)

function describe(change: (tickets: string) => string): void {
  place.write('resources/tickets.yaml', change(TICKETS))
}

/** The lines under "In access", without the place of what changed. */
async function access(): Promise<readonly string[]> {
  const { code, said, complained } = await run()
  assert.is(code, 0, complained)
  const at = said.indexOf('In access')
  if (at < 0) return []
  return said
    .slice(at)
    .split('\n')
    .slice(1)
    .map((line) => line.trim().replace(/[^( ]*tickets\.yaml/g, 'tickets.yaml'))
}

plan.before(async () => {
  place = folder(FILES)
  if (process.env.TEST_DATABASE_URL !== undefined) base = await testDatabase()
})
plan.after(async () => {
  await base?.close()
  place?.remove()
})

plan('before anything was served, there is nothing to compare with', async () => {
  const { code, said } = await run()
  assert.is(code, 0)
  assert.match(said, 'Nothing was served from this database yet')
  assert.is(JSON.parse((await run('--json')).said).api, null)
})

plan('what is served is written down, and a plan of the same YAML finds nothing', async () => {
  await serve(`insert into tickets (subject, urgent) select 'No. ' || n, n <= 3 from generate_series(1, 12) n`)
  assert.equal(await run('--exit-code'), {
    code: 0,
    said: 'Nothing to do: the database is as the YAML says.',
    complained: '',
  })
})

plan('it lists what changes for clients, those changes first that break them', async () => {
  describe((text) =>
    text.replace('  note:    { type: string }\n', '').replace('  urgent:', '  colour: { type: string }\n  urgent:'),
  )
  const { said } = await run()
  assert.match(said, 'set aside column tickets.note')
  assert.match(said, /For clients, other than what has been served since \d{4}-\d\d-\d\d \d\d:\d\d UTC:\nbreaking\n/)
  assert.match(
    said,
    /breaking\n[\s\S]*Ticket: has no "note" any more[\s\S]*not breaking\n[\s\S]*has "colour", which is new/,
  )
  assert.match(said, /\d+ of \d+ changes break clients\./)
  const { api } = JSON.parse((await run('--json')).said)
  assert.ok(api.some(({ breaking, what }: { breaking: boolean; what: string }) => breaking && /"note"/.test(what)))
})

plan('many safe steps of one kind are one line, and all of them lines with --all', async () => {
  const names = ['a', 'b', 'c', 'd', 'e']
  describe((text) =>
    text
      .replace('  urgent:', `${names.map((name) => `  ${name}: { type: string }\n`).join('')}  urgent:`)
      .replace('policies:', `filters: [${names.join(', ')}]\npolicies:`),
  )
  const { said } = await run()
  assert.match(said, /^ {2}safe {5}add index on tickets \(a, id\) and 4 more$/m)
  assert.match(said, /^ {2}safe {5}add column tickets\.e \(character varying\(255\)\)$/m)
  const all = (await run('--all')).said
  for (const name of names) assert.match(all, new RegExp(`^  safe     add index on tickets \\(${name}, id\\)$`, 'm'))
})

plan('words for people alone change nothing', async () => {
  describe((text) => text.replace('label: Ticket', 'label: Ticket\ndescription: What somebody asks for.'))
  assert.match((await run()).said, /^Nothing to do: [^\n]*$/)
})

plan('a role is told how many records it sees no more, and by which line', async () => {
  describe((text) =>
    text.replace('{ permission: tickets.view },', '{ permission: tickets.view, where: { urgent: true } },'),
  )
  assert.equal(await access(), ['tickets: admin may see 9 records fewer', 'tickets: agent may see 9 records fewer'])
})

plan('who may what nobody let do before is told, with the records, and who no longer may', async () => {
  describe((text) =>
    text
      .replace(
        'delete:  [{ permission: tickets.delete }]',
        'delete:  [{ permission: tickets.view, where: { urgent: true } }]',
      )
      .replace('create:  [{ permission: tickets.view }]', 'create:  [{ who: signed_in, fields: [subject] }]'),
  )
  assert.equal(await access(), [
    'tickets: admin may create with note, urgent and user_id no more',
    'tickets: admin may delete 9 records fewer',
    'tickets: agent may create with note, urgent and user_id no more',
    'tickets: agent may delete now, where a condition holds (tickets.yaml:15:13): 3 records at present',
    'tickets: customer may create now, with subject only',
  ])
})

plan('a condition that depends on who asks is told as such, and not counted', async () => {
  describe((text) =>
    text.replace('{ permission: tickets.view }, {', '{ permission: tickets.view, where: { user: $actor } }, {'),
  )
  assert.equal(await access(), [
    'tickets: admin may see only some records now, where a condition holds (tickets.yaml:12:13); how many depends on who asks',
    'tickets: agent may see only some records now, where a condition holds (tickets.yaml:12:13); how many depends on who asks',
  ])
  describe((text) => text.replace(', where: { user: $actor }', ''))
  assert.equal(await access(), [
    'tickets: customer may see all records now, not only some (tickets.yaml:12:43); how many depends on who asks',
  ])
})

plan('records that wait to be restored are those that are counted for restore', async () => {
  describe((text) =>
    text.replace('restore: [{ permission: tickets.delete }]', 'restore: [{ permission: tickets.view }]'),
  )
  assert.equal(await access(), ['tickets: agent may restore now: 0 records at present'])
})

plan('what the database does not have yet cannot be counted, and says so', async () => {
  describe((text) =>
    text
      .replace('  urgent:', '  secret:  { type: boolean, default: false, nullable: false }\n  urgent:')
      .replace('{ permission: tickets.view },', '{ permission: tickets.view, where: { secret: false } },'),
  )
  assert.match(
    (await access())[0] ?? '',
    'admin may see only some records now, where a condition holds (tickets.yaml:13:13); they can be counted when the database is as the YAML says',
  )
})

plan('fields that a role may read and write are told one by one', async () => {
  describe((text) =>
    text
      .replace('note:    { type: string }', 'note:    { type: string, read: { permission: tickets.delete } }')
      .replace(
        'update:  [{ permission: tickets.view }]',
        'update:  [{ permission: tickets.delete }, { permission: tickets.view, where: { urgent: true }, fields: [note] }, { permission: tickets.view, fields: [subject] }]',
      ),
  )
  assert.equal(await access(), [
    'tickets: agent may change note 9 records fewer',
    'tickets: agent may change urgent and user_id no more: 12 records at present',
    'tickets: agent may read note no more',
    'tickets: customer may read note no more',
  ])
})

plan('a clause that sets another value is told, without records', async () => {
  describe((text) =>
    text.replace(
      'create:  [{ permission: tickets.view }]',
      'create:  [{ permission: tickets.view }, { permission: tickets.view, set: { user: $actor } }]',
    ),
  )
  assert.equal(await access(), [
    'tickets: admin may create as before, but what is set by itself is other (tickets.yaml:13:13, tickets.yaml:13:43)',
    'tickets: agent may create as before, but what is set by itself is other (tickets.yaml:13:13, tickets.yaml:13:43)',
  ])
})

plan('a resource that comes and one that goes are one line for each role', async () => {
  place.write(
    'resources/notes.yaml',
    'resource: notes\nfields: { text: { type: string } }\npolicies: { view: [{ who: anyone }], create: [{ role: agent }] }\n',
  )
  describe((text) => text)
  assert.equal(await access(), [
    'notes, which is new: everyone without a token may see now',
    'notes, which is new: admin may see now',
    'notes, which is new: agent may see and create now',
    'notes, which is new: customer may see now',
  ])
  rmSync(`${place.path}/resources/notes.yaml`)
})

plan('permissions are those that the roles have in the database, whatever their seeds say', async () => {
  const sized = (text: string) => text.replace('  urgent:', '  size:    { type: integer }\n  urgent:')
  describe(sized)
  await serve(`update roles set permissions = '["tickets.delete"]' where slug = 'agent'`)
  describe((text) =>
    sized(text).replace('view:    [{ permission: tickets.view }', 'view:    [{ permission: tickets.delete }'),
  )
  assert.equal(await access(), ['tickets: agent may see now: 12 records at present'])
})

plan('--json tells the same to programs, and --exit-code whether there is anything to do', async () => {
  const { code, said } = await run('--json', '--exit-code')
  assert.is(code, 3)
  const told = JSON.parse(said)
  assert.equal(Object.keys(told), [
    'hash',
    'version',
    'written_by',
    'older',
    'database',
    'rules',
    'since',
    'api',
    'access',
    'roles',
    'moved',
    'options',
    'replaced',
  ])
  assert.match(told.since, /^\d{4}-\d\d-\d\dT\d\d:\d\dZ$/)
  assert.equal([told.database, told.api], [[], []])
  assert.is(told.access.length, 1)
  const [{ places, ...change }] = told.access
  assert.equal(change, {
    caller: 'agent',
    about: 'tickets',
    action: 'view',
    before: 'none',
    after: 'all',
    status: 'there',
    gains: 12,
    loses: 0,
    atLeast: false,
  })
  assert.match(places[0], /tickets\.yaml:13:13$/)
  describe((text) => text.replace('fields:', 'feilds:'))
  assert.is((await run('--json', '--exit-code')).code, 1)
  assert.is((await run('--exitcode')).code, 2)
})

plan('what only has another name is no change of access, and nothing that a rule needs to be told of', async () => {
  const clauses = (text: string) =>
    text
      .replace(
        'view:    [{ permission: tickets.view }',
        'view:    [{ permission: tickets.view, where: { urgent: false, user.first_name: A } }',
      )
      .replace(
        'update:  [{ permission: tickets.view }]',
        'update:  [{ permission: tickets.view, fields: [note, user], set: { urgent: true } }]',
      )
  describe(clauses)
  await serve(`update roles set permissions = '["tickets.view"]' where slug = 'agent'`)
  const renamed = clauses(TICKETS)
    .replace('note:    {', 'remark:  { renamed_from: note,')
    .replace('urgent:  {', 'pressing: { renamed_from: urgent,')
    .replace('user: { belongs_to: users }', 'writer: { belongs_to: users, renamed_from: user }')
    .replaceAll('urgent: ', 'pressing: ')
    .replace('user.first_name', 'writer.first_name')
    .replace('where: { user: $actor }', 'where: { writer: $actor }')
    .replace('fields: [note, user]', 'fields: [remark, writer]')
  place.write('resources/tickets.yaml', renamed)
  assert.equal(await access(), [])
  rmSync(`${place.path}/resources/tickets.yaml`)
  place.write('resources/roles.yaml', FILES['resources/roles.yaml'].replace('tickets.view', 'issues.view'))
  place.write(
    'resources/issues.yaml',
    renamed.replace('resource: tickets', 'resource: issues\nrenamed_from: tickets').replaceAll('tickets.', 'issues.'),
  )
  const { code, complained, said } = await run()
  assert.is(code, 0, complained)
  assert.match(said, 'rename table tickets to issues')
  assert.not.match(said, 'In access')
  place.write(
    'resources/issues.yaml',
    renamed
      .replace('resource: tickets', 'resource: issues\nrenamed_from: tickets')
      .replaceAll('tickets.', 'issues.')
      .replace('fields: [remark, writer]', 'fields: [remark]'),
  )
  assert.match((await run()).said, /issues: agent may change writer_id no more/)
  rmSync(`${place.path}/resources/issues.yaml`)
  place.write('resources/roles.yaml', FILES['resources/roles.yaml'])
})

plan('what a server takes in, by a saved file or by a rollout, is what is served from then on', async () => {
  describe((text) => text)
  const settings = readSettings(env()).value
  assert.ok(settings)
  const engine = (await createEngine({ settings, log: SILENT })).value
  assert.ok(engine)
  await engine.listen()
  describe((text) => text.replace('  urgent:', '  shade:   { type: color }\n  urgent:'))
  assert.equal(await engine.reload(), [])
  await until(async () => /"shade"/.test((await servedLast(engine.database.adhoc))?.text ?? ''))
  describe((text) => text.replace('  urgent:', '  shape:   { type: string }\n  shade:   { type: color }\n  urgent:'))
  assert.equal((await engine.rollOut()).diagnostics, [])
  await until(async () => /"shape"/.test((await servedLast(engine.database.adhoc))?.text ?? ''))
  await engine.close()
  const { api, access: changed } = JSON.parse((await run('--json')).said)
  assert.equal([api, changed], [[], []])
})

plan.run()
