/** What is built in place while a process runs that began with the build before. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'

const test = suite('build')
const folder = mkdtempSync(join(tmpdir(), 'plinth-build-'))
test.after(() => rmSync(folder, { recursive: true, force: true }))

function write(file: string, text: string): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true })
  writeFileSync(join(folder, file), text)
}

/** Builds, and gives the code that several entry points share. */
function built(): readonly string[] {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['engine/build.mjs'], {
    cwd: folder,
    encoding: 'utf8',
  })
  assert.is(status, 0, stdout + stderr)
  return readdirSync(join(folder, 'dist/engine/parts')).filter((file) => file.endsWith('.js'))
}

test('the parts of a build stay until the one after the next', () => {
  const entries = ['cli/main', 'index', 'testing/index', 'plugin/bundle', 'plugin/module-hooks', 'plugin/register']
  for (const entry of entries) {
    const way = entry.includes('/') ? '../' : './'
    write(`engine/${entry}.ts`, `import { said } from '${way}said.ts'\nconsole.log(said, '${entry}')\n`)
  }
  write('plugins/own/index.ts', `export const place = import.meta.url\n`)
  for (const file of ['tsconfig.json', '.tsconfig.build.json']) copyFileSync(file, join(folder, file))
  copyFileSync('engine/build.mjs', join(folder, 'engine/build.mjs'))
  write('package.json', '{ "type": "module" }')
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))

  const builds = ['first', 'second', 'third'].map((word) => {
    write('engine/said.ts', `export const said = '${word}'\n`)
    return built()
  })
  const [first, second, third] = builds.map((parts) => new Set(parts))
  assert.is(first?.size, 1)
  const [oldest] = first!
  assert.ok(second?.size === 2 && second.has(oldest!), 'a process of the first build may load it still')
  assert.ok(third?.size === 2 && !third.has(oldest!))
})

test('builds at the same time end well, although they remove the same files', async () => {
  write('engine/said.ts', `export const said = 'fourth'\n`)
  for (let n = 0; n < 4_000; n += 1) write(`dist/engine/gone/${n}.js`, '')
  const builds = Array.from({ length: 2 }, () => spawn(process.execPath, ['engine/build.mjs'], { cwd: folder }))
  const ends = await Promise.all(builds.map((child) => once(child, 'exit')))
  assert.equal(
    ends.map(([code]) => code),
    [0, 0],
  )
  assert.equal(readdirSync(join(folder, 'dist/engine/gone')), [])
})

test('what is built runs, and knows the place of its source', async () => {
  const ran = spawnSync(process.execPath, ['dist/engine/cli/main.js'], { cwd: folder, encoding: 'utf8' })
  assert.is(ran.stdout, 'fourth cli/main\n')
  const { place } = (await import(join(folder, 'dist/plugins/own/index.js'))) as { readonly place: string }
  assert.ok(place.endsWith('/dist/plugins/own/index.js'), place)
})

test.run()
