/** The order of work of an instance in a rollout: before requests wait for it, and while they wait. */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readCatalog } from '../../engine/boot/boot.ts'
import { followFiles } from '../../engine/boot/replace-app.ts'
import type { Pause } from '../../engine/migration/apply.ts'
import { migrateTables } from '../../engine/migration/migrate.ts'
import { ENGINE_TABLES } from '../../engine/migration/own/engine-tables.ts'
import { rollOut } from '../../engine/rollout/roll-out.ts'
import { instances } from '../../engine/rollout/state.ts'
import type { Collected } from '../../engine/text/diagnostic.ts'
import { folder, NOTES } from '../cli/world.ts'
import { SILENT, testDatabase } from '../support/database.ts'
import { until } from '../support/wait.ts'

const order = suite('order of a rollout')

/** What an instance and whoever rolls out do, in this order; `settle` is what is done to the database. */
async function rolledOut(settle: (pause: Pause, done: string[]) => Promise<Collected<string>>) {
  const files = folder(NOTES)
  const { database, close } = await testDatabase()
  await migrateTables(ENGINE_TABLES, database, { log: SILENT, now: new Date() })
  const settings = { resourcesDir: join(files.path, 'resources'), pluginsDir: join(files.path, 'plugins') }
  const { value: boot } = await readCatalog(settings)
  const done: string[] = []
  const follower = followFiles({ database, log: SILENT, read: (doing) => readCatalog(settings, doing) }, 'another', {
    alone: async (work) => {
      done.push('requests wait')
      const result = await work()
      done.push('requests are served')
      return result
    },
    compose: () => {
      done.push('composed')
      return 'an app'
    },
    serve: async (_boot, app) => void done.push(`${app} is served`),
    changed: async () => '',
    fits: async () => true,
    fitsNow: async () => true,
    finish: async () => false,
  })
  const registry = { runner: database.adhoc, presence: database.presence }
  try {
    await until(async () => (await instances(registry, randomUUID())).length === 1)
    const rolled = await rollOut({
      ...registry,
      version: boot!.version,
      settle: (pause) => settle(pause, done),
    })
    await until(async () => done.at(-1) === 'requests are served' || !done.includes('requests wait'))
    return { ...rolled, done }
  } finally {
    await follower.close()
    await close()
    files.remove()
  }
}

order('an instance composes what it will serve before it says that it is ready', async () => {
  const { value, diagnostics, done } = await rolledOut(async (pause, done) => {
    done.push('settling')
    await pause.begin()
    done.push('altered')
    return { value: 'settled', diagnostics: [] }
  })
  assert.equal(diagnostics, [])
  assert.is(value?.settled, 'settled')
  const expected = ['composed', 'settling', 'requests wait', 'altered', 'an app is served', 'requests are served']
  assert.equal(done, expected)
})

/** Of an instance whose files fit the tables. */
const FITTING = {
  alone: <T>(work: () => Promise<T>) => work(),
  compose: () => 'an app',
  serve: async () => {},
  changed: async () => 'changed',
  fits: async () => true,
  fitsNow: async () => true,
  finish: async () => false,
}

/** Alters, ends the pause, and waits until requests are served again. */
async function alter(pause: Pause, done: string[]): Promise<void> {
  await pause.begin()
  done.push('altered')
  await pause.end()
  await until(async () => done.at(-1) === 'requests are served')
}

order('requests are served as soon as the pause ends, while the rest is done', async () => {
  let before: readonly string[] = []
  const { value, done } = await rolledOut(async (pause, done) => {
    await alter(pause, done)
    before = [...done]
    return { value: 'settled', diagnostics: [] }
  })
  assert.equal(before, ['composed', 'requests wait', 'altered', 'an app is served', 'requests are served'])
  assert.equal(done, before)
  assert.is(value?.serving.length, 1)
})

order('what fails behind the pause is told, and the version that fits the tables is served on', async () => {
  const failure = { code: 'wrong_seed', message: 'no' } as const
  const { value, diagnostics, done } = await rolledOut(async (pause, done) => {
    await alter(pause, done)
    return { diagnostics: [failure] }
  })
  assert.is(value, undefined)
  assert.equal(diagnostics, [failure])
  assert.is(done.filter((one) => one === 'an app is served').length, 1)
})

order('what fails in the pause has every instance serve on what it had', async () => {
  const { diagnostics, done } = await rolledOut(async (pause) => {
    await pause.begin()
    return { diagnostics: [{ code: 'wrong_seed', message: 'no' }] }
  })
  assert.is(diagnostics.length, 1)
  assert.equal(done, ['composed', 'requests wait', 'requests are served'])
})

order('a pause that is given back has requests served by the version before, as often as it is', async () => {
  const { diagnostics, done } = await rolledOut(async (pause, done) => {
    for (const attempt of ['first', 'second']) {
      await pause.begin()
      done.push(`${attempt} attempt`)
      await pause.giveBack()
      done.push('given back')
    }
    await pause.begin()
    done.push('altered')
    await pause.end()
    return { value: 'settled', diagnostics: [] }
  })
  assert.equal(diagnostics, [])
  const given = (attempt: string) => ['requests wait', `${attempt} attempt`, 'requests are served', 'given back']
  assert.equal(done, [
    'composed',
    ...given('first'),
    ...given('second'),
    ...['requests wait', 'altered', 'an app is served', 'requests are served'],
  ])
})

order('what was read before a rollout is not served on by an instance that shows itself behind it', async () => {
  const files = folder(NOTES)
  const { database, close } = await testDatabase()
  await migrateTables(ENGINE_TABLES, database, { log: SILENT, now: new Date() })
  const settings = { resourcesDir: join(files.path, 'resources'), pluginsDir: join(files.path, 'plugins') }
  const { value: boot } = await readCatalog(settings)
  const rolled = await rollOut({
    ...{ runner: database.adhoc, presence: database.presence, version: boot!.version },
    settle: async () => ({ value: 'settled', diagnostics: [] }),
  })
  assert.equal(rolled.value, { settled: 'settled', serving: [] })
  let served = ''
  const follower = followFiles(
    { database, log: SILENT, read: (doing) => readCatalog(settings, doing) },
    'read before',
    {
      ...FITTING,
      serve: async ({ version }) => {
        served = version
      },
    },
  )
  try {
    await until(() => served === boot!.version)
  } finally {
    await follower.close()
    await close()
    files.remove()
  }
})

order(
  'an instance whose files do not fit tables that were changed without it says so in the log, and serves on',
  async () => {
    const files = folder(NOTES)
    const { database, close } = await testDatabase()
    await migrateTables(ENGINE_TABLES, database, { log: SILENT, now: new Date() })
    const settings = { resourcesDir: join(files.path, 'resources'), pluginsDir: join(files.path, 'plugins') }
    const said: string[] = []
    let isServed = false
    const log = { ...SILENT, error: (_: object, text?: string) => void said.push(text ?? '') }
    const follower = followFiles({ database, log, read: (doing) => readCatalog(settings, doing) }, 'another', {
      ...FITTING,
      serve: async () => {
        isServed = true
      },
      fits: async () => false,
      fitsNow: async () => false,
    })
    try {
      await until(() => said.length > 0)
      assert.match(said[0] ?? '', 'the files as they are now do not fit them either')
      assert.is(isServed, false)
    } finally {
      await follower.close()
      await close()
      files.remove()
    }
  },
)

order.run()
