/** An application in a folder of its own needs only the package, its resources and its plugins. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { bare, build, startServer } from './server.ts'
import { type Folder, folder, NOTES } from './world.ts'

const pack = suite('the package')

const GREETER = `import { definePlugin } from 'plinth'
export default definePlugin({
  name: 'greeter',
  description: 'Greets.',
  routes: [{
    method: 'GET', path: '/greeting', summary: 'Greet', access: 'public',
    handle: async () => ({ data: { words: 'good day' } }),
  }],
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

pack('runs an application that brings only resources and a plugin', async () => {
  const program = join(application.path, 'node_modules/plinth/dist/engine/cli/main.js')
  const server = await startServer(program, application.path, bare({ DATA_DIR: join(application.path, 'data') }))
  assert.is((await fetch(`${server.url}/api/notes`)).status, 200)
  const greeting = (await (await fetch(`${server.url}/api/greeting`)).json()) as { data: { words: string } }
  assert.is(greeting.data.words, 'good day')
  assert.is((await server.stop('SIGTERM')).code, 0)
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
