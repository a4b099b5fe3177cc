/** The embedded database on disk: crashes, locks, versions, a full disk, fairness to timers. */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { connect } from '../../engine/database/connect.ts'
import type { Database } from '../../engine/database/database.ts'
import { lockDirectory } from '../../engine/database/directory-lock.ts'
import { openEmbedded } from '../../engine/database/embedded.ts'
import { databaseFailure } from '../../engine/database/failure.ts'
import { watchDisk } from '../../engine/disk/disk-watch.ts'
import { ApiError } from '../../engine/error.ts'
import { SILENT } from '../support/database.ts'
import { unpackFolder } from '../upgrade/archive.ts'
import { until } from '../support/wait.ts'

const test = suite('embedded')
let dataDir: string

test.before.each(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'plinth-embedded-'))
})
test.after.each(() => rm(dataDir, { recursive: true, force: true }))

function open() {
  return connect({ databaseUrl: undefined, dataDir }, { log: SILENT })
}

/** As a command opens it: with few buffers, which are the longest part of a start. */
function openBriefly() {
  return connect({ databaseUrl: undefined, dataDir }, { log: SILENT, joins: true })
}

async function buffersOf(database: Database): Promise<unknown> {
  const [row] = await database.adhoc.run({ text: 'show shared_buffers' }, [])
  return row?.[0]
}

