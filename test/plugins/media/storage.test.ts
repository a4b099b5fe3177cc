/** Where files are: an S3-compatible server by its protocol; what a crash left goes aside, and nobody's files are lost. */
import { spawn } from 'node:child_process'
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ApiError } from '../../../engine/error.ts'
import { storageOf } from '../../../plugins/files/open-storage.ts'
import { type Desk, openDesk } from '../../desk/desk.ts'
import { runAhead, scheduledNames } from '../../support/job.ts'
import { until } from '../../support/wait.ts'
import { KEYS, type S3Server, s3Server } from './s3-server.ts'
import { PDF, PNG, uploadFile } from './world.ts'

const storage = suite('storage of files')

let s3: S3Server
let desk: Desk

function environment(server: S3Server): Record<string, string> {
  return {
    S3_ENDPOINT: server.endpoint,
    S3_REGION: KEYS.region,
    S3_BUCKET: KEYS.bucket,
    S3_ACCESS_KEY: KEYS.access,
    S3_SECRET_KEY: KEYS.secret,
  }
}

storage.before(async () => {
  s3 = await s3Server()
  desk = await openDesk(environment(s3))
})

storage.after(async () => {
  await desk.close()
  await s3.close()
})

const DAYS = 86_400_000

storage('a file goes to the bucket, comes back, and goes', async () => {
  const made = await uploadFile(desk, desk.admin, 'Grüße an alle.pdf', PDF)
  assert.is(made.status, 201, made.text)
  const key = String(made.at('data.path'))
  assert.equal(s3.objects.get(key)?.body, PDF)
  assert.is(s3.objects.get(key)?.type, 'application/pdf')
  const loaded = await desk.get(`/media/${made.at('data.id')}/download`, desk.admin)
  assert.is(loaded.text, PDF.toString())
  assert.is((await desk.remove(`/media/${made.at('data.id')}`, desk.admin)).status, 204)
  await until(() => !s3.objects.has(key), 5_000)
  assert.equal(s3.refusals, [])
  const folder = join(desk.engine.app.foundation.settings.dataDir, 'uploads')
  assert.equal(await readdir(folder).catch(() => []), [])
})

storage(
  'a server that fails for a moment is asked again; one that goes on failing is 503, and nothing is recorded',
  async () => {
    s3.failing = 2
    const made = await uploadFile(desk, desk.admin, 'a.png', PNG)
    assert.is(made.status, 201, made.text)
    s3.failing = Number.POSITIVE_INFINITY
    const loaded = await desk.get(`/media/${made.at('data.id')}/download`, desk.admin)
    assert.is(loaded.status, 503)
    const before = (await desk.get('/media', desk.admin)).at('meta.pagination.total')
    assert.is((await uploadFile(desk, desk.admin, 'a.png', PNG)).status, 503)
    s3.failing = 0
    assert.is((await desk.get('/media', desk.admin)).at('meta.pagination.total'), before)
  },
)

storage('wrong keys are an error of the server, and none of the caller', async () => {
  const wrong = { ...desk.engine.app.foundation.settings, env: { ...environment(s3), S3_SECRET_KEY: 'another' } }
  const status = await storageOf(wrong)
    .read('media/any')
    .then(
      () => 0,
      (error: unknown) => (error instanceof ApiError ? error.status : 0),
    )
  assert.is(status, 503)
  assert.is(s3.refusals.at(-1), '403 SignatureDoesNotMatch')
})

storage('settings by halves are told as a sentence', () => {
  const { settings } = desk.engine.app.foundation
  const open = (env: Record<string, string>) => () => storageOf({ ...settings, env })
  assert.throws(open({ S3_ENDPOINT: s3.endpoint }), /S3_BUCKET, S3_ACCESS_KEY, S3_SECRET_KEY must be set/)
  assert.throws(open({ ...environment(s3), S3_ENDPOINT: 'no address' }), /S3_ENDPOINT must be a URL/)
})

