/** The command doctor: its lines, its JSON and its exit code. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Folder, folder, NOTES, plinth, type Ran } from './world.ts'

const doctor = suite('plinth doctor')
let place: Folder

function run(env: Readonly<Record<string, string>>, ...args: string[]): Promise<Ran> {
  return plinth(args, { RESOURCES_DIR: join(place.path, 'resources'), DATA_DIR: join(place.path, 'data'), ...env })
}

doctor.before(() => {
  place = folder(NOTES)
})
doctor.after(() => place?.remove())

doctor('without a database there is a problem, and nothing is made', async () => {
  const { code, said } = await run({}, 'doctor')
  assert.is(code, 1)
  assert.match(
    said,
    /^problem {2}database +there is no database in .*data yet: start the server, or correct DATABASE_URL or DATA_DIR$/m,
  )
  assert.match(said, /\n1 problem and \d warnings?\.$/)
})

doctor('where nothing is wrong the code is 0, also as JSON', async () => {
  mkdirSync(join(place.path, 'data'), { mode: 0o700 })
  const hash = /^Plan (\w+)/.exec((await run({}, 'plan')).said)?.[1] ?? ''
  assert.is((await run({}, 'apply', hash)).code, 0)
  const { code, said } = await run({}, 'doctor')
  assert.is(code, 0, said)
  assert.match(said, /^ok {7}tables +the tables are what the YAML describes$/m)
  const json = JSON.parse((await run({}, 'doctor', '--json')).said) as { problems: number; checks: { check: string }[] }
  assert.is(json.problems, 0)
  assert.ok(json.checks.some(({ check }) => check === 'queries'))
})

doctor('a warning is none of the problems', async () => {
  const { code, said } = await run({ NODE_ENV: 'production', BASE_URL: 'http://notes.example' }, 'doctor')
  assert.is(code, 0, said)
  assert.match(said, /^warning {2}proxy +BASE_URL is http/m)
})

doctor.run()
