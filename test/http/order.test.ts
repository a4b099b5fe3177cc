/** The checks come in their one order, whatever else is wrong with a request. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ApiError } from '../../engine/error.ts'
import type { Reply } from '../../engine/http/route.ts'
import { type Answered, AS_AGENT, type Asked, route, serve, type World } from './world.ts'

const done = async (): Promise<Reply> => ({ data: { done: true } })
const ROUTES = [
  route({ method: 'GET', path: '/things', handle: done }),
  route({
    method: 'POST',
    path: '/things',
    handle: done,
    access: [{ kind: 'permission', permission: 'things.create' }],
  }),
  route({
    method: 'POST',
    path: '/secrets',
    handle: done,
    access: [{ kind: 'permission', permission: 'secrets.create' }],
  }),
  route({ method: 'POST', path: '/bosses', handle: done, access: [{ kind: 'role', roles: ['boss'] }] }),
  route({
    method: 'POST',
    path: '/judged',
    handle: done,
    queryFields: [],
    admit: () => {
      throw new ApiError('forbidden', { message: 'You need the permission things.judge' })
    },
  }),
  route({ method: 'POST', path: '/open', handle: done, access: 'public' }),
  route({ method: 'GET', path: '/news', handle: done, access: [{ kind: 'anyone' }] }),
  route({ method: 'GET', path: '/me', handle: done, openToRestricted: true }),
]

const test = suite<{ world: World }>('http: check order')
test.before(async (context) => {
  context.world = await serve(ROUTES)
})
test.after(async ({ world }) => {
  await world.close()
})

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' }
const BAD_TOKEN = { Authorization: 'Bearer nonsense' }
const huge = Buffer.alloc(1_048_577, 0x20)

const SCENARIOS: readonly (readonly [string, string, Asked, number, string])[] = [
  ['an unknown path is 404 before its token is asked for', 'GET /api/v1/nothing', {}, 404, 'Route not found'],
  ['a known path with an unknown method is 405 before 401', 'DELETE /api/v1/things', {}, 405, 'Method Not Allowed'],
  ['a missing token is 401 before the size', 'POST /api/v1/things', { body: huge }, 401, 'Unauthenticated'],
  [
    'a bad token is 401 before the media type',
    'POST /api/v1/things',
    { headers: { ...BAD_TOKEN, ...FORM }, body: 'a=1' },
    401,
    'Unauthenticated',
  ],
  [
    'the size is 413 before the media type',
    'POST /api/v1/things',
    { headers: { ...AS_AGENT, ...FORM }, body: huge },
    413,
    'Payload too large',
  ],
  [
    'the media type is 415 before the role',
    'POST /api/v1/secrets',
    { headers: { ...AS_AGENT, ...FORM }, body: 'a=1' },
    415,
    'Unsupported media type',
  ],
  [
    'a body that does not parse is 400 before the role',
    'POST /api/v1/secrets',
    { headers: { ...AS_AGENT, 'Content-Type': 'application/json' }, body: '{' },
    400,
    'Malformed JSON request body',
  ],
  [
    'the role is 403 and names the permission',
    'POST /api/v1/secrets',
    { headers: AS_AGENT, json: { text: '\0' } },
    403,
    'You need the permission secrets.create',
  ],
  [
    'a role that is not one of the route is 403',
    'POST /api/v1/bosses',
    { headers: AS_AGENT, json: {} },
    403,
    'Forbidden',
  ],
  [
    'a policy that speaks of nobody like the caller is 403 before the input is judged',
    'POST /api/v1/judged?unknown=1',
    { headers: AS_AGENT, json: { text: '\0' } },
    403,
    'You need the permission things.judge',
  ],
  [
    'unusable text is 422 after the role',
    'POST /api/v1/things',
    { headers: AS_AGENT, json: { text: '\0' } },
    422,
    'Validation failed',
  ],
  [
    'a restricted actor is told why',
    'GET /api/v1/things',
    { headers: { Authorization: 'Bearer restricted' } },
    403,
    'Your account awaits approval',
  ],
  [
    'an authentication that is out is 500, not 401',
    'GET /api/v1/things',
    { headers: { Authorization: 'Bearer broken' } },
    500,
    'Server error',
  ],
  [
    'a path is known even when authentication is out',
    'GET /api/v1/nothing',
    { headers: { Authorization: 'Bearer broken' } },
    404,
    'Route not found',
  ],
]

for (const [name, target, asked, status, message] of SCENARIOS) {
  test(name, async ({ world }) => {
    const answer = await world.ask(target, asked)
    assert.is(answer.status, status)
    assert.is(answer.json.success, false)
    assert.is(answer.json.message, message)
  })
}

const ADMITTED: readonly (readonly [string, string, Asked])[] = [
  ['a good token is enough for a route of the signed-in', 'GET /api/v1/things', { headers: AS_AGENT }],
  ['a public route ignores a bad token', 'POST /api/v1/open', { headers: BAD_TOKEN, json: {} }],
  ['a route for anyone needs no token', 'GET /api/v1/news', {}],
  ['a route open to the restricted admits them', 'GET /api/v1/me', { headers: { Authorization: 'Bearer restricted' } }],
  ['an absent body counts as an empty object', 'POST /api/v1/things', { headers: AS_AGENT }],
]

for (const [name, target, asked] of ADMITTED) {
  test(name, async ({ world }) => {
    const answer: Answered = await world.ask(target, asked)
    assert.is(answer.status, 200)
    assert.equal(answer.json.data, { done: true })
  })
}

test('405 names the methods that exist', async ({ world }) => {
  const answer = await world.ask('DELETE /api/v1/things')
  assert.is(answer.headers.allow, 'GET, HEAD, OPTIONS, POST')
})

test('401 says how to authenticate', async ({ world }) => {
  const answer = await world.ask('GET /api/v1/things')
  assert.is(answer.headers['www-authenticate'], 'Bearer')
})

test('the first check of all is the rate limit', async () => {
  const world = await serve(ROUTES, { settings: { rateLimit: 0 } })
  for (const target of ['GET /api/v1/nothing', 'DELETE /api/v1/things', 'POST /api/v1/open']) {
    assert.is((await world.ask(target, { json: {} })).status, 429, target)
  }
  await world.close()
})

test.run()
