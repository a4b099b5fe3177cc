/** How values of `type: secret` are kept: sealed, hashed or as they are sent, also those that were there before. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { bootOf } from '../../engine/cli/init/from.ts'
import type { Runner } from '../../engine/database/database.ts'
import { dump } from '../../engine/dump/dump.ts'
import { load } from '../../engine/dump/load.ts'
import { migrate, planFor } from '../../engine/migration/migrate.ts'
import { protectSecrets } from '../../engine/migration/own/secrets.ts'
import { riskOf } from '../../engine/migration/step.ts'
import { isSecret, openedSecret } from '../../engine/seal.ts'
import { readSettings, type Settings } from '../../engine/settings.ts'
import { application, type TestApplication } from '../support/application.ts'
import { rootedDatabase } from '../support/begun.ts'
import { SILENT, type TestDatabase, testDatabase } from '../support/database.ts'

const test = suite('secrets that are kept')

const APP = 'name: Vault\nplugins: { csv: {}, jobs: {}, who: {} }\n'
const POLICIES = ['view', 'create', 'update', 'delete'].map((policy) => `  ${policy}: [{ who: anyone }]`)
const THINGS = [
  'resource: things',
  'fields:',
  '  name: { type: string, required: true, unique: true }',
  '  pin: { type: secret }',
  '  code: { type: secret, protect: hashed }',
  '  hash: { type: secret, protect: as_sent }',
  'log_changes: true',
  'batch: true',
  'policies:',
  ...POLICIES,
].join('\n')
const OPEN = THINGS.replace('{ type: secret }', '{ type: secret, protect: as_sent }').replace('hashed', 'as_sent')
const OLD = 'an old secret that nobody knows: 7f3a9c1e'
const NEW = 'the next secret that nobody knows: 0b5d2e8f'

let place: TestDatabase
let app: TestApplication | undefined
test.before.each(async () => {
  place = await rootedDatabase()
})
test.after.each(async () => {
  await app?.close()
  app = undefined
  await place.close()
})

const settingsWith = (secret: string): Settings => readSettings({ APP_SECRET: secret }).value!

async function open(things = THINGS, secret = OLD): Promise<TestApplication> {
  await app?.close()
  app = await application({
    resources: { 'app.yaml': APP, 'things.yaml': things },
    plugins: 'test/support/plugins',
    env: { APP_SECRET: secret },
    database: place.database,
  })
  return app
}

const textOf = (file: string): string => gunzipSync(readFileSync(file)).toString()

interface Kept {
  readonly name: string
  readonly pin: string | null
  readonly code: string | null
  readonly hash: string | null
}

async function kept(): Promise<readonly Kept[]> {
  const rows = await place.database.adhoc.run({ text: 'select name, pin, code, hash from things order by id' }, [])
  return rows.map(([name = '', pin = null, code = null, hash = null]) => ({ name: name ?? '', pin, code, hash }))
}

async function holds(settings: Settings, row: Kept, text: string): Promise<void> {
  assert.is(await openedSecret(settings, row.pin ?? ''), text)
  assert.ok(await isSecret(settings, row.pin, text))
  assert.ok(await isSecret(settings, row.code, text))
  assert.not.ok(await isSecret(settings, row.code, `${text}x`))
  assert.is(row.hash, text)
  for (const one of [row.pin, row.code]) assert.not.ok(one?.includes(text), one ?? '')
}

test('every way of writing seals and hashes', async () => {
  const { call } = await open()
  const secrets = fc.sample(
    fc.string({ minLength: 20, maxLength: 40 }).filter((text) => !text.includes('\0')),
    8,
  )
  const all = (text = '') => ({ pin: text, code: text, hash: text })
  const expect = async (status: number, method: string, path: string, body: unknown) => {
    const answer = await call(method, path, { body })
    assert.is(answer.status, status, answer.text)
    for (const text of secrets) assert.not.ok(answer.text.includes(JSON.stringify(text).slice(1, -1)))
    return answer
  }
  const settings = settingsWith(OLD)
  await expect(201, 'POST', '/things', { name: 'a', ...all(secrets[0]) })
  await holds(settings, (await kept())[0]!, secrets[0]!)
  await expect(200, 'PUT', '/things/1', all(secrets[1]))
  await holds(settings, (await kept())[0]!, secrets[1]!)
  await expect(200, 'PATCH', '/things/1', { name: 'b', ...all(secrets[2]) })
  await holds(settings, (await kept())[0]!, secrets[2]!)
  await expect(200, 'POST', '/things/batch', {
    create: ['c', 'd', 'e'].map((name, at) => ({ name, ...all(secrets[3 + at]) })),
  })
  for (const [at, row] of (await kept()).slice(1).entries()) await holds(settings, row, secrets[3 + at]!)
  await expect(200, 'PUT', '/things/1', { pin: null, code: null })
  assert.equal([(await kept())[0]?.pin, (await kept())[0]?.code], [null, null])
  const log = await place.database.adhoc.run(
    { text: "select coalesce(string_agg(t::text, ' '), '') from plinth_change t" },
    [],
  )
  for (const text of secrets) assert.not.ok(log[0]?.[0]?.includes(text))
})

/** Rows as an earlier version wrote them. */
async function written(rows: number): Promise<void> {
  await open(OPEN)
  await place.database.adhoc.run(
    {
      text: `insert into things (name, pin, code, hash) select 'n' || i, s, s, s
        from generate_series(1, $1::integer) i, lateral (select 'open sesame ' || i) as x(s)`,
    },
    [rows],
  )
  await app?.close()
  app = undefined
}

