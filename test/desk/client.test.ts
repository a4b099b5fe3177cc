/** The desk by its client: signing in, files up and down, a stream, routes of plugins, a summary. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type AnyClient, clientOf } from '../support/client.ts'
import { type Desk, openDesk } from './desk.ts'

const test = suite('the desk by its client')

let desk: Desk
let module: Awaited<ReturnType<typeof clientOf>>
let api: AnyClient

test.before(async () => {
  desk = await openDesk()
  module = await clientOf('resources')
  const { email, password } = desk.admin
  const { data } = await module.createClient({ baseUrl: desk.address }).postAuthLogin({ email, password })
  assert.is(data.user.email, email)
  api = module.createClient({ baseUrl: desk.address, token: data.token })
})
test.after(() => desk?.close())

test('who is not signed in is told so by an error of its own', async () => {
  const anybody = module.createClient({ baseUrl: desk.address, token: () => undefined })
  const error: unknown = await anybody.tickets.list().catch((reason: unknown) => reason)
  assert.ok(error instanceof module.Unauthenticated)
  assert.is((await api.getAuthMe()).data.email, desk.admin.email)
})

test('what may be done to a record, and what a write would do, are asked without doing it', async () => {
  const { data: ticket } = await api.tickets.create({ subject: 'Only asked', details: 'Nothing.' })
  const can = await api.tickets.can(ticket.id)
  assert.ok(can.update.includes('subject') && can.create.comments.includes('comment'))
  assert.is(can.delete, true)
  const asked = await api.tickets.update(ticket.id, { subject: 'Otherwise' }, { dryRun: true })
  assert.equal([asked.data.subject, asked.meta.dry_run], ['Otherwise', true])
  const made = await api.tickets.create({ subject: 'Never', details: 'Nothing.' }, { dryRun: true })
  assert.equal([made.status, made.data.subject], [200, 'Never'])
  assert.is((await api.tickets.get(ticket.id)).data.subject, 'Only asked')
  assert.is((await api.tickets.list({ search: 'Never' })).data.length, 0)
  const { data: choices } = await api.getTicketsChoicesStatus({ search: 'open' })
  assert.equal(
    choices.map(({ title }: { title: string }) => title),
    ['Open'],
  )
})

test('a file goes up as a form, and comes down under its name', async () => {
  const { data: ticket } = await api.tickets.create({ subject: 'Printer on fire', details: 'Smoke.' })
  const file = new File(['what smoke looks like'], 'smoke – grey.txt', { type: 'text/plain' })
  const { data: media, status } = await api.postMedia({ file, ticket_id: ticket.id })
  assert.equal([status, media.name], [201, 'smoke – grey.txt'])
  const down = await api.getMediaDownload(media.id)
  assert.equal([down.name, await down.text()], ['smoke – grey.txt', 'what smoke looks like'])
  assert.match(down.type, /^text\/plain/)
})

test('an export of some tickets is a file, and an import of it takes options beside it', async () => {
  await api.tickets.create({ subject: 'No paper', details: 'None at all.' })
  const exported = await api.getTicketsExport({ search: 'paper', bom: false })
  const text: string = await exported.text()
  assert.equal([text.includes('No paper'), text.includes('Printer on fire')], [true, false])
  const { data } = await api.postTicketsImport({ file: new Blob([text]) }, { dry_run: true })
  assert.is(data.skipped, 1)
})

test('routes of plugins take what is in their path, their body and their query in this order', async () => {
  const [first, second] = (await api.tickets.list({ sort: 'id', fields: ['id'] })).data
  const { data } = await api.postTicketsMerge(first.id, { into: second.id })
  assert.is(data.id, second.id)
  const { data: told, meta } = await api.getTicketsActivity(first.id, { per_page: 1 })
  assert.equal([told.length, meta.pagination.per_page], [1, 1])
  await desk.login(desk.admin.email, desk.admin.password)
  const { data: sessions } = await api.getAuthSessions({ per_page: 50 })
  const other = sessions.find(({ current }: { current: boolean }) => !current)
  assert.is(await api.deleteAuthSessions(other.id), undefined)
  assert.is((await api.getAuthSessions()).data.length, sessions.length - 1)
})

test('a summary gives groups with the records that its keys name', async () => {
  const { data, meta } = await api.tickets.summary({
    by: ['status_id'],
    of: ['count', 'distinct:priority_id'],
    sort: ['-count'],
  })
  assert.equal(Object.keys(data[0]).sort(), ['count', 'distinct:priority_id', 'status', 'status_id'])
  assert.is(data[0].status.id, data[0].status_id)
  assert.is(meta.more, false)
})

/** A network that cuts the first stream off behind its first event, and is away when its reader comes back at once. */
function cutting(): { readonly network: typeof fetch; readonly places: (string | null)[] } {
  const places: (string | null)[] = []
  const network: typeof fetch = async (url, init) => {
    places.push(new Headers(init?.headers).get('last-event-id'))
    if (places.length === 2) throw new TypeError('nobody is there')
    const response = await fetch(url, init)
    if (places.length > 1 || response.body === null) return response
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    while (!text.includes('event: reset')) text += (await reader.read()).value ?? ''
    await reader.cancel()
    return new Response(text.replace(/^retry: \d+/m, 'retry: 5'))
  }
  return { network, places }
}

test('a stream tells of changes, and goes on behind its last event when the connection was lost', async () => {
  const { network, places } = cutting()
  const token = async (): Promise<string> => desk.admin.token
  const follower = module.createClient({ baseUrl: desk.address, token, fetch: network, retries: 0 })
  const seen: string[] = []
  for await (const { data, type } of follower.tickets.stream({ subject: { contains: 'stream' } })) {
    seen.push(type === 'deleted' ? `deleted ${data.id === ticket}` : `${type} ${data.subject ?? data.reason}`)
    if (type === 'reset') await begin()
    if (type === 'created') await api.tickets.update(data.id, { subject: 'Another stream' })
    if (type === 'changed') await api.tickets.delete(data.id)
    if (type === 'deleted') break
  }
  assert.equal(seen, ['reset new', 'created A stream', 'changed Another stream', 'deleted true'])
  assert.equal([places.length, places[0], places[1] === places[2]], [3, null, true])
  assert.ok((places[1] ?? '').length > 0)
})

let ticket: unknown

async function begin(): Promise<void> {
  ticket = (await api.tickets.create({ subject: 'A stream', details: 'Told as it happens.' })).data.id
}

test('several lists are followed by one connection, each with its own records', async () => {
  const seen: string[] = []
  for await (const event of api.getStream([['tickets', { subject: { contains: 'joined' } }], ['ticket_comments']])) {
    const { data, list, of, type } = event
    seen.push(`${of} ${list} ${type} ${list === 'tickets' && type === 'created' ? data.subject : ''}`.trim())
    if (seen.length === 2) await api.tickets.create({ subject: 'A joined stream', details: 'Told as it happens.' })
    if (type === 'created') break
  }
  assert.equal(seen.slice(0, 2).sort(), ['0 tickets reset', '1 ticket_comments reset'])
  assert.is(seen[2], '0 tickets created A joined stream')
})

test('a stream ends with its signal', async () => {
  const ending = new AbortController()
  const read = async (): Promise<string> => {
    for await (const { type } of api.tickets.stream({}, { signal: ending.signal })) {
      assert.is(type, 'reset')
      ending.abort(new Error('enough'))
    }
    return 'ended'
  }
  assert.is(await read().catch((error: Error) => error.message), 'enough')
})

test.run()
