/** A plugin's own SQL sees of a resource exactly what the caller's lists show, whoever calls. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Actor, ANONYMOUS, SYSTEM } from '../../engine/actor.ts'
import { pluginContext } from '../../engine/context/plugin-context.ts'
import { executionOf } from '../../engine/run/execution.ts'
import { ANN, BEN, type Library, library, STAFF, STRANGER } from './library.ts'

const readable = suite('context.readable')
let app: Library

readable.before(async () => {
  app = await library({
    'novels.yaml': `
resource: novels
of: books
where: { kind: novel }
actions: [list]
policies: { view: [{ permission: books.edit }, { role: member, where: { owner: $actor, bought_on: { lte: $today } } }] }
`,
    'poems.yaml': `
resource: poems
of: books
where: { kind: poetry }
actions: [list]
policies: { view: [{ role: member, where: { pages: { null: false } } }, { role: guest, where: { not: { pages: { null: false } } } }] }
`,
  })
  const book = async (title: string, owner_id: number, kind = 'novel') =>
    (await app.expect(201, 'POST', '/books', STAFF, { title, owner_id, kind, bought_on: '2020-01-01' })).id as number
  const anns = await book('Emma', 1)
  await book('Ulysses', 1, 'poetry')
  const bens = await book('Middlemarch', 2)
  const gone = await book('Lost', 1)
  await app.expect(204, 'DELETE', `/books/${gone}`)
  for (const [id, is_private] of [
    [anns, false],
    [anns, true],
    [bens, false],
    [gone, false],
  ] as const) {
    if (id !== gone) await app.expect(201, 'POST', `/books/${id}/reviews`, STAFF, { text: 'Good', is_private })
  }
})
readable.after(() => app?.close())

function actorOf(token: string): Actor {
  const [id, role = '', permissions = ''] = token.split(':')
  return {
    kind: 'user',
    id: Number(id),
    role: role || null,
    permissions: new Set(permissions.split(',').filter(Boolean)),
    attributes: {},
  }
}

/** The ids that SQL of one's own finds, beside parameters of its own. */
async function ids(actor: Actor, resource: string): Promise<readonly number[]> {
  const call = { actor, requestId: 'test', afterCommit: () => undefined }
  const context = pluginContext(executionOf(app.engine.app.foundation, call), {})
  const { table } = context.catalog.resources.get(resource)!
  const values: unknown[] = [0]
  const condition = context.readable(resource, 'x', values)
  const text = `select x.id from "${table}" x where x.id > $1::integer and ${condition} order by x.id`
  return (await context.database.adhoc.run({ text }, values)).map(([id]) => Number(id))
}

for (const [who, token] of Object.entries({ staff: STAFF, ann: ANN, ben: BEN, stranger: STRANGER })) {
  readable(`finds for ${who} what the lists of ${who} show, scopes and deletion included`, async () => {
    for (const resource of ['books', 'novels', 'members', 'shelves', 'loans']) {
      const listed = await app.call('GET', `/api/v1/${resource}?sort=id`, { token })
      const shown = listed.status === 403 ? [] : listed.body.data.map((record: { id: number }) => record.id)
      assert.equal(await ids(actorOf(token), resource), shown, resource)
    }
  })
}

readable('follows relations of the policy: reviews of one’s own books that are not private', async () => {
  assert.is((await ids(actorOf(STAFF), 'reviews')).length, 3)
  assert.equal(await ids(actorOf(ANN), 'reviews'), [1])
  assert.equal(await ids(actorOf(BEN), 'reviews'), [3])
  assert.equal(await ids(actorOf(STRANGER), 'reviews'), [])
})

readable('shows the system every record that is not deleted, and the anonymous none', async () => {
  assert.is((await ids(SYSTEM, 'books')).length, 3)
  assert.equal(await ids(ANONYMOUS, 'books'), [])
})

readable('may stand several times in one statement, as a condition and as the filter of an aggregate', async () => {
  const call = { actor: actorOf(ANN), requestId: 'test', afterCommit: () => undefined }
  const context = pluginContext(executionOf(app.engine.app.foundation, call), {})
  const values: unknown[] = []
  const [books, shelves] = [context.readable('books', 'b', values), context.readable('shelves', 's', values)]
  const text = `select count(*) filter (where ${books}), count(*), (select count(*) from shelves s where ${shelves}) from books b where b.title <> 'Lost' or ${books}`
  const [row] = await context.database.adhoc.run({ text }, values)
  assert.equal(row?.map(Number), [2, 3, 2])
})

readable('asks of kept values that one is there, or that none is', async () => {
  const kept = async (actor: Actor): Promise<readonly (string | null)[]> => {
    const call = { actor, requestId: 'test', afterCommit: () => undefined }
    const context = pluginContext(executionOf(app.engine.app.foundation, call), {})
    const values: unknown[] = []
    const condition = context.keptWithin('poems', 'k.kept', values)
    const text = `select k.name from (values ('long', '{"pages": 3}'::jsonb), ('unknown', '{"pages": null}'::jsonb), ('not kept', '{}'::jsonb)) k(name, kept) where ${condition}`
    return (await context.database.adhoc.run({ text }, values)).map(([name]) => name ?? null)
  }
  assert.equal(await kept(actorOf(ANN)), ['long'])
  assert.equal(await kept(actorOf('3:guest:')), ['unknown'])
})

readable('refuses a resource that does not exist', () => {
  const call = { actor: SYSTEM, requestId: 'test', afterCommit: () => undefined }
  const context = pluginContext(executionOf(app.engine.app.foundation, call), {})
  assert.throws(() => context.readable('nothing', 't', []), 'no resource is named nothing')
})

readable.run()