test('a start seals what was there, the plan names it, and a second start finds nothing', async () => {
  await written(3)
  const { engine } = await open(OPEN)
  await open()
  assert.ok(engine)
  for (const [at, row] of (await kept()).entries()) await holds(settingsWith(OLD), row, `open sesame ${at + 1}`)
  const before = await kept()
  await open()
  assert.equal(await kept(), before)
})

test('the plan says how many stand open', async () => {
  await written(3)
  const { engine } = await open()
  await place.database.adhoc.run({ text: `update things set pin = 'open' where id < 3` }, [])
  const { value } = await planFor(engine.app.catalog, place.database, new Date())
  assert.equal(
    value.steps.map((step) => [step.title, riskOf(step)]),
    [['seal things.pin, in 2 rows', 'safe']],
  )
  assert.ok((await migrate(engine.app.catalog, place.database, { log: SILENT, now: new Date() })).value)
})

test('a kill in the middle leaves what is done, and the next run goes on', async () => {
  await written(2_500)
  const { engine } = await open()
  const settings = settingsWith(OLD)
  await place.database.adhoc.run(
    { text: `update things set pin = 'open sesame ' || id, code = 'open sesame ' || id` },
    [],
  )
  let statements = 0
  const dying: Runner = {
    run: (statement, values) => {
      statements += 1
      if (statements > 4) throw new Error('killed')
      return place.database.adhoc.run(statement, values)
    },
  }
  const killed = await protectSecrets(engine.app.catalog, settings, dying).then(
    () => 'done',
    (error: Error) => error.message,
  )
  assert.is(killed, 'killed')
  const half = (await kept()).filter(({ pin }) => pin?.startsWith('sealed:')).length
  assert.ok(half > 0 && half < 2_500, String(half))
  assert.is(await protectSecrets(engine.app.catalog, settings, place.database.adhoc), 5_000 - half)
  for (const [at, row] of (await kept()).entries()) {
    if (at % 100 === 0) await holds(settings, { ...row, hash: `open sesame ${at + 1}` }, `open sesame ${at + 1}`)
    assert.ok(row.pin?.startsWith('sealed:') && row.code?.startsWith('hashed:'))
  }
})

test('after a rotation values open by either secret, are sealed anew, and then need the old one no more', async () => {
  const { call } = await open()
  await call('POST', '/things', { body: { name: 'a', pin: 'first', code: 'first' } })
  await open(THINGS, `${NEW},${OLD}`)
  const [row] = await kept()
  assert.is(await openedSecret(settingsWith(NEW), row?.pin ?? ''), 'first')
  assert.is(await openedSecret(settingsWith(OLD), row?.pin ?? ''), undefined)
  // A hash cannot be made anew: it is known again as long as its secret is among those that count.
  assert.ok(await isSecret(settingsWith(`${NEW},${OLD}`), row?.code ?? '', 'first'))
  await open(THINGS, 'quite another secret and it opens nothing')
  assert.equal(await kept(), [row])
})

