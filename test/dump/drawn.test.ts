/** Drawn tables from before the application: PostgreSQL describes the loaded ones like the dumped ones. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { suite } from 'uvu'
import { bootOf } from '../../engine/cli/init/from.ts'
import type { Database } from '../../engine/database/database.ts'
import { dump } from '../../engine/dump/dump.ts'
import { load } from '../../engine/dump/load.ts'
import { readSettings } from '../../engine/settings.ts'
import { application } from '../support/application.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'
import { catalogOf, drawnTables, sqlOf } from './drawn.ts'

const drawing = suite('dump and load of drawn tables')
const folder = mkdtempSync(join(tmpdir(), 'plinth-drawn-'))
drawing.after(() => rmSync(folder, { recursive: true, force: true }))

const { value: settings } = readSettings({
  PORT: '0',
  DATA_DIR: folder,
  APP_SECRET: 'q8Zr-Kp2vXw_71bNsT4yLm0cGd9uHf3eJa6i',
})
const RESOURCES = {
  'app.yaml': 'name: Things\n',
  'things.yaml': `resource: things
existing: true
id: { column: id, chosen: true }
fields:
  name: { type: text }
policies:
  view: [{ who: anyone }]
  create: []
  update: []
  delete: []
`,
}
const THINGS = 'create table things (id integer primary key, name text)'
let count = 0

/** Dumps a database that the application has begun, and gives what was told before and the way into another one. */
async function dumpedOf(database: Database) {
  const app = await application({ resources: RESOURCES, database, env: { APP_SECRET: settings!.appSecrets[0]! } })
  await app.engine.close()
  const { catalog, composition } = await bootOf(new Map(Object.entries(RESOURCES)))
  const file = join(folder, `dump ${count++}`)
  const shared = { catalog, settings: settings!, files: composition.files }
  const done = await dump({ ...shared, database, now: new Date() }, file)
  const into = (target: Database) => load({ ...shared, database: target, asDumped: false, otherSecret: false }, file)
  return { done, into }
}

/** To make a database takes longer than all else. */
const empty = ({ database }: TestDatabase) =>
  database.knex.raw('drop schema public cascade; create schema public; create extension pg_trgm')

/** fast-check shows nothing of an assertion but its message. */
function requireSame(now: readonly string[], was: readonly string[]): void {
  const gone = was.filter((line) => !now.includes(line)).map((line) => `- ${line}`)
  const came = now.filter((line) => !was.includes(line)).map((line) => `+ ${line}`)
  if (gone.length + came.length > 0) throw new Error([...gone, ...came].join('\n'))
}

drawing('what is loaded says of itself what the dumped tables said', async () => {
  const [source, target] = [await testDatabase(), await testDatabase()]
  await fc.assert(
    fc
      .asyncProperty(drawnTables, async (drawn) => {
        const icu =
          (await source.database.adhoc.run({ text: `select 1 from pg_collation where collprovider = 'i' limit 1` }, []))
            .length > 0
        await source.database.knex.raw(`${THINGS};\n${sqlOf(drawn, icu)}`)
        const { done, into } = await dumpedOf(source.database)
        requireSame([...done.objects, ...done.asked], [])
        const was = await catalogOf(source.database)
        await into(target.database)
        requireSame(await catalogOf(target.database), was)
      })
      .beforeEach(() => Promise.all([source, target].map(empty))),
    { numRuns: Number(process.env.DRAWN_DUMPS ?? 8), endOnFailure: true, includeErrorInReport: true },
  )
  await source.close()
  await target.close()
})

drawing.run()
