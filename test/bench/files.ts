/** CSV in the benchmark: an export against COPY of the same query, an import against parsing the same file and COPY into a table. */
import { parse } from 'csv-parse/sync'
import type pg from 'pg'
import type { Contender } from './contender.ts'
import { processorTimes, secondsBetween } from './processor.ts'
import { lines, median } from './table.ts'

/** Rows of the file that is imported. */
export const IMPORTED = 50_000

/** One run of one side: seconds by the clock, and of processor time in Node and in the database. */
interface Run {
  readonly seconds: number
  readonly node: number
  readonly database: number
}

interface Both {
  readonly engine: Run
  readonly copy: Run
}

/** The columns and the order of an export of tickets. One process does it: what helpers use would not be counted. */
const EXPORT = `copy (select t.uid, t.subject, p.name, c.name, s.name, d.name, st.name, a.email,
    a.first_name || ' ' || a.last_name, t.created_at, t.details, ty.name, u.email, k.email, t.due_date, t.tags,
    t.resolved_at, t.closed_at, t.first_response_at, u.first_name || ' ' || u.last_name
  from tickets t left join priorities p on p.id = t.priority_id left join categories c on c.id = t.category_id
    left join categories s on s.id = t.sub_category_id left join departments d on d.id = t.department_id
    left join statuses st on st.id = t.status_id left join users a on a.id = t.assigned_to
    left join types ty on ty.id = t.type_id left join users u on u.id = t.user_id
    left join contacts k on k.id = t.contact_id
  where t.deleted_at is null order by t.id) to stdout (format csv)`

const KINDS = ['Call back', 'Send an offer', 'Ask again', 'Close it']

/** A file of notes, which have no hooks. */
function notesFile(): string {
  const row = (_: unknown, i: number) =>
    `admin@bench.example,${KINDS[i % KINDS.length]} ${i},"Tomorrow, before noon (${i})"`
  return `User,Name,Details\n${Array.from({ length: IMPORTED }, row).join('\n')}\n`
}

/** The resource of notes, so that files of them can be imported. */
export function withFiles(notes: string): string {
  return `${notes}
csv:
  export: [{ who: signed_in }]
  import: [{ who: signed_in }]
  columns: { User: user.email, Name: { path: name, required: true }, Details: details }
`
}

async function measured(
  pids: () => Promise<readonly number[]>,
  node: number,
  work: () => Promise<unknown>,
): Promise<Run> {
  const before = { node: processorTimes([node]), database: processorTimes(await pids()) }
  const began = performance.now()
  await work()
  return {
    seconds: (performance.now() - began) / 1000,
    node: secondsBetween(before.node, processorTimes([node])),
    database: secondsBetween(before.database, processorTimes(await pids())),
  }
}

/** What a connection of pg can do beside what its types tell. */
type Wire = pg.Connection & { sendCopyFromChunk(chunk: Buffer): void; endCopyFrom(): void }

/** What pg calls on a query whose data goes past it, in either direction. */
function copying(client: pg.Client, text: string, give?: string): Promise<void> {
  const nothing = (): void => {}
  return new Promise((done, fail) => {
    const query = {
      submit: (wire: pg.Connection) => wire.query(text),
      handleRowDescription: nothing,
      handleDataRow: nothing,
      handleCommandComplete: nothing,
      handleEmptyQuery: nothing,
      handleCopyData: nothing,
      handleCopyInResponse: (wire: Wire) => {
        wire.sendCopyFromChunk(Buffer.from(give ?? ''))
        wire.endCopyFrom()
      },
      handleReadyForQuery: () => done(),
      handleError: fail,
    }
    client.query(query)
  })
}

async function taken(engine: Contender, path: string): Promise<void> {
  const answer = await fetch(engine.url + path, { headers: engine.headers })
  if (!answer.ok || answer.body === null) throw new Error(`the engine answers ${answer.status} to ${path}`)
  for await (const _ of answer.body);
}

async function imported(engine: Contender, text: string): Promise<void> {
  const body = new FormData()
  body.set('file', new Blob([text], { type: 'text/csv' }), 'notes.csv')
  const sent = await fetch(`${engine.url}/api/v1/notes/import`, { method: 'POST', headers: engine.headers, body })
  const { data } = (await sent.json()) as { data: { job_id: string } }
  for (;;) {
    const answer = await fetch(`${engine.url}/api/v1/jobs/${data.job_id}`, { headers: engine.headers })
    const job = ((await answer.json()) as { data: { status: string; result: { imported: number } | null } }).data
    if (job.status === 'completed' && job.result?.imported === IMPORTED) return
    if (job.status === 'completed' || job.status === 'failed')
      throw new Error(`the import is ${job.status}: ${JSON.stringify(job).slice(0, 500)}`)
    await new Promise((turn) => setTimeout(turn, 100))
  }
}

async function copied(admin: pg.Client, text: string): Promise<void> {
  const rows = parse(text, { from_line: 2 }) as string[][]
  const quote = (cell: string) => `"${cell.replaceAll('"', '""')}"`
  const given = rows.map((row) => `1,${row.slice(1).map(quote).join()}\n`).join('')
  await copying(admin, 'copy copied_notes (user_id, name, details) from stdin (format csv)', given)
}

/** Measures both in turn, and gives the table. */
export async function compareFiles(engine: Contender, admin: pg.Client, rounds: number): Promise<string> {
  const own = (await admin.query<{ pid: number }>('select pg_backend_pid() as pid')).rows.map(({ pid }) => pid)
  const ofAdmin = async () => own
  const text = notesFile()
  await admin.query('set max_parallel_workers_per_gather = 0')
  await admin.query('create table copied_notes (like notes including all)')
  const exports: Both[] = []
  const imports: Both[] = []
  for (let round = 0; round < rounds; round += 1) {
    exports.push({
      copy: await measured(ofAdmin, process.pid, () => copying(admin, EXPORT)),
      engine: await measured(engine.backends, engine.pid, () => taken(engine, '/api/v1/tickets/export')),
    })
    imports.push({
      copy: await measured(ofAdmin, process.pid, () => copied(admin, text)),
      engine: await measured(engine.backends, engine.pid, () => imported(engine, text)),
    })
  }
  const headings = ['file', 'engine', 'COPY', 'ratio', 'Node CPU (COPY)', 'database CPU (COPY)']
  return lines([headings, told('csv export, 100,000 tickets', exports), told(`csv import, ${IMPORTED} notes`, imports)])
}

function told(name: string, rounds: readonly Both[]): readonly string[] {
  const of = (pick: (both: Both) => number): string => median(rounds.map(pick)).toFixed(2)
  return [
    name,
    `${of(({ engine }) => engine.seconds)} s`,
    `${of(({ copy }) => copy.seconds)} s`,
    of(({ copy, engine }) => copy.seconds / engine.seconds),
    `${of(({ engine }) => engine.node)} s (${of(({ copy }) => copy.node)})`,
    `${of(({ engine }) => engine.database)} s (${of(({ copy }) => copy.database)})`,
  ]
}
