/** An application in a folder of its own needs only the package, its resources and its plugins. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { bare, build, PROGRAM, startServer } from './server.ts'
import { type Folder, folder, NOTES } from './world.ts'

const pack = suite('the package')

const GREETER = `import { ApiError, definePlugin, invalid } from 'plinth'
const refusing = (path, refusal) => ({
  method: 'GET', path, summary: 'Refuse', access: 'public',
  handle: async () => { throw refusal },
})
export default definePlugin({
  name: 'greeter',
  description: 'Greets.',
  routes: [{
    method: 'GET', path: '/greeting', summary: 'Greet', access: 'public',
    handle: async () => ({ data: { words: 'good day' } }),
  },
  refusing('/taken', new ApiError('conflict', { message: 'Somebody else has it' })),
  refusing('/wrong', invalid({ words: ['The words field is required'] })),
  ],
})
`

let application: Folder

/** What \`npm install\` of the tarball would lay out, without asking a registry: the package itself, and links to its dependencies. */
function install(into: string): void {
  const [packed] = JSON.parse(
    execFileSync('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', into], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  ) as [{ filename: string }]
  const modules = join(into, 'node_modules')
  mkdirSync(join(modules, 'plinth'), { recursive: true })
  execFileSync('tar', ['-xzf', join(into, packed.filename), '-C', join(modules, 'plinth'), '--strip-components=1'])
  rmSync(join(into, packed.filename))
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as { dependencies: Record<string, string> }
  for (const name of Object.keys(dependencies)) {
    mkdirSync(resolve(modules, name, '..'), { recursive: true })
    symlinkSync(resolve('node_modules', name), join(modules, name))
  }
}

pack.before(() => {
  build()
  application = folder({
    ...NOTES,
    'package.json': '{ "name": "notes", "type": "module", "dependencies": { "plinth": "*" } }\n',
    'resources/app.yaml': 'name: Notes\nprefix: /api\nplugins: { timestamps: {}, greeter: {} }\n',
    'plugins/greeter/index.js': GREETER,
  })
  install(application.path)
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

for (const [name, program, options] of WAYS) {
  pack(`runs an application that brings only resources and a plugin, ${name}`, async () => {
    const env = bare({ DATA_DIR: join(application.path, 'data'), NODE_OPTIONS: options })
    const server = await startServer(program(), application.path, env)
    const ask = async (path: string) => {
      const answer = await fetch(`${server.url}/api${path}`)
      // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever an answer holds
      return { status: answer.status, body: (await answer.json()) as any }
    }
    assert.is((await ask('/notes')).status, 200)
    assert.is((await ask('/greeting')).body.data.words, 'good day')
    const [taken, wrong] = [await ask('/taken'), await ask('/wrong')]
    assert.equal([taken.status, taken.body.message], [409, 'Somebody else has it'])
    assert.equal([wrong.status, wrong.body.errors], [422, { words: ['The words field is required'] }])
    assert.is((await server.stop('SIGTERM')).code, 0)
  })
}

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
