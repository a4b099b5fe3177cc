/** A dump of an application with existing tables, and its way into another database. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { askedFor } from '../../engine/cli/dump.ts'
import { bootOf } from '../../engine/cli/init/from.ts'
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

const ALIKE = `create function alike(text, text) returns real as '$libdir/pg_trgm', 'similarity' language c immutable strict`

async function dumped(world: FromWorld, name: string) {
  const { catalog, composition } = await bootOf(world.found.files)
  const file = join(folder, name)
  const source = { catalog, database: world.database, settings: settings!, files: composition.files, now: new Date() }
  let told: readonly string[] = []
  const done = await dump(source, file, (left) => {
    told = askedFor(left)
    assert.not(existsSync(file))
  })
  return { file, done: { ...done, told } }
}

/** Worlds of files with their dumps, which no test changes; those that several tests load are open until the end. */
const shared = new Map<string, Promise<{ readonly world: FromWorld } & Awaited<ReturnType<typeof dumped>>>>()
const SEVERAL: ReadonlySet<string> = new Set(['chinook', 'woven'])
dumping.after(async () => {
  for (const name of SEVERAL) await shared.get(name)?.then(({ world }) => world.close())
})

function dumpOf(name: string) {
  const make = async () => {
    const world = await openFrom(`${name}.sql`)
    await world.app.engine.close()
    return { world, ...(await dumped(world, name)) }
  }
  const made = shared.get(name) ?? make()
  shared.set(name, made)
  return made
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
    const { world, file, done } = await dumpOf(name)
    const target = await testDatabase()
    try {
      assert.equal(done.left, [])
      if (name === 'woven') await target.database.knex.raw(ALIKE)
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
      if (!SEVERAL.has(name)) await world.close()
    }
  })
}

dumping(
  'what no statement makes is asked for before anything is written, and a load goes on once it is there',
  async () => {
    const { world, file, done } = await dumpOf('woven')
    const target = await testDatabase()
    try {
      assert.equal(done.objects, [])
      assert.equal(done.told, [
        'No dump can make these. Make them by hand before the load:\n  function alike(text,text)',
      ])
      const refused = await loaded(world, target.database, file).catch((error: Error) => error.message)
      assert.is(
        refused,
        'The dumped tables need what no dump can make:\n  function alike(text,text)\nMake it in this database, with what it needs itself, and load again: what is there already is taken as it is.',
      )
      const ofOthers = `create type colour as enum ('red', 'light "blue"', 'it''s', 'of my own')`
      await target.database.knex.raw(`${ALIKE}; ${ofOthers}`)
      await loaded(world, target.database, file)
      const last = await target.database.adhoc.run(
        { text: 'select max(enumlabel), (select count(*) from odder_one) from pg_enum' },
        [],
      )
      assert.equal(last, [['red', '1']])
      const [own] = await target.database.adhoc.run({ text: `select count(*) from pg_enum` }, [])
      assert.equal(own, ['4'], 'the type that was there is taken')
      assert.equal(
        world.found.remarks.filter((line) => line.startsWith('test/schema.sql is')),
        [
          'test/schema.sql is without function alike(text,text)',
          'test/schema.sql is without view odd_one, which needs function alike(text,text)',
          'test/schema.sql is without view odder_one, which needs view odd_one',
        ],
      )
    } finally {
      await target.close()
    }
  },
)

const TEMPERATURE = `create type temperature;
  create function temperature_in(cstring) returns temperature language internal immutable strict as 'int4in';
  create function temperature_out(temperature) returns cstring language internal immutable strict as 'int4out';
  create type temperature (input = temperature_in, output = temperature_out, like = integer); ${ALIKE}`

dumping(
  'a table that needs what no dump makes is loaded where that was made by hand, and nothing is in the way',
  async () => {
    const world = await openFrom(`${TEMPERATURE};
    create table readings (id int generated always as identity (start 5 increment 5) primary key, warmth temperature, word text default 'a' check (alike(word, 'a') > -1));
    insert into readings (warmth) values ('21'), (null); create type mood as enum ('good')`)
    const target = await testDatabase()
    try {
      await world.app.engine.close()
      const { file, done } = await dumped(world, 'by hand')
      assert.equal(done.asked.toSorted(), ['function alike(text,text)', 'type temperature'])
      const refused = () => loaded(world, target.database, file).catch((error: Error) => error.message)
      assert.match(String(await refused()), 'The dumped tables need what no dump can make:\n')
      await target.database.knex.raw(`${TEMPERATURE}; create table mood (id integer)`)
      assert.match(
        String(await refused()),
        /^The database refuses a statement of the dump, .*mood.*:\ncreate type mood as enum/,
      )
      await target.database.knex.raw('drop table mood')
      await loaded(world, target.database, file)
      assert.equal(await rowsOf(target.database), await rowsOf(world.database))
      const text = "insert into readings (warmth) values ('3') returning id"
      assert.equal(await target.database.adhoc.run({ text }, []), [['15']])
    } finally {
      await target.close()
      await world.close()
    }
  },
)

dumping('a dump of the version before, which asks for nothing, is loaded as ever', async () => {
  const { world, file } = await dumpOf('chinook')
  const target = await testDatabase()
  try {
    const [first = '', ...rest] = gunzipSync(readFileSync(file)).toString().split('\n')
    const head = JSON.parse(first)
    const { existing } = head.structure
    for (const part of ['before', 'after']) existing[part] = existing[part].map(({ sql }: { sql: string }) => sql)
    delete existing.asked
    delete existing.extensions
    const older = join(folder, 'older')
    writeFileSync(older, gzipSync([JSON.stringify({ ...head, version: 1 }), ...rest].join('\n')))
    await loaded(world, target.database, older)
    assert.equal(await rowsOf(target.database), await rowsOf(world.database))
  } finally {
    await target.close()
  }
})

dumping('what is loaded goes on counting, and does by itself what it did', async () => {
  const { world, file } = await dumpOf('woven')
  const target = await throwawayDatabase(undefined, { log: SILENT })
  try {
    await target.database.knex.raw(ALIKE)
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
  }
})

dumping('a table that is there already is in the way, and nothing is loaded', async () => {
  const { world, file } = await dumpOf('chinook')
  const target = await testDatabase()
  try {
    await target.database.knex.raw('create table "Artist" (id integer)')
    const refused = await loaded(world, target.database, file).catch((error: Error) => error.message)
    assert.match(String(refused), `There is a table Artist that is nobody's: give the dump a database of its own.`)
  } finally {
    await target.close()
  }
})

dumping.run()
