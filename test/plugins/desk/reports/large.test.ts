/** Large reports: made as a job with its maker's rights, bounded where people read them, whole in their files. */
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { JsonObject } from '../../../../engine/index.ts'
import { runAhead } from '../../../support/job.ts'
import { until } from '../../../support/wait.ts'
import { openReports, type Report, type ReportDesk } from './desk.ts'
import { readPdf, readSheet, readZip } from './read.ts'

const MARCH = { date_from: '2026-03-01', date_to: '2026-03-31' }
const TICKETS = 1_300
const DAY_MS = 86_400_000

let desk: ReportDesk
const test = suite('large reports')

test.before(async () => {
  const names = (await readdir('resources')).filter((name) => name.endsWith('.yaml'))
  const texts = await Promise.all(names.map((name) => readFile(join('resources', name), 'utf8')))
  const files = Object.fromEntries(names.map((name, at) => [name, texts[at] ?? '']))
  const narrow = 'reports: { job_tickets: 20, rows_shown: 10, pdf_rows: 300 }'
  const app = (files['app.yaml'] ?? '').replace(/^ {2}reports:\n(?: {4}.*\n)+/m, `  ${narrow}\n`)
  if (!app.includes(narrow)) throw new Error('app.yaml has no options of reports')
  desk = await openReports({ ...files, 'app.yaml': app })
  await tickets(TICKETS, '2026-03-02 10:00:00+00', (n) => `Ticket ${n} of สมชาย`)
  await tickets(3, '2026-01-02 10:00:00+00', (n) => `Early ${n}`)
})
test.after(() => desk.app.close())

async function tickets(count: number, at: string, subject: (n: number) => string): Promise<void> {
  const base = {
    details: 'd',
    tags: '[]',
    created_at: at,
    updated_at: at,
    priority_id: await desk.setting('priorities', 'Low'),
  }
  const status_id = await desk.setting('statuses', 'open')
  const rows = Array.from({ length: count }, (_, n) => ({ ...base, status_id, subject: subject(n) }))
  await desk.app.engine.database.knex.batchInsert('tickets', rows, 500)
}

async function settled(id: number, token = desk.admin): Promise<Report> {
  const asked = async (): Promise<Report> => (await desk.call('GET', `/reports/${id}`, token)).body.data
  await until(async () => (await asked()).status !== 'pending')
  return asked()
}

test('a report about many tickets is pending, and completed by a job; a small one is not', async () => {
  const report = await desk.report({ type: 'tickets', ...MARCH })
  assert.equal([report.status, report.file, report.rows, report.summary], ['pending', null, null, null])
  const done = await settled(report.id)
  assert.equal([done.status, done.rows_count, done.rows.length], ['completed', TICKETS, 10])
  assert.is(done.summary?.total, TICKETS)
  const small = await desk.report({ type: 'tickets', date_from: '2026-01-01', date_to: '2026-01-31' })
  assert.equal([small.status, small.rows_count], ['completed', 3])
})

test('the files of a large report have every row', async () => {
  const fileOf = async (format: string): Promise<Buffer> => {
    const { id } = await desk.report({ type: 'tickets', format, ...MARCH })
    return (await desk.file(await settled(id))).bytes
  }
  assert.is(JSON.parse((await fileOf('json')).toString()).rows.length, TICKETS)
  assert.is((await fileOf('csv')).toString().trimEnd().split('\n').length, TICKETS + 1)
  const sheet = readSheet(readZip(await fileOf('xlsx')).get('xl/worksheets/sheet2.xml') ?? '')
  assert.is(sheet.get(`B${TICKETS + 1}`), `Ticket ${TICKETS - 1} of สมชาย`)
})

