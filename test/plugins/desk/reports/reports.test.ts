/** Reports: every type in every format read back, aliases, who may, what is refused, an empty desk. */
import { parse } from 'csv-parse/sync'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { openReports, type Report, type ReportDesk } from './desk.ts'
import { readPdf, readSheet, readZip } from './read.ts'

const TYPES = ['tickets', 'agents', 'customers', 'departments', 'performance'] as const
const MARCH = { date_from: '2026-03-01', date_to: '2026-03-10' }
const KEYS = [
  'columns',
  'completed_at',
  'created_at',
  'created_by',
  'created_by_id',
  'date_from',
  'date_to',
  'file',
  'format',
  'id',
  'name',
  'rows',
  'rows_count',
  'status',
  'summary',
  'type',
  'updated_at',
]

let desk: ReportDesk
let agent: number
const test = suite('reports')

/** Four tickets of March and one of February: one answered after an hour and resolved after two, one with a hostile subject. */
async function fill(): Promise<void> {
  const ann = await desk.person('agent', ['Ann', 'Müller'])
  agent = ann.id
  const lukasz = await desk.person('customer', ['Łukasz', 'Wójcik'])
  const japan = await desk.person('customer', ['日本', '太郎'])
  const [open, resolved] = [await desk.setting('statuses', 'open'), await desk.setting('statuses', 'resolved')]
  const billing = await desk.setting('departments', 'Billing')
  const medium = await desk.setting('priorities', 'Medium')
  const row = { details: 'd', tags: '[]', status_id: open, priority_id: medium }
  const at = (text: string) => ({ created_at: `${text}+00`, updated_at: `${text}+00` })
  await desk.app.engine.database.knex('tickets').insert([
    { ...row, ...at('2026-02-28 23:59:59'), subject: 'Before', user_id: lukasz.id },
    {
      ...row,
      ...at('2026-03-01 00:00:00'),
      subject: '=1+1 "quoted", 日本語 \u0001\u2028end <b>&_x0041_',
      status_id: resolved,
      user_id: lukasz.id,
      assigned_to: ann.id,
      department_id: billing,
      first_response_at: '2026-03-01 01:00:00+00',
      resolved_at: '2026-03-01 02:00:00+00',
    },
    { ...row, ...at('2026-03-05 12:00:00'), subject: 'Second', user_id: lukasz.id, assigned_to: ann.id },
    { ...row, ...at('2026-03-10 23:59:59.9'), subject: 'Last moment', user_id: japan.id, due_date: '2026-03-11' },
    {
      ...row,
      ...at('2026-03-06 10:00:00'),
      subject: 'Deleted',
      user_id: japan.id,
      deleted_at: '2026-03-07 00:00:00+00',
    },
  ])
}

test.before(async () => {
  desk = await openReports()
})
test.after(() => desk.app.close())

test('an empty desk has every report in every format, without NaN or a failure', async () => {
  for (const type of TYPES) {
    for (const format of ['json', 'csv', 'xlsx', 'pdf']) {
      const report = await desk.report({ type, format, ...MARCH })
      assert.is(report.status, 'completed')
      assert.not.match(JSON.stringify(report), /NaN/)
      const { status, bytes } = await desk.file(report)
      assert.is(status, 200)
      assert.ok(bytes.length > 0)
    }
  }
})

