/** A dump of an application that serves tables which were there before it, and its way into another database. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { notThere } from '../../engine/cli/dump-told.ts'
import { bootOf } from '../../engine/cli/init/trial.ts'
import type { Database } from '../../engine/database/database.ts'
import { throwawayDatabase } from '../../engine/database/throwaway.ts'
import { dump } from '../../engine/dump/dump.ts'
import { load } from '../../engine/dump/load.ts'
import { readSettings } from '../../engine/settings.ts'
import { type FromWorld, fingerprint, openFrom } from '../cli/from/world.ts'
import { application } from '../support/application.ts'
import { SILENT, testDatabase } from '../support/database.ts'

const dumping = suite('dump and load of tables that were there')
const folder = mkdtempSync(join(tmpdir(), 'plinth-dump-'))
dumping.after(() => rmSync(folder, { recursive: true, force: true }))

const { value: settings } = readSettings({
  PORT: '0',
  DATA_DIR: folder,
  APP_SECRET: 'q8Zr-Kp2vXw_71bNsT4yLm0cGd9uHf3eJa6i',
})
assert.ok(settings)

async function dumped(world: FromWorld, name: string) {
  const { catalog, composition } = await bootOf(world.found.files)
  const file = join(folder, name)
  const done = await dump(
    { catalog, database: world.database, settings: settings!, files: composition.files, now: new Date() },
    file,
  )
  return { file, done }
}

async function loaded(world: FromWorld, database: Database, file: string) {
  const { catalog, composition } = await bootOf(world.found.files)
  const how = { asDumped: false, otherSecret: false }
  return load({ catalog, database, settings: settings!, files: composition.files, ...how }, file)
}

/** What is known of everything that people made, but for the words in which PostgreSQL prints an expression again. */
async function made(database: Database): Promise<readonly string[]> {
  const text = `
    select 'column ' || c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod) || a.attnotnull::text || a.attidentity::text || a.attgenerated::text
      from pg_attribute a join pg_class c on c.oid = a.attrelid where c.relkind in ('r', 'p', 'v', 'm') and a.attnum > 0 and not a.attisdropped and NOT_OURS
    union all select 'default ' || c.relname || '.' || a.attname from pg_attrdef d join pg_class c on c.oid = d.adrelid
      join pg_attribute a on a.attrelid = c.oid and a.attnum = d.adnum where NOT_OURS
    union all select 'constraint ' || c.relname || '.' || k.conname || k.contype::text || k.convalidated::text from pg_constraint k join pg_class c on c.oid = k.conrelid where k.contype <> 'n' and NOT_OURS
    union all select 'index ' || c.relname || ' on ' || t.relname from pg_index i join pg_class c on c.oid = i.indexrelid join pg_class t on t.oid = i.indrelid where NOT_OURS and t.relname !~ '^plinth_'
    union all select 'trigger ' || c.relname || '.' || g.tgname || g.tgenabled::text from pg_trigger g join pg_class c on c.oid = g.tgrelid where not g.tgisinternal and NOT_OURS
    union all select 'function ' || p.oid::regprocedure::text || p.prokind::text from pg_proc p where p.pronamespace = 'public'::regnamespace
      and not exists (select 1 from pg_depend e where e.objid = p.oid and e.deptype = 'e')
    union all select 'type ' || format_type(t.oid, null) || t.typtype::text from pg_type t where t.typnamespace = 'public'::regnamespace and t.typtype in ('e', 'd', 'r')
      and not exists (select 1 from pg_depend e where e.objid = t.oid and e.deptype = 'e')
    union all select 'sequence ' || sequencename || ' ' || start_value || ' ' || coalesce(last_value::text, 'new') from pg_sequences where schemaname = 'public' and sequencename !~ '^plinth_'
    union all select 'options ' || c.relname || c.reloptions::text from pg_class c where c.relkind in ('v', 'm') and c.reloptions is not null and NOT_OURS
    union all select 'comment on ' || o.type || ' ' || o.identity || ': ' || d.description from pg_description d, pg_identify_object(d.classoid, d.objoid, d.objsubid) o
      where o.identity ~ '\\mpublic\\.' and d.description <> 'plinth' and o.identity !~ 'plinth_'
        and not exists (select 1 from pg_depend e where e.classid = d.classoid and e.objid = d.objoid and e.deptype = 'e')
    order by 1`
  const ours = `c.relnamespace = 'public'::regnamespace and c.relname !~ '^plinth_'`
  return (await database.adhoc.run({ text: text.replaceAll('NOT_OURS', ours) }, [])).map(([line]) => line ?? '')
}