test('a sealed value becomes a hash where the field says so, and a hash stays one', async () => {
  const { call } = await open()
  await call('POST', '/things', { body: { name: 'a', pin: 'first', code: 'second' } })
  await open(
    THINGS.replace('protect: hashed', 'protect: sealed').replace(
      '{ type: secret }',
      '{ type: secret, protect: hashed }',
    ),
  )
  const [row] = await kept()
  assert.match(row?.pin ?? '', /^hashed:/)
  assert.ok(await isSecret(settingsWith(OLD), row?.pin ?? '', 'first'))
  assert.ok(await isSecret(settingsWith(OLD), row?.code ?? '', 'second'))
})

test('a dump holds nothing readable, and one of an earlier version is sealed when it is loaded', async () => {
  await written(3)
  const folder = mkdtempSync(join(tmpdir(), 'plinth-secrets-'))
  const [target, settings] = [await testDatabase(), settingsWith(OLD)]
  try {
    const then = await open(OPEN)
    const { catalog: before, files } = { catalog: then.engine.app.catalog, files: [] }
    await dump({ catalog: before, database: place.database, settings, files, now: new Date() }, join(folder, 'old'))
    assert.match(textOf(join(folder, 'old')), 'open sesame 2')
    const { engine } = await open()
    const { catalog } = engine.app
    await dump({ catalog, database: place.database, settings, files, now: new Date() }, join(folder, 'new'))
    assert.is(textOf(join(folder, 'new')).split('open sesame 2').length, 2, 'as_sent alone')
    const how = { asDumped: false, otherSecret: false }
    await load({ catalog, database: target.database, settings, files, ...how }, join(folder, 'old'))
    const rows = await target.database.adhoc.run({ text: 'select pin, code from things order by id' }, [])
    for (const [at, [pin, code]] of rows.entries()) {
      assert.is(await openedSecret(settings, pin ?? ''), `open sesame ${at + 1}`)
      assert.ok(await isSecret(settings, code ?? null, `open sesame ${at + 1}`))
    }
    assert.is(rows.length, 3)
  } finally {
    await target.close()
    rmSync(folder, { recursive: true, force: true })
  }
})

test('a dump seals what an earlier version stored open, also under another name, where the new program never started', async () => {
  await written(3)
  await open(OPEN)
  await app?.close()
  app = undefined
  const folder = mkdtempSync(join(tmpdir(), 'plinth-secrets-'))
  const settings = settingsWith(OLD)
  const renamed = THINGS.replace('  pin: {', '  number: { renamed_from: pin,').replace(
    'resource: things',
    'resource: items\nrenamed_from: things',
  )
  try {
    for (const [at, things] of [THINGS, renamed].entries()) {
      const target = await testDatabase()
      try {
        const files = new Map([
          ['app.yaml', 'name: Vault\nplugins: { csv: {}, jobs: {} }\n'],
          ['things.yaml', things],
        ])
        const { catalog } = await bootOf(files)
        const shared = { catalog, settings, files: [] }
        const file = join(folder, String(at))
        await dump({ ...shared, database: place.database, now: new Date() }, file)
        assert.is(textOf(file).split('open sesame 2').length, 2, 'as_sent alone')
        const text = 'select pin, code from things order by id'
        await load({ ...shared, database: target.database, asDumped: true, otherSecret: false }, file)
        const [, second] = await target.database.adhoc.run({ text }, [])
        assert.is(await openedSecret(settings, second?.[0] ?? ''), 'open sesame 2')
        assert.ok(await isSecret(settings, second?.[1] ?? null, 'open sesame 2'))
        const [open] = await place.database.adhoc.run({ text }, [])
        assert.equal(open, ['open sesame 1', 'open sesame 1'], 'the database itself is as it was')
      } finally {
        await target.close()
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test.run()
