/** The commands that look at the database: plan, apply, restore-field, purge and explain, on an application's own life. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type TestDatabase, testDatabase } from '../support/database.ts'
import { placeOf } from './serving.ts'
import { type Folder, folder, NOTES, plinth, type Ran } from './world.ts'

const database = suite('commands of the database')
let application: Folder
/** The server's, where there is one: each command opens an embedded one anew. */
let base: TestDatabase | undefined

database.before(async () => {
  application = folder(NOTES)
  if (process.env.TEST_DATABASE_URL) base = await testDatabase()
})
database.after(async () => {
  application?.remove()
  await base?.close()
})

function run(...args: string[]): Promise<Ran> {
  return plinth(args, placeOf(application, base))
}

function describe(notes: string): void {
  application.write('resources/notes.yaml', notes)
}

async function applied(): Promise<Ran> {
  const hash = /^Plan (\w+)/.exec((await run('plan')).said)?.[1] ?? ''
  return run('apply', hash)
}

const FULL = NOTES['resources/notes.yaml']
const WITHOUT_STARS = FULL.replace(/^ {2}stars:.*\n/m, '')

database('plan shows what the YAML asks for, and changes nothing', async () => {
  const first = await run('plan')
  assert.is(first.code, 0)
  assert.match(first.said, /^Plan \w+\n/)
  assert.match(first.said, 'create table notes')
  assert.is((await run('plan')).said, first.said)
})

database('plan tries the SQL of the YAML before there is a table, and check says that it could not', async () => {
  describe(FULL.replace('policies:', '  loud: { type: string, computed: uper(t.title) }\npolicies:'))
  const { code, complained } = await run('plan')
  assert.is(code, 1)
  assert.match(
    complained,
    /notes\.yaml:6:3 error wrong_sql: The database cannot compute "loud" as string: function uper/,
  )
  const withoutDatabase = placeOf(application, undefined)
  const checked = await plinth(['check'], withoutDatabase)
  assert.is(checked.code, 0)
  assert.is(checked.said, 'Not tried without a database: the SQL of notes.loud. `plinth plan` tries it.')
  describe(FULL)
  assert.is((await plinth(['check'], withoutDatabase)).said, '')
})

database('a resource of nothing but ids is planned as any other', async () => {
  const other = folder({
    ...NOTES,
    'resources/marks.yaml':
      'resource: marks\ntimestamps: false\nactions: [list, get]\npolicies: { view: [{ who: anyone }] }\n',
  })
  const { code, said, complained } = await plinth(['plan'], placeOf(other, base))
  other.remove()
  assert.equal([code, complained], [0, ''])
  assert.match(said, 'create table marks')
})

database('apply refuses a plan that nobody has seen', async () => {
  const { code, said, complained } = await run('apply', '0123456789abcdef')
  assert.is(code, 1)
  assert.is(said, '')
  assert.match(complained, 'look at `plinth plan` again')
})

database('apply makes the changes of the plan, once', async () => {
  const { code, said, complained } = await applied()
  assert.is(code, 0, complained)
  assert.match(said, 'create table notes')
  assert.match((await run('plan')).said, 'Nothing to do')
})

database('a field that is taken out of the YAML is set aside by apply, and comes back', async () => {
  describe(WITHOUT_STARS)
  assert.match(
    (await run('plan')).said,
    /removes {2}set aside column notes\.stars[\s\S]*A start leaves alone what is marked "removes"/,
  )
  assert.match(
    (await run('apply')).said,
    /^Left as it is until a person applies the plan that `plinth plan` shows:\n {2}set aside column notes\.stars/,
  )
  assert.is((await applied()).code, 0)
  const listed = await run('purge')
  assert.match(listed.said, /^would destroy notes\.stars\w* \(0 rows with values\)\nThere is no way back/)
  const back = await run('restore-field', 'notes.stars')
  assert.is(back.code, 0, back.complained)
  describe(FULL)
  assert.not.match((await run('plan')).said, 'add column')
  assert.is((await applied()).code, 0)
})

database('history shows each step with when, by whom and how long, and as JSON', async () => {
  const { code, said } = await run('history')
  assert.is(code, 0)
  assert.match(
    said,
    /^20\d\d-\d\d-\d\d \d\d:\d\d:\d\d {2}apply {2}done in \d+\.\d\d s +set aside column notes\.stars .*\(plan \w+, .*process \d+\)$/m,
  )
  const steps = JSON.parse((await run('history', '--json')).said) as { title: string; endedAt: string | null }[]
  assert.ok(steps.some(({ title }) => title.startsWith('create table notes')))
  assert.ok(steps.every(({ endedAt }) => endedAt !== null))
  const changes = steps.flatMap(({ title }) => (title.includes('notes.stars') ? [title.split(' (')[0]] : []))
  assert.ok(changes.length > 0)
  assert.equal(changes, [...new Set(changes)], 'each change is there once')
})