test('a PDF says where it ends and which characters it cannot show', async () => {
  const { id } = await desk.report({ type: 'tickets', format: 'pdf', ...MARCH })
  const { pages, text } = readPdf((await desk.file(await settled(id))).bytes)
  assert.ok(pages > 5, `${pages} pages`)
  assert.ok(text.includes('Ticket 1000 of'))
  assert.not.ok(text.includes('Ticket 999 of'))
  assert.ok(text.includes('These are the newest 300 of 1,300 rows'))
  assert.match(text, /stands for characters that this document has no font for \(U\+0E2A, /)
  assert.is(text.split(`Page ${pages}`).length, 2)
})

test('a job works with the rights that its maker has by then', async () => {
  const { token, id: person } = await desk.person('manager', ['Mia', 'Boss'])
  const { knex } = desk.app.engine.database
  const role = { role_id: await desk.setting('roles', 'agent') }
  const [job] = await knex('reports').insert({ ...(await pendingRow()), created_by_id: person }, ['id'])
  await desk.call('PATCH', `/users/${person}`, desk.admin, role)
  const id = Number(job?.id)
  const { jobs } = desk.app.engine.app.foundation
  const actor = { kind: 'user', id: person, role: 'agent', permissions: new Set<string>(), attributes: {} } as const
  const order = { name: 'reports.generate', payload: { report: id }, runAt: undefined, dedupe: undefined }
  await jobs.add(desk.app.engine.database.adhoc, { ...order, actor, as: 'actor' })
  await jobs.wake()
  assert.is((await settled(id)).status, 'failed')
  const answer = await desk.call('GET', `/reports/${id}/download`, desk.admin)
  assert.equal([answer.status, answer.body.message], [409, 'The report could not be made'])
  assert.ok(token.length > 0)
})

async function pendingRow(): Promise<Record<string, unknown>> {
  const now = new Date().toISOString()
  const words = { name: 'A report', type: 'tickets', format: 'csv', status: 'pending' }
  return { ...words, ...MARCH, created_at: now, updated_at: now }
}

test('one person has two reports under way, and others get theirs', async () => {
  const { id, token } = await desk.person('manager', ['Ann', 'Orders'])
  const { knex } = desk.app.engine.database
  const own = [await pendingRow(), await pendingRow()].map((row) => ({ ...row, created_by_id: id }))
  const rows = await knex('reports').insert(own, ['id'])
  const order = { type: 'tickets', ...MARCH }
  const refused = await desk.call('POST', '/reports/generate', token, order)
  assert.is(refused.status, 429)
  assert.is(refused.body.message, 'You have 2 reports under way; wait until one is made')
  assert.is(refused.headers['retry-after'], '5')
  assert.is((await settled((await desk.report(order)).id)).status, 'completed')
  await knex('reports').where({ id: rows[0]?.id }).update({ status: 'failed' })
  assert.is((await desk.call('POST', '/reports/generate', token, order)).status, 201)
  await knex('reports').where({ created_by_id: id, status: 'pending', job_id: null }).delete()
})

test('a report that still waits has no file to download; one whose job is lost has failed', async () => {
  const { knex } = desk.app.engine.database
  const [row] = await knex('reports').insert(await pendingRow(), ['id'])
  const path = `/reports/${row?.id}/download`
  const answer = await desk.call('GET', path, desk.admin)
  assert.equal([answer.status, answer.body.message], [409, 'The report is still being made'])
  assert.is(((await runAhead(desk.app.engine, 'reports.tidy')) as JsonObject).lost, 1)
  assert.is((await settled(Number(row?.id))).status, 'failed')
})

test('files that no report names are put away once they are old, and no others', async () => {
  const { engine, dataDir } = desk.app
  const folder = join(dataDir, 'uploads', 'reports', engine.app.foundation.instance, 'zz')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'lost.csv'), 'x')
  const report = await desk.report({ type: 'tickets', date_from: '2026-01-01', date_to: '2026-01-31', format: 'csv' })
  const early = (await runAhead(engine, 'reports.tidy')) as JsonObject
  assert.equal([early.aside, early.let_go], [0, 0])
  assert.equal(await readdir(folder), ['lost.csv'])
  const late = (await runAhead(engine, 'reports.tidy', 2 * DAY_MS)) as JsonObject
  assert.equal([late.aside, late.let_go], [1, 0])
  assert.equal(await readdir(folder), [])
  assert.is((await desk.file(report)).status, 200)
  // A report of another test may still be made.
  await until(async () => !(await readdir(join(dataDir, 'tmp'))).some((name) => name.startsWith('report-')))
})

test('files of old reports stay, unless the application says for how long; the reports stay', async () => {
  const { engine } = desk.app
  const report = await desk.report({ type: 'tickets', date_from: '2026-01-01', date_to: '2026-01-31', format: 'csv' })
  const { file_key: key } = await engine.database.knex('reports').where({ id: report.id }).first('file_key')
  const place = join(desk.app.dataDir, 'uploads', key)
  const tidied = async (days: number, options: JsonObject = {}) =>
    (await runAhead(engine, 'reports.tidy', days * DAY_MS, options)) as JsonObject
  assert.is((await tidied(5_000)).let_go, 0)
  assert.is((await tidied(29, { keep_files_days: 30 })).let_go, 0)
  assert.ok(Number((await tidied(31, { keep_files_days: 30 })).let_go) > 0)
  const { data } = (await desk.call('GET', `/reports/${report.id}`, desk.admin)).body
  assert.equal([data.status, data.file, data.rows_count], ['completed', null, 3])
  const answer = await desk.call('GET', `/reports/${report.id}/download`, desk.admin)
  assert.equal([answer.status, answer.body.message], [404, 'File not found'])
  assert.is(
    await stat(place).then(
      () => true,
      () => false,
    ),
    false,
    'moved aside',
  )
})

test.run()
