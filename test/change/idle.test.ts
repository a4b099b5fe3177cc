/** Listeners with nothing to do: changes for others cost them nothing, and they wake up again for their own. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { listenersWithWork } from '../../engine/change/log.ts'
import { LIMITS } from '../../engine/limits.ts'
import type { TestApplication } from '../support/application.ts'
import { until } from '../support/wait.ts'
import { awake, woken } from './plugins/echo/heard.ts'
import { openBooks } from './world.ts'

let app: TestApplication
const test = suite('listeners with nothing to do')

test.before(async () => {
  app = await openBooks()
})
test.after(() => app.close())

/** Many changes by one statement, as an import writes them. */
async function logged(resource: string, count: number, word: string): Promise<void> {
  const text = `insert into plinth_change (resource, record_id, action, changes)
    select $1, n, 'update', jsonb_build_array(jsonb_build_object('field', 'title', 'from', null, 'to', $2 || n))
    from generate_series(1, $3::int) n`
  await app.engine.database.adhoc.run({ text }, [resource, word, count])
}

async function settled(): Promise<void> {
  const { catalog, database } = app.engine.app.foundation
  await until(async () => (await listenersWithWork(database.adhoc, catalog.listeners)).names.length === 0)
}

async function placeOf(name: string): Promise<string> {
  const text = 'select done::text, last_id from plinth_listener where name = $1 and upto is null'
  const [row] = await app.engine.database.adhoc.run({ text }, [name])
  return row?.join(' ') ?? ''
}

test('who says that there is nothing to do is not given the rest, and hears what comes later', async () => {
  const earlier = woken.length
  await logged('books', 1_000, 'slept through ')
  await settled()
  assert.equal(woken.slice(earlier), [[LIMITS.listenerBatch, `slept through ${LIMITS.listenerBatch}`]])
  awake.now = true
  await logged('books', 300, 'heard ')
  await settled()
  assert.equal(woken.slice(earlier + 1), [
    [LIMITS.listenerBatch, `heard ${LIMITS.listenerBatch}`],
    [100, 'heard 300'],
  ])
})

test('after many changes of others a listener moves on, so that no look at the log is long', async () => {
  await settled()
  const before = await placeOf('echo.picky')
  await logged('shelves', 100, 'few ')
  await settled()
  assert.is(await placeOf('echo.picky'), before)
  await logged('shelves', 2_500, 'many ')
  await until(async () => !['', before].includes(await placeOf('echo.picky')))
})

test.run()
