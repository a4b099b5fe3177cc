/** How many statements an answer costs: two for any list or record whatever it embeds, and one for the caller. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Runner } from '../../engine/database/database.ts'
import { createEngine, type Engine } from '../../engine/engine.ts'
import { readSettings } from '../../engine/settings.ts'
import { send } from '../support/application.ts'
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
let engine: Engine
let url = ''
let tokens: readonly string[] = []
let closeAll = async (): Promise<void> => undefined

const test = suite('desk: statements')

function counting(runner: Runner): Runner {
  return {
    ...runner,
    run: (statement, values) => {
      counted += 1
      return runner.run(statement, values)
    },
  }
}

test.before(async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'plinth-count-'))
  const { database, close } = await testDatabase()
  const { value: settings } = readSettings({ PORT: '0', DATA_DIR: dataDir, ...ADMIN })
  if (settings === undefined) throw new Error('the settings of the test are not acceptable')
  const { adhoc, compiled } = database
  const wrapped = { ...database, compiled: counting(compiled), adhoc: counting(adhoc) }
  const made = await createEngine({ settings, log: SILENT, database: wrapped })
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

for (const path of PATHS) {
  test(`GET ${path} takes at most two statements, and one for the caller`, async () => {
    // The first call may read the lookup tables that the process keeps from then on.
    await send(url, 'GET', `/api/v1${path}`, { token: tokens[0] })
    for (const token of tokens) {
      counted = 0
      const answer = await send(url, 'GET', `/api/v1${path}`, { token })
      assert.is(answer.status, 200, answer.text)
      assert.ok(counted <= 3, `${counted} statements`)
      assert.ok(counted >= 1)
    }
  })
}

test('a record with all its relations takes at most two statements, and one for the caller', async () => {
  for (const token of tokens) {
    for (const group of ['tickets', 'conversations', 'users', 'notes']) {
      const list = await send(url, 'GET', `/api/v1/${group}?per_page=1`, { token })
      const id = list.body.data[0]?.id
      if (id === undefined) continue
      counted = 0
      const answer = await send(url, 'GET', `/api/v1/${group}/${id}`, { token })
      assert.is(answer.status, 200, answer.text)
      assert.ok(counted <= 3, `${group}: ${counted} statements`)
    }
  }
})

test.run()
