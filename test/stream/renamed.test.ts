/** A reader goes on where it was when its resource has another name. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { application } from '../support/application.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'
import { BOSS, RESOURCES, readingsOf, type World, worldOf } from './world.ts'

const test = suite('streams of renamed resources')
const read = readingsOf(test)

let held: TestDatabase
test.before(async () => {
  held = await testDatabase()
})
test.after(() => held?.close())

const comments = RESOURCES['comments.yaml'] ?? ''
const named = (more: string) => ({
  ...RESOURCES,
  'tickets.yaml': (RESOURCES['tickets.yaml'] ?? '').replaceAll('has_many: comments', 'has_many: remarks'),
  'comments.yaml': comments.replace('resource: comments', `resource: remarks${more}`),
})

async function serving(resources: Readonly<Record<string, string>>, use: (world: World) => Promise<void>) {
  const app = await application({ resources, plugins: 'test/support/plugins', database: held.database })
  try {
    await use(worldOf(app))
  } finally {
    await app.close()
  }
}

test('behind the id of its last event, under the earlier path and the later one, and when the earlier is gone', async () => {
  let lastId = ''
  await serving(RESOURCES, async (world) => {
    const ticket = await world.make('/tickets', { title: 'One' })
    const reading = await read(world.address, BOSS, '/comments/stream')
    await world.make('/comments', { text: 'a', ticket_id: ticket })
    await reading.come(2)
    lastId = reading.lastId()
    reading.close()
    await world.make('/comments', { text: 'b', ticket_id: ticket })
  })
  let later = ''
  await serving(named('\nrenamed_from: comments'), async (world) => {
    for (const path of ['/comments/stream', '/remarks/stream']) {
      const reading = await read(world.address, BOSS, path, lastId)
      await reading.come(1)
      assert.equal([path, reading.told(), reading.events[0]?.data.text], [path, ['created 2'], 'b'])
      later = reading.lastId()
    }
    await world.make('/remarks', { text: 'c', ticket_id: 1 })
  })
  await serving(named(''), async (world) => {
    const reading = await read(world.address, BOSS, '/remarks/stream', later)
    await reading.come(1)
    assert.equal([reading.told(), reading.events[0]?.data.text], [['created 3'], 'c'])
  })
})

test.run()
