/** A POST sent again with its Idempotency-Key does its work once. */
import { createHash, createHmac } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { holds } from '../../engine/ask/policy.ts'
import { ApiError, invalid } from '../../engine/error.ts'
import type { Reply, RouteContext } from '../../engine/http/route.ts'
import { LIMITS } from '../../engine/limits.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'
import { type Answered, AS_AGENT, route, serve, type World } from './world.ts'

interface Desk {
  db: TestDatabase
  world: World
  done: string[]
  fail: Error | undefined
  now: number
}

const TABLE = `create table plinth_idempotency (
  actor text, route text, key text, fingerprint text, rights jsonb, status integer, headers jsonb, body text,
  created_at timestamptz, locked_until timestamptz, primary key (actor, route, key))`

const test = suite<Desk>('http: idempotency')

test.before(async (desk) => {
  desk.db = await testDatabase()
  await desk.db.database.knex.raw(TABLE)
  desk.now = Date.now()
  desk.done = []
  const work = async ({ body, params }: Pick<RouteContext, 'body' | 'params'>): Promise<Reply> => {
    const { fail } = desk
    desk.done.push(JSON.stringify([params, body]))
    // The same request comes meanwhile.
    await sleep(20)
    if (fail !== undefined) throw fail
    return { status: 201, data: { number: desk.done.length }, headers: { Location: '/made' }, etag: 'tag' }
  }
  const once = { once: true, handle: (context: RouteContext) => context.once(() => work(context)) }
  const answering = (reply: Reply) => ({
    once: true,
    handle: (context: RouteContext) =>
      context.once(async () => {
        desk.done.push('done')
        return reply
      }),
  })
  desk.world = await serve(
    [
      route({ method: 'POST', path: '/things', ...once }),
      route({ method: 'POST', path: '/things/{id}/notes', ...once }),
      route({
        method: 'POST',
        path: '/guarded',
        ...once,
        admit: (actor) => {
          if (!holds(actor, 'things.create'))
            throw new ApiError('forbidden', { message: 'You need the permission things.create' })
          return []
        },
      }),
      route({ method: 'POST', path: '/accounts', ...once, secretKeys: ['password'] }),
      route({ method: 'POST', path: '/auth/login', handle: work, access: 'public', bucket: 'auth' }),
      route({ method: 'POST', path: '/open', ...once, access: 'public' }),
      route({ method: 'PUT', path: '/things', ...once }),
      route({ method: 'POST', path: '/steps', handle: work }),
      route({ method: 'POST', path: '/file', ...answering({ raw: { type: 'text/csv', body: Buffer.from('a') } }) }),
      route({ method: 'POST', path: '/long', ...answering({ data: 'x'.repeat(LIMITS.idempotencyBytes) }) }),
      route({ method: 'POST', path: '/nothing', ...answering({ status: 204 }) }),
      route({
        method: 'POST',
        path: '/raced',
        once: true,
        handle: (context) =>
          context.once(async ({ transaction }) => {
            desk.done.push('tried')
            await transaction.run({ text: 'insert into taken values ($1)' }, [desk.done.length])
            return { data: desk.done.length }
          }),
      }),
      route({
        method: 'POST',
        path: '/wrong-order',
        once: true,
        handle: async (context) => {
          await context.once(() => work(context))
          return context.once(() => work(context))
        },
      }),
    ],
    { database: desk.db.database, now: () => new Date(desk.now) },
  )
})
test.before.each((desk) => {
  desk.done.length = 0
  desk.fail = undefined
})
test.after(async ({ world, db }) => {
  await world.close()
  await db.close()
})

function post(desk: Desk, key: string, json: unknown = { a: 1 }, path = '/things', token = 'agent'): Promise<Answered> {
  return desk.world.ask(`POST /api/v1${path}`, {
    headers: { Authorization: `Bearer ${token}`, 'Idempotency-Key': key },
    json,
  })
}

