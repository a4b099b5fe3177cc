/** CSV over HTTP: who may export and import what, what a file must be, and what becomes of each of its rows. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Desk, openDesk, type Person } from '../../desk/desk.ts'
import { sendParts } from '../media/world.ts'

const csv = suite('csv')

const HEADER =
  'UID,Subject,Priority,Category,Sub Category,Department,Status,Assigned To Email,Assigned To Name,Created,Details,Type,Customer Email,Contact Email,Due Date,Tags,Resolved,Closed,First Response,Customer Name,External Number'

let desk: Desk
let manager: Person
let agent: Person
let cora: Person
let carl: Person

csv.before(async () => {
  desk = await openDesk()
  manager = await desk.person('manager', 'Mona')
  agent = await desk.person('agent', 'Ada')
  cora = await desk.person('customer', 'Cora')
  carl = await desk.person('customer', 'Carl')
  await desk.post('/tickets', cora, { subject: 'Printer of Cora', details: 'It smokes' })
  await desk.post('/tickets', carl, { subject: 'Screen of Carl', details: 'It is dark' })
})

csv.after(() => desk.close())

function importText(as: Person | undefined, value: string | Uint8Array, path = '/tickets/import', name = 'file') {
  return sendParts(desk, 'POST', path, as, [{ name, value, file: 'tickets.csv', type: 'text/csv' }])
}

csv('a setting is found however its name is written', async () => {
  const text = [
    'Subject,Details,Status,Priority',
    'One,Text,in\u00a0\u200bpro\u00adgress,Ｈｉｇｈ',
    'Two,Text,ＩＮ  PROGRESS,hi\u2060gh',
  ].join('\n')
  const answer = await importText(manager, text)
  assert.is(answer.at('data.imported'), 2, answer.text)
  for (const id of answer.at('data.ids') as number[]) {
    const ticket = await desk.get(`/tickets/${id}`, manager)
    assert.equal([ticket.at('data.status.slug'), ticket.at('data.priority.name')], ['in-progress', 'High'])
    await desk.call('DELETE', `/tickets/${id}`, { as: desk.admin })
  }
})

csv('an export is a file with the columns of the desk', async () => {
  const answer = await desk.get('/tickets/export', manager)
  assert.is(answer.status, 200)
  assert.is(answer.headers['content-type'], 'text/csv; charset=utf-8')
  assert.match(String(answer.headers['content-disposition']), /^attachment; filename="tickets-\d{4}-\d\d-\d\d\.csv"$/)
  const [header, first = ''] = answer.text.split('\n')
  assert.is(header, `\ufeff${HEADER}`)
  assert.ok((await desk.get('/tickets/export?bom=false', manager)).text.startsWith(`${HEADER}\n`))
  assert.is((await desk.get('/tickets/export?bom=maybe', manager)).status, 422)
  assert.ok((await desk.get('/tickets/export?bom=true&bon=true', manager)).at('errors.bon'))
  assert.match(
    first,
    /^3\d{9},Printer of Cora,Medium,,,,Open,,,\d{4}-\d\d-\d\dT[\d:.]{15}Z,It smokes,,cora@people\.example,,,,,,,Cora Tester,$/,
  )
})

csv('the filters, search and sort of the list hold, and paging does not', async () => {
  const export_ = async (query: string) =>
    (await desk.get(`/tickets/export?${query}`, agent)).text.split('\n').slice(1, -1)
  assert.is((await export_('search=SCREEN')).length, 1)
  assert.is((await export_('search=nothing')).length, 0)
  assert.is((await export_(`user_id=${cora.id}`)).length, 1)
  assert.match((await export_('sort=subject&order=desc'))[0] ?? '', /Screen/)
  assert.is((await export_('type=un_assigned&date_from=2020-01-01')).length, 2)
  assert.is((await export_('date_to=2020-01-01')).length, 0)
  for (const query of ['page=1', 'per_page=5', 'cursor=first', 'statu_id=1', 'sort=nothing', 'status_id=x'])
    assert.is((await desk.get(`/tickets/export?${query}`, agent)).status, 422, query)
})

csv('who may export and import is as the roles say, and customers export only what is theirs', async () => {
  const own = (await desk.get('/tickets/export', cora)).text
  assert.match(own, /Printer of Cora/)
  assert.not.match(own, /Carl/)
  assert.not.match((await desk.get(`/tickets/export?user_id=${carl.id}`, cora)).text, /Carl/)
  assert.is((await desk.get('/tickets/export')).status, 401)
  assert.is((await importText(agent, 'Subject\nx\n')).status, 403)
  assert.is((await importText(cora, 'Subject\nx\n')).status, 403)
  assert.is((await importText(undefined, 'Subject\nx\n')).status, 401)
  assert.is((await importText(manager, 'Subject\nx\n', '/tickets/import?dry_run=true')).status, 200)
  const body = { name: 'Exporter', slug: 'exporter', permissions: ['tickets.view', 'tickets.export', 'tickets.import'] }
  assert.is((await desk.post('/settings/roles', desk.admin, body)).status, 201)
})

csv('a file longer than one batch is whole and in order', async () => {
  const rows = Array.from({ length: 730 }, (_, i) => `Bulk ${String(i).padStart(4, '0')},"${'x'.repeat(i % 7)}\n""y"""`)
  const imported = await importText(manager, `Subject,Details\n${rows.join('\n')}\n`)
  assert.is(imported.at('data.imported'), 730, imported.text.slice(0, 300))
  const exported = (await desk.get('/tickets/export?search=Bulk&sort=-subject', manager)).text
  const found = [...exported.matchAll(/Bulk (\d{4})/g)].map((match) => Number(match[1]))
  assert.equal(
    found,
    Array.from({ length: 730 }, (_, i) => 729 - i),
  )
  await desk.engine.database.adhoc.run({ text: `delete from tickets where subject like 'Bulk%'` }, [])
})

csv('rows stand alone: the good ones are in, each bad one is told with its line', async () => {
  const text = [
    'subject,PRIORITY,Status,Assigned_To_Email,customer email,due date,tags',
    'Good one,high,in-progress,ada@people.example,CORA@people.example,2027-01-31,a\\;b;c',
    '',
    'Bad priority,Highest,,,,,',
    '"Two',
    'lines",,,cora@people.example,,,',
    ',,,,,,',
    `${'x'.repeat(256)},,,,,not a day,`,
    'Too many,,,,,,,more',
    'Nobody,,,,nobody@people.example,,',
    'Short',
  ].join('\n')
  const answer = await importText(manager, text)
  assert.is(answer.status, 200, answer.text)
  const counts = ['total', 'imported', 'skipped', 'failed'].map((name) => answer.at(`data.${name}`))
  assert.equal(counts, [7, 2, 0, 5])
  const told = answer.at('data.errors') as { row: number; uid: null; errors: Record<string, string[]> }[]
  assert.equal(
    told.map((one) => [one.row, one.uid, Object.keys(one.errors).sort()]),
    [
      [4, null, ['priority_id']],
      [5, null, ['assigned_to', 'subject']],
      [8, null, ['due_date', 'subject']],
      [9, null, ['row']],
      [10, null, ['user_id']],
    ],
  )
  assert.equal(told[0]?.errors.priority_id, ['The selected priority is invalid'])
  const first = await desk.get(`/tickets/${answer.at('data.ids.0')}`, manager)
  assert.is(first.at('data.status.slug'), 'in-progress')
  assert.is(first.at('data.priority.name'), 'High')
  assert.is(first.at('data.assignedTo.id'), agent.id)
  assert.is(first.at('data.user.id'), cora.id)
  assert.is(first.at('data.details'), 'Good one')
  assert.equal(first.at('data.tags'), ['a;b', 'c'])
})

csv('a dry run judges every row and writes nothing', async () => {
  const before = (await desk.get('/tickets/export', manager)).text
  const answer = await importText(
    manager,
    'Subject,Priority\nFine,Low\nBad,None\n',
    '/tickets/import?dry_run=true',
    'csv',
  )
  const told = answer.at('data') as Record<string, unknown>
  assert.equal([told.total, told.imported, told.failed, told.ids], [2, 1, 1, []])
  assert.is((await desk.get('/tickets/export', manager)).text, before)
  assert.is((await importText(manager, 'Subject\nx', '/tickets/import?dry_run=maybe')).status, 422)
})

csv('what is no such file is refused as a whole, and nothing of it is written', async () => {
  const before = (await desk.get('/tickets/export', manager)).text
  const long = Array.from({ length: 10_000 }, (_, i) => `c${i}`).join(',')
  const files: readonly (readonly [string, string | Uint8Array, RegExp])[] = [
    ['empty', '', /empty/],
    ['no subject', 'Details,Priority\na,b\n', /"Subject"/],
    ['unclosed quote', 'Subject\nfine\n"never closed\nmore\n', /never closed/],
    ['quote inside', 'Subject\nfine\na"b"c\n', /quote/],
    ['NUL', 'Subject\na\0b\n', /UTF-8/],
    ['UTF-16 without its mark', Buffer.from('Subject\nfine\n', 'utf16le'), /UTF-8/],
    ['no character of windows-1252', Buffer.from('Subject\nSt\x81rung\n', 'latin1'), /UTF-8/],
    ['broken UTF-8', Buffer.concat([Buffer.from('Subject\nStörung, größer\n'), Buffer.from([0xe4, 0x0a])]), /UTF-8/],
    ['half a character', Buffer.from([...Buffer.from('Subject\nfine\n'), 0xe2, 0x82]), /UTF-8/],
    ['a picture', Buffer.from('\x89PNG\r\n\x1a\n\0\0', 'latin1'), /UTF-8/],
    ['same column twice', 'Subject,subject\na,b\n', /twice/],
    ['unknown column', 'Subject,Prioritty\na,b\n', /did you mean "Priority"/],
    ['ten thousand columns', `Subject,${long}\na\n`, /unknown column/],
    ['an endless row', `Subject\n"${'x'.repeat(1_200_000)}"\n`, /too long/],
  ]
  for (const [name, content, sentence] of files) {
    const refused = await importText(manager, content)
    assert.is(refused.status, 422, `${name}: ${refused.text.slice(0, 200)}`)
    assert.match(String((refused.at('errors.file') as string[])[0]), sentence, name)
  }
  assert.is((await desk.post('/tickets/import', manager, { file: 'x' })).status, 422)
  assert.ok((await desk.post('/tickets/import', manager, {})).at('errors.file'))
  assert.is((await importText(manager, Buffer.alloc(5_400_000, 0x61))).status, 413)
  const other = await sendParts(desk, 'POST', '/tickets/import', manager, [
    { name: 'upload', value: 'Subject\nx', file: 'x.csv' },
  ])
  assert.ok(other.at('errors.file'), other.text)
  assert.is((await desk.get('/tickets/export', manager)).text, before)
})

csv.run()