/** What a job moved, brought back and removed. */
const tidied = (ahead: number, of = desk) => runAhead(of.engine, 'media.tidy', ahead * DAYS)
const keyed = (word: string) => [...s3.objects.keys()].filter((key) => key.includes(word)).sort()
const put = (key: string, since = new Date()) => s3.objects.set(key, { body: PNG, type: 'image/png', since })

storage('what no record names is moved aside after a day, kept for 30, and then removed; all else stays', async () => {
  const { instance } = desk.engine.app.foundation
  const kept = String((await uploadFile(desk, desk.admin, 'kept.png', PNG)).at('data.path'))
  assert.ok(kept.startsWith(`media/${instance}/`))
  for (let i = 0; i < 5; i++) put(`media/${instance}/00/orphan-${i}.png`)
  const others = ['media/00/orphan.jpg', 'media/00000000-0000-4000-8000-000000000000/00/orphan.gif', 'other/orphan']
  for (const key of others) put(key, new Date(0))
  assert.equal(await tidied(0.5), { aside: 0, back: 0, removed: 0 })
  assert.equal(await tidied(2), { aside: 5, back: 0, removed: 0 })
  assert.equal(keyed('.png').includes(`aside/${instance}/media/00/orphan-0.png`), true)
  assert.equal(keyed(`${instance}/00/orphan`), [])
  assert.equal(await tidied(29), { aside: 0, back: 0, removed: 0 })
  assert.equal(await tidied(31), { aside: 0, back: 0, removed: 5 })
  assert.equal(keyed('orphan'), others.sort())
  assert.ok(s3.objects.has(kept))
})