async function rowsOf(database: Database): Promise<ReadonlyMap<string, string>> {
  return new Map([...(await fingerprint(database))].filter(([name]) => name.startsWith('rows of ')))
}

for (const name of ['pagila', 'chinook', 'northwind', 'odd', 'woven']) {
  dumping(`${name}: what is loaded is what was there, and is served`, async () => {
    const world = await openFrom(`${name}.sql`)
    const target = await testDatabase()
    try {
      await world.app.engine.close()
      const { file, done } = await dumped(world, name)
      assert.equal(done.left, [])
      const { tables, rows, objects } = await loaded(world, target.database, file)
      assert.equal([tables, rows, objects], [done.tables, done.rows, done.objects])
      const left = done.objects.flatMap((line) => {
        const [, view, key, table] = /^(?:view (\w+)|constraint (\w+) on table (\w+))/.exec(line) ?? []
        return view === undefined ? [`constraint ${table}.${key}f`] : [`column ${view}.`]
      })
      const isCarried = (line: string) => !left.some((start) => line.startsWith(start))
      const was = (await made(world.database)).filter(isCarried)
      assert.equal(await made(target.database), was)
      assert.equal(await rowsOf(target.database), await rowsOf(world.database))
      const env = { APP_SECRET: settings!.appSecrets[0] ?? '' }
      const app = await application({
        resources: Object.fromEntries(world.found.files),
        database: target.database,
        env,
      })
      const admin = { email: 'admin@example.com', password: 'a long enough secret' }
      const { body } = await app.call('POST', '/api/v1/auth/login', { body: admin })
      for (const [table, resource] of world.found.served) {
        const path = `/api/v1/${resource.replaceAll('_', '-')}`
        const list = await app.call('GET', `${path}?per_page=50`, { token: body.data.token })
        assert.is(list.status, 200, list.text)
        assert.is(list.list.length, await world.count(table), table)
      }
      await app.close()
    } finally {
      await target.close()
      await world.close()
    }
  })
}

dumping('what no statement makes is told, and what stands on it', async () => {
  const world = await openFrom('woven.sql')
  try {
    const { done } = await dumped(world, 'told')
    assert.equal(done.objects, [
      'view odd_one, which needs operator ===(text,text)',
      'view odder_one, which needs view odd_one',
      'operator ===(text,text)',
      'policy all_of_them on table parts',
      'rule quiet on table rare_parts',
      'row security of table parts',
    ])
    assert.match(
      notThere(done.objects),
      'Not in the dump, and made by hand where it is loaded:\n  view odd_one, which needs operator ===(text,text)\n',
    )
    const lines = world.found.remarks.filter((line) => line.startsWith('test/schema.sql'))
    assert.equal(
      lines,
      done.objects.map((one) => `test/schema.sql is without ${one}`),
    )
  } finally {
    await world.close()
  }
})

dumping('what is loaded goes on counting, and does by itself what it did', async () => {
  const world = await openFrom('woven.sql')
  const target = await throwawayDatabase(undefined, { log: SILENT })
  try {
    const { file } = await dumped(world, 'counting')
    await loaded(world, target.database, file)
    const one = async (text: string) => (await target.database.adhoc.run({ text }, []))[0]
    assert.equal(await one(`insert into makers (name) values (' New ') returning id, code, name`), ['3', 'NONE', 'New'])
    assert.equal(await one('insert into parts (maker_id) values (3) returning id, mark, twice, shade'), [
      '3',
      'M103',
      '6',
      `it's`,
    ])
    assert.equal(await one('select id, amount from the_best'), ['1', '40.00'])
    assert.equal(await one('select (select count(*) from only parts), (select count(*) from parts)'), ['3', '4'])
    const wrong = await target.database.knex
      .raw(`insert into makers (code, name) values ('toolong', 'x')`)
      .catch((error: Error) => error.message)
    assert.match(String(wrong), 'upper_case')
  } finally {
    await target.close()
    await world.close()
  }
})

dumping('a table that is there already is in the way, and nothing is loaded', async () => {
  const world = await openFrom('chinook.sql')
  const target = await testDatabase()
  try {
    const { file } = await dumped(world, 'twice')
    await target.database.knex.raw('create table "Artist" (id integer)')
    const refused = await loaded(world, target.database, file).catch((error: Error) => error.message)
    assert.match(String(refused), `There is a table Artist that is nobody's: give the dump a database of its own.`)
  } finally {
    await target.close()
    await world.close()
  }
})

dumping.run()
