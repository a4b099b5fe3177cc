/** kill -9 under writes: each change arrives at the receiver of a webhook, in the order of the writes of its record. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { folder } from '../cli/world.ts'
import { until } from '../support/wait.ts'
import { openRestartable, type Restartable } from './restartable.ts'
import { addFigures, cyclesOf } from './table.ts'

const WRITERS = 6
const CYCLES = cyclesOf(3)
/** A receiver that fails so often is left alone for a while each time, so that many changes take long to arrive. */
const DELIVERED_MS = 240_000 + 3_000 * CYCLES
const ADMIN = { email: 'boss@notes.example', password: 'a very long secret' }

/** What the log and the table of deliveries say. */
const PLUGIN = `import { definePlugin } from 'plinth'
const AUDIT = \`select c.id, c.record_id, c.action, d.message_id, d.status from plinth_change c
  left join webhook_deliveries d on d.change_id = c.id where c.resource = 'notes' order by c.id\`

export default definePlugin({
  name: 'audit',
  description: 'Compares the log with the deliveries.',
  routes: [{
    method: 'GET', path: '/audit', summary: 'The log with its deliveries', access: 'public',
    output: { type: 'array', items: { type: 'array' } },
    handle: async ({ database }) => ({ data: await database.adhoc.run({ text: AUDIT }, []) }),
  }, {
    method: 'POST', path: '/hurry', summary: 'Lets every pause be over', access: 'public', input: {},
    handle: async ({ database, enqueue }) => {
      await database.adhoc.run({ text: "update webhook_deliveries set next_attempt_at = now() where status = 'pending'" }, [])
      await enqueue('webhooks.deliver', {}, { dedupe: 'deliver' })
      return {}
    },
  }],
})
`

const files = folder({
  'resources/app.yaml': [
    'name: Notes',
    'prefix: /api',
    'plugins:',
    '  timestamps: {}',
    '  soft_delete: {}',
    '  mail: {}',
    '  auth: { roles: [admin, member] }',
    '  audit: {}',
    '  webhooks: { http: true, networks: [127.0.0.0/8], timeout_ms: 5000 }',
  ].join('\n'),
  'resources/notes.yaml': [
    'resource: notes',
    'webhooks: true',
    'fields: { title: { type: string, required: true } }',
    'policies: { view: [{ who: anyone }], create: [{ who: anyone }], update: [{ who: anyone }], delete: [] }',
    'actions: [list, get, create, update]',
  ].join('\n'),
  'plugins/audit/index.ts': PLUGIN,
  'package.json': '{ "type": "module" }',
})

// biome-ignore lint/suspicious/noExplicitAny: the answers of three routes.
type Data = any

interface Arrival {
  readonly id: string
  readonly headers: Record<string, string>
  readonly body: string
}

const arrivals: Arrival[] = []
let secret = ''
const receiver = createServer(async (request, response) => {
  let body = ''
  for await (const chunk of request) body += chunk
  const headers = request.headers as Record<string, string>
  arrivals.push({ id: headers['webhook-id'] ?? '', headers, body })
  // One in twenty is refused, and one in twenty gets no answer.
  const dice = Math.random()
  if (dice < 0.05) response.destroy()
  else response.writeHead(dice < 0.1 ? 500 : 204).end()
})

const test = suite<{ service: Restartable }>('faults: kill -9 and webhooks')
test.before(async (context) => {
  await new Promise<void>((listening) => receiver.listen(0, '127.0.0.1', listening))
  context.service = await openRestartable({
    resources: `${files.path}/resources`,
    plugins: `${files.path}/plugins`,
    env: { ADMIN_EMAIL: ADMIN.email, ADMIN_PASSWORD: ADMIN.password },
  })
})
test.after(async ({ service }) => {
  await service.close()
  receiver.closeAllConnections()
  receiver.close()
  files.remove()
})

