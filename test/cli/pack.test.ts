/** An application in a folder of its own needs only the package, its resources and its plugins. */
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { until } from '../support/wait.ts'
import { install, packed } from './install.ts'
import { bare, build, PROGRAM, startServer } from './server.ts'
import { type Folder, folder, NOTES } from './world.ts'

const pack = suite('the package')

/** The plugin that plugins/README.md begins with, as it stands there. */
const LOANS = /```ts\n([\s\S]*?)```/.exec(readFileSync('plugins/README.md', 'utf8'))?.[1] ?? ''

/** What TypeScript has beyond types, and files that belong together. */
const GREETER = {
  'plugins/greeter/index.ts': `import { definePlugin, invalid } from 'plinth'
import { Word } from './words.js'
export default definePlugin({
  name: 'greeter',
  description: 'Greets.',
  routes: [
    { method: 'GET', path: '/greeting', summary: 'Greet', access: 'public', handle: async () => ({ data: { words: Word.Hello } }) },
    {
      method: 'GET', path: '/wrong', summary: 'Refuse', access: 'public',
      handle: async () => { throw invalid({ words: ['The words field is required'] }) },
    },
  ],
})
`,
  'plugins/greeter/words.ts': "export enum Word { Hello = 'good day' }\n",
}

let application: Folder

pack.before(() => {
  build()
  application = folder({
    ...NOTES,
    'package.json': '{ "name": "notes", "type": "module", "dependencies": { "plinth": "*" } }\n',
    'resources/app.yaml': 'name: Notes\nprefix: /api\nplugins: { timestamps: {}, greeter: {}, loans: {} }\n',
    'resources/loans.yaml': `resource: loans
fields: { days: { type: integer } }
hooks: { create: [loans.check], update: [loans.check] }
policies: { view: [{ who: anyone }], create: [{ who: anyone }], update: [{ who: anyone }], delete: [{ who: anyone }] }
`,
  })
  plugins()
  install(application.path, packed(application.path))
})
pack.after(() => application?.remove())

/** Each way to run the application beside whose plugin the package is installed. */
const WAYS: readonly (readonly [name: string, program: () => string, options?: string])[] = [
  ['from the package', () => join(application.path, 'node_modules/plinth/dist/engine/cli/main.js')],
  ['from what is compiled, as `npm start` does', () => PROGRAM],
  [
    'from source, as `npm run dev` does',
    () => resolve('engine/cli/main.ts'),
    `--import=${pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href}`,
  ],
]

/** Asks until the answer is the right one: a saved change is served a moment later. */
async function eventually<T>(ask: () => Promise<T>, right: (answer: T) => boolean): Promise<T> {
  let answer = await ask()
  await until(async () => {
    if (!right(answer)) answer = await ask()
    return right(answer)
  }).catch(() => undefined)
  return answer
}

function plugins(): void {
  application.write('plugins/loans/index.ts', LOANS)
  for (const [file, text] of Object.entries(GREETER)) application.write(file, text)
}

for (const [name, program, options] of WAYS) {
  pack(`runs an application that brings only resources and plugins, and follows their changes, ${name}`, async () => {
    plugins()
    const env = bare({ DATA_DIR: join(application.path, 'data'), NODE_OPTIONS: options })
    const server = await startServer(program(), application.path, env, ['--watch'])
    const ask = async (path: string, body?: object) => {
      const sent = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
      const answer = await fetch(`${server.url}/api${path}`, body && sent)
      // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever an answer holds
      return { status: answer.status, body: (await answer.json()) as any }
    }
    const lend = () => ask('/loans', { days: 29 })
    assert.is((await ask('/notes')).status, 200)
    assert.is((await ask('/greeting')).body.data.words, 'good day')
    assert.equal((await ask('/wrong')).body.errors, { words: ['The words field is required'] })
    const long = await lend()
    assert.equal([long.status, long.body.message], [409, 'No loan is longer than 28 days'])

    application.write('plugins/loans/index.ts', LOANS.replace('28', '21'))
    const shorter = await eventually(lend, ({ body }) => body.message.includes('21'))
    assert.equal([shorter.status, shorter.body.message], [409, 'No loan is longer than 21 days'])

    application.write('plugins/loans/index.ts', LOANS.replace('28', '28 days'))
    const output = await eventually(
      async () => server.output(),
      (said) => said.includes('The last good version is still served.'),
    )
    assert.match(
      output,
      /plugin_failed: The plugin "loans" failed while it was loaded: .*Expected ";" but found "days"/s,
    )
    assert.is((await lend()).body.message, 'No loan is longer than 21 days')

    application.write('plugins/loans/index.ts', LOANS)
    application.write('plugins/greeter/words.ts', "export enum Word { Hello = 'good evening' }\n")
    const greeting = await eventually(
      () => ask('/greeting'),
      ({ body }) => body.data.words !== 'good day',
    )
    assert.is(greeting.body.data.words, 'good evening')
    assert.is((await server.stop('SIGTERM')).code, 0)
  })
}

pack('keeps nothing compiled beside the sources', () => {
  const files = readdirSync(join(application.path, 'plugins'), { recursive: true, withFileTypes: true })
  assert.equal(files.flatMap((file) => (file.isFile() ? [file.name] : [])).sort(), ['index.ts', 'index.ts', 'words.ts'])
})

pack('carries types for plugin authors, and no tests or sources', () => {
  const root = join(application.path, 'node_modules/plinth')
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
  assert.ok(files.includes(join('dist', 'engine', 'index.d.ts')))
  assert.equal(
    files.filter((name) => /(^|\/)test\/|(?<!\.d)\.ts$/.test(name)),
    [],
  )
})

pack('gives the command plinth', () => {
  const { bin } = JSON.parse(readFileSync('package.json', 'utf8')) as { bin: Record<string, string> }
  assert.match(readFileSync(bin.plinth ?? '', 'utf8'), /^#!\/usr\/bin\/env node\n/)
})

pack.run()
