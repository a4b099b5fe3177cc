/** A thousand readers of five roles under fifty changes a second, and kill -9 between: what each is told, when, and that it goes on. */
import { setTimeout as sleep } from 'node:timers/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { folder } from '../cli/world.ts'
import { follow, type Reading } from '../stream/client.ts'
import { RESOURCES } from '../stream/world.ts'
import { until } from '../support/wait.ts'
import { walked } from './measure.ts'
import { openRestartable, type Restartable } from './restartable.ts'
import { addFigures, cyclesOf } from './table.ts'

const EACH = 200
const RATE = 50
const SECONDS = cyclesOf(10)
const TEAMS = 20
const WRITER = '1:boss:tickets.all,tickets.notes,tickets.write'

/** The token is who its bearer is. */
const PLUGIN = `import { definePlugin } from 'plinth'
const sets = new Map()
export default definePlugin({
  name: 'who',
  description: 'Believes what a token says of its bearer; for tests only.',
  authenticate: async ({ headers }) => {
    const [, id, role, words] = /^Bearer (\\d+):(\\w*):(\\S*)$/.exec(headers.authorization ?? '') ?? []
    if (id === undefined) return null
    if (!sets.has(words)) sets.set(words, new Set(words.split(',').filter((word) => word !== '')))
    return { kind: 'user', id: Number(id), role, permissions: sets.get(words), attributes: {} }
  },
})
`

const files = folder({
  ...Object.fromEntries(Object.entries(RESOURCES).map(([name, text]) => [`resources/${name}`, text])),
  'resources/app.yaml': 'name: Tickets\nplugins: { soft_delete: {}, who: {} }\n',
  'plugins/who/index.ts': PLUGIN,
  'package.json': '{ "type": "module" }',
})

/** What a role asks for, and which of the records that it may be given. */
interface Kind {
  readonly token: (at: number) => string
  readonly path: string
  readonly mayHave: (record: Ticket, at: number) => boolean
}

interface Ticket {
  readonly id: number
  readonly title: string
  readonly status: string
  readonly owner: number
  readonly team_id: number
  readonly note?: string
}

const KINDS: readonly Kind[] = [
  { token: (at) => `${1_000 + at}:agent:tickets.all`, path: '/tickets', mayHave: ({ note }) => note === undefined },
  {
    token: (at) => `${2_000 + at}:auditor:tickets.all`,
    path: '/tickets?status=open',
    mayHave: ({ status }) => status === 'open',
  },
  { token: (at) => `${3_000 + at}:customer:`, path: '/tickets', mayHave: ({ owner }, at) => owner === 3_000 + at },
  {
    token: (at) => `${4_000 + at}:lead:`,
    path: '/tickets',
    mayHave: ({ team_id }, at) => at < TEAMS && team_id % TEAMS === at,
  },
  { token: (at) => `${5_000 + at}:helper:`, path: '/tickets', mayHave: () => true },
]

interface Reader {
  readonly kind: Kind
  readonly at: number
  reading: Reading
  /** Of the events that came before, and how many of them were looked at. */
  readonly seen: Set<string>
  readonly records: Map<number, Ticket>
  looked: number
  wrong: number
  doubled: number
}

const test = suite<{ service: Restartable }>('faults: streams')
test.before(async (context) => {
  context.service = await openRestartable({
    resources: `${files.path}/resources`,
    plugins: `${files.path}/plugins`,
    env: { METRICS_TOKEN: 'numbers' },
  })
})
test.after(async ({ service }) => {
  await service.close()
  files.remove()
})

async function open(url: string, kind: Kind, at: number, lastId?: string): Promise<Reading> {
  const headers = {
    authorization: `Bearer ${kind.token(at)}`,
    ...(lastId === undefined ? {} : { 'last-event-id': lastId }),
  }
  const reading = await follow(url, kind.path.replace('/tickets', '/tickets/stream'), headers)
  assert.is(reading.status, 200, reading.text())
  return reading
}

async function send(url: string, method: string, path: string, body?: object): Promise<{ data?: { id: number } }> {
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${WRITER}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
  return answer.status === 204 ? {} : ((await answer.json()) as { data: { id: number } })
}

/** What the server has used so far: memory in MB, and seconds of a processor. */
async function used(url: string): Promise<{ readonly memory: number; readonly seconds: number }> {
  const answer = await fetch(`${url}/metrics`, { headers: { authorization: 'Bearer numbers' } })
  const text = await answer.text()
  const number = (name: string): number => Number(new RegExp(`^${name} ([\\d.e+]+)`, 'm').exec(text)?.[1])
  return {
    memory: Math.round(number('process_resident_memory_bytes') / 1_048_576),
    seconds: number('process_cpu_seconds_total'),
  }
}

function ticketOf(data: Readonly<Record<string, unknown>>): Ticket {
  const [id, owner, team_id] = [Number(data.id), Number(data.owner), Number(data.team_id)]
  const note = data.note === undefined ? {} : { note: String(data.note) }
  return { id, owner, team_id, title: String(data.title), status: String(data.status), ...note }
}

/** Takes in what has come, as a client does; gives the lags of what was written meanwhile, in milliseconds. */
function look(reader: Reader, lags: number[]): void {
  const { events } = reader.reading
  const now = Date.now()
  for (; reader.looked < events.length; reader.looked++) {
    const { data, event, id } = events[reader.looked]!
    if (reader.seen.has(id)) reader.doubled += 1
    reader.seen.add(id)
    if (event === 'reset') continue
    if (event === 'deleted') {
      reader.records.delete(Number(data.id))
      continue
    }
    const ticket = ticketOf(data)
    reader.records.set(ticket.id, ticket)
    if (!reader.kind.mayHave(ticket, reader.at)) reader.wrong += 1
    const at = Number(ticket.title)
    if (at > 0) lags.push(now - at)
  }
}