async function call({ url }: Restartable, method: string, path: string, body?: object, token?: string) {
  const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) }
  const answer = await fetch(`${url}/api${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  return { status: answer.status, data: ((await answer.json()) as Data).data }
}

interface Sent {
  acknowledged: number
  readonly statuses: number[]
}

/** Creates a note and changes it three times, again and again, until the service is gone. */
async function write(service: Restartable, sent: Sent): Promise<void> {
  const noted = async (method: string, path: string, title: string): Promise<number> => {
    const { data, status } = await call(service, method, path, { title })
    if (status === 503) {
      // A machine that does other work too: the same again when there is a place.
      await sleep(200)
      return noted(method, path, title)
    }
    sent.statuses.push(status)
    sent.acknowledged += 1
    return Number(data.id)
  }
  try {
    for (;;) {
      const id = await noted('POST', '/notes', 'new')
      for (let i = 0; i < 3; i += 1) await noted('PUT', `/notes/${id}`, `change ${i}`)
      // Slower than the disk, so that most is delivered while others write.
      await sleep(30)
    }
  } catch {
    // The service is gone.
  }
}

/** Of each change: its id, record, action, message and the status of its delivery. */
type Line = readonly [string, string, string, string | null, string | null]

test('each change arrives, in the order of its record, whenever the process is killed', async ({ service }) => {
  const { data: session } = await call(service, 'POST', '/auth/login', ADMIN)
  const address = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
  const hook = { name: 'All', address, events: ['notes.*'] }
  secret = (await call(service, 'POST', '/webhooks', hook, session.token)).data.secret
  const sent: Sent = { acknowledged: 0, statuses: [] }
  let recoveryMs = 0
  let lines: readonly Line[] = []
  for (let cycle = 0; cycle < CYCLES; cycle += 1) {
    const writers = Array.from({ length: WRITERS }, () => write(service, sent))
    const answered = sent.statuses.length
    await until(() => sent.statuses.length > answered + 40, 60_000)
    await sleep(Math.random() * 500)
    await service.kill()
    await Promise.all(writers)
    await service.start()
    const started = performance.now()
    await until(async () => {
      lines = (await call(service, 'GET', '/audit')).data
      return lines.every(([, , , , status]) => status !== null)
    }, 30_000)
    recoveryMs = Math.max(recoveryMs, performance.now() - started)
  }
  // What was under way when the process was killed is leased for a minute.
  await until(async () => {
    await call(service, 'POST', '/hurry', {})
    await sleep(500)
    lines = (await call(service, 'GET', '/audit')).data
    return lines.every(([, , , , status]) => status === 'delivered')
  }, DELIVERED_MS)
  const first = new Map<string, number>()
  const verifies = new Webhook(secret)
  let wrong = sent.statuses.filter((status) => status !== 200 && status !== 201).length
  for (const [at, { body, headers, id }] of arrivals.entries()) {
    if (!first.has(id)) first.set(id, at)
    const { type } = JSON.parse(body) as { type: string }
    // A message that was sent again carries the moment at which it was.
    try {
      if (Date.now() / 1000 - Number(headers['webhook-timestamp']) < 280) verifies.verify(body, headers)
    } catch {
      wrong += 1
    }
    if (!/^notes\.(create|update)$/.test(type)) wrong += 1
  }
  const missing = lines.filter(([, , , message]) => !first.has(message ?? '')).length
  const latest = new Map<string, number>()
  let torn = 0
  for (const [, record, , message] of lines) {
    const at = first.get(message ?? '') ?? -1
    if (at < (latest.get(record) ?? -1)) torn += 1
    latest.set(record, at)
  }
  const figures = {
    lost: missing + Math.max(0, sent.acknowledged - lines.length),
    doubled: lines.length - new Set(lines.map(([id]) => id)).size,
    torn,
    wrong,
  }
  addFigures({ fault: 'kill -9, webhooks', cycles: CYCLES, acknowledged: sent.acknowledged, ...figures, recoveryMs })
  assert.equal(figures, { lost: 0, doubled: 0, torn: 0, wrong: 0 })
  assert.ok(arrivals.length > lines.length, 'what failed was sent again')
})
test.run()
