/** Commands on an application that extends another one: they see the files of both. */
import { readFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { servedFiles } from '../../engine/migration/own/facts.ts'
import { blocks } from '../support/page.ts'
import { until } from '../support/wait.ts'
import { bare, build, PROGRAM, startServer } from './server.ts'
import { placeOf } from './serving.ts'
import { type Folder, folder, NOTES, plinth, type Ran } from './world.ts'
import { createEngine } from '../../engine/engine.ts'
import { readSettings } from '../../engine/settings.ts'
import { SILENT, type TestDatabase, testDatabase } from '../support/database.ts'

const extending = suite('commands of an application on another')
extending.before(build)
const bases: TestDatabase[] = []
extending.after(async () => {
  for (const { close } of bases) await close()
})

/** The environment of an application on a database of its own: the server's where there is one, which opens sooner. */
async function placed(place: Folder): Promise<Readonly<Record<string, string | undefined>>> {
  if (!process.env.TEST_DATABASE_URL) return placeOf(place, undefined)
  const base = await testDatabase()
  bases.push(base)
  return placeOf(place, base)
}

const PAGE = readFileSync('resources/guide/extending-applications.md', 'utf8')

const FILES = {
  ...Object.fromEntries(Object.entries(NOTES).map(([name, text]) => [`base/${name}`, text])),
  'resources/app.yaml': 'name: Own\nextends: ../base\n',
  'resources/notes.yaml': 'resource: notes\nfields: { colour: { type: string } }\n',
  'package.json': '{ "type": "module" }',
}

const LEFT_OUT = 'name: Own\nextends: ../base\nwithout: [notes.stars]\n'

/** The lines of the desk's own files change. */
function withoutLines(text: string): string {
  return text.replaceAll(/(resources\/tickets\.yaml):\d+:\d+/g, '$1')
}

extending('the application of the page is checked, word for word', async () => {
  const files = blocks(PAGE.replaceAll(/^##+ .*$/gm, ''), 'yaml').map((text) => [
    `resources/${/^# acme\/(\S+)/.exec(text)?.[1] ?? assert.unreachable(`no name in ${text}`)}`,
    text,
  ])
  assert.equal(
    files.map(([name]) => name),
    ['resources/app.yaml', 'resources/tickets.yaml', 'resources/tickets.yaml'],
  )
  const place = folder(Object.fromEntries(files.slice(0, 2)))
  const env = { RESOURCES_DIR: `${place.path}/resources`, PLUGINS_DIR: `${place.path}/plugins` }
  assert.equal(await plinth(['check'], env).then(({ code, complained }) => [code, complained]), [0, ''])
  const { said } = await plinth(['openapi'], env)
  assert.match(said, '"order_number"')
  assert.not.match(said, '/posts')
  place.write('resources/tickets.yaml', files[2]![1]!)
  assert.equal(await plinth(['check'], env).then(({ code, complained }) => [code, complained]), [0, ''])
  const [shown] = blocks(PAGE, '', 'Look at the whole')
  const source = await plinth(['explain', '--source', 'tickets.policies'], env)
  const own = source.said.replaceAll(/\S*plinth-cli-\w+\/resources/g, 'acme')
  assert.match(withoutLines(own), withoutLines(shown!.trim()))
  place.write('resources/app.yaml', files[0]![1]!.replace('[posts,', '[types,'))
  const [told] = /^\S*app\.yaml:\d.*types.*tickets\.yaml.*$/m.exec((await plinth(['check'], env)).complained) ?? []
  const message = blocks(PAGE, '', 'What you leave out')[0]?.trim().replace('acme/', '')
  const short = told?.replace(/^.*\/resources\/(?=app)/, '').replace(/\(.*\/resources/, '(resources')
  assert.is(withoutLines(short?.replace('app.yaml:4', 'app.yaml:3') ?? ''), withoutLines(message ?? ''))
  place.remove()
})

extending('a field that is left out is set aside with its data, and a field that comes back has it again', async () => {
  const place = folder(FILES)
  const env = await placed(place)
  const run = (...args: string[]): Promise<Ran> => plinth(args, env)
  const applied = async (): Promise<string> => {
    const { said } = await run('plan')
    const { code, complained } = await run('apply', /^Plan (\w+)/.exec(said)?.[1] ?? '')
    assert.is(code, 0, complained)
    return said
  }
  assert.match(await applied(), /creates table notes|table notes/)
  place.write('resources/app.yaml', LEFT_OUT)
  assert.match(await applied(), /set aside .*stars/)
  place.write('resources/app.yaml', FILES['resources/app.yaml'])
  assert.match((await run('restore-field')).said, /notes\.stars/)
  const { code, complained } = await run('restore-field', 'notes.stars')
  assert.is(code, 0, complained)
  place.remove()
})

extending('the files of all applications are kept with what is served', async () => {
  const place = folder(FILES)
  const env = await placed(place)
  const made = await createEngine({ settings: readSettings(env).value!, log: SILENT })
  assert.ok(made.value, JSON.stringify(made.diagnostics))
  await made.value.listen()
  const { adhoc } = made.value.database
  let kept: string | undefined
  await until(async () => {
    kept = await servedFiles(adhoc)
    return kept !== undefined
  })
  const { files } = JSON.parse(kept ?? '{}')
  assert.match(files.app.text, 'extends: ../base')
  assert.match(files.base.app.text, 'name: Notes')
  await made.value.close()
  place.write('base/resources/notes.yaml', NOTES['resources/notes.yaml'].replace('max: 5', 'max: 4'))
  const plan = await plinth(['plan'], env)
  assert.match(plan.said, /stars/, `${plan.said}${plan.complained}`)
  place.remove()
})

extending('a saved file of the application below is served', async () => {
  const place = folder(FILES)
  const server = await startServer(PROGRAM, place.path, bare(await placed(place)), ['--watch'])
  place.write(
    'base/resources/notes.yaml',
    NOTES['resources/notes.yaml'].replace('label: Note', 'label: Note\ndescription: Says so.'),
  )
  await until(async () => (await (await fetch(`${server.url}/openapi.json`)).text()).includes('Says so.'), 20_000)
  await server.stop('SIGTERM')
  place.remove()
})

extending('a scenario of the application below that fails names the own line with which it began to', async () => {
  const place = folder({
    ...FILES,
    'base/resources/notes.test.yaml': `scenarios:
  a note has a title:
    - { request: POST /notes, body: { title: First, stars: 5 }, status: 201, keep: { note: data.id } }
    - { request: "GET /notes/{note}", status: 200, answer: { data: { title: First, stars: 5 } } }
  a note is changed by anybody:
    - { request: POST /notes, body: { title: Second }, status: 201, keep: { note: data.id } }
    - { request: "PATCH /notes/{note}", body: { title: Third }, status: 200 }
`,
    'resources/notes.yaml': `resource: notes
label: Remark
fields:
  colour: { type: string }
  title: { max: 4 }
policies:
  delete: []
  update: { and: { colour: red } }
`,
  })
  const { TEST_DATABASE_URL } = process.env
  const env = { RESOURCES_DIR: `${place.path}/resources`, PLUGINS_DIR: `${place.path}/plugins`, TEST_DATABASE_URL }
  const { code, complained, said } = await plinth(['test'], env)
  assert.is(code, 1)
  assert.match(said, '✘ a note has a title')
  const short = complained.replaceAll(/[^\s(]*plinth-cli-\w+\//g, '')
  assert.match(
    short,
    /^resources\/notes\.yaml:5:12 error scenario_failed: With this: the scenario "a note has a title" fails: The status is 422, not 201 \(base\/resources\/notes\.test\.yaml:3:\d+\)$/m,
  )
  assert.match(short, /^resources\/notes\.yaml:5:12 error scenario_failed: With this: the scenario "a note is changed/m)
  assert.match(short, 'or leave it out: without: ["scenarios.a note has a title"]')
  assert.not.match(short, /^base\//m)
  place.write(
    'resources/notes.yaml',
    'resource: notes\nfields: { colour: { type: string } }\npolicies: { update: { and: { colour: red } } }\n',
  )
  const narrowed = await plinth(['test'], env)
  assert.match(
    narrowed.complained,
    /notes\.yaml:3:\d+ error scenario_failed: With this: the scenario "a note is changed by anybody" fails: The status is 403, not 200/,
  )
  assert.is(narrowed.complained.match(/scenario_failed/g)?.length, 1)
  place.write(
    'base/resources/notes.test.yaml',
    'scenarios:\n  wrong below too:\n    - { request: GET /notes, status: 418 }\n',
  )
  const alone = await plinth(['test'], env)
  assert.match(
    alone.complained,
    /base\/resources\/notes\.test\.yaml:3:\d+ error scenario_failed: The status is 200, not 418/,
  )
  place.remove()
})

extending('the condition of `and` is left out by --mutate, in every clause at once', async () => {
  const place = folder({
    ...FILES,
    'base/resources/notes.yaml': NOTES['resources/notes.yaml'].replace(
      'update: [{ who: anyone }]',
      'update: [{ who: anyone }, { who: anyone, where: { title: { ne: Nothing } } }]',
    ),
    'resources/notes.yaml': `resource: notes
policies:
  update: { and: { stars: { gt: 2 } } }
`,
  })
  const { TEST_DATABASE_URL } = process.env
  const env = { RESOURCES_DIR: `${place.path}/resources`, PLUGINS_DIR: `${place.path}/plugins`, TEST_DATABASE_URL }
  const scenario = (more: string) => `scenarios:
  notes with stars are changed:
    - { request: POST /notes, body: { title: First, stars: 5 }, status: 201, keep: { note: data.id } }
    - { request: "PATCH /notes/{note}", body: { title: Third }, status: 200 }
${more}`
  place.write('resources/notes.test.yaml', scenario(''))
  const survives = await plinth(['test', '--mutate'], env)
  assert.is(survives.code, 1)
  assert.match(
    survives.complained,
    /notes\.yaml:3:\d+ error unnoticed_removal: Every scenario still holds without and of update: stars: \{ gt: 2 \}/,
  )
  place.write(
    'resources/notes.test.yaml',
    scenario(`    - { request: POST /notes, body: { title: Plain, stars: 1 }, status: 201, keep: { plain: data.id } }
    - { request: "PATCH /notes/{plain}", body: { title: No }, status: 403 }
`),
  )
  const noticed = await plinth(['test', '--mutate'], env)
  assert.match(
    noticed.said,
    /✔ \S+notes\.yaml:3:\d+ {2}and of update: stars: \{ gt: 2 \} — notes with stars are changed/,
  )
  place.remove()
})

extending.run()