test('replays the stored answer, headers and all', async (desk) => {
  const first = await post(desk, 'replay')
  const second = await post(desk, 'replay')
  assert.is(desk.done.length, 1)
  assert.is(first.headers['idempotency-replayed'], undefined)
  assert.is(second.headers['idempotency-replayed'], 'true')
  assert.is(second.status, 201)
  assert.is(second.text, first.text)
  for (const name of ['location', 'etag', 'content-type'] as const) assert.is(second.headers[name], first.headers[name])
})

test('a body that differs only in the order of its keys is the same', async (desk) => {
  await post(desk, 'order', { a: 1, b: { c: [1, 2], d: 2 } })
  const { headers } = await post(desk, 'order', { b: { d: 2, c: [1, 2] }, a: 1 })
  assert.is(headers['idempotency-replayed'], 'true')
})

test('another body, record or query with the same key is 409', async (desk) => {
  await post(desk, 'other', { a: 1 }, '/things/1/notes')
  for (const [json, path] of [
    [{ a: 2 }, '/things/1/notes'],
    [{ a: 1 }, '/things/2/notes'],
    [{ a: 1 }, '/things/1/notes?x=1'],
  ] as const) {
    const { status, json: body } = await post(desk, 'other', json, path)
    assert.is(status, 409)
    assert.match(String(body.message), /another request/)
  }
  assert.is(desk.done.length, 1)
})

test('keys of other routes and other users are other keys', async (desk) => {
  await post(desk, 'mine')
  assert.is((await post(desk, 'mine', { a: 1 }, '/things/1/notes')).status, 201)
  assert.is((await post(desk, 'mine', { a: 1 }, '/open', 'nonsense')).status, 201)
  assert.is((await post(desk, 'mine', { a: 1 }, '/open')).status, 201)
  assert.is(desk.done.length, 4)
})

test('an answer is not given again to whoever may do less by then', async (desk) => {
  const first = await post(desk, 'rights')
  for (const token of ['less', 'other']) {
    const { status, json, headers } = await post(desk, 'rights', { a: 1 }, '/things', token)
    assert.is(status, 403)
    assert.match(String(json.message), /may do less than when this Idempotency-Key was used/)
    assert.is(headers['idempotency-replayed'], undefined)
  }
  assert.is((await post(desk, 'rights', { a: 1 }, '/things', 'more')).text, first.text)
  await post(desk, 'admitted', {}, '/guarded')
  const refused = await post(desk, 'admitted', {}, '/guarded', 'less')
  assert.is(refused.json.message, 'You need the permission things.create')
  assert.is(desk.done.length, 2)
})

test('what is kept of a request tells nothing of it, and nothing of its secrets', async (desk) => {
  const secret = { name: 'a', password: 'first one' }
  await post(desk, 'secret', secret, '/accounts')
  const { headers } = await post(desk, 'secret', { ...secret, password: 'another' }, '/accounts')
  assert.is(headers['idempotency-replayed'], 'true')
  const [row] = await desk.db.database.knex('plinth_idempotency').where({ key: 'secret' })
  const plain = createHash('sha256').update('/api/v1/accounts\n{"name":"a"}').digest()
  assert.not.ok(String(row.fingerprint).includes(plain.toString('hex')))
  const kept = (await readFile(join(desk.world.folder, 'secret'), 'utf8')).trim()
  const keyed = createHmac('sha256', `plinth idempotency\0${kept}`).update(plain).digest('hex')
  assert.is(row.fingerprint, keyed, 'made with the secret of the application')
})

test('of ten at once one does the work and the others are 409 or its replay', async (desk) => {
  const answers = await Promise.all(Array.from({ length: 10 }, () => post(desk, 'race')))
  assert.is(desk.done.length, 1)
  assert.is(
    answers.filter(({ status, headers }) => status === 201 && headers['idempotency-replayed'] === undefined).length,
    1,
  )
  assert.ok(
    answers.every(
      ({ status, headers }) => status === 409 || headers['idempotency-replayed'] === 'true' || status === 201,
    ),
  )
})

test('work that was rolled back leaves the key free', async (desk) => {
  for (const error of [new Error('crash'), new ApiError('unavailable'), invalid({ a: ['The a field is required'] })]) {
    desk.fail = error
    assert.ok((await post(desk, 'thrown')).status >= 422)
  }
  desk.fail = undefined
  assert.is((await post(desk, 'thrown')).status, 201)
  assert.is(desk.done.length, 4)
})

