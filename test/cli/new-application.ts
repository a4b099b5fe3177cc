/** A new application with the example and its plugin, as `plinth init` of the packed package makes it. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { install, packed } from './install.ts'
import { bare, build, PROGRAM } from './server.ts'

/** Makes it in a folder, with its packages; gives its own folder. */
export function newApplication(parent: string, name: string): string {
  build()
  const args = [PROGRAM, 'init', name, '--with-plugin', '--plinth', packed(parent)]
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: parent, env: bare({}), encoding: 'utf8' })
  assert.is(status, 0, stderr)
  const app = join(parent, name)
  const { dependencies } = JSON.parse(readFileSync(join(app, 'package.json'), 'utf8'))
  // `npm install` would ask a registry for the dependencies of the dependency; they are linked instead.
  const others = ['typescript', '@types/node', '@types/react', 'csstype']
  install(app, join(app, dependencies.plinth.replace('file:', '')), others)
  return app
}
