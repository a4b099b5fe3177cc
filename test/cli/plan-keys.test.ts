/** The option `keys` of accounts: what `check`, `plan` and `explain` say of how long keys last and who makes them. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type TestDatabase, testDatabase } from '../support/database.ts'
import { placeOf, serveOnce } from './serving.ts'
import { type Folder, folder, plinth } from './world.ts'

const test = suite('plan: keys of programs')

let place: Folder
let base: TestDatabase | undefined

function app(keys: string): string {
  return `name: Desk\nprefix: /api\nplugins: { timestamps: {}, soft_delete: {}, mail: {}, auth: { roles: [admin, agent, customer]${keys} } }\n`
}

const ROLES = `resource: roles
seeds: { key: slug, rows: [{ slug: agent, name: Agent, permissions: [keys.own] }] }
`

test.before(async () => {
  place = folder({ 'resources/app.yaml': app(''), 'resources/roles.yaml': ROLES })
  if (process.env.TEST_DATABASE_URL !== undefined) base = await testDatabase()
  await serveOnce(
    placeOf(place, base),
    `with made as (insert into users (first_name, last_name, email, role_id)
      select 'A', n::text, n || '@desk.example', (select id from roles where slug = 'agent') from generate_series(1, 2) n returning id)
    insert into access_keys (name, start, key_hash, user_id, created_at, expires_at)
      select 'k', 'plk_' || id || d, 'h' || id || d, id, now() - d * interval '1 day', now() + interval '200 days'
      from made, unnest(array[5, 50, 100]) d`,
  )
})
test.after(async () => {
  await base?.close()
  place?.remove()
})

async function said(keys: string, ...words: readonly string[]): Promise<string> {
  place.write('resources/app.yaml', app(keys))
  const { complained, said } = await plinth(words, placeOf(place, base))
  return `${complained}${said}`
}

test('a role or permission that there is not is a mistake at its word, and so is a time that is none', async () => {
  const told = await said(', keys: { longest: 1 year, for: [{ role: agnet }, { permission: keys.won }] }', 'check')
  assert.match(told, /app\.yaml:3:\d+ error .*longest/)
  const names = await said(', keys: { for: [{ role: agnet }, { permission: keys.won }] }', 'check')
  assert.match(names, /There is no role "agnet"[\s\S]*did you mean "agent"/)
  assert.match(names, /There is no permission "keys.won"[\s\S]*did you mean "keys.own"/)
})

test('a plan counts the keys that a shorter time ends, and the start ends them', async () => {
  assert.not.match(await said('', 'plan'), /By options/)
  const told = await said(', keys: { longest: 90 days }', 'plan')
  assert.match(
    told,
    /By options of plugins:\n {2}auth: no key would last longer than 90 days: 2 keys would end at once, and 4 keys would end earlier, of 2 accounts/,
  )
  // Who makes keys changes too, so that the start has something to write down.
  const served = ', keys: { longest: 90 days, for: [{ role: agent }] }'
  place.write('resources/app.yaml', app(served))
  await serveOnce(placeOf(place, base))
  assert.not.match(await said(served, 'plan'), /By options/)
})

test('a plan says who may make keys from now on, and explain says it of one person', async () => {
  const narrower = ', keys: { longest: 90 days, for: [{ role: admin }] }'
  assert.match(await said(narrower, 'plan'), /agent[\s\S]*POST \/api\/auth\/keys/)
  const words = ['explain', 'POST /api/auth/keys', '--as', '1@desk.example']
  assert.match(await said(narrower, ...words), /access: refused, 403: .*keys.manage[\s\S]*For .*admin/)
  assert.match(await said(', keys: { for: [{ role: agent }] }', ...words), /access: allowed/)
})

test.run()
