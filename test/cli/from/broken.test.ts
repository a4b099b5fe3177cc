/** `plinth init --from` where it cannot be done: a sentence that says why and what to do, and nothing is written. */
import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { adopted } from '../../../engine/cli/init/from.ts'
import { appOf } from '../../../engine/cli/init/template.ts'
import type { Database } from '../../../engine/database/database.ts'
import { SILENT, type TestDatabase, testDatabase } from '../../support/database.ts'
import { type Folder, folder, plinth, type Ran } from '../world.ts'

const test = suite('init --from what is broken')
const onServer = process.env.TEST_DATABASE_URL ? test : test.skip

let place: Folder
let one: TestDatabase
test.before.each(async () => {
  place = folder({})
  one = await testDatabase(SILENT)
})
test.after.each(async () => {
  await one.close()
  place.remove()
})

const init = (address: string): Promise<Ran> => plinth(['init', join(place.path, 'shop'), '--from', address])

/** What is said of a database; nothing is written where it is refused. */
async function saidOf(database: Database): Promise<string> {
  try {
    await adopted(database, await appOf('from', { title: 'Shop' }))
    return ''
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

function nothingWritten({ code }: Ran): void {
  assert.is(code, 1)
  assert.equal(readdirSync(place.path), [])
}

test('an address that is none is told without being repeated', async () => {
  for (const address of ['shop', 'mysql://me:geheim@127.0.0.1/shop', 'postgres://me:geheim@[::/shop', '']) {
    const ran = await init(address)
    nothingWritten(ran)
    assert.match(
      ran.complained,
      '--from takes the address of a PostgreSQL database, such as postgres://user:password@host',
    )
    assert.not.match(ran.complained, 'geheim')
  }
})

test('a password with signs that divide addresses is not shown as host and path, and it is said how to write it', async () => {
  for (const address of [
    'postgres://me:p@geheim/w:rd@127.0.0.1:5432/shop',
    'postgres://me:12#geheim@127.0.0.1/shop',
    'postgres://me:12?geheim@127.0.0.1/shop',
  ]) {
    const ran = await init(address)
    nothingWritten(ran)
    assert.match(ran.complained, 'written as %40, %2F, %3F and %23')
    assert.not.match(ran.complained, 'geheim')
  }
})

test('a schema that is named as others name it would not be looked at', async () => {
  const ran = await init('postgres://me@127.0.0.1:1/shop?schema=sales')
  nothingWritten(ran)
  assert.match(ran.complained, 'write ?options=-csearch_path%3Dsales at its end')
})

onServer('an extension without which the embedded database cannot test is told', async () => {
  await one.database.knex.raw('create extension citext; create table people (id serial primary key, email citext)')
  const { remarks } = await adopted(one.database, await appOf('from', { title: 'Shop' }))
  assert.is(
    remarks.at(-1),
    'test/schema.sql needs the extension citext, which the embedded database does not have: run the tests on a server, by TEST_DATABASE_URL=postgres://… npm test',
  )
})

test('a server that does not answer', async () => {
  const ran = await init('postgres://me:geheim@127.0.0.1:1/shop')
  nothingWritten(ran)
  assert.match(
    ran.complained,
    /^The database at 127\.0\.0\.1:1\/shop cannot be opened: .*ECONNREFUSED.*Nothing was written\.$/,
  )
  assert.not.match(ran.complained, 'geheim')
})

test('a folder that is taken is told before anybody is asked', async () => {
  place.write('shop/notes.txt', 'mine')
  const ran = await init('postgres://127.0.0.1:1/shop')
  assert.match(ran.complained, /shop is not empty \(notes\.txt\)/)
  assert.equal(readdirSync(join(place.path, 'shop')), ['notes.txt'])
})

test('a database without tables, and one whose tables stand elsewhere', async () => {
  assert.match(
    await saidOf(one.database),
    /^The database \S+ has no tables in the schema public\. Nothing was written\.$/,
  )
  await one.database.knex.raw('create schema sales; create table sales.orders (id serial primary key)')
  assert.match(
    await saidOf(one.database),
    'Other schemas have some: sales (1). The end of the address names one: ?options=-csearch_path%3Dsales',
  )
})

test('tables of which none can be served', async () => {
  await one.database.knex.raw('create table log (line text); create view lines as select line from log')
  assert.is(
    await saidOf(one.database),
    'None of the tables can be served. Nothing was written.\n  lines is a view, without a key: left out\n  log has no primary key: left out',
  )
})

/** A role of its own with a password, and the address by which it comes. */
async function asRole(rights: string, work: (address: string, role: string) => Promise<void>): Promise<void> {
  const role = `plinth_from_${randomBytes(4).toString('hex')}`
  const { knex } = one.database
  await knex.raw(`create role ${role} login password 'geheim'; ${rights.replaceAll('ROLE', role)}`)
  try {
    const url = new URL(one.url!)
    url.username = role
    url.password = 'geheim'
    await work(url.href, role)
  } finally {
    await knex.raw(`drop owned by ${role}; drop role ${role}`)
  }
}

onServer('a database that is not there, and a user that is not let in', async () => {
  const gone = new URL(one.url!)
  gone.pathname = '/plinth_no_such_database'
  const ran = await init(gone.href)
  nothingWritten(ran)
  assert.match(
    ran.complained,
    /cannot be opened: database "plinth_no_such_database" does not exist\. Nothing was written\./,
  )
  await asRole('', async (address, role) => {
    const { knex } = one.database
    await knex.raw(`revoke connect on database ${new URL(address).pathname.slice(1)} from public`)
    const refused = await init(address)
    nothingWritten(refused)
    assert.match(refused.complained, 'cannot be opened: permission denied for database')
    assert.not.match(refused.complained, 'geheim')
    assert.not.match(refused.complained, role)
  })
})

onServer('the end of the address names the schema', async () => {
  await one.database.knex.raw('create schema sales; create table sales.orders (id serial primary key)')
  const ran = await init(`${one.url}?options=-csearch_path%3Dsales`)
  assert.is(ran.code, 0, ran.complained)
  assert.match(ran.said, 'It serves 1 table of PostgreSQL')
  assert.match(readFileSync(join(place.path, 'shop/.env.example'), 'utf8'), '?options=-csearch_path%3Dsales\n')
})

onServer('a user without rights, and one who may read and make no tables', async () => {
  await one.database.knex.raw(
    'create table things (id serial primary key, name text); create table secrets (id serial primary key)',
  )
  await asRole('grant usage on schema public to ROLE', async (address, role) => {
    const ran = await init(address)
    nothingWritten(ran)
    assert.match(ran.complained, `The user ${role} may read none of the 2 tables in the schema public`)
  })
  await asRole('grant select on things to ROLE; revoke create on schema public from public', async (address, role) => {
    const ran = await init(address)
    nothingWritten(ran)
    assert.match(ran.complained, `grant create on schema public to ${role}.`)
  })
})

onServer('a user who may only read some tables gets an application that reads those', async () => {
  await one.database.knex.raw(
    'create table things (id serial primary key, name text); create table secrets (id serial primary key)',
  )
  await asRole(
    'grant select on things to ROLE; grant create, usage on schema public to ROLE',
    async (address, role) => {
      const ran = await init(address)
      assert.is(ran.code, 0, ran.complained)
      assert.match(ran.said, `secrets may not be read by the user ${role}: left out`)
      assert.match(ran.said, 'things allows this user no insert, update, delete: these actions are left out')
      assert.match(readFileSync(join(place.path, 'shop/resources/things.yaml'), 'utf8'), 'actions: [list, get]\n')
      assert.not.ok(existsSync(join(place.path, 'shop/resources/secrets.yaml')))
      for (const name of ['.env.example', 'README.md', 'resources/app.yaml'])
        assert.not.match(readFileSync(join(place.path, 'shop', name), 'utf8'), 'geheim')
    },
  )
})

test.run()