/** How long the answers to writes took, in milliseconds. */
const answers: number[] = []

/** Writes at the rate, whether or not answers come. */
async function writeFor(url: string, seconds: number, teams: readonly number[], live: number[]): Promise<number> {
  const under: Promise<unknown>[] = []
  let done = 0
  const began = performance.now()
  for (let turn = 0; turn < seconds * RATE; turn++) {
    await sleep(Math.max(0, began + (turn * 1_000) / RATE - performance.now()))
    const owner = 3_000 + (turn % EACH)
    const values = { title: String(Date.now()), owner, team_id: teams[turn % TEAMS], note: 'for nobody' }
    const id = live[turn % Math.max(1, live.length)]
    const work =
      turn % 2 === 0 || id === undefined
        ? send(url, 'POST', '/tickets', values).then(({ data }) => void live.push(data!.id))
        : turn % 10 === 9
          ? send(url, 'PUT', `/tickets/${id}`, {
              title: String(Date.now()),
              status: turn % 20 === 9 ? 'closed' : 'open',
              owner,
            })
          : send(url, 'PUT', `/tickets/${id}`, { title: String(Date.now()) })
    const asked = performance.now()
    under.push(
      work.then(
        () => {
          done += 1
          answers.push(performance.now() - asked)
        },
        () => undefined,
      ),
    )
  }
  await Promise.all(under)
  return done
}

async function listed(url: string, { at, kind }: Reader): Promise<string> {
  const rows = await walked<Ticket>(`${url}${kind.path}`, { authorization: `Bearer ${kind.token(at)}` })
  return rows
    .map(({ id }) => id)
    .sort((a, b) => a - b)
    .join()
}

function quantile(values: readonly number[], part: number): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length * part)] ?? 0
}

test(`${5 * EACH} readers of five roles under ${RATE} changes a second, and kill -9`, async ({ service }) => {
  const teams: number[] = []
  for (let at = 0; at < TEAMS; at++)
    teams.push((await send(service.url, 'POST', '/teams', { name: `t${at}`, lead: 0 })).data!.id)
  for (const id of teams) await send(service.url, 'PUT', `/teams/${id}`, { lead: 4_000 + (id % TEAMS) })
  const readers: Reader[] = []
  for (const kind of KINDS)
    for (let at = 0; at < EACH; at++) {
      const reading = await open(service.url, kind, at)
      readers.push({ kind, at, reading, seen: new Set(), records: new Map(), looked: 0, wrong: 0, doubled: 0 })
    }
  await until(() => readers.every(({ reading }) => reading.events.length > 0), 60_000)
  const lags: number[] = []
  const watch = setInterval(() => {
    for (const reader of readers) look(reader, lags)
  }, 20)
  const live: number[] = []
  const own = process.cpuUsage()
  const before = await used(service.url)
  let written = await writeFor(service.url, SECONDS, teams, live)
  const middle = await used(service.url)
  written += await writeFor(service.url, SECONDS, teams, live)
  const after = await used(service.url)
  await sleep(1_000)
  const measured = [...lags]
  const answered = Math.round(quantile(answers, 0.5))
  const { system, user } = process.cpuUsage(own)

  const dying = writeFor(service.url, 2, teams, live)
  await sleep(1_000)
  await service.kill()
  await dying.then((done) => (written += done))
  await service.start()
  const killed = performance.now()
  written += await writeFor(service.url, 1, teams, live)
  for (const reader of readers) {
    look(reader, [])
    reader.reading = await open(service.url, reader.kind, reader.at, reader.reading.lastId())
    reader.looked = 0
  }
  written += await writeFor(service.url, 2, teams, live)
  const recoveryMs = Math.round(performance.now() - killed)
  let lost = 0
  for (const reader of readers.filter(({ at }) => at % 20 === 0)) {
    const expected = await listed(service.url, reader)
    const known = (): string => [...reader.records.keys()].sort((a, b) => a - b).join()
    await until(() => known() === expected, 10_000).catch(() => (lost += 1))
  }
  clearInterval(watch)
  const sum = (of: (reader: Reader) => number): number => readers.reduce((total, reader) => total + of(reader), 0)
  const resets = sum(({ reading }) => reading.events.filter(({ event }) => event === 'reset').length)
  const [doubled, wrong] = [sum((one) => one.doubled), sum((one) => one.wrong)]
  for (const { reading } of readers) reading.close()
  addFigures({
    fault: 'kill -9 under 1,000 streams',
    cycles: 1,
    acknowledged: written,
    lost,
    doubled,
    torn: 0,
    wrong,
    recoveryMs,
  })
  console.log(
    `  ${measured.length} events in ${2 * SECONDS} s, lag p50 ${quantile(measured, 0.5)} ms, p99 ${quantile(measured, 0.99)} ms, most ${quantile(measured, 1 - 1e-9)} ms; the writes were answered in ${answered} ms (p50); memory ${before.memory} MB, ${middle.memory} MB, ${after.memory} MB; processor ${(after.seconds - before.seconds).toFixed(1)} s, that of the readers ${((system + user) / 1e6).toFixed(1)} s`,
  )
  assert.equal({ lost, doubled, wrong, resets }, { lost: 0, doubled: 0, wrong: 0, resets: 0 })
})

test.run()
