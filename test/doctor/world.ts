/** A shop with two large tables, examined by the doctor. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { type Boot, readCatalog } from '../../engine/boot/boot.ts'
import { setUpDatabase } from '../../engine/boot/database-setup.ts'
import { thisProgram } from '../../engine/program.ts'
import { examine, type Patient } from '../../engine/doctor/examine.ts'
import { type Checked, THRESHOLDS } from '../../engine/doctor/finding.ts'
import { readSettings, type Settings } from '../../engine/settings.ts'
import { SILENT, type TestDatabase, testDatabase } from '../support/database.ts'

export const SECRET = 'q8Zr-Kp2vXw_71bNsT4yLm0cGd9uHf3eJa6i'
const FILES = {
  'app.yaml': 'name: Shop\nprefix: /api\nplugins: { timestamps: {}, mail: {}, media: {} }\n',
  'makers.yaml':
    'resource: makers\nfields:\n  name: { type: string }\nsort: { keys: [id] }\npolicies: { view: [{ who: anyone }] }\n',
  'goods.yaml': `resource: goods
fields:
  title: { type: string }
  price: { type: integer }
  loud: { type: string, computed: "upper(t.title)" }
  seen_on: { type: date }
relations:
  maker: { belongs_to: makers }
filters: { price: price, loud: loud, maker_name: maker.name, maker_id: maker_id }
sort: { keys: [id, title, maker.name], default: id }
search: [title]
policies: { view: [{ who: anyone }] }
`,
  'visits.yaml':
    'resource: visits\nkeep: { for: 30 days, by: at }\nfields:\n  at: { type: timestamp }\npolicies: { view: [{ who: anyone }] }\n',
}
export let folder: string
const LINES = FILES['goods.yaml'].split('\n')
export let boot: Boot
export let place: TestDatabase

export function settingsOf(env: Readonly<Record<string, string>> = {}): Settings {
  const own = {
    PORT: '0',
    DATA_DIR: join(folder, 'data'),
    RESOURCES_DIR: join(folder, 'resources'),
    APP_SECRET: SECRET,
  }
  const { value } = readSettings({ ...own, BASE_URL: 'http://localhost:3000', ...env })
  assert.ok(value)
  return value
}

/** What is found; the database is that of the tests, which stays open. */
export async function look(
  more: Partial<Patient> = {},
  env: Readonly<Record<string, string>> = {},
): Promise<readonly Checked[]> {
  return examine({
    settings: settingsOf(env),
    catalog: boot.catalog,
    program: await thisProgram(),
    checks: boot.composition.checks,
    open: async () => ({ ...place.database, close: async () => {} }),
    now: () => new Date(),
    thresholds: { ...THRESHOLDS, roomMb: 1, grownRows: 100_000 },
    ...more,
  })
}

export function of(check: string, found: readonly Checked[]): readonly string[] {
  return found.filter((one) => one.check === check).map(({ level, message }) => `${level} ${message}`)
}

export async function run(text: string): Promise<void> {
  await place.database.knex.raw(text)
}

/** The line of goods.yaml in which a text stands. */
export function lineOf(text: string): string {
  return `goods.yaml:${LINES.findIndex((line) => line.includes(text)) + 1}:`
}

/** Makes the shop on a database of its own. */
export async function openShop(): Promise<void> {
  folder = mkdtempSync(join(tmpdir(), 'plinth-doctor-'))
  mkdirSync(join(folder, 'resources'))
  mkdirSync(join(folder, 'data'), { mode: 0o700 })
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, 'resources', name), text)
  const read = await readCatalog(settingsOf())
  assert.ok(read.value, JSON.stringify(read.diagnostics.map(({ message }) => message)))
  boot = read.value
  place = await testDatabase()
  await setUpDatabase(boot.catalog, place.database, { log: SILENT, now: new Date(), settings: settingsOf() })
  await run(`insert into makers (name) select 'Maker ' || i from generate_series(1, 3000) i`)
  await run(`insert into goods (title, price, maker_id) select 'Thing ' || i, i, i from generate_series(1, 3000) i`)
  await run('analyze')
}

export async function closeShop(): Promise<void> {
  await place?.close()
  rmSync(folder, { recursive: true, force: true })
}