test('a report has the shape that is documented, alone and in the list', async () => {
  await fill()
  const made = (await desk.report({ type: 'tickets', ...MARCH })) as Report & Record<string, unknown>
  assert.equal(Object.keys(made).sort(), KEYS)
  assert.is(made.name, 'Tickets, 2026-03-01 to 2026-03-10')
  assert.is(made.format, 'json')
  assert.match(String(made.completed_at), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
  assert.equal(Object.keys(made.created_by as object), ['id', 'name'])
  const one = await desk.call('GET', `/reports/${made.id}`, desk.admin)
  assert.equal(one.body.data, made)
  const list = await desk.call('GET', '/reports?type=tickets&status=completed&per_page=1', desk.admin)
  assert.is(list.body.data[0].id, made.id)
  assert.equal(
    Object.keys(list.body.data[0]).sort(),
    KEYS.filter((key) => key !== 'rows'),
  )
})

test('tickets: every ticket of the days, both ends included, and no other', async () => {
  const { rows, summary, rows_count } = await desk.report({ type: 'tickets', ...MARCH })
  const subjects = rows.map(({ subject }) => subject)
  assert.equal(subjects.slice(1), ['Second', 'Last moment'])
  assert.is(rows_count, 3)
  const [first] = rows
  assert.is(first?.customer, 'Łukasz Wójcik')
  assert.is(first?.first_response_time, 3600)
  assert.is(first?.resolution_time, 7200)
  assert.is(first?.created_at, '2026-03-01T00:00:00.000000Z')
  const { total, open, solved, unassigned, overdue, resolution_rate, first_response_time } = summary ?? {}
  assert.equal([total, open, solved, unassigned, overdue, resolution_rate], [3, 2, 1, 1, 1, 33.33])
  assert.equal(first_response_time, { average: 3600, median: 3600, p90: 3600 })
})

test('agents, customers, departments and performance count what belongs to each', async () => {
  const rowsOf = async (type: string): Promise<Report['rows']> => (await desk.report({ type, ...MARCH })).rows
  const [ann] = await rowsOf('agents')
  assert.equal(
    [ann?.agent, ann?.assigned, ann?.resolved, ann?.open, ann?.resolution_rate, ann?.resolution_time],
    ['Ann Müller', 2, 1, 1, 50, 7200],
  )
  const customers = (await rowsOf('customers')).map(({ customer, tickets, open }) => [customer, tickets, open])
  assert.equal(customers, [
    ['Łukasz Wójcik', 2, 1],
    ['日本 太郎', 1, 1],
  ])
  const departments = (await rowsOf('departments')).map(({ department, tickets }) => [department, tickets])
  assert.equal(departments[0], ['No department', 2])
  assert.equal(departments[1], ['Billing', 1])
  assert.is(departments.length, 5)
  const days = await rowsOf('performance')
  assert.is(days.length, 10)
  assert.equal([days[0]?.date, days[0]?.created, days[0]?.resolved, days[0]?.backlog], ['2026-03-01', 1, 1, 1])
  assert.is(days[9]?.backlog, 3)
})

test('a CSV reads back as it was, with formulas guarded', async () => {
  const { bytes, headers } = await desk.file(await desk.report({ type: 'tickets', format: 'csv', ...MARCH }))
  const rows: string[][] = parse(bytes)
  assert.is(rows.length, 4)
  assert.is(rows[1]?.[1], '\'=1+1 "quoted", 日本語 \u0001\u2028end <b>&_x0041_')
  assert.is(rows[0]?.[11], 'First response (seconds)')
  assert.equal(rows[1]?.slice(11), ['3600', '7200'])
  assert.is(headers['content-type'], 'text/csv; charset=utf-8')
  assert.is(headers['content-disposition'], 'attachment; filename="tickets-2026-03-01-2026-03-10.csv"')
  assert.is(headers['x-content-type-options'], 'nosniff')
  assert.is(headers['content-length'], String(bytes.length))
})

test('a workbook reads back with real numbers, dates and durations, and text that is never a formula', async () => {
  const { bytes } = await desk.file(await desk.report({ type: 'tickets', format: 'xlsx', ...MARCH }))
  const parts = readZip(bytes)
  assert.equal([...parts.keys()].filter((name) => name.includes('sheet')).length, 2)
  const sheet = readSheet(parts.get('xl/worksheets/sheet2.xml') ?? '')
  assert.is(sheet.get('A1'), 'UID')
  assert.type(sheet.get('A2'), 'string')
  // The mark of a text that looks like an escape was written so that it reads back as it was.
  assert.match(parts.get('xl/worksheets/sheet2.xml') ?? '', /_x0001_.*&lt;b&gt;&amp;_x005F_x0041_/s)
  assert.is(sheet.get('J2'), 46_082)
  assert.is(sheet.get('L2'), 3600 / 86_400)
  assert.is(sheet.get('K4'), 46_092)
  assert.not.match(parts.get('xl/worksheets/sheet2.xml') ?? '', /<f>/)
  const figures = readSheet(parts.get('xl/worksheets/sheet1.xml') ?? '')
  assert.is(figures.get('A1'), 'Tickets, 2026-03-01 to 2026-03-10')
  assert.is(figures.get('B4'), 3)
})

test('a PDF holds its title, period, figures and names in any script', async () => {
  const { pages, text } = readPdf(
    (await desk.file(await desk.report({ type: 'customers', format: 'pdf', ...MARCH }))).bytes,
  )
  assert.is(pages, 1)
  for (const part of [
    'Customers report',
    '2026-03-01 to 2026-03-10',
    'Łukasz Wójcik',
    '日本 太郎',
    'Tickets by customer',
  ])
    assert.ok(text.includes(part), `${part} is missing in ${text}`)
  assert.not.match(text, /□ stands for/)
})

test('every type is a PDF and a workbook that read back whole', async () => {
  for (const type of TYPES) {
    const pdf = readPdf((await desk.file(await desk.report({ type, format: 'pdf', ...MARCH }))).bytes)
    assert.match(pdf.text.toLowerCase(), new RegExp(`${type} report`))
    const { bytes } = await desk.file(await desk.report({ type, format: 'xlsx', ...MARCH }))
    assert.ok(readSheet(readZip(bytes).get('xl/worksheets/sheet2.xml') ?? '').size > 6)
    const json = JSON.parse((await desk.file(await desk.report({ type, ...MARCH }))).bytes.toString())
    assert.is(json.rows.length, json.rows_count)
  }
})

test('other names of a type are understood', async () => {
  for (const [word, type] of [
    ['ticket_summary', 'tickets'],
    ['agent_performance', 'agents'],
    ['customer_activity', 'customers'],
    ['department_performance', 'departments'],
    ['performance_summary', 'performance'],
  ])
    assert.is((await desk.report({ type: word, ...MARCH })).type, type)
})

test('wrong input is refused where it is wrong, and makes no report', async () => {
  const before = (await desk.call('GET', '/reports', desk.admin)).body.meta.pagination.total
  for (const [body, key] of [
    [{}, 'type'],
    [{ type: 'money' }, 'type'],
    [{ type: 'tickets', format: 'doc' }, 'format'],
    [{ type: 'tickets', date_from: '2026-02-30' }, 'date_from'],
    [{ type: 'tickets', date_from: '2026-03-02', date_to: '2026-03-01' }, 'date_to'],
    [{ type: 'tickets', date_from: '1900-01-01', date_to: '2199-01-01' }, 'date_to'],
    [{ type: 'tickets', typo: 1 }, 'typo'],
  ] as const) {
    const { status, body: answer } = await desk.call('POST', '/reports/generate', desk.admin, body)
    assert.is(status, 422, JSON.stringify(body))
    assert.ok(answer.errors[key], `${key}: ${JSON.stringify(answer)}`)
  }
  assert.is((await desk.call('GET', '/reports', desk.admin)).body.meta.pagination.total, before)
})

test('managers may; agents and customers may not, and nobody without a token', async () => {
  const made = await desk.report({ type: 'tickets', ...MARCH })
  const manager = (await desk.person('manager', ['Mia', 'Boss'])).token
  assert.is((await desk.report({ type: 'tickets', ...MARCH }, manager)).status, 'completed')
  assert.is((await desk.call('GET', `/reports/${made.id}`, manager)).status, 200)
  const paths = [
    ['POST', '/reports/generate', { type: 'tickets' }],
    ['GET', '/reports', undefined],
    ['GET', `/reports/${made.id}`, undefined],
    ['GET', `/reports/${made.id}/download`, undefined],
  ] as const
  for (const role of ['agent', 'customer']) {
    const { token } = await desk.person(role, ['Max', role])
    for (const [method, path, body] of paths) assert.is((await desk.call(method, path, token, body)).status, 403, path)
  }
  for (const [method, path, body] of paths)
    assert.is((await desk.call(method, path, undefined, body)).status, 401, path)
  for (const id of ['999999', 'abc']) {
    assert.is((await desk.call('GET', `/reports/${id}`, desk.admin)).status, 404)
    assert.is((await desk.call('GET', `/reports/${id}/download`, desk.admin)).status, 404)
  }
})

test('who makes reports without seeing tickets gets one of nothing, and reads only their own', async () => {
  const role = { name: 'Blind', slug: 'blind', permissions: ['reports.generate'] }
  assert.is((await desk.call('POST', '/settings/roles', desk.admin, role)).status, 201)
  const blind = (await desk.person('blind', ['Bob', 'Blind'])).token
  const others = await desk.report({ type: 'tickets', ...MARCH })
  for (const type of TYPES) {
    const own = await desk.report({ type, ...MARCH }, blind)
    assert.is(own.summary?.total, 0)
    assert.not.match(JSON.stringify(own.rows), /Łukasz|Ann|Second/)
    assert.is((await desk.call('GET', `/reports/${own.id}`, blind)).status, 200)
  }
  assert.is((await desk.call('GET', `/reports/${others.id}`, blind)).status, 403)
  assert.is((await desk.call('GET', `/reports/${others.id}/download`, blind)).status, 403)
  assert.is((await desk.call('GET', '/reports', blind)).body.meta.pagination.total, TYPES.length)
})

test('a download is not sent again to who has it', async () => {
  const report = await desk.report({ type: 'agents', format: 'csv', ...MARCH })
  const path = `/reports/${report.id}/download`
  const first = await desk.call('GET', path, desk.admin)
  const etag = String(first.headers.etag)
  assert.is((await desk.call('GET', path, desk.admin, undefined, { 'if-none-match': etag })).status, 304)
  assert.match(first.text, /^Agent,E-mail/)
  assert.ok(agent > 0)
})

test.run()
