/** Names that others chose, as commands print them: of files, of words, of tables. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { adopted } from '../../engine/cli/init/from.ts'
import { nextStepsFrom } from '../../engine/cli/init/next-steps.ts'
import { appOf } from '../../engine/cli/init/template.ts'
import { testDatabase } from '../support/database.ts'
import { folder, NOTES, plinth } from './world.ts'

const test = suite('hostile names')

const HOSTILE = 'a\u001b[2J\u001b[1;31m\u009b\u202eb\rc\u0007'
const OBEYED = /[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/u

test('check and doctor show no control of a file, a key or a value', async () => {
  const place = folder({
    ...NOTES,
    [`resources/${HOSTILE}.yaml`]: `resource: ${JSON.stringify(HOSTILE)}\n${JSON.stringify(HOSTILE)}: 1\n`,
  })
  const env = { RESOURCES_DIR: `${place.path}/resources`, DATA_DIR: `${place.path}/data` }
  for (const command of ['check', 'doctor']) {
    const { code, said, complained } = await plinth([command], env)
    assert.is(code, 1)
    assert.match(complained, 'a·[2J·[1;31m')
    assert.not.match(said + complained, OBEYED)
  }
  place.remove()
})

test('a word that is no command is shown without its controls', async () => {
  const { complained } = await plinth([HOSTILE])
  assert.match(complained, 'a·[2J')
  assert.not.match(complained, /[^\P{Cc}\n\t]/u)
})

test('init --from tells of tables and columns in one line each', async () => {
  const { database, close } = await testDatabase()
  try {
    const table = `${HOSTILE}\nof two lines`
    await database.knex.raw(`create table things (id integer primary key, "${table}" bytea);
      create table "${table}" (a integer, b integer, primary key (a, b));
      create view "seen ${table}" as select 1 as one`)
    const found = await adopted(database, await appOf('from', { title: 'Shop' }))
    const told = nextStepsFrom('', 'shop', found, undefined)
    assert.match(told, 'a·[2J·[1;31m··bc··of two lines')
    assert.not.match(told, OBEYED)
    assert.not.match(told, /^of two lines/m)
  } finally {
    await close()
  }
})

test.run()
