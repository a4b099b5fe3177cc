/** The tests of an application of a database that is there: its tables are made anew, and its scenarios hold. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Adopted, accessText, adopted } from '../../../engine/cli/init/from.ts'
import { appOf } from '../../../engine/cli/init/template.ts'
import { throwawayDatabase } from '../../../engine/database/throwaway.ts'
import { readSchema } from '../../../engine/existing/schema.ts'
import { application } from '../../../engine/testing/application.ts'
import { SILENT, testDatabase } from '../../support/database.ts'
import { type Folder, folder, plinth, type Ran } from '../world.ts'

const test = suite('init --from: tests of the application')

async function made(name: string): Promise<Adopted> {
  const { database, close } = await testDatabase()
  try {
    await database.knex.raw(readFileSync(`test/cli/from/${name}.sql`, 'utf8'))
    return await adopted(database, await appOf('from', { title: 'Shop' }))
  } finally {
    await close()
  }
}

function written(found: Adopted): Folder {
  const files = [...found.files].map(([file, text]) => [`resources/${file}`, text] as const)
  const tests = { 'test/schema.sql': found.schema, 'resources/access.test.yaml': accessText(found) }
  return folder({ ...Object.fromEntries(files), ...tests })
}

/** PostgreSQL prints a check that it read from its own print in other words. */
const comparable = (sql: string): string => sql.replaceAll(/ CHECK \(.*\);$/gm, ' CHECK;')

const run = ({ path }: Folder): Promise<Ran> =>
  plinth(['test'], { RESOURCES_DIR: join(path, 'resources'), PLUGINS_DIR: join(path, 'plugins') })

for (const name of ['pagila', 'chinook', 'northwind', 'odd', 'woven']) {
  test(`${name}: the scenarios that were written hold, on tables like those that are there`, async () => {
    const found = await made(name)
    const place = written(found)
    try {
      const ran = await run(place)
      assert.is(ran.code, 0, `${ran.said}\n${ran.complained}`)
      assert.is(ran.said.match(/administrators alone see/g)?.length, found.served.size)
    } finally {
      place.remove()
    }
    const options = { log: SILENT, schema: found.schema }
    const { database, close } = await throwawayDatabase(process.env.TEST_DATABASE_URL, options)
    try {
      const [row] = await database.adhoc.run(
        {
          text: `select array_to_json(array_agg(relname)) from pg_class
            where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')`,
        },
        [],
      )
      const again = await readSchema(database, JSON.parse(row?.[0] ?? '[]'))
      assert.is(comparable(again.sql), comparable(found.schema.replaceAll(/^--.*\n/gm, '')))
    } finally {
      await close()
    }
  })
}

test('what the database does by itself is done in tests', async () => {
  const place = written(await made('pagila'))
  const app = await application({ folder: place.path })
  try {
    const admin = await app.person('admin')
    const language = await admin.post('/language', { name: 'English' })
    assert.is(language.status, 201, language.text)
    const film = { title: 'First', language_id: 1, rating: 'PG', release_year: 2020 }
    const { status, data, text } = await admin.post('/film', film)
    assert.is(status, 201, text)
    const { id, rental_rate } = data as Record<string, unknown>
    assert.equal([id, rental_rate], [1, '4.99'])
    const before = (data as Record<string, unknown>).last_update
    const after = (await admin.patch('/film/1', { title: 'Second' })).data as Record<string, unknown>
    assert.is.not(after.last_update, before, 'by its trigger')
    const wrong = await admin.post('/film', { ...film, language_id: 9 })
    assert.equal(Object.keys(wrong.errors), ['language_id'])
  } finally {
    await app.close()
    place.remove()
  }
})

test('a file that PostgreSQL cannot carry out is named, with what it says', async () => {
  const place = written(await made('chinook'))
  place.write('test/schema.sql', 'create table "Artist" (id nonsense)')
  const ran = await run(place)
  place.remove()
  assert.is(ran.code, 1)
  assert.match(ran.complained, /test\/schema\.sql cannot make the tables of a test: type "nonsense" does not exist/)
})

test('an extension that the embedded database does not have is told with where to run the tests', async () => {
  if (process.env.TEST_DATABASE_URL) return
  const place = written(await made('chinook'))
  place.write('test/schema.sql', 'create extension if not exists citext; create table "Artist" (id citext)')
  const ran = await run(place)
  place.remove()
  assert.is(ran.code, 1)
  assert.match(
    ran.complained,
    /extension "citext" is not available\. The embedded database does not have it: .* TEST_DATABASE_URL=postgres:\/\/…/,
  )
})

test('what pg_dump writes for psql is passed over', async () => {
  const found = await made('chinook')
  const place = written(found)
  const dumped = `\\restrict abc\nselect pg_catalog.set_config('search_path', 'public', false);\n${found.schema}\n\\unrestrict abc\n`
  place.write('test/schema.sql', dumped)
  const ran = await run(place)
  place.remove()
  assert.is(ran.code, 0, `${ran.said}\n${ran.complained}`)
})

test.run()
