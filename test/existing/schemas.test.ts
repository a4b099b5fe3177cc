/** Tables in a schema other than `public`, and what they need from further ones. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { throwawayDatabase } from '../../engine/database/throwaway.ts'
import { SILENT } from '../support/database.ts'
import { filled, serve, served } from './world.ts'

const test = suite('existing tables in other schemas')

const ELSEWHERE = `create schema extensions; create extension if not exists pg_trgm; alter extension pg_trgm set schema extensions;`

const SHOP = `create schema shop; create table shop.guests (id serial primary key, name text not null);
insert into shop.guests (name) values ('Margarethe'), ('Benedikt');`

const notes = `resource: notes
timestamps: false
fields: { text: { type: string, required: true } }
search: [text]
policies: { view: [{ who: anyone }], create: [{ who: anyone }] }
`

/** A search by a part of a text, and one whose word is misspelt. */
async function searches(
  call: (
    method: string,
    path: string,
    body?: unknown,
  ) => Promise<{ status: number; text: string; list: readonly unknown[] }>,
) {
  const made = await call('POST', '/notes', { text: 'the calendar of Margarethe' })
  assert.is(made.status, 201, made.text)
  for (const term of ['calen', 'calender']) {
    const found = await call('GET', `/notes?search=${term}`)
    assert.is(found.status, 200, found.text)
    assert.is(found.list.length, 1, `${term} ${found.text}`)
  }
}

test('a start searches where pg_trgm is in a schema that the connection does not look into', async () => {
  const world = await served(`${ELSEWHERE} ${SHOP}`, { schema: 'shop', files: { 'notes.yaml': notes } })
  try {
    await searches(world.call)
    const [row] = await world.sql(
      `select count(*) from pg_indexes where schemaname = 'shop' and indexdef ~ 'extensions.gin_trgm_ops'`,
    )
    assert.not.equal(row, ['0'])
    const guests = await world.call('GET', '/guests?sort=id')
    assert.equal(
      guests.list.map(({ name }) => name),
      ['Margarethe', 'Benedikt'],
    )
  } finally {
    await world.close()
  }
})

test('two applications serve two schemas of one database', async () => {
  const { own, inSchema, close } = await filled(
    `${SHOP} ${SHOP.replaceAll('shop', 'till')} alter extension pg_trgm set schema shop`,
    'shop',
  )
  try {
    const first = await serve(own, { files: { 'notes.yaml': notes } })
    await searches(first.call)
    await first.app.close()
    const other = await inSchema('till')
    try {
      const second = await serve(other, { files: { 'notes.yaml': notes } })
      const [row] = await second.sql(`select count(*) from till.notes`)
      assert.equal(row, ['0'])
      await searches(second.call)
      await second.app.close()
    } finally {
      await other.close()
    }
  } finally {
    await own.close()
    await close()
  }
})

test('test/schema.sql makes the types and collations of other schemas that the tables need, and no others', async () => {
  const sql = `create schema kinds; create schema words;
    create collation words.plain (provider = icu, locale = 'und');
    create domain kinds.email as text collate words.plain check (value like '%@%');
    create domain kinds.address as kinds.email not null;
    create type kinds.mood as enum ('glad', 'sad');
    create type kinds.unused as enum ('a');
    create function kinds.preset() returns kinds.mood language sql immutable as $$ select 'sad'::kinds.mood $$;
    create schema shop;
    create table shop.guests (id serial primary key, mail kinds.address, name text collate words.plain, mood kinds.mood default kinds.preset());`
  const world = await served(sql, { schema: 'shop' })
  const { schema } = world.found
  try {
    assert.equal(
      world.found.remarks.filter((line) => line.includes('schema.sql')),
      [],
    )
    assert.not.match(schema, 'unused')
  } finally {
    await world.close()
  }
  const { database, close } = await throwawayDatabase(process.env.TEST_DATABASE_URL, { log: SILENT, schema })
  try {
    const rows = await database.adhoc.run({ text: `insert into guests (mail) values ('a@b') returning mood, mail` }, [])
    assert.equal(rows, [['sad', 'a@b']])
    const refused = await database.adhoc.run({ text: `insert into guests (mail) values ('ab')` }, []).then(
      () => 'taken',
      () => 'refused',
    )
    assert.is(refused, 'refused')
  } finally {
    await close()
  }
})

test.run()
