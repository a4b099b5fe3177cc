/** Seeds of whole applications: found by their keys, made once. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readCatalog } from '../../engine/boot/boot.ts'
import type { Catalog } from '../../engine/catalog/catalog.ts'
import { migrate, planFor } from '../../engine/migration/migrate.ts'
import { seed } from '../../engine/migration/own/seeds.ts'
import { renderDiagnostics } from '../../engine/text/render.ts'
import { SILENT, type TestDatabase, testDatabase } from '../support/database.ts'

const test = suite('seed')
const now = new Date('2026-01-31T12:00:00Z')
let db: TestDatabase

const APP = 'name: Zoo\nplugins: { timestamps: {}, soft_delete: {} }\n'
const KEEPERS = `resource: keepers
fields:
  slug: { type: slug, required: true, unique: true }
  name: { type: string, required: true }
  skills: { type: list, of: string, default: [] }
relations:
  chief: { belongs_to: keepers }
soft_delete: true
policies: { view: [{ who: anyone }] }
seeds:
  key: slug
  rows:
    - { slug: ada, name: Ada, chief: { slug: zoe }, skills: [lions] }
    - { slug: zoe, name: Zoe }
`
const ANIMALS = `resource: animals
fields:
  name: { type: string, required: true, unique: true }
  weight: { type: decimal, precision: 8, scale: 2, default: "1.50" }
  kind: { type: enum, values: [mammal, bird], default: mammal }
  seen_at: { type: timestamp, default: $now }
relations:
  keeper: { belongs_to: keepers, required: true, on_delete: restrict }
  friends: { many_to_many: animals }
search: [name]
filters: [kind, keeper_id]
policies: { view: [{ who: anyone }] }
seeds:
  key: name
  rows:
    - { name: Leo, keeper: { chief.slug: zoe } }
`

async function catalogOf(files: Readonly<Record<string, string>>): Promise<Catalog> {
  const folder = await mkdtemp(path.join(tmpdir(), 'plinth-seed-'))
  try {
    for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text)
    return await catalogIn(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function catalogIn(resourcesDir: string): Promise<Catalog> {
  const { value, diagnostics } = await readCatalog({ resourcesDir, pluginsDir: path.resolve('plugins') })
  if (value === undefined) throw new Error(renderDiagnostics(diagnostics))
  return value.catalog
}

async function migrated(catalog: Catalog): Promise<void> {
  const { diagnostics } = await migrate(catalog, db.database, { log: SILENT, now })
  assert.equal(diagnostics, [])
}

async function seeded(catalog: Catalog): Promise<number> {
  const { value, diagnostics } = await seed(catalog, db.database, now)
  assert.is(renderDiagnostics(diagnostics), '')
  return value?.created ?? -1
}

async function refused(catalog: Catalog): Promise<string> {
  const { value, diagnostics } = await seed(catalog, db.database, now)
  assert.is(value, undefined)
  return renderDiagnostics(diagnostics)
}

const ZOO = { 'app.yaml': APP, 'keepers.yaml': KEEPERS, 'animals.yaml': ANIMALS }

test.before.each(async () => {
  db = await testDatabase()
})
test.after.each(() => db.close())

test('what the YAML declares is what a second plan finds', async () => {
  const catalog = await catalogOf(ZOO)
  await migrated(catalog)
  assert.equal((await planFor(catalog, db.database, now)).value.steps, [])
})

test('the desk is migrated once and then found as it should be', async () => {
  const catalog = await catalogIn(path.resolve('resources'))
  await migrated(catalog)
  assert.equal((await planFor(catalog, db.database, now)).value.steps, [])
  assert.ok((await seeded(catalog)) > 20)
  assert.is(await seeded(catalog), 0)
})

test('a step that is not safe points at its line in the YAML', async () => {
  const catalog = await catalogOf(ZOO)
  await migrated(catalog)
  await seeded(catalog)
  const next = await catalogOf({
    ...ZOO,
    'animals.yaml': ANIMALS.replace('fields:', 'fields:\n  cage: { type: integer, required: true }').replace(
      'name: Leo',
      'name: Leo, cage: 1',
    ),
  })
  const { value, diagnostics } = await migrate(next, db.database, { log: SILENT, now })
  assert.is(value, undefined)
  assert.match(
    renderDiagnostics(diagnostics),
    /animals.yaml:3:[\s\S]*1 row would have no value in a required field|1 row would have no value[\s\S]*animals.yaml:3:/,
  )
})

test('seeds may name each other in any order, across files and over relations', async () => {
  const catalog = await catalogOf(ZOO)
  await migrated(catalog)
  assert.is(await seeded(catalog), 3)
  const { knex } = db.database
  assert.equal(
    await knex('animals')
      .join('keepers', 'keepers.id', 'animals.keeper_id')
      .select('animals.name', 'slug', 'weight', 'kind', 'skills'),
    [{ name: 'Leo', slug: 'ada', weight: '1.50', kind: 'mammal', skills: ['lions'] }],
  )
})

test('a record once seeded is never made again, even when it was deleted or its chief is gone', async () => {
  const catalog = await catalogOf(ZOO)
  await migrated(catalog)
  await seeded(catalog)
  await db.database.knex('animals').delete()
  await db.database.knex('keepers').update({ deleted_at: now.toISOString() })
  assert.is(await seeded(catalog), 0)
  assert.equal(await db.database.knex('animals'), [])
})

test('a record that a person made under the key stays as it is', async () => {
  const catalog = await catalogOf(ZOO)
  await migrated(catalog)
  await db.database.knex('keepers').insert({ slug: 'zoe', name: 'Zoe the Great' })
  assert.is(await seeded(catalog), 2)
  assert.equal(await db.database.knex('keepers').where({ slug: 'zoe' }).pluck('name'), ['Zoe the Great'])
  await db.database.knex('keepers').where({ slug: 'zoe' }).update({ slug: 'other' })
  assert.is(await seeded(catalog), 0)
})

test('a seed that names a record which nothing makes stops at its place, and none is kept', async () => {
  const catalog = await catalogOf({
    ...ZOO,
    'keepers.yaml': KEEPERS.replace('slug: zoe }, skills', 'chief.slug: nobody }, skills'),
  })
  await migrated(catalog)
  assert.match(
    await refused(catalog),
    /keepers\.yaml:13:\d+ error wrong_seed: "chief" of the seed keepers \(ada, Ada, lions\) names a record of "keepers" that is not there/,
  )
  assert.equal(await db.database.knex('keepers'), [])
})

const CAGES = `resource: cages
fields:
  number: { type: integer, required: true }
relations:
  keeper: { belongs_to: keepers, required: true }
policies: { view: [{ who: anyone }] }
seeds:
  key: [keeper, number]
  rows:
    - { keeper: { slug: ada }, number: 1 }
`

test('a seed known by a record that clients renamed or removed is done with, however it was once remembered', async () => {
  const catalog = await catalogOf({ ...ZOO, 'cages.yaml': CAGES })
  await migrated(catalog)
  assert.is(await seeded(catalog), 4)
  const { knex } = db.database
  await knex('keepers').update({ slug: knex.raw("'was-' || slug") })
  assert.is(await seeded(catalog), 0)
  await knex('plinth_seed').where({ resource: 'cages' }).update({ key: '[1,1]' })
  assert.is(await seeded(catalog), 0)
  await knex('plinth_seed').where({ resource: 'cages' }).delete()
  assert.match(
    await refused(catalog),
    /cages\.yaml:10:\d+ error wrong_seed: "keeper" of the seed cages \(1\) names a record of "keepers" that is not there/,
  )
})

test('what the database has against a seed is said with file, row, field and sentence', async () => {
  const catalog = await catalogOf({
    ...ZOO,
    'keepers.yaml': KEEPERS.replace('name: { type: string, required: true }', 'name: { type: string, unique: true }'),
  })
  await migrated(catalog)
  await db.database.knex('keepers').insert({ slug: 'somebody', name: 'Zoe' })
  assert.match(
    await refused(catalog),
    /keepers\.yaml:14:\d+ error wrong_seed: The seed keepers \(zoe, Zoe\) cannot be stored: The name has already been taken/,
  )
})

test('a relation that a seed does not name gets the record that stands in for it', async () => {
  const catalog = await catalogOf({
    ...ZOO,
    'animals.yaml': ANIMALS.replace(
      'required: true, on_delete: restrict',
      'required: true, default: { slug: zoe }',
    ).replace(', keeper: { chief.slug: zoe }', ''),
  })
  await migrated(catalog)
  assert.is(await seeded(catalog), 3)
  const { knex } = db.database
  assert.equal(await knex('animals').join('keepers', 'keepers.id', 'keeper_id').pluck('slug'), ['zoe'])
})

test('instances that seed at once make each record once', async () => {
  const catalog = await catalogOf(ZOO)
  await migrated(catalog)
  const results = await Promise.all([1, 2, 3].map(() => seed(catalog, db.database, now)))
  assert.is(
    results.reduce((sum, { value }) => sum + (value?.created ?? 0), 0),
    3,
  )
})

test.run()
