/** The fewest connections that DATABASE_POOL allows are enough to migrate, seed, start and serve. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { poolSizes } from '../../engine/database/postgresql.ts'
import { createEngine } from '../../engine/engine.ts'
import { readSettings } from '../../engine/settings.ts'
import { renderDiagnostics } from '../../engine/text/render.ts'
import { send } from '../support/application.ts'
import { SILENT, testDatabase } from '../support/database.ts'

const test = suite('a small pool')

const BOOKS = `resource: books
fields: { title: { type: string, required: true, unique: true } }
relations: { shelf: { belongs_to: shelves, required: true, embed: [id, name] } }
policies: { view: [{ who: anyone }], create: [{ who: anyone }] }
`
const SHELVES = `resource: shelves
fields: { name: { type: string, required: true, unique: true } }
cache: true
seeds: { key: name, rows: [{ name: First }] }
policies: { view: [{ who: anyone }], create: [{ who: anyone }] }
`

test('fewer than four connections are one pool', () => {
  assert.equal(poolSizes(97, 3), { compiled: 0, ordinary: 3 })
  assert.equal(poolSizes(97, 4), { compiled: 2, ordinary: 2 })
})

for (const connections of [2, 3]) {
  const declare = process.env.TEST_DATABASE_URL === undefined ? test.skip : test
  declare(`${connections} connections start an application and answer many at once`, async () => {
    const { url, close } = await testDatabase()
    const folder = await mkdtemp(join(tmpdir(), 'plinth-pool-'))
    await mkdir(join(folder, 'resources'))
    for (const [name, text] of [
      ['app', 'name: Small\n'],
      ['books', BOOKS],
      ['shelves', SHELVES],
    ]) {
      await writeFile(join(folder, 'resources', `${name}.yaml`), text ?? '')
    }
    const { value: settings } = readSettings({
      PORT: '0',
      RATE_LIMIT: '1000',
      DATA_DIR: join(folder, 'data'),
      RESOURCES_DIR: join(folder, 'resources'),
      DATABASE_URL: url,
      DATABASE_POOL: String(connections),
    })
    if (settings === undefined) throw new Error('the settings are refused')
    const { value: engine, diagnostics } = await createEngine({ settings, log: SILENT })
    if (engine === undefined) throw new Error(renderDiagnostics(diagnostics))
    try {
      const { url: address } = await engine.listen()
      const statuses = await Promise.all(
        Array.from({ length: 20 }, async (_, at) => {
          const made = await send(address, 'POST', '/books', { body: { title: `Book ${at}`, shelf_id: 1 } })
          const list = await send(address, 'GET', '/books', {})
          return [made.status, list.status]
        }),
      )
      assert.equal(new Set(statuses.map(String)), new Set(['201,200']))
    } finally {
      await engine.close()
      await close()
      await rm(folder, { recursive: true, force: true })
    }
  })
}

test.run()
