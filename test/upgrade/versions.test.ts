/** Which version wrote a database, which may serve it, and that each version has its set of data. */
import { readdir } from 'node:fs/promises'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createEngine } from '../../engine/engine.ts'
import { keepProgram, refuseOlderProgram, writtenBy } from '../../engine/migration/own/facts.ts'
import { previousVersion, thisProgram } from '../../engine/program.ts'
import { readSettings } from '../../engine/settings.ts'
import { folder, NOTES, plinth } from '../cli/world.ts'
import { SILENT, testDatabase } from '../support/database.ts'
import { versions } from './opened.ts'

const test = suite('versions')
const present = await thisProgram()

test('each finished version of the changelog has a set of data', async () => {
  const known = await readdir('engine/changes')
  const finished = known.filter((version) => version !== present.version)
  const sets = await versions()
  assert.equal(
    finished.filter((version) => !sets.includes(version)),
    [],
    'npm run upgrade:data -- <commit> <version> makes one',
  )
  assert.ok(known.includes(present.version), 'the version of package.json is in the changelog')
})

test('the version before is the last one with another minor number', () => {
  const known = ['0.2.0', '0.10.0', '0.3.0', '0.9.0', '1.0.0', '1.1.0']
  const before = (version: string) => previousVersion(version, known)
  assert.equal(['0.2.0', '0.3.0', '0.3.4', '0.10.0', '1.0.0', '1.1.2'].map(before), [
    undefined,
    '0.2.0',
    '0.2.0',
    '0.9.0',
    '0.10.0',
    '1.0.0',
  ])
})

/** A served application of one resource, in a folder of its own. */
async function served() {
  const files = folder(NOTES)
  const database = await testDatabase()
  const dataDir = mkdtempSync(join(tmpdir(), 'plinth-versions-'))
  const env = {
    RESOURCES_DIR: `${files.path}/resources`,
    PLUGINS_DIR: `${files.path}/plugins`,
    DATA_DIR: dataDir,
    DATABASE_URL: database.url === undefined ? undefined : String(database.url),
    PORT: '0',
  }
  const settings = readSettings(env).value!
  const start = () => createEngine({ settings, log: SILENT, ...(database.url ? {} : { database: database.database }) })
  const close = async () => {
    await database.close()
    files.remove()
    rmSync(dataDir, { recursive: true, force: true })
  }
  return { env, files, runner: database.database.adhoc, start, close }
}

async function writtenAs(runner: Awaited<ReturnType<typeof served>>['runner'], value: object): Promise<void> {
  await runner.run({ text: `update plinth_fact set value = $1 where name = 'program'` }, [JSON.stringify(value)])
}

/** Everything in the tables of the engine and of the application, as text. */
async function contentOf(runner: Awaited<ReturnType<typeof served>>['runner']): Promise<string> {
  const text = `select table_name, xpath('/table/row', query_to_xml(format('select * from %I', table_name), true, false, ''))::text
    from information_schema.tables where table_schema = current_schema() and table_type = 'BASE TABLE'
      and table_name <> 'plinth_instance' order by 1`
  return JSON.stringify(await runner.run({ text }, []))
}

test('a start writes its version down, and /readyz tells operators', async () => {
  const { runner, start, close } = await served()
  const { value: engine } = await start()
  const written = await writtenBy(runner)
  assert.ok(typeof written === 'object')
  assert.equal([written.version, written.oldest], [present.version, present.oldest])
  const { url } = await engine!.listen()
  const { data } = (await (await fetch(`${url}/readyz`)).json()) as { data: { checks: Record<string, string> } }
  assert.is(data.checks.program, present.version)
  assert.match(
    data.checks.data!,
    new RegExp(`^written by ${present.version} since \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d UTC$`),
  )
  const proxied = await fetch(`${url}/readyz`, { headers: { 'x-forwarded-for': '203.0.113.9' } })
  const told = (await proxied.json()) as { data: { checks: Record<string, string> } }
  assert.equal(
    Object.keys(told.data.checks).filter((name) => name === 'program' || name === 'data'),
    [],
  )
  await engine!.close()
  await close()
})

