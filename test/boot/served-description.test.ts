/** The served app is described for `plinth plan` only where its sources differ from before. */
import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Boot } from '../../engine/boot/boot.ts'
import { madeFrom, programVersion } from '../../engine/boot/files-version.ts'
import { createServedKeeper, describeServed, madeOfServed } from '../../engine/boot/served-description.ts'
import { changesAsText } from '../../engine/cli/diff.ts'
import { migrateTables } from '../../engine/migration/migrate.ts'
import { ENGINE_TABLES } from '../../engine/migration/own/engine-tables.ts'
import { keepServed, keepServedFiles, servedLast } from '../../engine/migration/own/facts.ts'
import { contractOf } from '../../engine/openapi/compare/contract.ts'
import { compareWithCauses } from '../../engine/openapi/compare/documents.ts'
import type { OpenApiDocument } from '../../engine/openapi/openapi-document.ts'
import { describeApplication } from '../../engine/openapi/routes.ts'
import { each } from '../../engine/turns.ts'
import { EDITED } from '../migration/world.ts'
import { type Application, application } from '../plugin/application.ts'
import { SILENT, testDatabase } from '../support/database.ts'
import { until } from '../support/wait.ts'

const test = suite('remembering what is served')

const POLICIES = 'policies: { view: [], create: [], update: [], delete: [] }'
const plugin = (name: string): string => `export default { name: '${name}', description: 'Does nothing.' }\n`

const FILES = {
  'resources/app.yaml': 'name: Shop\nprefix: /api\nplugins: { own: {}, packaged: {} }\n',
  'resources/things.yaml': `resource: things\nfields: { name: { type: string } }\n${POLICIES}\n`,
  'plugins/own/index.js': plugin('own'),
  'node_modules/packaged/index.js': plugin('packaged'),
  'node_modules/packaged/package.json': '{ "name": "packaged", "type": "module", "main": "index.js" }',
  'package.json': '{ "type": "module" }',
}

function options({ directory }: Application) {
  return { resourcesDir: join(directory, 'resources'), pluginsDir: join(directory, 'plugins') }
}

async function booted(app: Application): Promise<Boot> {
  const { value, diagnostics } = await app.boot()
  assert.ok(value, JSON.stringify(diagnostics))
  return value
}

test('an application is made from its files, the code of its plugins, and that of packages', async () => {
  const app = application(FILES)
  const from = async (): Promise<string> => {
    const boot = await booted(app)
    return madeFrom(boot.version, boot.composition, options(app))
  }
  const found = [await from()]
  assert.is(await from(), found[0], 'the same while nothing changes')
  for (const path of ['resources/things.yaml', 'plugins/own/index.js', 'node_modules/packaged/index.js']) {
    appendFileSync(join(app.directory, path), path.endsWith('.js') ? '// more\n' : '# more\n')
    found.push(await from())
  }
  app.remove()
  assert.is(new Set(found).size, 4, 'another with each change')
})

test('code that is saved while it is imported is another version than the one that was read', async () => {
  const saves =
    "import { writeFileSync } from 'node:fs'\nwriteFileSync(new URL('more.js', import.meta.url), '// saved')\n"
  const app = application({ ...FILES, 'plugins/own/index.js': `${saves}${FILES['plugins/own/index.js']}` })
  const first = await booted(app)
  assert.is.not((await booted(app)).version, first.version)
  app.remove()
})

test('the document is made when it was made from something else, and not by another start of the same', async () => {
  const app = application(FILES)
  const { database, close } = await testDatabase()
  await migrateTables(ENGINE_TABLES, database, EDITED)
  let made = 0
  const serve = async (): Promise<void> => {
    const boot = await booted(app)
    function* documentPieces() {
      made += 1
      yield
      return describeApplication(boot.catalog, boot.routes, boot.composition)
    }
    const asked: string[] = []
    const adhoc: typeof database.adhoc = {
      run(statement, values) {
        asked.push(statement.text)
        return database.adhoc.run(statement, values)
      },
    }
    const around = { database: { ...database, adhoc }, log: SILENT, settings: options(app) }
    const remembering = createServedKeeper(around, () => ({ ...boot, documentPieces }))
    remembering.begin(boot.version)
    await until(() => asked.length > 0)
    await remembering.end()
  }
  await serve()
  assert.is(made, 1)
  const first = await servedLast(database.adhoc)
  assert.match(first?.text ?? '', '"/api/things"')
  await serve()
  assert.is(made, 1)
  assert.equal(await servedLast(database.adhoc), first)
  appendFileSync(join(app.directory, 'resources/things.yaml'), 'description: What there is.\n')
  await serve()
  assert.is(made, 2)
  await close()
  app.remove()
})

