/** Where files are: an S3-compatible server by its protocol, and nothing left over after a crash on either storage. */
import { spawn } from 'node:child_process'
import { readdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { executionOf } from '../../../engine/action/execution.ts'
import { pluginContext } from '../../../engine/action/plugin-context.ts'
import { SYSTEM } from '../../../engine/actor.ts'
import { ApiError } from '../../../engine/error.ts'
import { storageOf } from '../../../plugins/media/storage.ts'
import { sweep } from '../../../plugins/media/sweep.ts'
import { type Desk, openDesk } from '../../desk/desk.ts'
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

/** A context of the system, whose clock is so many milliseconds ahead, with settings of its own: so that it sweeps anew. */
function contextOf(of: Desk, ahead: number) {
  const { foundation } = of.engine.app
  const settings = { ...foundation.settings }
  const now = () => new Date(Date.now() + ahead)
  const call = { actor: SYSTEM, requestId: 'test', afterCommit: () => undefined }
  return pluginContext(executionOf({ ...foundation, settings, now }, call), {})
}

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
  assert.is(s3.objects.has(key), false)
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
    s3.failing = 3
    const loaded = await desk.get(`/media/${made.at('data.id')}/download`, desk.admin)
    assert.is(loaded.status, 503)
    s3.failing = 3
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

storage('objects without a record are swept after a day, page by page, and others stay', async () => {
  const kept = String((await uploadFile(desk, desk.admin, 'kept.png', PNG)).at('data.path'))
  for (let i = 0; i < 5; i++)
    s3.objects.set(`media/00/orphan-${i}.png`, { body: PNG, type: 'image/png', since: new Date() })
  s3.objects.set('other/file', { body: PNG, type: 'image/png', since: new Date(0) })
  assert.is(await sweep(contextOf(desk, DAYS / 2)), 0)
  assert.is(await sweep(contextOf(desk, DAYS * 2)), 5)
  assert.is(s3.objects.has(kept), true)
  assert.is(s3.objects.has('other/file'), true)
  assert.not.ok([...s3.objects.keys()].some((key) => key.includes('orphan')))
})

/** Runs a piece of the program in a process of its own that kills itself in the middle. */
function killedIn(script: string): Promise<NodeJS.Signals | null> {
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], { stdio: 'inherit' })
  return new Promise((resolve) => child.once('exit', (_, signal) => resolve(signal)))
}

storage('a process that dies between file and record leaves a file that is swept, and no record', async () => {
  const local = await openDesk()
  const folder = join(local.engine.app.foundation.settings.dataDir, 'uploads')
  const source = join(local.engine.app.foundation.settings.dataDir, 'source')
  await writeFile(source, PNG)
  const at = (path: string) => JSON.stringify(new URL(path, import.meta.url).href)
  const signal = await killedIn(`
    const { diskStorage } = await import(${at('../../../plugins/media/disk.ts')})
    await diskStorage(${JSON.stringify(folder)}).put('media/ab/lost.png', { path: ${JSON.stringify(source)}, bytes: 1, type: 'image/png' })
    process.kill(process.pid, 'SIGKILL')`)
  assert.is(signal, 'SIGKILL')
  const kept = String((await uploadFile(local, local.admin, 'kept.png', PNG)).at('data.path'))
  const files = async () => (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.png')).sort()
  assert.equal(await files(), ['media/ab/lost.png', kept].sort())
  assert.is((await local.get('/media', local.admin)).at('meta.pagination.total'), 1)
  assert.is(await sweep(contextOf(local, 0)), 0)
  for (const name of await files()) await utimes(join(folder, name), new Date(0), new Date(0))
  assert.is(await sweep(contextOf(local, 0)), 1)
  assert.equal(await files(), [kept])
  await local.close()
})

storage('a record whose file is gone answers 404 to a download, and can be deleted', async () => {
  const made = await uploadFile(desk, desk.admin, 'a.png', PNG)
  s3.objects.delete(String(made.at('data.path')))
  assert.is((await desk.get(`/media/${made.at('data.id')}/download`, desk.admin)).status, 404)
  assert.is((await desk.remove(`/media/${made.at('data.id')}`, desk.admin)).status, 204)
})

storage.run()