database('restore-field says when there is nothing to bring back', async () => {
  const { code, complained } = await run('restore-field', 'notes.colour')
  assert.is(code, 1)
  assert.is(complained, 'Nothing was set aside under the name notes.colour.')
})

database('restore-field without a name lists what can be brought back', async () => {
  const none = await run('restore-field')
  assert.equal([none.code, none.said], [0, 'Nothing is set aside.'])
  describe(WITHOUT_STARS)
  await applied()
  const { code, said, complained } = await run('restore-field')
  assert.equal([code, complained], [0, ''])
  assert.match(said, /^can bring back notes\.stars\w* \(0 rows with values\)\n.*plinth restore-field <resource>/)
})

database('purge destroys only when it is told to be sure', async () => {
  describe(WITHOUT_STARS)
  await applied()
  assert.match((await run('purge', 'notes.stars')).said, 'plinth purge notes.stars --yes')
  assert.match((await run('purge', 'notes.stars', '--yes')).said, /^destroyed notes\.stars/)
  assert.is((await run('purge')).said, 'Nothing is set aside.')
  const { code, complained } = await run('purge', 'notes.colour', '--yes')
  assert.is(code, 1)
  assert.is(complained, 'Nothing was set aside under the name notes.colour.')
})

database('dump says which folder is not there', async () => {
  const { code, complained } = await run('dump', `${application.path}/nowhere/x.dump`)
  assert.is(code, 1)
  assert.match(complained, /x\.dump cannot be written: there is no folder \S+\/nowhere\.$/)
})

database('explain shows the rule with its place, the SQL and the outcome', async () => {
  const { code, said } = await run('explain', 'GET /api/notes?created_at[gte]=2026-01-01')
  assert.is(code, 0)
  assert.match(said, 'GET /api/notes: ')
  assert.match(said, /notes\.yaml:\d+:\d+ {2}\{ who: anyone \}\n {6}→ applies/)
  assert.match(said, /select [\s\S]* from "notes"/)
  assert.match(said, 'outcome: 200, 0 of 0 records')
})

database('explain says what becomes of a field', async () => {
  const { code, said } = await run('explain', 'GET /api/notes/7', '--field', 'title')
  assert.is(code, 0)
  assert.match(
    said,
    /the field:\n {4}\S*notes\.yaml:\d+:\d+ {2}title\n {6}→ left out: the record itself is not answered$/,
  )
  const { complained } = await run('explain', 'GET /api/notes/7', '--field', 'titel')
  assert.is(complained, 'notes has no field and no relation titel. Did you mean title?')
})

database('explain says why a request would be refused', async () => {
  assert.match((await run('explain', 'GET /api/notes/7')).said, 'outcome: 404 Note not found')
  assert.match((await run('explain', 'GET /api/notes?titel=x')).said, 'outcome: 422 Validation failed, titel: ')
  assert.is((await run('explain', 'GET /api/nothing')).complained, 'No route answers /api/nothing: 404.')
  const { complained } = await run('explain', 'GET /notes/7')
  assert.is(complained, 'No route answers /notes/7: 404. Did you mean /api/notes/7?')
  assert.match((await run('explain', 'PUT /api/notes')).complained, 'not PUT: 405.')
  assert.match((await run('explain', 'notes')).complained, 'is no request such as')
  assert.match((await run('explain', 'GET /api/notes', '--as', 'somebody')).complained, 'leave --as out')
})

database('a server that does not answer is a sentence, whatever the command', async () => {
  const away = { RESOURCES_DIR: `${application.path}/resources`, DATABASE_URL: 'postgres://me:hidden@localhost:1/desk' }
  for (const words of [['plan'], ['start'], ['explain', 'GET /api/notes'], ['purge']]) {
    const { code, complained } = await plinth(words, { ...away, DATA_DIR: `${application.path}/away`, PORT: '0' })
    assert.is(code, 1, words.join(' '))
    assert.match(complained, /The database at localhost:1\/desk cannot be opened: .*ECONNREFUSED/, words.join(' '))
    assert.match(complained, '. Start it, or correct DATABASE_URL.')
    assert.not.match(complained, 'hidden')
  }
  const { TEST_DATABASE_URL: server } = process.env
  if (server === undefined) return
  const none = { ...away, DATABASE_URL: new URL('/plinth_no_such_database', server).href, PORT: '0' }
  assert.match((await plinth(['plan'], none)).complained, 'does not exist. Create it, or correct DATABASE_URL.')
})

database.run()
