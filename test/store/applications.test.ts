/** Two applications on one Redis: neither counts the requests of the other, nor gets its messages. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { application, type TestApplication } from '../support/application.ts'

const LIMIT = 3
const RESOURCES = {
  'app.yaml': 'name: Notes\nplugins: {}\n',
  'notes.yaml':
    'resource: notes\nfields: { text: { type: string, required: true } }\nactions: [list]\npolicies: { view: [{ who: anyone }] }\n',
}

const test = suite<{ one: TestApplication; two: TestApplication }>('store: two applications')

test.before(async (world) => {
  const env = { RATE_LIMIT: String(LIMIT) }
  world.one = await application({ resources: RESOURCES, env })
  world.two = await application({ resources: RESOURCES, env })
})
test.after(async ({ one, two }) => {
  await one?.close()
  await two?.close()
})

test('what one caller may do at the one is not counted at the other', async ({ one, two }) => {
  const statuses: number[] = []
  for (let request = 0; request <= LIMIT; request += 1) statuses.push((await one.call('GET', '/notes')).status)
  assert.equal(statuses, [200, 200, 200, 429])
  assert.is((await two.call('GET', '/notes')).status, 200)
})

if (process.env.TEST_REDIS_URL === undefined) console.log('  without TEST_REDIS_URL each application counts by itself')
test.run()
