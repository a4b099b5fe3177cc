/** `dry_run=true`: a write says what would come of it, and nothing of it stays. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ANN, BEN, type Library, library, STAFF } from './library.ts'
import { journal } from './plugins/probe/index.ts'

const test = suite('dry runs')
let app: Library

const ASKED = {
  'asked.yaml': `resource: asked
log_changes: true
fields:
  name: { type: string, required: true, unique: true }
  slug: { type: slug, from: name, unique: true }
  number: { type: sequence, start: 100 }
  size: { type: integer, min: 0, max: 9, default: 1 }
  state: { type: enum, values: [open, done], default: open }
  done_at: { type: timestamp, read_only: true }
relations: { shelf: { belongs_to: shelves, embed: [id, name] }, tags: { many_to_many: tags } }
follows: [{ changed: state, when: { state: done }, set: { done_at: $now } }]
moves: { state: { allow: [{ from: open, to: done }] } }
show_moves: true
rules: { small: { must: { size: { lte: 8 } }, says: That is too large, at: size } }
hooks: { create: [probe.outside], update: [probe.outside] }
policies: { view: [{ who: signed_in }], create: [{ who: signed_in }], update: [{ permission: books.edit }, { role: member, where: { size: 1 } }] }`,
}

test.before(async () => {
  app = await library(ASKED)
  await app.expect(201, 'POST', '/tags', STAFF, { name: 'a tag' })
  await app.expect(201, 'POST', '/asked', STAFF, { name: 'First' })
})
test.after(() => app.close())

/** How many rows every table has that a write may leave something in. */
async function left(): Promise<string> {
  const tables = ['asked', 'asked_tags', 'plinth_change', 'plinth_job', 'plinth_idempotency', 'notes', 'notes_log']
  const { adhoc } = app.engine.database
  const there = await adhoc.run({ text: `select to_regclass(t) is not null from unnest($1::text[]) t` }, [tables])
  const counted = tables.filter((_, i) => there[i]?.[0] === 't')
  const rows = await adhoc.run({ text: counted.map((name) => `select count(*) from ${name}`).join(' union all ') }, [])
  const [states] = await adhoc.run({ text: `select string_agg(t::text, '|' order by id) from asked t` }, [])
  return JSON.stringify([counted, rows, states])
}

const call = (method: string, path: string, body: unknown, token = STAFF, headers = {}) =>
  app.call(method, `/api/v1${path}`, { token, body, headers })

test('a creation and a change answer as they would, and leave nothing', async () => {
  const before = await left()
  const made = await call('POST', '/asked?dry_run=true', {
    name: 'Second one',
    state: 'done',
    shelf_id: 2,
    tag_ids: [1],
  })
  assert.is(made.status, 200, made.text)
  assert.is(made.body.meta.dry_run, true)
  assert.is(made.body.data.slug, 'second-one')
  assert.is(made.body.data.shelf.name, 'Cellar')
  assert.ok(made.body.data.done_at, 'what follows is there')
  assert.not(made.headers.location)
  const changed = await call('PATCH', '/asked/1?dry_run=true', { state: 'done', name: 'Renamed' })
  assert.is(changed.body.data.name, 'Renamed')
  assert.ok(changed.body.data.done_at)
  assert.equal(changed.body.meta.moves, { state: [] }, 'as they would be then')
  assert.not(changed.headers.etag)
  const put = await call('PUT', '/asked/1?dry_run=true', { size: 3 })
  assert.is(put.body.data.size, 3)
  assert.is(await left(), before)
  const now = await app.expect(200, 'GET', '/asked/1')
  assert.equal([now.name, now.state, now.size], ['First', 'open', 1])
})

test('without it, with false and with another word it is what it was', async () => {
  const { size } = await app.expect(200, 'PATCH', '/asked/1?dry_run=false', STAFF, { size: 1 })
  assert.is(size, 1)
  await app.expect(422, 'PATCH', '/asked/1?dry_run=perhaps', STAFF, { size: 1 })
  await app.expect(422, 'PATCH', '/asked/1?dryrun=true', STAFF, { size: 1 })
  await app.expect(422, 'DELETE', '/notes/1?dry_run=true', STAFF)
})

