/**
 * The log of changes: its content, its secrets that are never there, its retention, and that writes without listeners
 * cost nothing.
 */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { SYSTEM } from '../../engine/actor.ts'
import { storedFields } from '../../engine/catalog/stored.ts'
import { deleteOldChanges, forgetChanges } from '../../engine/change/retention.ts'
import { FIELD_TYPES } from '../../engine/field/index.ts'
import { PLAIN_INSERT, PLAIN_UPDATE, planInsert, planRemoval, planUpdate } from '../../engine/plan/write-plan.ts'
import { isLogged } from '../../engine/statement/change-log.ts'
import { compileWrite } from '../../engine/statement/write.ts'
import { application, type TestApplication } from '../support/application.ts'
import { runAhead } from '../support/job.ts'
import { until } from '../support/wait.ts'
import { echoes, openBooks, RESOURCES } from './world.ts'

/** A field of each type that an author can write, with what it needs, and a value of it. */
const KINDS: Readonly<Record<string, readonly [string, unknown]>> = {
  boolean: ['', true],
  color: ['', '#aabbcc'],
  count: ['of: parts', undefined],
  date: ['', '2026-02-03'],
  bigint: ['', '9007199254740993'],
  decimal: ['', '12.50'],
  email: ['', 'ada@example.com'],
  enum: ['values: [a, b]', 'b'],
  integer: ['', 42],
  json: ['', { a: [1] }],
  list: ['of: string', ['x', 'y']],
  secret: ['', 'a secret of eight'],
  sequence: ['start: 7', undefined],
  slug: ['', 'a-slug'],
  string: ['', 'word'],
  text: ['', 'words\nand "words"'],
  timestamp: ['', '2026-02-03T04:05:06.789Z'],
  url: ['', 'https://example.com/'],
  uuid: ['', '0190b2c4-7e1f-7a3b-9c5d-0123456789ab'],
}

let app: TestApplication
const test = suite('the log of changes')

test.before(async () => {
  app = await openBooks()
})
test.after(() => app.close())

test('a field of each type is logged as answers write it, and a secret never is', async () => {
  const types = FIELD_TYPES.filter((type) => type.internal !== true).map(({ name }) => name)
  assert.equal([...types].sort(), Object.keys(KINDS).sort(), 'every type has its line here')
  const fields = Object.entries(KINDS).map(
    ([type, [more]]) => `  f_${type}: { type: ${[type, more].filter(Boolean).join(', ')} }`,
  )
  const things = [
    'resource: things',
    'log_changes: true',
    'fields:',
    ...fields,
    'relations: { parts: { has_many: parts } }',
    'policies: { view: [{ who: anyone }], create: [{ who: anyone }], update: [{ who: anyone }] }',
  ].join('\n')
  const parts = 'resource: parts\nrelations: { thing: { belongs_to: things } }\n'
  const other = await application({
    resources: { 'app.yaml': 'name: Things\n', 'things.yaml': things, 'parts.yaml': parts },
  })
  try {
    const given = Object.entries(KINDS).filter(([, [, value]]) => value !== undefined)
    const body = Object.fromEntries(given.map(([type, [, value]]) => [`f_${type}`, value]))
    const made = await other.call('POST', '/things', { body })
    assert.is(made.status, 201, made.text)
    const [row] = await other.engine.database.adhoc.run({ text: 'select changes from plinth_change' }, [])
    const logged: readonly { readonly field: string; readonly to: unknown }[] = JSON.parse(row?.[0] ?? '[]')
    assert.not.match(row?.[0] ?? '', /f_secret|a secret/)
    for (const [type, [, value]] of Object.entries(KINDS)) {
      const to = logged.find(({ field }) => field === `f_${type}`)?.to
      if (type === 'secret' || type === 'count') assert.is(to, undefined)
      else assert.equal(to, made.body.data[`f_${type}`] ?? value, type)
    }
    await other.call('PUT', `/things/${made.body.data.id}`, { body: { f_secret: 'another secret' } })
    const [count] = await other.engine.database.adhoc.run({ text: 'select count(*) from plinth_change' }, [])
    assert.is(count?.[0], '1', 'a new secret alone is nothing to tell')
  } finally {
    await other.close()
  }
})

test('what is never shown is not logged, nor what every update sets', () => {
  const books = app.engine.app.catalog.resources.get('books')!
  const names = storedFields(books)
    .filter((field) => isLogged(books, field))
    .map(({ name }) => name)
  for (const name of ['id', 'pin', 'hidden', 'updated_at']) assert.not(names.includes(name), name)
  for (const name of ['title', 'shelf_id', 'created_at']) assert.ok(names.includes(name), name)
})

