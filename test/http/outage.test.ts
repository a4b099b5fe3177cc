/** A database that is out, met by a statement that nobody looks after: 503, no word of the driver, few lines in the log. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { AS_AGENT, route, serve, type World } from './world.ts'

const SQL = 'insert into "accounts" ("secret") values ($1)'

function fault(message: string, more: object = {}): Error {
  return Object.assign(new Error(message), more)
}

const FAULTS: readonly Error[] = [
  ...[
    '25006',
    '28P01',
    '3D000',
    '40001',
    '40P01',
    '53100',
    '53300',
    '55000',
    '55P03',
    '57014',
    '57P01',
    '57P03',
    '58030',
  ].map((code) => fault(`${SQL} - something is wrong`, { code })),
  fault(`${SQL} - Connection terminated unexpectedly`),
  fault(`${SQL} - timeout exceeded when trying to connect`),
  fault('Knex: Timeout acquiring a connection. The pool is probably full.'),
  fault('connect ECONNREFUSED 10.1.2.3:5432', { code: 'ECONNREFUSED' }),
  Object.assign(new AggregateError([fault('connect ECONNREFUSED ::1:5432')], ''), { code: 'ECONNREFUSED' }),
  // As Objection gives it.
  fault(`${SQL} - the disk is full`, { nativeError: fault(`${SQL} - the disk is full`, { code: '53100' }) }),
  fault(`${SQL} - lost`, { nativeError: fault(`${SQL} - Connection terminated unexpectedly`) }),
  fault('a plugin tells more', { cause: fault(`${SQL} - the disk is full`, { code: '53100' }) }),
]

const test = suite<{ world: World; met: Error }>('http: a database that is out')
test.before(async (context) => {
  const handle = () => Promise.reject(context.met)
  context.world = await serve([
    route({ method: 'GET', path: '/read', handle }),
    route({ method: 'POST', path: '/auth/login', handle, access: 'public', bucket: 'auth' }),
  ])
})
test.after(({ world }) => world.close())

test('is 503 with Retry-After on every route, and says nothing of the driver', async (context) => {
  const { world } = context
  for (const met of FAULTS) {
    context.met = met
    for (const target of ['GET /api/v1/read', 'POST /api/v1/auth/login']) {
      const { status, headers, text } = await world.ask(target, {
        headers: AS_AGENT,
        ...(target.startsWith('POST') && { json: {} }),
      })
      assert.is(status, 503, `${target} ${met.message}`)
      assert.ok(Number(headers['retry-after']) >= 1)
      assert.not.match(text, /accounts|5432|Knex|plugin|disk/)
    }
  }
  const told = world.lines.filter(({ message }) => message === 'database unavailable')
  assert.is(told.length, 1, 'one line for an outage')
})
test.run()
