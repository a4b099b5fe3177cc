/** Large imports: left to a job with its sender's rights, each row written once however often the job has to begin anew. */
import { randomUUID } from 'node:crypto'
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { runJob } from '../../../engine/job/run.ts'
import type { JsonObject } from '../../../engine/json.ts'
import plugin from '../../../plugins/csv/index.ts'
import { keyOf } from '../../../plugins/csv/job-state.ts'
import { storageOf } from '../../../plugins/files/open-storage.ts'
import { type Desk, openDesk, type Person } from '../../desk/desk.ts'
import { runAhead } from '../../support/job.ts'
import { until } from '../../support/wait.ts'
import { sendParts } from '../media/world.ts'

const csv = suite('large imports')

const DAY_MS = 86_400_000

let folder: string
let desk: Desk
let manager: Person

csv.before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plinth-csv-'))
  await cp('resources', folder, { recursive: true })
  const path = join(folder, 'app.yaml')
  const text = await readFile(path, 'utf8')
  await writeFile(path, text.replace(/job_rows: 2000\b/, 'job_rows: 100'))
  desk = await openDesk({}, folder)
  manager = await desk.person('manager', 'Mona')
})

csv.after(async () => {
  await desk.close()
  await rm(folder, { recursive: true, force: true })
})

function fileOf(rows: number, word: string): string {
  const lines = Array.from({ length: rows }, (_, i) => `${word} ${i},${i % 40 === 7 ? 'Nowhere' : 'Low'}\n`)
  return `Subject,Priority\n${lines.join('')}`
}

function send(text: string, as = manager, path = '/tickets/import') {
  return sendParts(desk, 'POST', path, as, [{ name: 'file', value: text, file: 'tickets.csv', type: 'text/csv' }])
}

async function counted(word: string): Promise<number> {
  const text = 'select count(*) from tickets where subject like $1'
  const [row] = await desk.engine.database.adhoc.run({ text }, [`${word} %`])
  return Number(row?.[0])
}

async function settled(id: unknown): Promise<JsonObject> {
  let job: JsonObject = {}
  await until(async () => {
    job = (await desk.get(`/jobs/${id}`, manager)).at('data') as JsonObject
    return job.status === 'completed' || job.status === 'failed'
  })
  return job
}

function stored(): Promise<readonly string[]> {
  const { instance, settings } = desk.engine.app.foundation
  const { dataDir } = settings
  return readdir(join(dataDir, 'uploads', 'imports', instance)).catch(() => [])
}

csv('a large file is imported by a job that tells how far it is and gives the same report', async () => {
  const answer = await send(fileOf(160, 'Large'))
  assert.is(answer.status, 202, answer.text)
  assert.equal([answer.at('data.status'), answer.at('data.total')], ['pending', 160])
  const job = await settled(answer.at('data.job_id'))
  assert.equal([job.status, job.progress, job.name], ['completed', 100, 'csv.import'], JSON.stringify(job))
  const report = job.result as { ids: number[]; errors: { row: number; errors: object; cells: object }[] } & JsonObject
  assert.equal([report.total, report.imported, report.skipped, report.failed], [160, 156, 0, 4])
  assert.equal(
    report.errors.map(({ row }) => row),
    [9, 49, 89, 129],
  )
  assert.equal(report.errors[0]?.errors, { priority_id: ['The selected priority is invalid'] })
  assert.equal(report.errors[0]?.cells, { priority_id: { column: 'Priority', value: 'Nowhere' } })
  assert.equal(report.file, answer.at('data.file'))
  assert.is(report.ids.length, 156)
  assert.is(await counted('Large'), 156)
  assert.equal(await stored(), [])
})

csv('a file of as many rows as are done at once is done at once, and a bad one is refused at once', async () => {
  assert.is((await send(fileOf(100, 'Small'))).status, 200)
  assert.is((await send(`Priority\n${'Low\n'.repeat(200)}`)).status, 422)
  assert.is((await send(fileOf(120, 'Cora'), await desk.person('customer', 'Cora'))).status, 403)
  assert.equal(await stored(), [])
})

csv('every option holds for a large file too', async () => {
  const named = (text: string) => text.replace(/^(Mapped (?:0|1|119),Low)$/gm, '$1,job@people.example')
  const text = named(fileOf(120, 'Mapped')).replace('Subject,Priority', 'Title,Priority,Customer Email')
  const tabs = text.replaceAll(',', '\t')
  const answer = await send(tabs, manager, '/tickets/import?map=Title:Subject&create_customers=true')
  assert.is(answer.at('data.file.separator'), '\t', answer.text)
  const { result } = await settled(answer.at('data.job_id'))
  assert.equal([(result as JsonObject).imported, (result as JsonObject).dry_run], [117, false])
  assert.equal((result as JsonObject).created, { customers: { count: 1, names: ['job@people.example'] } })
  const owned = `select count(*) from tickets t join users u on u.id = t.user_id where u.email = 'job@people.example'`
  assert.equal(await desk.engine.database.adhoc.run({ text: owned }, []), [['3']])
  assert.is(await counted('Mapped'), 117)
})

csv('a dry run of a large file judges every row and writes nothing', async () => {
  const answer = await send(fileOf(120, 'Dry'), manager, '/tickets/import?dry_run=true')
  assert.is(answer.status, 202)
  const { result } = await settled(answer.at('data.job_id'))
  const { ids, imported, failed } = result as JsonObject
  assert.equal([ids, imported, failed], [[], 117, 3])
  assert.is(await counted('Dry'), 0)
  assert.equal(await stored(), [])
})