test('a resource to which nobody listens pays nothing: its SQL does not know of the log', () => {
  const { catalog } = app.engine.app
  const shelves = catalog.resources.get('shelves')!
  assert.is(shelves.logged, false)
  const scope = { catalog, actor: SYSTEM }
  const names = storedFields(shelves).flatMap((field) => (field === shelves.key ? [] : [field.name]))
  const parts = { resource: shelves, names, clause: undefined, answer: 'record' } as const
  const leaving = new Set<string>()
  const texts = [
    compileWrite(scope, planInsert(catalog, { ...PLAIN_INSERT, ...parts })),
    compileWrite(scope, planUpdate(catalog, { ...PLAIN_UPDATE, ...parts })),
    compileWrite(scope, planRemoval(catalog, { resource: shelves, action: 'delete', leaving, answer: 'stored' })),
  ]
  for (const { statement } of texts) assert.not.match(statement.text, /plinth_change|log_| l as /)
})

test('what only passes through goes after its time, unless a listener has not worked it', async () => {
  const { adhoc } = app.engine.database
  const { catalog } = app.engine.app
  await app.call('POST', '/books', { token: 'ada', body: { title: 'old' } })
  await until(async () => (await echoes(app)).length > 0)
  const later = new Date(Date.now() + 1_000_000)
  const keep = { changeMs: 1, failedMs: 1 }
  await until(async () => (await deleteOldChanges(adhoc, catalog, later, keep)) === 1)
  await adhoc.run(
    { text: `insert into plinth_change (resource, record_id, action, changes) values ('books', 1, 'restore', '[]')` },
    [],
  )
  const stopped = new Map([...catalog.listeners, ['echo.stopped', ['books restore']]])
  await adhoc.run({ text: `insert into plinth_listener (name, done) values ('echo.stopped', '3:3:')` }, [])
  assert.is(await deleteOldChanges(adhoc, { ...catalog, listeners: stopped }, later, keep), 0)
  const kept = new Map([...catalog.resources].map(([name, one]) => [name, { ...one, keepsLog: true }]))
  assert.is(await deleteOldChanges(adhoc, { ...catalog, resources: kept }, later, keep), 0)
  await until(async () => (await deleteOldChanges(adhoc, catalog, later, keep)) === 1)
})

test('a listener that hears of little keeps up with a log that grows', async () => {
  const { adhoc } = app.engine.database
  const place = async () =>
    Number(
      (
        await adhoc.run({ text: `select pg_snapshot_xmin(done) from plinth_listener where name = 'echo.picky'` }, [])
      )[0]?.[0],
    )
  const before = await place()
  for (let i = 0; i < 600; i += 1) {
    const text = `insert into plinth_change (resource, record_id, action, changes) values ('others', 1, 'create', '[]')`
    await adhoc.run({ text }, [])
  }
  await until(async () => (await place()) > before + 500)
})

test('what is removed because it is old leaves no value in the log', async () => {
  const shelves = `${RESOURCES['shelves.yaml']}\nlog_changes: true\nkeep: { for: 1 day, by: made_at }\n`.replace(
    'fields: {',
    'fields: { made_at: { type: timestamp },',
  )
  const books = (RESOURCES['books.yaml'] ?? '').replace(
    'belongs_to: shelves',
    'belongs_to: shelves, on_delete: cascade',
  )
  const other = await openBooks({ ...RESOURCES, 'shelves.yaml': shelves, 'books.yaml': books })
  try {
    for (const made_at of ['2020-01-01T00:00:00Z', null])
      await other.call('POST', '/shelves', { body: { name: 'Ada', made_at } })
    assert.equal(await runAhead(other.engine, 'plinth.keep'), { shelves: 1 })
    const { adhoc } = other.engine.database
    const rows = await adhoc.run({ text: `select changes = '[]' from plinth_change order by id` }, [])
    assert.equal(rows.map(String), ['t', 'f'])
  } finally {
    await other.close()
  }
})

test('who is removed for good, or anonymized, leaves no value in the log', async () => {
  const shelves = `${RESOURCES['shelves.yaml']}\nlog_changes: true\n`
  const other = await openBooks({ ...RESOURCES, 'shelves.yaml': shelves })
  try {
    const { adhoc } = other.engine.database
    const left = async () =>
      (await adhoc.run({ text: `select action, changes from plinth_change order by id` }, [])).map(String)
    for (const name of ['Ada', 'Bob']) await other.call('POST', '/shelves', { body: { name } })
    assert.match((await left()).join(), /Ada.*Bob/)
    await other.call('DELETE', '/shelves/1')
    assert.equal([(await left())[0], (await left())[2]], ['create,[]', 'delete,[]'])
    await forgetChanges(adhoc, 'shelves', [2])
    assert.equal(await left(), ['create,[]', 'create,[]', 'delete,[]'])
  } finally {
    await other.close()
  }
})

test.run()
