/** Commands on an application that extends another one: they see the files of both. */
import { readFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { servedFiles } from '../../engine/migration/own/facts.ts'
import { blocks } from '../support/page.ts'
import { until } from '../support/wait.ts'
import { bare, build, PROGRAM, startServer } from './server.ts'
import { folder, NOTES, plinth, type Ran } from './world.ts'
import { createEngine } from '../../engine/engine.ts'
import { readSettings } from '../../engine/settings.ts'
import { SILENT } from '../support/database.ts'

const extending = suite('commands of an application on another')
extending.before(build)

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
  const env = { RESOURCES_DIR: `${place.path}/resources`, DATA_DIR: `${place.path}/data` }
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
  const env = { RESOURCES_DIR: `${place.path}/resources`, DATA_DIR: `${place.path}/data`, PORT: '0' }
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
  const server = await startServer(PROGRAM, place.path, bare({ DATA_DIR: `${place.path}/data` }), ['--watch'])
  place.write(
    'base/resources/notes.yaml',
    NOTES['resources/notes.yaml'].replace('label: Note', 'label: Note\ndescription: Says so.'),
  )
  await until(async () => (await (await fetch(`${server.url}/openapi.json`)).text()).includes('Says so.'), 20_000)
  await server.stop('SIGTERM')
  place.remove()
})

extending.run()