test('of work in steps a refusal frees the key, and any other end leaves it taken', async (desk) => {
  const refused = invalid({ a: ['The a field is required'] })
  for (const [at, error] of [refused, new ApiError('unavailable'), new Error('crash')].entries()) {
    desk.fail = error
    assert.ok((await post(desk, `steps ${at}`, {}, '/steps')).status >= 422)
  }
  desk.fail = undefined
  assert.is((await post(desk, 'steps 0', {}, '/steps')).status, 201)
  assert.is((await post(desk, 'steps 0', {}, '/steps')).headers['idempotency-replayed'], 'true')
  for (const key of ['steps 1', 'steps 2']) {
    const { status, json, headers } = await post(desk, key, {}, '/steps')
    assert.is(status, 409)
    assert.match(String(json.message), /is not known/)
    assert.is(headers['retry-after'], undefined, 'sending it again helps nobody')
  }
  assert.is(desk.done.length, 4)
})

test('work in steps whose process died is not done again', async (desk) => {
  const { knex } = desk.db.database
  await post(desk, 'died', {}, '/steps')
  const claimed = (ms: number) =>
    knex('plinth_idempotency')
      .where({ key: 'died' })
      .update({ status: null, locked_until: new Date(desk.now + ms).toISOString() })
  await claimed(1_000)
  const early = await post(desk, 'died', {}, '/steps')
  assert.is(early.status, 409)
  assert.match(String(early.json.message), /still being answered/)
  assert.is(early.headers['retry-after'], '1')
  await claimed(-1_000)
  assert.match(String((await post(desk, 'died', {}, '/steps')).json.message), /is not known/)
  assert.is(desk.done.length, 1)
})

test('work that lost a race for a unique value is done anew, and its answer kept once', async (desk) => {
  await desk.db.database.knex.raw('create table taken (n integer primary key); insert into taken values (1), (2)')
  const first = await post(desk, 'raced', {}, '/raced')
  assert.is(first.json.data, 3)
  assert.is((await post(desk, 'raced', {}, '/raced')).text, first.text)
  assert.is(desk.done.length, 3)
})

test('a request is done once: a second time in one handler is a mistake of its author', async (desk) => {
  assert.is((await desk.world.ask('POST /api/v1/wrong-order', { headers: AS_AGENT, json: {} })).status, 500)
  assert.is(desk.done.length, 1)
})

test('a key is forgotten after a day', async (desk) => {
  await post(desk, 'day')
  desk.now += 86_400_001
  const { headers } = await post(desk, 'day', { b: 2 })
  assert.is(headers['idempotency-replayed'], undefined)
  assert.is(desk.done.length, 2)
})

test('an empty or endless key is 400', async (desk) => {
  for (const key of ['', ' ', 'x'.repeat(256)]) {
    const { status, json } = await post(desk, key)
    assert.is(status, 400)
    assert.match(String(json.message), /Idempotency-Key/)
  }
  assert.is((await post(desk, 'x'.repeat(255))).status, 201)
})

test('only POST is done once, and never where answers carry tokens', async (desk) => {
  const headers = { ...AS_AGENT, 'Idempotency-Key': 'put' }
  for (let i = 0; i < 2; i += 1) await desk.world.ask('PUT /api/v1/things', { headers, json: {} })
  for (let i = 0; i < 2; i += 1) await post(desk, 'login', {}, '/auth/login')
  assert.is(desk.done.length, 4)
})

test('what was done is not done again where its answer cannot be kept', async (desk) => {
  for (const path of ['/file', '/long']) {
    assert.is((await post(desk, 'unkept', {}, path)).status, 200)
    const { status, json } = await post(desk, 'unkept', {}, path)
    assert.is(status, 409)
    assert.match(String(json.message), /was done, and its answer could not be kept/)
  }
  assert.is((await post(desk, 'empty', {}, '/nothing')).status, 204)
  assert.is((await post(desk, 'empty', {}, '/nothing')).status, 204)
  assert.is(desk.done.length, 3)
})

test.run()
