/** The history of steps of a migration, including failed and interrupted ones. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { inspect } from '../../engine/migration/inspect.ts'
import { migrateTables } from '../../engine/migration/migrate.ts'
import { keptSteps } from '../../engine/migration/own/step-history.ts'
import { testDatabase } from '../support/database.ts'
import { until } from '../support/wait.ts'
import { column, LIBRARY, SHELVES } from './example.ts'
import { EDITED, type Library, migratedLibrary } from './world.ts'

const history = suite('history of migrations')
let library: Library

history.before(async () => {
  library = await migratedLibrary()
})
history.after(() => library?.close())

const steps = async () => (await keptSteps(library.database.adhoc, 1_000)) ?? []

function shelvesWith(...names: readonly string[]) {
  const columns = [...SHELVES.columns, ...names.map((name) => column(name, 'integer'))]
  return LIBRARY.map((table) => (table === SHELVES ? { ...SHELVES, columns } : table))
}

history('every step of the first start is kept, from the table that keeps them on', async () => {
  const kept = [...(await steps())].reverse()
  assert.match(kept[0]?.title ?? '', /^create table plinth_step/)
  assert.ok(kept.some(({ title }) => title.startsWith('create table books')))
  assert.ok(kept.every(({ endedAt, error, seconds }) => endedAt !== null && error === null && Number(seconds) >= 0))
  assert.ok(kept.every(({ cause, instance }) => cause === 'start' && instance.endsWith(`, process ${process.pid}`)))
})

history('a start that has nothing to do keeps nothing, and a person who applies is told from a start', async () => {
  const before = (await steps()).length
  await library.titles(LIBRARY)
  assert.is((await steps()).length, before)
  await library.apply(shelvesWith('depth'))
  const [last] = await steps()
  assert.equal([last?.title, last?.cause, last?.error], ['add column shelves.depth (integer)', 'apply', null])
})

history('a step that fails is kept with its reason, and nothing of it is done', async () => {
  await library.database.knex.raw(`create function refuse() returns event_trigger language plpgsql as
    $$ begin raise exception 'not today'; end $$; create event trigger no_alter on ddl_command_end
    when tag in ('ALTER TABLE') execute function refuse()`)
  let told = ''
  try {
    await library.migrated(shelvesWith('depth', 'height')).catch((error: Error) => {
      told = error.message
    })
  } finally {
    await library.database.knex.raw('drop event trigger no_alter; drop function refuse()')
  }
  assert.match(told, 'The step "add column shelves.height (integer)" failed: not today')
  const [last] = await steps()
  assert.equal([last?.title, last?.error], ['add column shelves.height (integer)', 'not today'])
  assert.ok(last?.endedAt)
  assert.equal(await library.titles(shelvesWith('depth', 'height')), ['add column shelves.height (integer)'])
})

history('a step whose connection is cut stays as not finished, and the next start takes it again', async () => {
  if (library.database.kind === 'embedded') return
  const { database } = library
  const wanted = shelvesWith('depth', 'height', 'width')
  const cut = await database.transaction(async (transaction) => {
    await transaction.run({ text: 'lock table shelves in access exclusive mode' }, [])
    const going = migrateTables(wanted, database, EDITED).then(
      () => 'finished',
      (error: Error) => error.message,
    )
    const ask = `select pid from pg_stat_activity where query like 'alter table "shelves" add column "width"%' and pid <> pg_backend_pid()`
    const pid = async () => (await database.adhoc.run({ text: ask }, []))[0]?.[0]
    await until(async () => (await pid()) !== undefined)
    await database.adhoc.run({ text: `select pg_terminate_backend(${await pid()})` }, [])
    return going
  })
  assert.is.not(cut, 'finished')
  const [last] = await steps()
  assert.equal([last?.title, last?.endedAt, last?.seconds], ['add column shelves.width (integer)', null, null])
  assert.equal(await library.titles(wanted), ['add column shelves.width (integer)'])
  const [again, before] = await steps()
  assert.equal([again?.title, before?.endedAt], [before?.title, null])
  assert.ok(again?.endedAt)
})

history('a database of an earlier version has none', async () => {
  const { database, close } = await testDatabase()
  try {
    assert.is(await keptSteps(database.adhoc, 10), undefined)
  } finally {
    await close()
  }
})

history('the record of an earlier version, which has fewer columns, is read as far as it goes', async () => {
  const { close, database, titles } = await migratedLibrary()
  const whole = await inspect(database.adhoc)
  assert.ok(whole.history.latest !== undefined && whole.history.known.has(whole.history.latest))
  assert.ok(whole.names !== undefined)
  await database.knex.raw('alter table plinth_migration drop column catalog, drop column words, drop column names')
  const { history: earlier, names, owned } = await inspect(database.adhoc)
  assert.equal([earlier.latest, [...earlier.known], earlier.words, names], [undefined, [], {}, undefined])
  assert.equal(owned, whole.owned)
  assert.ok((await titles(LIBRARY)).includes('add column plinth_migration.names (jsonb)'))
  assert.is((await inspect(database.adhoc)).history.latest, whole.history.latest)
  await close()
})

history.run()
