/** The query-count contract: any read is at most two statements, and writes at most what their code says. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Actor, SYSTEM } from '../../engine/actor.ts'
import { readListQuery } from '../../engine/ask/list.ts'
import { readLookup } from '../../engine/ask/lookup.ts'
import type { Resource } from '../../engine/catalog/catalog.ts'
import type { Database, Runner } from '../../engine/database/database.ts'
import { executionOf, inTransaction } from '../../engine/run/execution.ts'
import { getRecord, listRecords } from '../../engine/run/read.ts'
import { compilePage } from '../../engine/statement/list.ts'
import { createRecord } from '../../engine/write/create.ts'
import { createTogether } from '../../engine/write/create-together.ts'
import { deleteRecord, restoreRecord } from '../../engine/write/remove.ts'
import { updateRecord } from '../../engine/write/update.ts'
import { type Library, library, STAFF } from './library.ts'

const test = suite('queries')
let app: Library
let bookId = 0

test.before(async () => {
  app = await library()
  const tag = await app.expect(201, 'POST', '/tags', STAFF, { name: 'counted' })
  for (let i = 0; i < 30; i++) {
    const book = await app.expect(201, 'POST', '/books', STAFF, { title: `Book ${i}`, owner_id: 1, tag_ids: [tag.id] })
    bookId = book.id
  }
  for (const text of ['a', 'b', 'c']) await app.expect(201, 'POST', `/books/${bookId}/reviews`, STAFF, { text })
})
test.after(() => app.close())

const STAFF_ACTOR: Actor = {
  kind: 'user',
  id: 1,
  role: 'staff',
  permissions: new Set(['books.edit', 'shelves.manage']),
  attributes: {},
}
const MEMBER_ACTOR: Actor = { ...STAFF_ACTOR, role: 'member', permissions: new Set() }

/** The application's database, with every statement written down; what opens and ends a transaction is not counted. */
function counting(database: Database, statements: string[]): Database {
  const run =
    (runner: Runner): Runner['run'] =>
    (statement, values) => {
      statements.push(statement.text)
      return runner.run(statement, values)
    }
  return {
    ...database,
    compiled: { run: run(database.compiled) },
    adhoc: { run: run(database.adhoc) },
    transaction: (work) =>
      database.transaction((transaction) => work({ knex: transaction.knex, run: run(transaction) })),
  }
}

type Ask = (execution: ReturnType<typeof executionOf>) => Promise<unknown>

/** How many statements an action takes once it is warm. */
async function statementsOf(ask: Ask, actor: Actor = STAFF_ACTOR): Promise<readonly string[]> {
  const statements: string[] = []
  const { foundation } = app.engine.app
  const execution = executionOf(
    { ...foundation, database: counting(foundation.database, statements) },
    { actor, requestId: 'test', afterCommit: () => undefined },
  )
  await ask(execution)
  return statements
}

const resource = (name: string): Resource => app.engine.app.catalog.resources.get(name)!
const at = (name: string, text: string | number) => readLookup(resource(name), String(text), SYSTEM)

const LISTS = [
  '',
  'per_page=100',
  'search=book',
  'search=bo',
  'search=book&page=2',
  'search=7',
  'search=book 7&page=2',
  'search=7&cursor=first',
  'search=boook',
  'search=boook&cursor=first',
  'cursor=first',
  'search=book&cursor=first',
  'sort=shelf.name,-price',
  'page=3&per_page=10',
  'page=60&per_page=10',
  'shelf.slug=main&created_at[gte]=2020-01-01&kind=novel,essay&pages[null]=true',
  'title[contains]=oo&sort=-title',
  'where={"any":[{"reviews":{"some":{"id":{"gt":1}}}},{"owner.id":1}],"shelf.slug":"main"}',
  'fields=id,shelf.name&include=reviews(5)&per_page=100',
  'where={"pages":null}&include=reviews&cursor=first',
]
for (const query of LISTS) {
  test(`the list ?${query} is at most two statements`, async () => {
    for (const actor of [STAFF_ACTOR, MEMBER_ACTOR]) {
      const statements = await statementsOf(
        (execution) => listRecords(execution, resource('books'), new URLSearchParams(query)),
        actor,
      )
      assert.ok(statements.length <= 2, statements.join('\n'))
      const isOne = query.includes('cursor') || query.includes('search')
      if (isOne) assert.is(statements.length, query.includes('boook') ? 2 : 1)
    }
  })
}

test('a nested list is at most two statements, its parent included', async () => {
  for (const query of ['', 'cursor=first', 'page=2', 'sort=-id']) {
    for (const id of [String(bookId)]) {
      const parent = {
        relation: resource('reviews').nested[0]!.relation,
        resource: resource('books'),
        lookup: at('books', id),
      }
      const statements = await statementsOf((execution) =>
        listRecords(execution, resource('reviews'), new URLSearchParams(query), parent),
      )
      assert.ok(statements.length <= 2, statements.join('\n'))
    }
  }
})

test('a record with everything it embeds is one statement', async () => {
  for (const [name, text] of [
    ['books', bookId],
    ['shelves', 'main'],
    ['reviews', 1],
  ] as const) {
    assert.is(
      (
        await statementsOf((execution) =>
          getRecord(execution, resource(name), readLookup(resource(name), String(text), SYSTEM)),
        )
      ).length,
      1,
    )
  }
})

