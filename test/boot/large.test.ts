/** The work of a start, counted: nothing is done twice, and nothing grows faster than the application. */
import fs, { promises, readFileSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readCatalog } from '../../engine/boot/boot.ts'
import type { Database, Runner } from '../../engine/database/database.ts'
import { createEngine } from '../../engine/engine.ts'
import { tables } from '../../engine/migration/catalog-tables.ts'
import { onFutureTables } from '../../engine/migration/future-rows.ts'
import { planFor, requireCurrent } from '../../engine/migration/migrate.ts'
import { loadPlugins } from '../../engine/plugin/load.ts'
import { rehearse } from '../../engine/run/rehearse.ts'
import { violations } from '../../engine/run/rule-violations.ts'
import { readSettings } from '../../engine/settings.ts'
import { folder, NOTES, plinth } from '../cli/world.ts'
import { SILENT, testDatabase } from '../support/database.ts'
import { writeLargeApplication } from '../support/large.ts'

const test = suite('a large application')

/** How often the files of plugins are looked at while `work` runs. */
async function looks(work: () => Promise<unknown>): Promise<number> {
  const { statSync } = fs
  let count = 0
  const counting = (...given: Parameters<typeof statSync>): ReturnType<typeof statSync> => {
    count += 1
    return statSync(...given)
  }
  Object.assign(fs, { statSync: counting })
  syncBuiltinESMExports()
  try {
    await work()
    return count
  } finally {
    Object.assign(fs, { statSync })
    syncBuiltinESMExports()
  }
}

test('the folders of plugins are looked through once, however many plugins are named', async () => {
  const pluginsDir = join(import.meta.dirname, 'nowhere')
  const shipped = ['timestamps', 'soft_delete', 'mail', 'jobs', 'reference', 'csv', 'activity', 'media', 'auth']
  const one = await looks(() => loadPlugins(shipped.slice(0, 1), { pluginsDir }))
  const all = await looks(() => loadPlugins(shipped, { pluginsDir }))
  assert.ok(one > 0)
  assert.is(all, one)
})

/** The files that are read while `work` runs, each time that they are. */
async function readFiles(work: () => Promise<unknown>): Promise<readonly string[]> {
  const { readFile } = promises
  const read: string[] = []
  const telling = (...given: Parameters<typeof readFile>): ReturnType<typeof readFile> => {
    read.push(String(given[0]))
    return readFile(...given)
  }
  Object.assign(promises, { readFile: telling })
  syncBuiltinESMExports()
  try {
    await work()
    return read
  } finally {
    Object.assign(promises, { readFile })
    syncBuiltinESMExports()
  }
}

test('an instance that rolls its files out reads each of them once', async () => {
  const { folder: resourcesDir, remove } = await writeLargeApplication(3, 12)
  const settings = readSettings({ RESOURCES_DIR: resourcesDir, DATA_DIR: join(resourcesDir, 'data'), PORT: '0' })
  const { database, close } = await testDatabase()
  const made = await createEngine({ settings: settings.value!, log: SILENT, database })
  await made.value!.listen()
  const path = join(resourcesDir, 'resource_002s.yaml')
  const read = await readFiles(async () => {
    writeFileSync(path, readFileSync(path, 'utf8').replace('filters: [', 'filters: [price, '))
    const { value, diagnostics } = await made.value!.rollOut()
    assert.equal(diagnostics, [])
    assert.is(value?.length, 1)
  })
  assert.ok(made.value!.app.catalog.resources.get('resource_002s')?.filters.has('price'))
  const own = read.filter((file) => file.startsWith(resourcesDir) && file.endsWith('.yaml')).toSorted()
  assert.is(own.length, 4)
  assert.equal([...new Set(own)], own)
  await made.value!.close()
  await close()
  await remove()
})

const COUNTER = `let asked = 0
export default {
  name: 'counter',
  description: 'Counts how often it is asked for routes.',
  resourceRoutes: () => { asked += 1; globalThis.plinthCounted = asked; return [] },
  commands: { counted: { summary: 'how often', run: async () => 0 } },
}
`

test('a command of a plugin reads the application and makes its routes once', async () => {
  const application = folder({
    ...NOTES,
    'resources/app.yaml': 'name: Notes\nprefix: /api\nplugins: { timestamps: {}, counter: {} }\n',
    'plugins/counter/index.js': COUNTER,
    'package.json': '{ "type": "module" }',
  })
  const { url, close } = await testDatabase()
  const env = { RESOURCES_DIR: `${application.path}/resources`, PLUGINS_DIR: `${application.path}/plugins` }
  const ran = await plinth(['counted'], { ...env, DATA_DIR: `${application.path}/data`, DATABASE_URL: url })
  await close()
  application.remove()
  assert.is(ran.code, 0, ran.complained)
  assert.is(Reflect.get(globalThis, 'plinthCounted'), 1)
})

/** The texts of the statements that a database runs. */
function heard(database: Database): { readonly database: Database; readonly texts: string[] } {
  const texts: string[] = []
  const hear = (runner: Runner): Runner => ({
    run: (statement, values) => {
      texts.push(statement.text)
      return runner.run(statement, values)
    },
  })
  return {
    texts,
    database: {
      ...database,
      compiled: hear(database.compiled),
      adhoc: hear(database.adhoc),
      session: (work) => database.session((runner) => work(hear(runner))),
    },
  }
}

