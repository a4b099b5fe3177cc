/** How many statements an answer costs: two for any list or record whatever it embeds, and one for the caller. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { pluginContext } from '../../engine/context/plugin-context.ts'
import type { Database } from '../../engine/database/database.ts'
import { createEngine, type Engine } from '../../engine/engine.ts'
import { executionOf } from '../../engine/run/execution.ts'
import { readSettings, type Settings } from '../../engine/settings.ts'
import { send } from '../support/application.ts'
import { counting } from '../support/counting.ts'
import { SILENT, testDatabase } from '../support/database.ts'
import { printed } from '../support/printed.ts'

const PASSWORD = 'a very long secret'
const ADMIN = {
  ADMIN_EMAIL: 'boss@desk.example',
  ADMIN_PASSWORD: PASSWORD,
  RATE_LIMIT: '100000',
  AUTH_RATE_LIMIT: '100000',
}

let counted = 0
/** What the engine does by itself beside requests. */
const BESIDE = /plinth_(job|listener|deferred_change|fact)/
const count = (text: string): void => {
  if (!BESIDE.test(text)) counted += 1
}
let plain: Database
let settings: Settings
let database: Database
let engine: Engine
let url = ''
let tokens: readonly string[] = []
let closeAll = async (): Promise<void> => undefined

const test = suite('desk: statements')

test.before(async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'plinth-count-'))
  const { database: opened, close } = await testDatabase()
  plain = opened
  const read = readSettings({ PORT: '0', DATA_DIR: dataDir, ...ADMIN })
  if (read.value === undefined) throw new Error('the settings of the test are not acceptable')
  settings = read.value
  database = counting(plain, count)
  const made = await createEngine({ settings, log: SILENT, database })
  if (made.value === undefined) throw new Error('the desk did not start')
  engine = made.value
  url = (await engine.listen()).url
  database.knex.on('query', () => {
    counted += 1
  })
  closeAll = async () => {
    await engine.close()
    await close()
    await rm(dataDir, { recursive: true })
  }
  const { text: said } = await printed(() => engine.command('demo', []))
  const first = (role: string): string => new RegExp(`^  ${role} +([^\\s,]+)`, 'm').exec(said)?.[1] ?? ''
  const [manager, customer, shared] = [first('manager'), first('customer'), first('password')]
  tokens = await Promise.all([login('boss@desk.example', PASSWORD), login(manager, shared), login(customer, shared)])
})
test.after(() => closeAll())

async function login(email: string, password: string): Promise<string> {
  const answer = await send(url, 'POST', '/api/v1/auth/login', { body: { email, password } })
  assert.is(answer.status, 200, answer.text)
  return answer.body.data.token
}

const PATHS = [
  '/tickets?per_page=100&sort=-created_at,subject',
  '/tickets?search=printer&type=open&per_page=50',
  '/tickets?cursor=first',
  '/tickets?page=3',
  '/conversations?per_page=50&search=hello',
  '/users?per_page=50',
  '/notes',
  '/knowledge-base',
  '/faqs',
  '/posts',
  '/settings/categories',
  '/settings/statuses',
]

/** The statements of a GET: the fewest of several, because listeners and jobs work at the same time. */
async function statementsOf(path: string, token: string): Promise<number> {
  let fewest = Number.POSITIVE_INFINITY
  for (let i = 0; i < 10 && fewest > 3; i += 1) {
    counted = 0
    const answer = await send(url, 'GET', `/api/v1${path}`, { token })
    assert.is(answer.status, 200, answer.text)
    fewest = Math.min(fewest, counted)
  }
  return fewest
}

for (const path of PATHS) {
  test(`GET ${path} takes at most two statements, and one for the caller`, async () => {
    // The first call may read the lookup tables that the process keeps from then on.
    await send(url, 'GET', `/api/v1${path}`, { token: tokens[0] })
    for (const token of tokens) {
      const statements = await statementsOf(path, token)
      assert.ok(statements >= 1 && statements <= 3, `${statements} statements`)
    }
  })
}

test('a record with all its relations takes at most two statements, and one for the caller', async () => {
  for (const token of tokens) {
    for (const group of ['tickets', 'conversations', 'users', 'notes']) {
      const list = await send(url, 'GET', `/api/v1/${group}?per_page=1`, { token })
      const id = list.body.data[0]?.id
      if (id === undefined) continue
      const statements = await statementsOf(`/${group}/${id}`, token)
      assert.ok(statements <= 3, `${group}: ${statements} statements`)
    }
  }
})

test('creating a ticket is one statement, with its activity in it, and changing one is one', async () => {
  // An engine that does not listen works nothing beside the write, neither jobs nor listeners; those of the other one do not count.
  let own = 0
  const seen = counting(plain, () => {
    own += 1
  })
  const made = await createEngine({ settings, log: SILENT, database: seen, begin: false })
  if (made.value === undefined) throw new Error('the desk did not start')
  const { foundation } = made.value.app
  const actor = { kind: 'user', id: 1, role: 'admin', permissions: new Set(['*']), attributes: {} } as const
  const call = executionOf(foundation, { actor, requestId: 'count', afterCommit: () => undefined })
  const { records } = pluginContext(call, {})
  const create = (subject: string) => records('tickets').create({ subject, details: 'It is on fire.' })
  // The first call may read the lookup tables that the process keeps from then on.
  await create('first')
  own = 0
  const { id } = await create('second')
  assert.is(own, 1)
  for (const change of [{ subject: 'third' }, { status_id: 2, priority_id: 1, tags: ['a'] }]) {
    own = 0
    await records('tickets').update(Number(id), change)
    assert.is(own, 1)
  }
  own = 0
  await records('tickets').update(Number(id), { user_id: 1 })
  assert.is(own, 3, 'who sees its comments is asked after the write')
  const [row] = await database.adhoc.run(
    { text: `select count(*) from plinth_change where resource = 'tickets' and record_id = $1::int` },
    [id],
  )
  assert.is(row?.[0], '4')
})

test.run()
