/** A change by which more records are served: what the plan tells of access, what a start refuses, and what `apply` does. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createEngine } from '../../engine/engine.ts'
import { servedLast } from '../../engine/migration/own/facts.ts'
import { readSettings } from '../../engine/settings.ts'
import { SILENT, type TestDatabase, testDatabase } from '../support/database.ts'
import { until } from '../support/wait.ts'
import { type Folder, folder, plinth } from './world.ts'

const more = suite('plan: more records')
let place: Folder
let base: TestDatabase | undefined

const NOTES = `resource: notes
label: Note
actions: [list, get, delete]
soft_delete: true
fields: { name: { type: string }, kind: { type: string } }
policies: { view: [{ who: anyone }], delete: [{ who: anyone }] }
`
const PARTS = `resource: bills
label: Bill
of: notes
actions: [list, get]
where: { kind: bill }
fields: { name: {}, kind: {} }
policies: { view: [{ who: anyone }] }
`
const SAME = { code: 0, said: 'Nothing to do: the database is as the YAML says.', complained: '' }

function env(): Readonly<Record<string, string | undefined>> {
  const folders = { RESOURCES_DIR: `${place.path}/resources`, DATA_DIR: `${place.path}/data` }
  return { ...folders, PORT: '0', BASE_URL: 'http://notes.example', DATABASE_URL: base?.url }
}

/** What a start has against the application; where it has nothing, it is served until that was written down, and SQL is run. */
async function start(sql = 'select 1'): Promise<readonly string[]> {
  const settings = readSettings(env()).value
  assert.ok(settings)
  const { diagnostics, value } = await createEngine({ settings, log: SILENT })
  if (value === undefined) return diagnostics.map(({ message }) => message)
  await value.listen()
  await until(async () => (await servedLast(value.database.adhoc)) !== undefined)
  await value.database.adhoc.run({ text: sql }, [])
  await value.close()
  return []
}

more.before(async () => {
  place = folder({
    'resources/app.yaml': 'name: Notes\nplugins: { timestamps: {}, soft_delete: {} }\n',
    'resources/notes.yaml': NOTES,
    'resources/bills.yaml': PARTS,
  })
  if (process.env.TEST_DATABASE_URL !== undefined) base = await testDatabase()
  const rows = `('a', 'bill', null), ('b', 'bill', now()), ('c', 'note', null), ('d', null, null)`
  assert.equal(await start(`insert into notes (name, kind, deleted_at) values ${rows}`), [])
})
more.after(async () => {
  await base?.close()
  place?.remove()
})

more('a part of a table without its condition', async () => {
  place.write('resources/bills.yaml', PARTS.replace('where: { kind: bill }\n', ''))
  const { said } = await plinth(['plan'], env())
  assert.match(said, 'bills: everyone without a token may see 2 records more')
  assert.match(said, 'serve records of bills that were not served: 2 records would be served (ids 3, 4)')
  assert.match((await start()).join('\n'), '2 records would be served (ids 3, 4)')
  place.write('resources/bills.yaml', PARTS)
  assert.equal(await plinth(['plan', '--exit-code'], env()), SAME)
})

more('a resource that keeps no longer what is deleted', async () => {
  place.write('resources/notes.yaml', NOTES.replace('soft_delete: true\n', ''))
  const { said } = await plinth(['plan'], env())
  assert.match(said, 'notes: everyone without a token may see 1 record more')
  assert.match(said, 'serve deleted records of notes that were not served: 1 deleted record would be served (id 2)')
  assert.match((await start()).join('\n'), '1 deleted record would be served (id 2)')
  const hash = /^Plan (\w+)/.exec(said)?.[1] ?? ''
  assert.is((await plinth(['apply', hash], env())).code, 0)
  assert.equal(await start(), [], 'a person has said it')
})

more.run()