storage('what a record names again is read from aside, brought back, and removed by a deletion from both', async () => {
  const upload = async () => {
    const { id, path } = (await uploadFile(desk, desk.admin, 'lost.png', PNG)).at('data') as Record<string, unknown>
    return { id: Number(id), path: String(path) }
  }
  const [made, gone] = [await upload(), await upload()]
  const rows = await desk.engine.database.knex('media').whereIn('id', [made.id, gone.id])
  await desk.engine.database.knex('media').whereIn('id', [made.id, gone.id]).delete()
  assert.equal(await tidied(2), { aside: 2, back: 0, removed: 0 })
  assert.is(s3.objects.has(made.path), false)
  // As when a backup is restored.
  await desk.engine.database.knex('media').insert(rows)
  const loaded = await desk.get(`/media/${made.id}/download`, desk.admin)
  assert.equal([loaded.status, loaded.headers['content-length']], [200, String(PNG.length)])
  assert.is((await desk.remove(`/media/${gone.id}`, desk.admin)).status, 204)
  const word = gone.path.replace(/^.*\//, '')
  await until(() => keyed(word).length === 0, 5_000)
  assert.equal(await tidied(40), { aside: 0, back: 1, removed: 0 })
  assert.equal(keyed(made.path.replace(/^.*\//, '')), [made.path])
})

storage('a copy that fails at the server leaves the file where it is', async () => {
  const key = `media/${desk.engine.app.foundation.instance}/00/stays.png`
  put(key)
  s3.breaking = true
  await tidied(2).then(
    () => assert.unreachable(),
    (error: unknown) => assert.is(error instanceof ApiError && error.status, 503),
  )
  s3.breaking = false
  assert.equal(keyed('stays.png'), [key])
})

storage('a storage that is out while a record is deleted is asked again', async () => {
  const made = await uploadFile(desk, desk.admin, 'a.png', PNG)
  s3.failing = 3
  assert.is((await desk.remove(`/media/${made.at('data.id')}`, desk.admin)).status, 204)
  await until(async () => {
    // The pause before it is tried again is cut short.
    const job = { name: 'media.remove', status: 'pending' }
    const waiting = await desk.engine.database
      .knex('plinth_job')
      .where(job)
      .update({ due_at: new Date(0) })
    if (waiting > 0) await desk.engine.app.foundation.jobs.wake()
    return !s3.objects.has(String(made.at('data.path')))
  }, 5_000)
})

storage('a desk on an empty database in the bucket of another, or in an old one, removes nothing', async () => {
  put('reports/00/old.csv', new Date(0))
  put('imports/8b7cbb05-8d5c-4f1e-9d0f-3a3c4f0a1b2c.csv', new Date(0))
  const before = [...s3.objects]
  const empty = await openDesk(environment(s3))
  assert.ok(scheduledNames(empty.engine).length > 3)
  for (const name of scheduledNames(empty.engine)) await runAhead(empty.engine, name, 400 * DAYS)
  await empty.close()
  assert.equal([...s3.objects], before)
})

/** Runs a piece of the program in a process of its own that kills itself in the middle. */
function killedIn(script: string): Promise<NodeJS.Signals | null> {
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], { stdio: 'inherit' })
  return new Promise((resolve) => child.once('exit', (_, signal) => resolve(signal)))
}

storage('a process that dies between file and record leaves a file that is moved aside, and no record', async () => {
  const local = await openDesk()
  const { instance, settings } = local.engine.app.foundation
  const folder = join(settings.dataDir, 'uploads')
  const source = join(settings.dataDir, 'source')
  await writeFile(source, PNG)
  const at = (path: string) => JSON.stringify(new URL(path, import.meta.url).href)
  const lost = `media/${instance}/ab/lost.png`
  const signal = await killedIn(`
    const { diskStorage } = await import(${at('../../../plugins/files/disk.ts')})
    await diskStorage(${JSON.stringify(folder)}).put('${lost}', { path: ${JSON.stringify(source)}, bytes: ${PNG.length}, type: 'image/png' })
    process.kill(process.pid, 'SIGKILL')`)
  assert.is(signal, 'SIGKILL')
  const kept = String((await uploadFile(local, local.admin, 'kept.png', PNG)).at('data.path'))
  const files = async () => (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.png')).sort()
  assert.equal(await files(), [lost, kept].sort())
  assert.is((await local.get('/media', local.admin)).at('meta.pagination.total'), 1)
  const nothing = { aside: 0, back: 0, removed: 0 }
  assert.equal(await tidied(0.5, local), nothing)
  assert.equal(await tidied(2, local), { ...nothing, aside: 1 })
  assert.equal(await files(), [`aside/${instance}/media/ab/lost.png`, kept].sort())
  assert.equal(await tidied(31, local), nothing)
  await besideOldUploads(local, files)
  assert.equal(await tidied(33, local), { ...nothing, removed: 1 })
  assert.equal(await files(), [kept, 'media/00/old.png'].sort())
  await local.close()
})

/** One more desk on an empty database, with the data directory of another: whatever it does, no file goes. */
async function besideOldUploads(of: Desk, files: () => Promise<readonly string[]>): Promise<void> {
  const { settings } = of.engine.app.foundation
  const old = join(settings.dataDir, 'uploads', 'media', '00')
  await mkdir(old, { recursive: true })
  await writeFile(join(old, 'old.png'), PNG)
  await utimes(join(old, 'old.png'), new Date(0), new Date(0))
  const before = await files()
  const empty = await openDesk({ DATA_DIR: settings.dataDir })
  assert.is.not(empty.engine.app.foundation.instance, of.engine.app.foundation.instance)
  for (const name of scheduledNames(empty.engine)) await runAhead(empty.engine, name, 400 * DAYS)
  await empty.close()
  assert.equal(await files(), before)
}

storage('a record whose file is gone answers 404 to a download, and can be deleted', async () => {
  const made = await uploadFile(desk, desk.admin, 'a.png', PNG)
  s3.objects.delete(String(made.at('data.path')))
  assert.is((await desk.get(`/media/${made.at('data.id')}/download`, desk.admin)).status, 404)
  assert.is((await desk.remove(`/media/${made.at('data.id')}`, desk.admin)).status, 204)
})

storage.run()
