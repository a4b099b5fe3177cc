/** The database has statistics of tables soon after their rows are there: plans of nested conditions read few pages. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readableSql } from '../../engine/statement/readable.ts'
import { application, type TestApplication } from '../support/application.ts'
import { runAhead } from '../support/job.ts'

const RESOURCES = {
  'app.yaml': 'name: Nodes\nplugins: { soft_delete: {}, who: {} }\n',
  'nodes.yaml': `
resource: nodes
soft_delete: true
fields: { name: { type: string }, is_open: { type: boolean } }
relations:
  parent: { belongs_to: nodes }
  children: { has_many: nodes, by: parent, embed: [id, name] }
policies: { view: [{ role: member, where: { children: { some: { children: { some: { children: { some: { is_open: true } } } } } } } }] }
actions: [list, get]
`,
}

let app: TestApplication
const test = suite('statistics')
test.before(async () => {
  app = await application({ resources: RESOURCES, plugins: 'test/support/plugins' })
  await app.engine.database.knex.raw('alter table nodes set (autovacuum_enabled = false)')
})
test.after(() => app?.close())

const actor = { kind: 'user', id: 2, role: 'member', permissions: new Set<string>(), attributes: {} } as const

async function add(from: number, to: number): Promise<void> {
  await app.engine.database.knex.raw(
    `insert into nodes (id, name, is_open, parent_id) select i, 'n' || i, i % 3 = 0, case when i > 4 then i / 4 end from generate_series(${from}, ${to}) i`,
  )
}

/** What the database knows once the job has run: how many rows there are, and of how many columns. */
async function gathered(): Promise<readonly number[]> {
  await runAhead(app.engine, 'plinth.statistics')
  const { rows } = await app.engine.database.knex.raw(`select reltuples,
    (select count(*) from pg_stats where schemaname = current_schema() and tablename = 'nodes') as columns
    from pg_class where oid = 'nodes'::regclass`)
  return [Number(rows[0].reltuples), Number(rows[0].columns)]
}

/** How many pages the list reads, each as often as it is read. */
async function pagesRead(): Promise<number> {
  const values: unknown[] = []
  const where = readableSql({ catalog: app.engine.app.catalog, actor, now: () => new Date() }, 'nodes', 't', values)
  const text = `explain (analyze, buffers, format json) select t.* from nodes t where ${where} order by t.id limit 50`
  const [row] = await app.engine.database.adhoc.run({ text }, values)
  return Number(JSON.parse(String(row?.[0]))[0].Plan['Shared Hit Blocks'])
}

test('a table with rows is looked at, and again when it has grown or has another column', async () => {
  assert.equal(await gathered(), [-1, 0], 'there is nothing in it')
  await add(1, 400)
  const [rows = 0, columns = 0] = await gathered()
  assert.is(rows, 400)
  const pages = await pagesRead()
  assert.ok(pages < 100, `${pages} pages are read`)
  await add(401, 1300)
  assert.equal(await gathered(), [1300, columns])
  await app.engine.database.knex.raw('alter table nodes add column note text')
  assert.equal(await gathered(), [1300, columns + 1])
  assert.equal(await runAhead(app.engine, 'plinth.statistics'), { tables: 0 }, 'it knows enough')
})

test('the list answers', async () => {
  const { list, status } = await app.call('GET', '/nodes?sort=id&per_page=100', { token: '2:member:' })
  assert.is(status, 200)
  assert.ok(list.length > 10)
})

test.run()
