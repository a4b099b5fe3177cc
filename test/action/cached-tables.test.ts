/** Kept records under writers that overlap: whoever was answered reads what was written, and no commit is refused. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { BelongsTo } from '../../engine/catalog/catalog.ts'
import type { Row, Runner } from '../../engine/database/database.ts'
import { allReady, createCachedTables } from '../../engine/run/cached-tables.ts'
import { changeTeller, hearChanges } from '../../engine/run/changes.ts'
import { memoryStore } from '../../engine/store/memory.ts'
import { SILENT } from '../support/database.ts'
import { type Library, library, STAFF } from './library.ts'

const test = suite('kept records')
let app: Library

test.before(async () => {
  app = await library()
})
test.after(() => app.close())

/** The kept shelf of a book, over a database whose answers arrive when the scenario lets them. */
function scenario() {
  const { catalog } = app.engine.app
  const relation = catalog.resources.get('books')?.relations.get('shelf') as BelongsTo
  const answers: ((name: string | Error) => void)[] = []
  const runner: Runner = {
    run: () =>
      new Promise<readonly Row[]>((resolve, reject) => {
        answers.push((name) => (name instanceof Error ? reject(name) : resolve([['1', '1', name]])))
      }),
  }
  const cachedTables = createCachedTables(catalog, runner, () => performance.now())
  const kept = cachedTables.of(relation, relation.embed ?? [])
  if (kept === undefined) throw new Error('shelves are not kept')
  const refresh = (): Promise<void> => cachedTables.changed('shelves')
  return { catalog, cachedTables, kept, relation, refresh, answers, shown: () => JSON.parse(kept.fragment('1')).name }
}

test('the first of two writers is answered with what it wrote, although the second is still reading', async () => {
  const { kept, refresh, answers, shown } = scenario()
  const opened = kept.ready()
  answers[0]?.('before')
  await opened
  const first = refresh()
  const second = refresh()
  answers[1]?.('first')
  await first
  assert.is(shown(), 'first')
  answers[2]?.('second')
  await second
  assert.is(shown(), 'second')
})

test('an earlier reading that comes late undoes nothing, not even that the later one failed', async () => {
  const { refresh, answers, shown } = scenario()
  const [first, second] = [refresh(), refresh()]
  answers[1]?.('second')
  await second
  answers[0]?.('first')
  await first
  assert.is(shown(), 'second')
  const [third, fourth] = [refresh(), refresh()]
  answers[3]?.(new Error('gone'))
  await fourth.catch(() => undefined)
  answers[2]?.('third')
  await third
  assert.throws(shown)
})

test('what the first request needs of several tables is read side by side', async () => {
  const { cachedTables, kept, relation, answers } = scenario()
  const other = cachedTables.of(relation, [])
  assert.ok(other !== undefined && other !== kept)
  const ready = allReady([kept, other])
  assert.is(answers.length, 2)
  for (const answer of answers) answer('there')
  await ready
  await allReady([kept, other])
  assert.is(answers.length, 2)
})

test('a change that cannot be read again is still told, and rejects nobody', async () => {
  const { cachedTables, refresh, answers } = scenario()
  const store = memoryStore(() => {})
  const heard: string[] = []
  store.subscribe('changes', (message) => heard.push(message))
  refresh().catch(() => undefined)
  answers[0]?.('before')
  const told = changeTeller({ store, log: SILENT }, cachedTables)('shelves')
  answers[1]?.(new Error('gone'))
  await told
  assert.equal(heard, [`${cachedTables.id} shelves`])
})

test('who tells of a change reads once, every other app reads too', async () => {
  const [one, other] = [scenario(), scenario()]
  const store = memoryStore(() => {})
  for (const { catalog, cachedTables } of [one, other])
    hearChanges({ store, log: SILENT }, () => ({ catalog, cachedTables }))
  const told = changeTeller({ store, log: SILENT }, one.cachedTables)('shelves')
  one.answers[0]?.('new')
  await told
  assert.equal([one.answers.length, other.answers.length], [1, 1])
})

test('the answer to a write shows what is kept as it is, and records younger than what is kept', async () => {
  const make = (path: string, body: unknown) => app.expect(201, 'POST', path, STAFF, body)
  const shelf = await make('/shelves', { name: 'Kept' })
  const book = await make('/books', { title: 'On a shelf', shelf_id: shelf.id })
  assert.equal(book.shelf, { id: shelf.id, name: 'Kept' })
  const renamed = await app.call('PATCH', `/api/v1/shelves/${shelf.id}`, { token: STAFF, body: { name: 'Renamed' } })
  assert.is(renamed.status, 200)
  const moved = await app.call('PATCH', `/api/v1/books/${book.id}`, { token: STAFF, body: { title: 'Moved' } })
  assert.equal(moved.body.data.shelf, { id: shelf.id, name: 'Renamed' })
  // Written by another program, of which nobody tells this one.
  const text = `insert into shelves (name, slug) values ('Young', 'young') returning id`
  const [row] = await app.engine.database.adhoc.run({ text }, [])
  const young = { id: Number(row?.[0]), name: 'Young' }
  assert.equal((await make('/books', { title: 'New', shelf_id: young.id })).shelf, young)
  const body = { shelf_id: young.id }
  const answer = await app.call('PATCH', `/api/v1/books/${book.id}`, { token: STAFF, body })
  assert.equal(answer.body.data.shelf, young)
  const read = await app.call('GET', `/api/v1/books/${book.id}`, { token: STAFF })
  assert.is(answer.headers.etag, read.headers.etag)
})

test.run()
