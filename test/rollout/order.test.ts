/** What an instance does of a rollout before requests wait for it, and what while they wait. */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readCatalog } from '../../engine/boot/boot.ts'
import { followFiles } from '../../engine/boot/follow-files.ts'
import { fileVersion } from '../../engine/boot/version.ts'
import { ENGINE_TABLES } from '../../engine/migration/engine-tables.ts'
import { migrateTables } from '../../engine/migration/migrate.ts'
import { rollOut } from '../../engine/rollout/roll-out.ts'
import { instances } from '../../engine/rollout/state.ts'
import { folder, NOTES } from '../cli/world.ts'
import { SILENT, testDatabase } from '../support/database.ts'
import { until } from '../support/wait.ts'

const order = suite('order of a rollout')

order('an instance composes what it will serve before it says that it is ready', async () => {
  const files = folder(NOTES)
  const { database, close } = await testDatabase()
  await migrateTables(ENGINE_TABLES, database, { log: SILENT, now: new Date() })
  const settings = { resourcesDir: join(files.path, 'resources'), pluginsDir: join(files.path, 'plugins') }
  const { value: boot } = await readCatalog(settings)
  const done: string[] = []
  const follower = followFiles({ database, log: SILENT, settings }, Promise.resolve('another'), {
    alone: async (work) => {
      done.push('requests wait')
      await work()
      done.push('requests are served')
    },
    compose: () => {
      done.push('composed')
      return 'an app'
    },
    serve: async (_boot, app) => void done.push(`${app} is served`),
  })
  try {
    await until(async () => (await instances(database.adhoc, randomUUID())).length === 1)
    const { value, diagnostics } = await rollOut({
      runner: database.adhoc,
      version: await fileVersion(boot!, settings),
      settle: async (alone) => {
        done.push('settling')
        await alone()
        done.push('altered')
        return { value: 'settled', diagnostics: [] }
      },
    })
    assert.equal(diagnostics, [])
    assert.is(value?.settled, 'settled')
    const expected = ['composed', 'settling', 'requests wait', 'altered', 'an app is served', 'requests are served']
    await until(async () => done.length === expected.length)
    assert.equal(done, expected)
  } finally {
    await follower.close()
    await close()
    files.remove()
  }
})

order.run()
