/** Tables that are there already: served as they are, compared with the YAML, and never changed. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createEngine, type Engine } from '../../engine/engine.ts'
import { readSettings } from '../../engine/settings.ts'
import { renderDiagnostics } from '../../engine/text/render.ts'
import { SILENT, testDatabase } from '../support/database.ts'

const test = suite('existing tables')

const SCHEMA = `
create table language (language_id smallint primary key, name char(20) not null);
create table film (film_id serial primary key, film_title varchar(80) not null, length smallint,
  language_id smallint not null references language on delete cascade, rating text default 'G' check (rating <> ''));
create index film_by_length on film (length);
insert into language values (1, 'English'), (2, 'Italian');
insert into film (film_title, length, language_id) values ('One', 90, 1), ('Two', null, 2)`

/** All that is known of the tables that are somebody else's. */
const DUMP = `select c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, pg_get_expr(d.adbin, d.adrelid),
    (select json_agg(pg_get_constraintdef(k.oid) order by k.conname) from pg_constraint k where k.conrelid = c.oid),
    (select json_agg(pg_get_indexdef(x.indexrelid) order by x.indexrelid) from pg_index x where x.indrelid = c.oid),
    (select json_agg(t.tgname) from pg_trigger t where t.tgrelid = c.oid and not t.tgisinternal)
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
  left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
  where c.relname in ('film', 'language') order by 1, a.attnum`

const ALL =
  'policies: { view: [{ who: anyone }], create: [{ who: anyone }], update: [{ who: anyone }], delete: [{ who: anyone }] }'
const FILMS = {
  head: 'resource: films\ntable: film\nexisting: true\nid: { type: integer, column: film_id }\n',
  fields:
    'fields:\n  title: { type: string, column: film_title, required: true, unique: true }\n  length: { type: integer }\n',
  relations: 'relations: { language: { belongs_to: languages, required: true, embed: [id, name] } }\n',
}
const LANGUAGES = `resource: languages\ntable: language\nexisting: true\nid: { column: language_id }\nactions: [list, get]\nfields: { name: { type: string } }\nrelations: { films: { has_many: films, show: single, embed: [id, title] } }\npolicies: { view: [{ who: anyone }] }`

interface World {
  readonly engine: Engine | undefined
  readonly said: string
  dump(): Promise<string>
  close(): Promise<void>
}

async function open(films: string, schema = SCHEMA): Promise<World> {
  const { database, close } = await testDatabase()
  const folder = await mkdtemp(join(tmpdir(), 'plinth-existing-'))
  await database.knex.raw(schema)
  const dump = async () => JSON.stringify(await database.adhoc.run({ text: DUMP }, []))
  for (const [name, text] of Object.entries({
    'app.yaml': 'name: Films\n',
    'films.yaml': films,
    'languages.yaml': LANGUAGES,
  }))
    await writeFile(join(folder, name), text)
  const env = { PORT: '0', RESOURCES_DIR: folder, DATA_DIR: join(folder, 'data'), RATE_LIMIT: '100000' }
  const made = await createEngine({ settings: readSettings(env).value!, log: SILENT, database })
  return {
    engine: made.value,
    said: renderDiagnostics(made.diagnostics),
    dump,
    close: async () => {
      await made.value?.close()
      await close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

test('rows are read and written, and nothing of the table is changed', async () => {
  const { database, close } = await testDatabase()
  await database.knex.raw(SCHEMA)
  const before = JSON.stringify(await database.adhoc.run({ text: DUMP }, []))
  await close()
  const world = await open(`${FILMS.head}${FILMS.fields}${FILMS.relations}search: [title]\nindexes: [[length]]\n${ALL}`)
  try {
    assert.is(world.said, '')
    assert.is(await world.dump(), before)
    const { url } = await world.engine!.listen()
    const call = async (method: string, path: string, body?: object) => {
      const init = body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
      const answer = await fetch(`${url}${path}`, { method, ...init })
      // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever an answer holds
      return { status: answer.status, ...(JSON.parse((await answer.text()) || '{}') as any) }
    }
    const list = await call('GET', '/films?sort=id')
    assert.equal(
      list.data.map(({ id, title, language }: Record<string, { id: number }>) => [id, title, language?.id]),
      [
        [1, 'One', 1],
        [2, 'Two', 2],
      ],
    )
    assert.equal((await call('GET', '/languages/2')).data.films, [{ id: 2, title: 'Two' }])
    const made = await call('POST', '/films', { title: 'Three', length: 3, language_id: 1 })
    assert.equal([made.status, made.data.id], [201, 3])
    assert.is((await call('POST', '/films', { title: 'Three', language_id: 1 })).status, 422)
    assert.is((await call('PUT', '/films/3', { length: 4, language_id: 2 })).data.length, 4)
    assert.is((await call('GET', '/films?search=thr')).data.length, 1)
    assert.is((await call('DELETE', '/films/3')).status, 204)
    assert.is(await world.dump(), before)
  } finally {
    await world.close()
  }
})

test('what a trigger refuses is a conflict, and its words are not told', async () => {
  const refuse = `create function refuse() returns trigger language plpgsql as $$ begin
      if tg_op = 'DELETE' or new.film_title = 'No' then raise exception 'Ann has it'; end if; return new; end $$;
    create trigger refuse before insert or update or delete on film for each row execute function refuse()`
  const world = await open(`${FILMS.head}${FILMS.fields}${FILMS.relations}${ALL}`, `${SCHEMA};${refuse}`)
  try {
    const { url } = await world.engine!.listen()
    for (const [method, path, body] of [
      ['POST', '/films', { title: 'No', language_id: 1 }],
      ['PATCH', '/films/1', { title: 'No' }],
      ['DELETE', '/films/1', undefined],
    ] as const) {
      const init = body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
      const answer = await fetch(`${url}${path}`, { method, ...init })
      const { code, message } = (await answer.json()) as Record<string, string>
      assert.equal([answer.status, code, message], [409, 'conflict', 'The database refuses this by a rule of its own'])
    }
  } finally {
    await world.close()
  }
})

test('each difference is told at its line, and the table is left as it is', async () => {
  const films = `${FILMS.head}fields:
  title: { type: string }
  length: { type: boolean }
  rating: { type: string, required: true }
${FILMS.relations}${ALL}`
  const world = await open(films)
  try {
    assert.is(world.engine, undefined)
    assert.equal(
      [...world.said.matchAll(/^(\S+:\d+:\d+) error unsafe_migration: ([^:]*)/gm)].map(
        ([, at, what]) => `${at?.replace(/.*\//, '')} ${what}`,
      ),
      [
        'films.yaml:6:3 there is no column film.title',
        'films.yaml:7:3 film.length is smallint, not boolean',
        'films.yaml:8:3 film.rating may be null',
      ],
    )
  } finally {
    await world.close()
  }
})

test('a table that is not there, or has another key, is told too', async () => {
  const none = await open(`resource: films\ntable: flim\nexisting: true\n${FILMS.fields}${FILMS.relations}${ALL}`)
  const other = await open(`resource: films\ntable: film\nexisting: true\n${FILMS.fields}${FILMS.relations}${ALL}`)
  try {
    assert.match(none.said, /there is no table flim[\s\S]*did you mean "film"\?/)
    assert.match(other.said, /primary key of film is \(film_id\), not \(id\)[\s\S]*name the column of the key/)
  } finally {
    await none.close()
    await other.close()
  }
})

test.run()
