/** Dates in files: the forms that desks export, in the zone of their clocks, and those that could be two days. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { dayIn, momentIn } from '../../../plugins/csv/dates.ts'
import { type Desk, openDesk } from '../../desk/desk.ts'
import { sendParts } from '../media/world.ts'

const csv = suite('dates in files')

const OPEN = { zone: 'UTC', order: undefined }
const BERLIN = { zone: 'Europe/Berlin', order: undefined }

let desk: Desk

csv.before(async () => {
  desk = await openDesk()
})

csv.after(() => desk.close())

csv('the forms that desks export are one moment', () => {
  for (const text of [
    '2026-01-31T14:05:00Z',
    '2026-01-31T15:05:00+01:00',
    '2026-01-31 14:05',
    '2026-01-31 14:05:00 UTC',
    '2026-01-31 14:05:00.000',
    '2026/01/31 14:05',
    '2026-01-31 09:05:00 -0500',
    '31.01.2026 14:05',
    '31.1.2026, 14:05:00',
    '01/31/2026 2:05 PM',
    '1/31/2026, 2:05:00 p.m.',
    '31/01/2026 14:05',
    '31-01-2026 14:05',
  ]) {
    const read = momentIn(text, OPEN)
    assert.ok('value' in read, `${text} ${JSON.stringify(read)}`)
    assert.is(Date.parse(read.value), Date.UTC(2026, 0, 31, 14, 5), text)
  }
  for (const [text, value] of [
    ['12:05 AM', '2026-01-31T00:05:00Z'],
    ['12:05 PM', '2026-01-31T12:05:00Z'],
  ])
    assert.equal(momentIn(`01/31/2026 ${text}`, OPEN), { value })
  assert.equal(momentIn('2026-01-31', OPEN), { value: '2026-01-31T00:00:00Z' })
})

csv('a time without a zone is one of the zone of the file, summer and winter', () => {
  assert.equal(momentIn('31.01.2026 14:05', BERLIN), { value: '2026-01-31T13:05:00Z' })
  assert.equal(momentIn('31.07.2026 14:05', BERLIN), { value: '2026-07-31T12:05:00Z' })
  assert.equal(momentIn('2026-07-31T14:05:00.123456', BERLIN), { value: '2026-07-31T12:05:00.123456Z' })
  assert.equal(momentIn('2026-07-31T14:05:00Z', BERLIN), { value: '2026-07-31T14:05:00Z' })
  assert.equal(momentIn('2026-10-25 02:30', BERLIN), { value: '2026-10-25T00:30:00Z' })
  assert.match(JSON.stringify(momentIn('2026-03-29 02:30', BERLIN)), /did not exist in Europe\/Berlin/)
  assert.equal(momentIn('2026-01-31 14:05', { ...OPEN, zone: 'Pacific/Kiritimati' }), { value: '2026-01-31T00:05:00Z' })
  assert.equal(dayIn('2026-01-31T23:30:00Z', BERLIN), { value: '2026-02-01' })
  assert.equal(dayIn('31.01.2026 23:30', BERLIN), { value: '2026-01-31' })
})

csv('a date that could be two days is refused until somebody says which', () => {
  assert.match(JSON.stringify(dayIn('01/02/2026', OPEN)), /is ambiguous: 01\/02 may have the day or the month first/)
  assert.equal(dayIn('01/02/2026', { ...OPEN, order: 'day_first' }), { value: '2026-02-01' })
  assert.equal(dayIn('01/02/2026', { ...OPEN, order: 'month_first' }), { value: '2026-01-02' })
  assert.equal(dayIn('03/03/2026', OPEN), { value: '2026-03-03' })
  assert.match(JSON.stringify(dayIn('31/01/2026', { ...OPEN, order: 'month_first' })), /no month 31/)
})

csv('what is no date is none', () => {
  for (const text of [
    'soon',
    '2026-02-31 10:00',
    '2026-13-01 10:00',
    '31.01.26',
    '2026-01-31 25:00',
    '2026-01-31 13:05 PM',
    '2026-01-31 10:00 CET',
    `2026-01-31${' '.repeat(100_000)}`,
  ])
    assert.ok('error' in momentIn(text, OPEN), text.slice(0, 40))
})

csv('the import takes both options, and tells what is wrong with a date', async () => {
  const send = (text: string, query: string) =>
    sendParts(desk, 'POST', `/tickets/import${query}`, desk.admin, [{ name: 'file', value: text, file: 'tickets.csv' }])
  const text = 'Subject,Created,Due Date\nA,01/02/2026 2:05 PM,03/04/2027\n'
  const read = await send(text, '?zone=europe/berlin&dates=day_first')
  assert.is(read.at('data.imported'), 1, read.text)
  const { at } = await desk.get(`/tickets/${read.at('data.ids.0')}`, desk.admin)
  assert.equal([at('data.created_at'), at('data.due_date')], ['2026-02-01T13:05:00.000000Z', '2027-04-03'])
  const refused = await send(text, '?again=true')
  assert.match(JSON.stringify(refused.at('data.errors.0.errors.created_at')), /dates=day_first/)
  assert.equal(refused.at('data.errors.0.cells.created_at'), { column: 'Created', value: '01/02/2026 2:05 PM' })
  const due = await send(`Subject,Due Date\n${'x'.repeat(256)},03/04/2027\n`, '')
  assert.equal(Object.keys(due.at('data.errors.0.errors') as object).sort(), ['due_date', 'subject'])
  assert.match(JSON.stringify(due.at('data.errors.0.errors.due_date')), /03\/04 may have the day or the month first/)
  assert.ok((await send(text, '?zone=Europe/Berlinn')).at('errors.zone'))
  assert.ok((await send(text, '?dates=american')).at('errors.dates'))
})

csv.run()
