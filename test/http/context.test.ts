/** What handlers hold: transactions, work for after the commit, and their plugin's own options. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { RouteContext } from '../../engine/http/route.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'
import { AS_AGENT, route, serve, type World } from './world.ts'

interface Desk {
  db: TestDatabase
  handle: (context: RouteContext) => Promise<unknown>
  world: World
}

const INSERT = { text: 'insert into marks (name) values ($1)' }
const test = suite<Desk>('http: context')

test.before(async (desk) => {
  desk.db = await testDatabase()
  await desk.db.database.knex.raw('create table marks (name text primary key)')
  desk.world = await serve(
    [
      route({
        method: 'GET',
        path: '/do',
        handle: async (context) => ({ data: await desk.handle(context) }),
        options: { own: 1 },
      }),
    ],
    { database: desk.db.database },
  )
})
test.after(async ({ world, db }) => {
  await world.close()
  await db.close()
})

const act = (desk: Desk, handle: Desk['handle']) => {
  desk.handle = handle
  return desk.world.ask('GET /api/v1/do', { headers: AS_AGENT })
}
const marks = async ({ db }: Desk) =>
  (await db.database.adhoc.run({ text: 'select name from marks order by name' }, [])).map(([name]) => name)

test('a handler has the options of its own plugin', async (desk) => {
  const { json } = await act(desk, async ({ options }) => options)
  assert.equal(json.data, { own: 1 })
})

test('a transaction commits when its work is done, and a second one inside joins it', async (desk) => {
  await act(desk, async (context) =>
    context.transaction(async (open) => {
      await open.transaction.run(INSERT, ['a'])
      await open.transaction(async (joined) => joined.transaction.run(INSERT, ['b']))
    }),
  )
  assert.equal(await marks(desk), ['a', 'b'])
})

test('a transaction whose work fails leaves nothing, and nothing is done after it', async (desk) => {
  const seen: string[] = []
  const { status } = await act(desk, async (context) =>
    context.transaction(async (open) => {
      await open.transaction.run(INSERT, ['c'])
      open.afterCommit(() => {
        seen.push('committed')
      })
      throw new Error('no')
    }),
  )
  assert.is(status, 500)
  assert.equal(await marks(desk), ['a', 'b'])
  assert.equal(seen, [])
})

test('work for after the commit runs when others can see the rows, and its failure undoes nothing', async (desk) => {
  const seen: unknown[] = []
  const { status } = await act(desk, async (context) => {
    await context.transaction(async (open) => {
      await open.transaction.run(INSERT, ['d'])
      open.afterCommit(() => {
        throw new Error('mail is out')
      })
      open.afterCommit(async () => {
        seen.push(await marks(desk))
      })
    })
    context.afterCommit(() => {
      seen.push('end')
    })
    seen.push('handler')
  })
  assert.is(status, 200)
  assert.equal(seen, [['a', 'b', 'd'], 'handler', 'end'])
  assert.ok(
    desk.world.lines.some(({ level, message }) => level === 'error' && message === 'work after the commit failed'),
  )
})

test('the context knows who calls, from where, and how', async (desk) => {
  const { json } = await act(desk, async ({ actor, ip, requestId, headers, query, params, files }) => ({
    actor: actor.id,
    ip,
    id: requestId !== '',
    bearer: headers.authorization,
    query: [...query],
    params,
    files,
  }))
  const expected = { actor: 7, ip: '127.0.0.1', id: true, bearer: 'Bearer agent', query: [], params: {}, files: [] }
  assert.equal(json.data, expected)
})

test.run()