test('a start on existing tables, a reload and a plan ask the database no more when there are more resources', async () => {
  const asked: Record<string, number>[] = []
  for (const resources of [5, 50]) {
    const { folder: resourcesDir, remove } = await writeLargeApplication(resources, 12)
    const settings = readSettings({ RESOURCES_DIR: resourcesDir, DATA_DIR: join(resourcesDir, 'data'), PORT: '0' })
    assert.ok(settings.value)
    const { database, close } = await testDatabase()
    await (await createEngine({ settings: settings.value, log: SILENT, database })).value?.close()
    const starting = heard(database)
    const made = await createEngine({ settings: settings.value, log: SILENT, database: starting.database })
    assert.ok(made.value)
    const start = starting.texts.length
    const path = join(resourcesDir, 'resource_002s.yaml')
    writeFileSync(path, readFileSync(path, 'utf8').replace('filters: [', 'filters: [price, '))
    assert.equal(await made.value.reload(), [])
    const reload = starting.texts.length - start
    await made.value.close()
    const planning = heard(database)
    const { value } = await readCatalog({ resourcesDir, pluginsDir: 'plugins' })
    const { catalog } = value!
    const now = new Date()
    const planned = await planFor(catalog, planning.database, now, (runner, fresh, tried) =>
      rehearse(catalog, runner, fresh, tried),
    )
    await onFutureTables(catalog, planning.database, planned.value, (runner) => violations(catalog, runner, now))
    assert.equal(planned.value.steps, [])
    asked.push({ start, reload, plan: planning.texts.length })
    await close()
    await remove()
  }
  const [few, many] = asked
  assert.ok(Object.values(few!).every((count) => count > 0))
  assert.equal(many, few)
})

test('a saved file that changes no table has the database neither read nor altered, and its seeds and its SQL are looked at', async () => {
  const { folder: resourcesDir, remove } = await writeLargeApplication(3, 12)
  const settings = readSettings({ RESOURCES_DIR: resourcesDir, DATA_DIR: join(resourcesDir, 'data'), PORT: '0' })
  const { database, close } = await testDatabase()
  const listening = heard(database)
  const made = await createEngine({ settings: settings.value!, log: SILENT, database: listening.database })
  assert.ok(made.value)
  const path = join(resourcesDir, 'resource_002s.yaml')
  const save = async (change: (text: string) => string) => {
    writeFileSync(path, change(readFileSync(path, 'utf8')))
    listening.texts.length = 0
    const diagnostics = await made.value!.reload()
    return {
      codes: diagnostics.map(({ code }) => code),
      isRead: listening.texts.some((text) => /pg_attribute/.test(text)),
    }
  }
  const count = async (): Promise<number> =>
    Number((await database.adhoc.run({ text: 'select count(*) from resource_002s' }, []))[0]?.[0])
  assert.equal(await save((text) => `${text}# The first save finds nothing to do.\n`), { codes: [], isRead: true })
  assert.equal(await save((text) => `${text}label: Thing\n`), { codes: [], isRead: false })
  assert.is(made.value.app.catalog.resources.get('resource_002s')?.label, 'Thing')
  assert.equal(await save((text) => `${text}seeds: { key: name, rows: [{ name: First }] }\n`), {
    codes: [],
    isRead: false,
  })
  assert.is(await count(), 1)
  const computed = (sql: string) => (text: string) =>
    text.replace('relations:', `  twice: { type: integer, computed: "${sql}" }\nrelations:`)
  assert.equal(await save(computed('t.amount * nothing')), { codes: ['wrong_sql'], isRead: false })
  assert.equal(await save((text) => text.replace('nothing', '2')), { codes: [], isRead: false })
  assert.equal(await save((text) => text.replace('filters: [', 'filters: [price, ')), { codes: [], isRead: true })
  assert.equal(await save((text) => text.replace('label: Thing', 'label: Other')), { codes: [], isRead: false })
  await database.knex.raw(
    "insert into plinth_migration (hash, steps, owned, catalog, words, names) select 'another', '[]', owned, catalog, words, names from plinth_migration order by id desc limit 1",
  )
  assert.equal(await save((text) => text.replace('label: Other', 'label: Third')), { codes: [], isRead: true })
  await made.value.close()
  await close()
  await remove()
})

test('a command that leaves the tables alone counts no rows to find out whether they fit', async () => {
  const { folder: resourcesDir, remove } = await writeLargeApplication(3, 12)
  const settings = readSettings({ RESOURCES_DIR: resourcesDir, DATA_DIR: join(resourcesDir, 'data'), PORT: '0' })
  const { database, close } = await testDatabase()
  const made = await createEngine({ settings: settings.value!, log: SILENT, database })
  await made.value?.close()
  const { value } = await readCatalog({ resourcesDir, pluginsDir: 'plugins' })
  const [table] = tables(value!.catalog).filter(({ name }) => name === 'resource_002s')
  await database.knex.raw(`alter table ${table!.name} add column gone text`)
  await database.knex.raw(
    `update plinth_migration set owned = jsonb_set(owned, '{resource_002s}', owned->'resource_002s' || '["gone"]')`,
  )
  const listening = heard(database)
  await requireCurrent(value!.catalog, listening.database, new Date())
  const counts = listening.texts.filter((text) => /select count\(/.test(text))
  await database.knex.raw(`alter table ${table!.name} drop column code`)
  let said = ''
  await requireCurrent(value!.catalog, database, new Date()).catch((error: Error) => {
    said = error.message
  })
  await close()
  await remove()
  assert.equal(counts, [])
  assert.match(said, /\d changes? waits?/)
})

test.run()