async function refusal(work: () => unknown): Promise<string> {
  try {
    await work()
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  return 'nothing was refused'
}

test('what was written is there when the directory is opened again, by a command with a small part of the buffers of a server', async () => {
  const first = await open()
  await first.knex.raw('create table kept (id int); insert into kept values (1)')
  assert.is(await buffersOf(first), '128MB')
  assert.match(await refusal(open), 'is in use by process', 'the same process is refused a second time')
  await first.close()
  const second = await openBriefly()
  assert.equal(await second.compiled.run({ text: 'select id from kept' }, []), [['1']])
  assert.is(await buffersOf(second), '16MB')
  await second.close()
})

test('kill -9 while writing loses no acknowledged row, and the dead process holds no lock', async () => {
  const writer = path.resolve('test/database/writer.ts')
  const child = spawn(process.execPath, ['--import', 'tsx', writer, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  await until(() => said.includes('\n200\n'))
  const ended = new Promise((resolve) => child.once('close', resolve))
  child.kill('SIGKILL')
  await ended
  const acknowledged = said.slice(0, said.lastIndexOf('\n')).split('\n').map(Number)
  assert.ok(acknowledged.length >= 200)
  const database = await openBriefly()
  const rows = await database.knex('kept').orderBy('id').pluck('id')
  await database.close()
  assert.equal(rows.slice(0, acknowledged.length), acknowledged)
})

test('a second process is refused, with what to do', async () => {
  const database = await openBriefly()
  const script = `import(${JSON.stringify(path.resolve('engine/database/directory-lock.ts'))}).then((lock) => {
    try { lock.lockDirectory(${JSON.stringify(path.join(dataDir, 'database'))}, Date.now) }
    catch (error) { console.log(error.message) } process.exit() })`
  const child = spawn(process.execPath, ['--import', 'tsx', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  for await (const text of child.stdout.setEncoding('utf8')) said += text
  assert.match(said, `is in use by process ${process.pid}: stop that process, or give this one another DATA_DIR`)
  await database.close()
  assert.not(existsSync(path.join(dataDir, 'database.lock')))
})

test('a lock whose process lives no more, or is another one of the same number, is taken over', async () => {
  const directory = path.join(dataDir, 'database')
  const own = lockDirectory(directory, Date.now)
  own.release()
  const held = lockDirectory(directory, Date.now)
  held.release()
  const { readlinkSync, readFileSync } = await import('node:fs')
  const here = existsSync('/proc/self/ns/pid')
    ? `${readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()} ${readlinkSync('/proc/self/ns/pid')}`
    : ' '
  for (const owner of [
    { pid: 4_000_000, startedAt: '1', namespace: here },
    { pid: process.pid, startedAt: '1', namespace: here },
  ]) {
    writeFileSync(`${directory}.lock`, JSON.stringify(owner))
    lockDirectory(directory, Date.now).release()
  }
})

test('an owner in another container lives as long as it touches its lock', async () => {
  const directory = path.join(dataDir, 'database')
  const boot = existsSync('/proc/sys/kernel/random/boot_id')
    ? (await import('node:fs')).readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()
    : ''
  writeFileSync(`${directory}.lock`, JSON.stringify({ pid: 1, startedAt: '1', namespace: `${boot} pid:[1]` }))
  assert.match(await refusal(() => lockDirectory(directory, Date.now)), 'is in use by process 1')
  lockDirectory(directory, () => Date.now() + 60_000).release()
})

test('the directory of another major version is refused with what to do', async () => {
  const directory = path.join(dataDir, 'database')
  mkdirSync(path.join(directory, 'base', '5'), { recursive: true })
  writeFileSync(path.join(directory, 'PG_VERSION'), '17\n')
  writeFileSync(path.join(directory, 'base', '5', '1259'), 'rows')
  const before = contentOf(directory)
  assert.is(before.length, 2)
  assert.match(await refusal(open), /holds a database of PostgreSQL 17, and the embedded one is 18: .*dump it there/)
  assert.equal(contentOf(directory), before, 'not a byte is changed')
})

/** Every file of a folder with a hash of what it holds, and when it was written. */
function contentOf(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .map((file) => `${file} ${statSync(file).mtimeMs} ${createHash('sha256').update(readFileSync(file)).digest('hex')}`)
    .sort()
}

test('a directory that an earlier PGlite of the same PostgreSQL made is opened, with its rows and indexes', async () => {
  const directory = path.join(dataDir, 'database')
  await unpackFolder(readFileSync('test/upgrade/pglite-0.5.1.br'), directory)
  const database = await openBriefly()
  const read = (text: string) => database.adhoc.run({ text }, [])
  assert.equal(await read('select count(*), min(text), max(at) from notes'), [
    ['2000', 'Notiz 1', '2026-01-31 12:00:00+00'],
  ])
  await read('set enable_seqscan = off')
  assert.equal(await read(`select id from notes where text like '%otiz 1999%'`), [['1999']])
  assert.equal(await read(`insert into notes (text) values ('Neu') returning id`), [['2001']])
  await database.close()
})

test('a first start that was cut off is begun again', async () => {
  mkdirSync(path.join(dataDir, 'database.new', 'base'), { recursive: true })
  const database = await openBriefly()
  await database.ping()
  await database.close()
  assert.not(existsSync(path.join(dataDir, 'database.new')))
})

test('a full disk refuses writes before PostgreSQL would fail, and takes them again when there is room', async () => {
  const full = await watchDisk(dataDir, SILENT, Number.MAX_SAFE_INTEGER)
  assert.is(await refusal(() => full.check()), 'Service unavailable')
  assert.match(full.says(), /^full: \d+ MB are free, and \d+ MB are needed$/)
  full.stop()
  const roomy = await watchDisk(dataDir, SILENT, 0)
  roomy.check()
  roomy.fail()
  assert.is(await refusal(() => roomy.check()), 'Service unavailable')
  await until(() => roomy.says() === 'ok', 5_000)
  roomy.check()
  roomy.stop()
})

test('a log that cannot be written ends the database instead of hanging it, and loses nothing', async () => {
  const disk = await watchDisk(dataDir, SILENT)
  const database = await openEmbedded(dataDir, SILENT, disk, true)
  await database.knex.raw('create table kept (id int)')
  const log = path.join(dataDir, 'database', 'pg_wal')
  renameSync(log, `${log}.aside`)
  const acknowledged: number[] = []
  // The file of the log is open, and has 16 MB; the next one cannot be made.
  const write = (id: number) =>
    database.transaction(async ({ knex }) => {
      await knex('kept').insert({ id })
      await knex.raw(`select pg_logical_emit_message(true, 'filler', repeat(md5(random()::text), 10000))`)
    })
  let failure: unknown
  for (let id = 1; failure === undefined && id < 200; id++) {
    await write(id).then(
      () => acknowledged.push(id),
      (error: unknown) => {
        failure = databaseFailure(error)
      },
    )
  }
  assert.is(failure instanceof ApiError && failure.code, 'unavailable')
  assert.match((await disk.lost).message, /^The embedded database has stopped: it could not write to /)
  assert.is(await refusal(() => database.ping()), 'Service unavailable')
  await database.close()
  disk.stop()
  renameSync(`${log}.aside`, log)
  const again = await openBriefly()
  assert.equal(await again.knex('kept').orderBy('id').pluck('id'), acknowledged)
  assert.ok(acknowledged.length > 10, String(acknowledged.length))
  await again.close()
})

test('a folder that is put in the place of its own is not written to', async () => {
  const disk = await watchDisk(dataDir, SILENT)
  const database = await openEmbedded(dataDir, SILENT, disk, true)
  const folder = path.join(dataDir, 'database')
  renameSync(folder, `${folder}.aside`)
  mkdirSync(folder)
  // A look at the folder is believed for 50 ms.
  await setTimeout(60)
  assert.is(await refusal(() => database.ping()), 'Service unavailable')
  assert.match((await disk.lost).message, 'PG_VERSION was removed while this process used it')
  await database.close()
  disk.stop()
  assert.equal(readdirSync(folder), [])
})

test('timers get their turn while queries follow each other, and the bare knex inside a transaction is refused after a while instead of hanging', async () => {
  const database = await openBriefly()
  let turns = 0
  const timer = setInterval(() => {
    turns += 1
  }, 5)
  for (let n = 0; turns < 10 && n < 20_000; n += 1) await database.compiled.run({ text: 'select 1', name: 'one' }, [])
  clearInterval(timer)
  assert.ok(turns >= 10, `${turns} turns`)
  const asked = database.transaction(() => database.compiled.run({ text: 'select 1' }, []))
  const error = await asked.catch((thrown: unknown) => thrown)
  assert.ok(error instanceof ApiError && error.status === 503, String(error))
  await database.close()
})

test.run()