/** Stores a file like one that was sent, and gives ways to run its job. */
async function prepared(text: string, owned = true) {
  const { foundation } = desk.engine.app
  const id = randomUUID()
  const key = owned ? keyOf(foundation, id) : `imports/${id}.csv`
  const path = join(folder, `${id}.csv`)
  await writeFile(path, text)
  await storageOf(foundation.settings).put(key, { path, bytes: text.length, type: 'text/csv' })
  const value = plugin.jobs?.import
  if (value === undefined) throw new Error('the plugin has no job')
  const rows = text.trim().split('\n').length - 1
  const taken = {
    id,
    name: 'csv.import',
    payload: { resource: 'tickets', rows, dry_run: false, ...(owned && { file: key }) },
    createdAt: new Date(),
    attempt: 1,
    attempts: 5,
    progressedAttempt: 0,
    progress: 0,
    actorId: null,
    runsAs: 'system' as const,
  }
  const jobs = new Map([['csv.import', { options: {}, value }]])
  const run = (
    progress: (percent: number) => Promise<void> = async () => undefined,
    as: 'system' | 'actor' = 'system',
  ) =>
    runJob(
      foundation,
      jobs,
      async () => null,
      { ...taken, runsAs: as },
      { signal: new AbortController().signal, progress, lastAttempt: () => false },
    )
  return { id, run: async (...given: Parameters<typeof run>) => (await run(...given)) as JsonObject }
}

csv('what was written before a crash is not written again, and stands in the report', async () => {
  const { id, run } = await prepared(fileOf(230, 'Crash'))
  const crash = async (percent: number) => {
    if (percent > 40) throw new Error('the process is gone')
  }
  await run(crash).then(
    () => assert.unreachable(),
    (error: Error) => assert.is(error.message, 'the process is gone'),
  )
  // Of the 100 rows of two batches 3 were bad.
  assert.is(await counted('Crash'), 97)
  assert.equal(await stored(), [`${id}.csv`])
  const report = await run()
  assert.equal([report.total, report.imported, report.failed], [230, 224, 6])
  assert.is((report.ids as number[]).length, 224)
  assert.is(await counted('Crash'), 224)
  // Lost between its end and the note of it: the same report, though the file is gone.
  assert.equal(await run(), report)
  assert.is(await counted('Crash'), 224)
})

csv('a batch that the database refused is rolled back with its note, and written by the next run', async () => {
  const { run } = await prepared(fileOf(120, 'Broken'))
  const { adhoc } = desk.engine.database
  const body = `begin if new.subject = 'Broken 70' then raise exception 'out of order'; end if; return new; end`
  await adhoc.run(
    { text: `create function broken() returns trigger language plpgsql as '${body.replaceAll("'", "''")}'` },
    [],
  )
  await adhoc.run({ text: 'create trigger broken before insert on tickets for each row execute function broken()' }, [])
  try {
    await run().then(
      () => assert.unreachable(),
      () => undefined,
    )
    assert.is(await counted('Broken'), 48)
  } finally {
    await adhoc.run({ text: 'drop trigger broken on tickets' }, [])
    await adhoc.run({ text: 'drop function broken()' }, [])
  }
  assert.is((await run()).imported, 117)
  assert.is(await counted('Broken'), 117)
})

csv('two processes that have the same job in hand write each row once', async () => {
  const { run } = await prepared(fileOf(150, 'Twice'))
  const ends = await Promise.allSettled([run(), run()])
  assert.ok(ends.some(({ status }) => status === 'fulfilled'))
  assert.is(await counted('Twice'), 146)
  assert.is((await run()).imported, 146)
})

csv('a job of somebody who may no longer import, or of nobody, writes nothing', async () => {
  const { run } = await prepared(fileOf(120, 'Nobody'))
  await run(undefined, 'actor').then(
    () => assert.unreachable(),
    (error: Error) => assert.is(error.message, 'Forbidden'),
  )
  assert.is(await counted('Nobody'), 0)
})

csv('a job that was added before files had owners finds its file, and removes it', async () => {
  const { id, run } = await prepared('Subject\nOwnerless\n', false)
  const { dataDir } = desk.engine.app.foundation.settings
  const files = () => readdir(join(dataDir, 'uploads', 'imports'))
  assert.ok((await files()).includes(`${id}.csv`))
  assert.is((await run()).imported, 1)
  assert.not.ok((await files()).includes(`${id}.csv`))
})

csv('files and notes of jobs that will not run again are put away once they are old, and no others', async () => {
  const { engine } = desk
  const { knex } = engine.database
  const [over, open] = [await prepared('Subject\nOver\n'), await prepared('Subject\nOpen\n')]
  const job = { name: 'csv.import', payload: {}, status: 'failed', attempts: 5, runs_as: 'system' }
  await knex('plinth_job').insert({ ...job, id: open.id, finished_at: new Date() })
  const note = { first_row: 0, rows: 1, outcome: {}, created_at: new Date(), updated_at: new Date() }
  const [old, young] = [new Date(Date.now() - 2 * DAY_MS), new Date()]
  const ended = randomUUID()
  await knex('import_batches').insert([
    { ...note, job: over.id, done_at: old },
    { ...note, job: open.id, done_at: old },
    { ...note, job: ended, done_at: young },
  ])
  const noted = async () => (await knex('import_batches')).map((one) => one.job)
  assert.is(((await runAhead(engine, 'csv.tidy')) as JsonObject).aside, 0, 'a young file stays')
  assert.ok(!(await noted()).includes(over.id))
  assert.ok((await noted()).includes(open.id))
  assert.ok((await noted()).includes(ended))
  await runAhead(engine, 'csv.tidy', 2 * DAY_MS)
  const left = await stored()
  assert.not.ok(left.includes(`${over.id}.csv`))
  assert.ok(left.includes(`${open.id}.csv`))
})

csv.run()