test('a plan tells what the program changed from what the files changed', async () => {
  const app = application(FILES)
  const { database, close } = await testDatabase()
  await migrateTables(ENGINE_TABLES, database, EDITED)
  const contract = async (): Promise<OpenApiDocument> => {
    const { catalog, composition, routes } = await booted(app)
    return contractOf(describeApplication(catalog, routes, composition))
  }
  const made = (): ReturnType<typeof madeOfServed> => madeOfServed(database.adhoc, options(app))
  const served = async (program: string): Promise<void> => {
    const { files } = await booted(app)
    await keepServedFiles(database.adhoc, program, JSON.stringify({ program, files }))
    await keepServed(database.adhoc, program, () => JSON.stringify(program))
  }
  assert.is(await made(), undefined, 'nothing was kept')
  const present = await programVersion()
  await served(present)
  assert.is(await made(), 'same program')
  await served('another')
  const between = await contract()
  // The other program made an interface of the files in which the name was no text.
  const older = JSON.parse(JSON.stringify(between).replaceAll('"maxLength":255', '"maxLength":300')) as OpenApiDocument
  const things = join(app.directory, 'resources/things.yaml')
  writeFileSync(things, FILES['resources/things.yaml'].replace('name:', 'size: { type: integer }, name:'))
  assert.equal(await made(), between, 'by the files that were served, not by those that are there')
  const found = compareWithCauses(older, between, await contract())
  assert.is(found.find(({ what }) => what.includes('maxLength 255 instead of 300'))?.cause, 'program')
  assert.is(found.find(({ what }) => what === 'has "size", which is new')?.cause, 'files')
  assert.match(changesAsText(found), /^breaking, by the program\n[\s\S]*\nnot breaking, by the files\n/)
  await keepServedFiles(database.adhoc, 'other', JSON.stringify({ program: 'x', files: { resources: [], texts: [] } }))
  assert.is(await made(), undefined, 'files of another description')
  await close()
  app.remove()
})

test('it is described in turns, so that requests are answered in between', async () => {
  const app = application(FILES)
  const { database, close } = await testDatabase()
  await migrateTables(ENGINE_TABLES, database, EDITED)
  const boot = await booted(app)
  const done: string[] = []
  function* documentPieces() {
    yield* each([1, 2], (n) => {
      done.push(`piece ${n}`)
      const end = performance.now() + 10
      while (performance.now() < end);
    })
    return describeApplication(boot.catalog, boot.routes, boot.composition)
  }
  const around = { database, log: SILENT, settings: options(app) }
  const remembering = createServedKeeper(around, () => ({ ...boot, documentPieces }))
  const others = setInterval(() => done.push('another'), 1)
  remembering.begin(boot.version)
  await until(async () => (await servedLast(database.adhoc)) !== undefined)
  await remembering.end()
  clearInterval(others)
  assert.is(done[done.indexOf('piece 2') - 1], 'another')
  const { text } = (await servedLast(database.adhoc))!
  const atOnce = describeServed(
    boot.catalog,
    boot.routes,
    describeApplication(boot.catalog, boot.routes, boot.composition),
  )
  assert.is(text, JSON.stringify(atOnce))
  await close()
  app.remove()
})

test('a description is given up while another version comes, and made of what is served in the end', async () => {
  const app = application(FILES)
  const { database, close } = await testDatabase()
  await migrateTables(ENGINE_TABLES, database, EDITED)
  let boot = await booted(app)
  const done: string[] = []
  function* documentPieces() {
    const { catalog, composition, routes } = boot
    for (let piece = 1; piece <= 200; piece += 1) {
      done.push(`piece ${piece}`)
      const end = performance.now() + 4
      while (performance.now() < end);
      yield
    }
    return describeApplication(catalog, routes, composition)
  }
  const around = { database, log: SILENT, settings: options(app) }
  const remembering = createServedKeeper(around, () => ({ ...boot, documentPieces }))
  remembering.begin(boot.version)
  await until(() => done.length > 0)
  // A version that is refused leaves what is served.
  await remembering.during(async () => {
    const before = done.length
    // As long as some twenty pieces take.
    await sleep(100)
    assert.ok(done.length <= before + 1, 'it goes on beside the work')
  })
  await until(() => done.filter((one) => one === 'piece 1').length === 2)
  await remembering.during(async () => {
    const path = join(app.directory, 'resources/things.yaml')
    writeFileSync(path, FILES['resources/things.yaml'].replace('name:', 'present_name:'))
    boot = await booted(app)
    remembering.again(boot.version)
  })
  await until(async () => (await servedLast(database.adhoc)) !== undefined)
  await remembering.end()
  assert.is(done.filter((one) => one === 'piece 200').length, 1)
  assert.match((await servedLast(database.adhoc))!.text, 'present_name')
  await close()
  app.remove()
})

test.run()