test('hooks are told, and what they leave for later is dropped', async () => {
  journal.length = 0
  await call('POST', '/asked?dry_run=true', { name: 'Third' })
  assert.equal(journal, ['only asked'])
  journal.length = 0
  const note = await call('POST', '/notes?dry_run=true', { text: 'a note' })
  assert.is(note.status, 200, note.text)
  assert.not(journal.some((line) => line.startsWith('committed')))
  journal.length = 0
})

test('an Idempotency-Key means nothing to it', async () => {
  const headers = { 'idempotency-key': 'the same' }
  for (const name of ['One', 'Two']) {
    const { body } = await call('POST', '/asked?dry_run=true', { name }, STAFF, headers)
    assert.is(body.data.name, name)
  }
  const real = await call('POST', '/asked', { name: 'Real' }, STAFF, headers)
  assert.is(real.status, 201, real.text)
})

test('If-Match is held to', async () => {
  const { headers } = await app.call('GET', '/api/v1/asked/1', { token: STAFF })
  const match = (tag: string) => call('PATCH', '/asked/1?dry_run=true', { size: 2 }, STAFF, { 'if-match': tag })
  assert.is((await match(String(headers.etag))).status, 200)
  assert.is((await match('"other"')).status, 412)
})

test('it refuses what the write refuses, in the same words, and answers what the write answers', async () => {
  const value = (...values: readonly unknown[]) => fc.option(fc.constantFrom(...values), { nil: undefined })
  const bodies = fc.record({
    name: value('First', 'Drawn', '', null, 7),
    size: value(0, 5, 9, 10, 'x'),
    state: value('open', 'done', 'lost'),
    shelf_id: value(1, 2, 99),
    tag_ids: value([1], [99], 'x'),
    done_at: value('2026-01-01T00:00:00Z'),
    unknown: value(1),
  })
  let turn = 0
  await fc.assert(
    fc.asyncProperty(bodies, fc.constantFrom(STAFF, ANN, BEN), fc.boolean(), async (drawn, token, isNew) => {
      const name = drawn.name === 'Drawn' ? `Drawn ${++turn}` : drawn.name
      const body = JSON.parse(JSON.stringify({ ...drawn, name }))
      const [method, path] = isNew ? ['POST', '/asked'] : ['PATCH', '/asked/1']
      const before = await left()
      const asked = await call(method, `${path}?dry_run=true`, body, token)
      assert.is(await left(), before)
      const done = await call(method, path, body, token)
      const told = ({ body: { code, data, error_codes, errors, message } }: typeof done) => {
        const { id: _, number: __, done_at, created_at: ___, updated_at: ____, ...rest } = data ?? {}
        return { code, error_codes, errors, message, data: data && { ...rest, done: done_at != null } }
      }
      assert.equal(told(asked), told(done), `${method} ${JSON.stringify(body)}: ${asked.text}`)
      assert.is(asked.status, done.status === 201 ? 200 : done.status)
      // The next draw meets the record as it was.
      await app.engine.database.adhoc.run(
        {
          text: `update asked set state = 'open', size = 1, done_at = null, name = 'First', slug = 'first' where id = 1`,
        },
        [],
      )
    }),
    { numRuns: 60 },
  )
})

test('what others hold is not known yet, and is not waited for', async () => {
  const { database } = app.engine
  // The embedded database has one connection, so that nobody can hold anything at the same time.
  if (database.kind === 'embedded') return
  await database.transaction(async (transaction) => {
    await transaction.run({ text: 'select 1 from asked where id = 1 for update' }, [])
    const began = performance.now()
    const { body, status } = await call('PATCH', '/asked/1?dry_run=true', { size: 4 })
    assert.is(status, 409)
    assert.match(body.message, /not known yet/i)
    assert.ok(performance.now() - began < 5_000)
  })
  assert.is((await call('PATCH', '/asked/1?dry_run=true', { size: 4 })).status, 200)
})

test('a creation below another record is tried too', async () => {
  await app.expect(201, 'POST', '/books', STAFF, { title: 'A book' })
  const { body, status } = await call('POST', '/books/1/reviews?dry_run=true', { text: 'good' })
  assert.is(status, 200)
  assert.is(body.data.book.id, 1)
  assert.equal(await app.expect(200, 'GET', '/books/1/reviews'), [])
})

test.run()
