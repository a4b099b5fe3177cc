/** kill -9 of the desk under writes of every kind: what was acknowledged is there once and whole, and its jobs come to their end. */
import { setTimeout as sleep } from 'node:timers/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { until } from '../support/wait.ts'
import { openRestartableDesk, type RestartableDesk } from './desk.ts'
import { type Acknowledged, detailsOf, IMPORT_ROWS, nothingYet, tornFiles, work } from './desk-work.ts'
import { walked } from './measure.ts'
import { addFigures, cyclesOf } from './table.ts'

const CYCLES = cyclesOf(3)

const test = suite<{ desk: RestartableDesk }>('faults: kill -9 under mixed writes')
test.before(async (context) => {
  context.desk = await openRestartableDesk((app) => app.replace('job_rows: 2000', 'job_rows: 10'))
})
test.after(({ desk }) => desk.close())

interface Row {
  readonly subject: string
  readonly details: string
  readonly comments_count: number
  readonly email: string
  readonly first_name: string
}

/** All records of a list. */
function all({ headers, service }: RestartableDesk, list: string): Promise<readonly Row[]> {
  return walked(`${service.url}/api/v1${list}sort=id`, headers())
}

/** Waits until every import has come to its end; how many did not complete. */
async function unfinished({ ask }: RestartableDesk, imports: Acknowledged['imports']): Promise<number> {
  let failed = 0
  for (const id of imports.keys()) {
    let status = ''
    await until(async () => {
      status = ((await ask('GET', `/jobs/${id}`)).body.data as { status: string }).status
      return ['completed', 'failed'].includes(status)
    }, 90_000)
    if (status !== 'completed') failed += 1
  }
  return failed
}

const doubledOf = (values: readonly string[]): number => values.length - new Set(values).size

/** How much of each kind was acknowledged. */
function countsOf({ tickets, comments, keyed, files, imports }: Acknowledged) {
  return {
    tickets: tickets.size,
    comments: comments.size,
    keyed: keyed.size,
    files: files.size,
    imports: imports.size,
  }
}

async function figuresOf(desk: RestartableDesk, done: Acknowledged) {
  const failed = await unfinished(desk, done.imports)
  const tickets = await all(desk, '/tickets?fields=subject,details,comments_count&')
  const contacts = await all(desk, '/contacts?fields=email,first_name&')
  const bySubject = new Map(tickets.map((ticket) => [ticket.subject, ticket]))
  const emails = new Set(contacts.map(({ email }) => email))
  const missing = (subjects: ReadonlySet<string>): number => [...subjects].filter((one) => !bySubject.has(one)).length
  const rows = [...done.imports.values()].flatMap((name) =>
    Array.from({ length: IMPORT_ROWS }, (_, n) => `${name}.${n}@imported.example`),
  )
  return {
    lost:
      missing(done.tickets) +
      missing(done.keyed) +
      [...done.comments].filter((subject) => bySubject.get(subject)?.comments_count === 0).length +
      rows.filter((email) => !emails.has(email)).length,
    doubled:
      doubledOf(tickets.map(({ subject }) => subject)) +
      doubledOf(contacts.map(({ email }) => email)) +
      tickets.filter(({ comments_count }) => comments_count > 1).length,
    torn:
      failed +
      tickets.filter(({ subject, details }) => details !== detailsOf(subject)).length +
      contacts.filter(({ email, first_name }) => first_name !== `First ${/\.(\d+)@/.exec(email)?.[1]}`).length,
    wrong: done.wrong.length,
  }
}

test('nothing acknowledged is lost, doubled or torn', async ({ desk }) => {
  const { service } = desk
  const done = nothingYet()
  let [recoveryMs, tornUploads] = [0, 0]
  for (let cycle = 0; cycle < CYCLES; cycle++) {
    const files = new Map(done.files)
    const [tickets, uploads] = [done.tickets.size, done.files.size]
    const writers = work(desk, cycle, done)
    await until(() => done.tickets.size > tickets + 2 && done.files.size > uploads, 120_000).catch(() => {
      throw new Error(
        `cycle ${cycle}: only ${JSON.stringify(countsOf(done))}, wrong ${done.wrong}, ${service.server.output().slice(-2_000)}`,
      )
    })
    await sleep(Math.random() * 500)
    await service.kill()
    const killed = performance.now()
    await service.start()
    recoveryMs = Math.max(recoveryMs, performance.now() - killed)
    await Promise.all(writers)
    const added = new Map([...done.files].filter(([id]) => !files.has(id)))
    tornUploads += await tornFiles(desk, added)
  }
  const found = await figuresOf(desk, done)
  const figures = { ...found, torn: found.torn + tornUploads }
  const counts = countsOf(done)
  const acknowledged = Object.values(counts).reduce((sum, count) => sum + count, 0)
  const listed = JSON.stringify(counts)
  process.stdout.write(`  acknowledged: ${listed}\n`)
  addFigures({ fault: 'kill -9 under mixed writes', cycles: CYCLES, acknowledged, ...figures, recoveryMs })
  assert.equal(figures, { lost: 0, doubled: 0, torn: 0, wrong: 0 }, `wrong: ${done.wrong}`)
  assert.ok(counts.imports > 0 && counts.keyed === CYCLES * 4, listed)
})
test.run()
