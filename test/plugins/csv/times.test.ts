/** Times of imported tickets: what the file says, and never the moment of the import. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Desk, openDesk } from '../../desk/desk.ts'
import { sendParts } from '../media/world.ts'

const csv = suite('times of imported tickets')

let desk: Desk

csv.before(async () => {
  desk = await openDesk()
})

csv.after(() => desk.close())

function importText(text: string, query = '') {
  const part = { name: 'file', value: text, file: 'tickets.csv' }
  return sendParts(desk, 'POST', `/tickets/import${query}`, desk.admin, [part])
}

const HEADER = 'Subject,Status,Created,Resolved,Closed,First Response\n'

async function timesOf(row: string) {
  const answer = await importText(`${HEADER}${row}\n`)
  assert.is(answer.at('data.imported'), 1, answer.text)
  const { at } = await desk.get(`/tickets/${answer.at('data.ids.0')}`, desk.admin)
  return ['created_at', 'resolved_at', 'closed_at', 'first_response_at'].map((name) => at(`data.${name}`))
}

csv('a ticket that ended long ago ended when the file says', async () => {
  const moments = ['2024-03-01T08:00:00.000000Z', '2024-03-02T09:00:00.000000Z', '2024-03-03T10:00:00.000000Z']
  const row = `Old,closed,${moments[0]},${moments[1]},${moments[2]},2024-03-01T08:30:00Z`
  assert.equal(await timesOf(row), [...moments, '2024-03-01T08:30:00.000000Z'])
  const closedOnly = `Old,closed,${moments[0]},,${moments[2]},`
  assert.equal(await timesOf(closedOnly), [moments[0], moments[2], moments[2], null])
  assert.equal(await timesOf(`Old,resolved,${moments[0]},${moments[1]},,`), [moments[0], moments[1], null, null])
})

csv('without a time in the file there is none, rather than the time of the import', async () => {
  for (const status of ['closed', 'resolved'])
    assert.equal((await timesOf(`Old,${status},2024-03-01T08:00:00Z,,,`)).slice(1), [null, null, null])
})

csv('a ticket that is closed later has the time of that', async () => {
  const answer = await importText('Subject,Status\nLater,open\n')
  const path = `/tickets/${answer.at('data.ids.0')}`
  const closed = await desk.setting('statuses', 'closed')
  assert.is((await desk.call('PATCH', path, { as: desk.admin, body: { status_id: closed } })).status, 200)
  assert.ok((await desk.get(path, desk.admin)).at('data.closed_at'))
})

csv('times that cannot be are refused row by row', async () => {
  const rows: readonly (readonly [string, string])[] = [
    ['open,2024-03-01T08:00:00Z,2024-03-02T08:00:00Z,,', 'resolved_at'],
    [',2024-03-01T08:00:00Z,2024-03-02T08:00:00Z,,', 'resolved_at'],
    ['resolved,2024-03-01T08:00:00Z,,2024-03-02T08:00:00Z,', 'closed_at'],
    ['closed,2024-03-01T08:00:00Z,2024-02-01T08:00:00Z,,', 'resolved_at'],
    ['closed,2024-03-01T08:00:00Z,2024-03-03T08:00:00Z,2024-03-02T08:00:00Z,', 'closed_at'],
    ['open,2024-03-01T08:00:00Z,,,2024-02-29T08:00:00Z', 'first_response_at'],
    ['closed,,2024-03-02T08:00:00Z,,', 'resolved_at'],
  ]
  const answer = await importText(`${HEADER}${rows.map(([row]) => `Odd,${row}\n`).join('')}`)
  const told = answer.at('data.errors') as { errors: Record<string, string[]> }[]
  assert.equal(
    told.map(({ errors }) => Object.keys(errors)),
    rows.map(([, field]) => [field]),
  )
})

csv.run()
