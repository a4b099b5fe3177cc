/** Every request of the desk that may be sent again with an Idempotency-Key does its work once. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Answer, type Desk, openDesk } from './desk.ts'

const test = suite<{ desk: Desk; ticket: number }>('desk: sent again with a key')
test.before(async (world) => {
  world.desk = await openDesk()
  const { admin } = world.desk
  const sent = await world.desk.post('/tickets', admin, { subject: 'The printer is out', details: 'No paper comes' })
  world.ticket = Number(sent.at('data.id'))
})
test.after(({ desk }) => desk.close())

const BOUNDARY = 'between'

function file(name: string, type: string, text: string): { body: string; headers: Record<string, string> } {
  const body = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: ${type}\r\n\r\n${text}\r\n--${BOUNDARY}--\r\n`
  const headers = {
    'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
    'content-length': String(Buffer.byteLength(body)),
  }
  return { body, headers }
}

interface Sent {
  readonly path: string
  readonly status: number
  readonly body?: unknown
  readonly headers?: Record<string, string>
  /** The resource of which there is one record more afterwards, or the name of a job. */
  readonly stored?: string
}

const REQUESTS: readonly ((ticket: number) => Sent)[] = [
  () => ({ path: '/tickets', status: 201, body: { subject: 'Once', details: 'And no more' }, stored: 'tickets' }),
  (ticket) => ({
    path: `/tickets/${ticket}/comments`,
    status: 201,
    body: { comment: 'It is out of paper' },
    stored: 'ticket_comments',
  }),
  () => ({ path: '/media', status: 201, ...file('tray.txt', 'text/plain', 'Paper tray: empty\n'), stored: 'media' }),
  () => ({ path: '/reports/generate', status: 201, body: { type: 'tickets' }, stored: 'reports' }),
  () => ({
    path: '/tickets/import',
    status: 202,
    ...file('tickets.csv', 'text/csv', 'Subject,Details\nOne,Row\n'),
    stored: 'csv.import',
  }),
  (ticket) => ({ path: `/ai/tickets/${ticket}/classify`, status: 200, stored: 'ai_classifications' }),
  (ticket) => ({
    path: '/ai/batch-classify',
    status: 200,
    body: { ticket_ids: [ticket] },
    stored: 'ai_classifications',
  }),
  (ticket) => ({ path: '/ai/response-suggestions', status: 200, body: { ticket_id: ticket }, stored: 'ai_uses' }),
  () => ({ path: '/ai/sentiment-analysis', status: 200, body: { text: 'I am glad' }, stored: 'ai_uses' }),
  () => ({ path: '/ai/settings', status: 200, body: { max_suggestions: 4 } }),
  () => ({ path: '/notifications/read-all', status: 200 }),
]

for (const request of REQUESTS) {
  test(`POST ${request(1).path}`, async ({ desk, ticket }) => {
    const { path, status, body, headers = {}, stored } = request(ticket)
    const rows = (): Promise<number> => (stored === undefined ? Promise.resolve(0) : countOf(desk, stored))
    const send = (): Promise<Answer> =>
      desk.call('POST', path, { as: desk.admin, body, headers: { ...headers, 'idempotency-key': 'once' } })
    const before = await rows()
    const first = await send()
    assert.is(first.status, status, first.text)
    const again = await send()
    assert.is(again.headers['idempotency-replayed'], 'true', again.text)
    assert.is(again.text, first.text)
    assert.is((await rows()) - before, stored === undefined ? 0 : 1)
  })
}

/** How many records of a resource there are, or how many jobs of a name there ever were. */
async function countOf({ engine }: Desk, name: string): Promise<number> {
  const table = engine.app.catalog.resources.get(name)?.table
  const text =
    table === undefined ? 'select count(*) from plinth_job where name = $1' : `select count(*) from "${table}"`
  const [row] = await engine.database.adhoc.run({ text }, table === undefined ? [name] : [])
  return Number(row?.[0])
}

test('every route of the desk that is done once for a key can be sent again, except where a token or a secret is', ({
  desk,
}) => {
  const inSteps = desk.engine.app.routes.filter(
    (route) => route.method === 'POST' && route.bucket !== 'auth' && !('run' in route) && route.once !== true,
  )
  assert.equal(
    inSteps.map(({ path }) => path),
    [
      '/auth/logout',
      '/auth/passkey/options',
      '/auth/providers/{name}/logout',
      '/webhooks',
      '/webhooks/{id}/rotate',
      '/auth/keys',
    ],
  )
})
test.run()