test('the version before serves data of the next one, and leaves its mark', async () => {
  const { env, runner, start, close } = await served()
  await (await start()).value!.close()
  await writtenAs(runner, { version: '0.9.0', oldest: present.version })
  const { value: engine, diagnostics } = await start()
  assert.ok(engine, JSON.stringify(diagnostics))
  const { url } = await engine.listen()
  const made = await fetch(`${url}/api/notes`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"title":"Still here"}',
  })
  assert.is(made.status, 201)
  await engine.close()
  const written = await writtenBy(runner)
  assert.is(typeof written === 'object' && written.version, '0.9.0')
  if (env.DATABASE_URL !== undefined) {
    const { said } = await plinth(['plan'], env)
    assert.match(said, /^The data was written by Plinth 0\.9\.0 since .* UTC; this is Plinth /)
  }
  await close()
})

test('a version that is too old refuses before it writes anything, and so does each command', async () => {
  const { env, runner, start, close } = await served()
  await (await start()).value!.close()
  await writtenAs(runner, { version: '0.9.0', oldest: '0.8.0' })
  const before = await contentOf(runner)
  const sentence = new RegExp(
    `Plinth 0\\.9\\.0 has written to this database since .* UTC, and this is ${present.version}, which is too old for it\\. Nothing was changed\\. Run npm install plinth@0\\.9\\.0; 0\\.8\\.0 is the oldest version that can serve it\\.`,
  )
  try {
    await start()
    assert.unreachable('it started')
  } catch (error) {
    assert.match((error as Error).message, sentence)
  }
  if (env.DATABASE_URL !== undefined) {
    for (const command of [['plan'], ['apply'], ['check', '--data'], ['dump', join(env.DATA_DIR, 'dump')]]) {
      const { code, complained } = await plinth(command, env)
      assert.is(code, 1, command.join(' '))
      assert.match(complained, sentence)
    }
    const { said } = await plinth(['doctor'], env)
    assert.match(said, /^problem +versions +Plinth 0\.9\.0 has written/m)
  }
  assert.is(await contentOf(runner), before)
  await close()
})

test('of any two versions, a start is refused exactly where it is older than the oldest that may serve', async () => {
  const { runner, start, close } = await served()
  await (await start()).value!.close()
  const version = fc.tuple(fc.nat(2), fc.nat(12), fc.nat(3)).map((parts) => parts.join('.'))
  const number = (text: string) => text.split('.').reduce((sum, part) => sum * 1_000 + Number(part), 0)
  await fc.assert(
    fc.asyncProperty(version, version, version, async (wrote, oldest, own) => {
      await writtenAs(runner, { version: wrote, oldest })
      const refused = await refuseOlderProgram(runner, { version: own, oldest }).then(
        () => false,
        () => true,
      )
      assert.is(refused, number(own) < number(oldest))
      await keepProgram(runner, { version: own, oldest })
      const kept = await writtenBy(runner)
      assert.is(typeof kept === 'object' && kept.version, number(own) > number(wrote) ? own : wrote)
    }),
    { numRuns: 40 },
  )
  await close()
})

test('data from before versions were written down says so in the plan', async () => {
  const { env, runner, start, close } = await served()
  await (await start()).value!.close()
  await runner.run({ text: `delete from plinth_fact where name = 'program'` }, [])
  assert.is(await writtenBy(runner), 'earlier')
  if (env.DATABASE_URL !== undefined) {
    assert.match((await plinth(['plan'], env)).said, 'The data was written by a Plinth before 0.3.0; this is Plinth ')
    const json = JSON.parse((await plinth(['plan', '--json'], env)).said)
    assert.equal([json.version, json.written_by], [present.version, null])
  }
  await close()
})

test.run()