test('a hundred plain records are created by one statement', async () => {
  const bodies = Array.from({ length: 100 }, (_, at) => ({ body: { name: `Tag ${at}` } }))
  const statements = await statementsOf((execution) =>
    inTransaction(execution, async (inner) =>
      assert.is((await createTogether(inner, resource('tags'), bodies)).length, 100),
    ),
  )
  assert.equal(statements.filter((text) => !text.includes('savepoint')).length, 1, statements.join('\n'))
})

const WRITES: readonly (readonly [name: string, most: number, ask: Ask])[] = [
  ['a create', 1, (execution) => createRecord(execution, resource('books'), { title: 'Q', shelf_id: 1, owner_id: 1 })],
  [
    'a create with a slug and unique values',
    2,
    (execution) => createRecord(execution, resource('shelves'), { name: `Q ${Math.random()}` }),
  ],
  [
    'a create below another',
    2,
    (execution) =>
      createRecord(
        execution,
        resource('reviews'),
        { text: 'x' },
        { relation: resource('reviews').nested[0]!.relation, resource: resource('books'), lookup: at('books', bookId) },
      ),
  ],
  // insert, which ids may be linked, delete and insert of links, read back
  ['a create with links', 5, (execution) => createRecord(execution, resource('books'), { title: 'Q', tag_ids: [1] })],
  [
    'an update',
    1,
    (execution) => updateRecord(execution, resource('books'), at('books', bookId), { title: `Q ${Math.random()}` }),
  ],
  [
    'an update with a value that is stored',
    1,
    (execution) =>
      updateRecord(execution, resource('books'), at('books', bookId), { title: `Q ${Math.random()}`, kind: null }),
  ],
  [
    'an update of several values',
    1,
    (execution) =>
      updateRecord(execution, resource('books'), at('books', bookId), {
        title: `Q ${Math.random()}`,
        notes: `Q ${Math.random()}`,
        pages: 1 + Math.floor(Math.random() * 5000),
        serial: 1 + Math.floor(Math.random() * 5000),
      }),
  ],
  ['an update of nothing', 2, (execution) => updateRecord(execution, resource('books'), at('books', bookId), {})],
  [
    'an update of any version',
    1,
    (execution) =>
      updateRecord(
        execution,
        resource('books'),
        at('books', bookId),
        { pages: 1 + Math.floor(Math.random() * 5000) },
        { ifMatch: '*' },
      ),
  ],
  ['a soft delete', 2, (execution) => deleteRecord(execution, resource('books'), at('books', 1))],
  ['a restore', 3, (execution) => restoreRecord(execution, resource('books'), at('books', 1))],
]
for (const [name, most, ask] of WRITES) {
  test(`${name} is at most ${most} statements`, async () => {
    const statements = await statementsOf(ask)
    assert.ok(statements.length <= most, `${statements.length}\n${statements.join('\n')}`)
    assert.ok(statements.length > 0)
  })
}

const SHAPES = [
  ['', 'page=2'],
  ['page=400'],
  ['per_page=7'],
  ['cursor=first'],
  ['sort=-price', 'sort=-price&page=3'],
  ['sort=price'],
  ['search=word', 'search=other'],
  ['pages=1', 'pages=2'],
  ['pages=1,2', 'pages=3,4,5', 'pages[in]=6'],
  ['pages[not_in]=1,2'],
  ['pages[null]=true'],
  ['pages[null]=false', 'pages[null]=0'],
  ['pages[between]=1,2', 'pages[between]=3,4'],
  ['pages[gte]=1'],
  ['pages=1&price=2', 'pages=3&price=4'],
  ['price=2&pages=1'],
  ['title[contains]=a', 'title[contains]=b%25'],
  ['words=a', 'words=b'],
  ['seen_at=2026-01-01', 'seen_at=2026-01-02'],
  ['seen_at=2026-01-01T00:00:00Z'],
  ['seen_at=2026-01-01,2026-01-02T00:00:00Z'],
  ['seen_at=2026-01-01T00:00:00Z,2026-01-02'],
  ['seen_at[ne]=2026-01-01'],
  ['seen_from=2026-01-01', 'seen_from=2026-02-01'],
  ['seen_to=2026-01-01'],
  ['shelf.slug=main', 'shelf.slug=cellar'],
  ['shelf.is_default=true', 'shelf.is_default=false'],
] as const

test('lists share a statement exactly when they differ in values alone', () => {
  const { catalog } = app.engine.app
  const { plans } = app.engine.app.foundation
  const scope = { catalog, actor: STAFF_ACTOR }
  const books = catalog.resources.get('books')!
  const compiledOf = (query: string): { readonly key: string; readonly statement: string } => {
    const { plan } = readListQuery({ ...scope, plans }, books, new URLSearchParams(query))
    const { statement, parameters } = compilePage(scope, plan)
    return { key: plan.planId, statement: `${statement.text} ${JSON.stringify(parameters)}` }
  }
  const groups = SHAPES.map((queries) => queries.map(compiledOf))
  for (const [first, ...others] of groups) for (const other of others) assert.equal(other, first)
  assert.is(new Set(groups.map(([first]) => first?.key)).size, SHAPES.length)
  assert.is(new Set(groups.map(([first]) => first?.statement)).size, SHAPES.length)
})

test.run()
