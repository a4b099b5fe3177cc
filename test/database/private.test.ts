/** DATA_DIR belongs to the user that runs the program: other users of the machine can neither read nor write in it. */
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { connect } from '../../engine/database/connect.ts'
import { keepPrivate } from '../../engine/disk/data-dir-access.ts'
import { SILENT } from '../support/database.ts'
import { openTo } from '../support/modes.ts'

const test = suite('DATA_DIR')
const NOBODY = 65_534
const asRoot = process.getuid?.() === 0 ? test : test.skip
let outer: string
let dataDir: string

test.before.each(async () => {
  outer = await mkdtemp(join(tmpdir(), 'plinth-private-'))
  chmodSync(outer, 0o755)
  dataDir = join(outer, 'data')
  process.umask(0o022)
})
test.after.each(() => rm(outer, { recursive: true, force: true }))

async function fillDatabase(): Promise<void> {
  const database = await connect({ databaseUrl: undefined, dataDir }, { log: SILENT })
  await database.knex.raw('create table kept (word text)')
  await database.knex.raw('checkpoint')
  await database.close()
}

test('the embedded database is made for its own user alone', async () => {
  await fillDatabase()
  assert.is(statSync(dataDir).mode & 0o777, 0o700)
  assert.equal(openTo(dataDir), [])
})

test('an open folder of earlier times is mended with everything in it, and links are not followed', async () => {
  mkdirSync(join(dataDir, 'uploads', 'ab'), { recursive: true, mode: 0o777 })
  chmodSync(dataDir, 0o777)
  writeFileSync(join(dataDir, 'uploads', 'ab', 'scan.pdf'), 'x', { mode: 0o666 })
  writeFileSync(join(dataDir, 'secret'), 'x', { mode: 0o644 })
  writeFileSync(join(outer, 'elsewhere'), 'x', { mode: 0o644 })
  symlinkSync(join(outer, 'elsewhere'), join(dataDir, 'link'))
  await keepPrivate(dataDir, false)
  assert.equal(openTo(dataDir), [])
  assert.is(statSync(join(outer, 'elsewhere')).mode & 0o777, 0o644)
  writeFileSync(join(dataDir, 'new'), 'x')
  assert.is(statSync(join(dataDir, 'new')).mode & 0o777, 0o600)
})

test('a folder that is not there is made only where it is asked for', async () => {
  await keepPrivate(dataDir, false)
  assert.throws(() => statSync(dataDir))
  await keepPrivate(dataDir, true)
  assert.is(statSync(dataDir).mode & 0o777, 0o700)
})

test('a folder that everybody shares is refused and stays as it is', async () => {
  mkdirSync(dataDir)
  chmodSync(dataDir, 0o1777)
  const sentence = await keepPrivate(dataDir, true).catch((error: Error) => error.message)
  assert.match(String(sentence), /^DATA_DIR .*\/data is a folder that others share\. Give the folder to the user/)
  assert.is(statSync(dataDir).mode & 0o7777, 0o1777)
})

asRoot('another user reads nothing, and cannot start on a folder that is not theirs', async () => {
  await fillDatabase()
  writeFileSync(join(dataDir, 'secret'), 'the secret')
  const read = `const fs = require('node:fs')
    for (const path of ${JSON.stringify([dataDir, join(dataDir, 'secret'), join(dataDir, 'database', 'PG_VERSION')])})
      try { fs.statSync(path).isDirectory() ? fs.readdirSync(path) : fs.readFileSync(path); console.log(path) }
      catch (error) { if (error.code !== 'EACCES') console.log(path, error.code) }`
  const child = spawnSync(process.execPath, ['-e', read], { uid: NOBODY, gid: NOBODY, cwd: '/', encoding: 'utf8' })
  assert.equal([child.status, child.stdout, child.stderr], [0, '', ''])
  rmSync(dataDir, { recursive: true })
  mkdirSync(dataDir)
  chmodSync(dataDir, 0o755)
  process.seteuid!(NOBODY)
  try {
    const sentence = await keepPrivate(dataDir, true).catch((error: Error) => error.message)
    assert.match(String(sentence), 'can be read by other users of this machine, and its modes cannot be changed')
  } finally {
    process.seteuid!(0)
  }
})

test('the archive that a first start unpacks stays readable for whoever runs the program', async () => {
  await fillDatabase()
  const { version } = JSON.parse(readFileSync('node_modules/@electric-sql/pglite/package.json', 'utf8'))
  assert.is(statSync(`dist/pglite-${version}.cluster.gz`).mode & 0o044, 0o044)
})

test.run()
