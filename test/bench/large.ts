/** A large application: `npm run bench:large` prints what it costs to check and to start it, and how large its document is. */
import { spawnSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { FACT_TABLE } from '../../engine/migration/own/engine-tables.ts'
import { bare, PROGRAM, startServer } from '../cli/server.ts'
import { largeName, writeLargeApplication } from '../support/large.ts'
import { until } from '../support/wait.ts'
import { processorTimes, secondsBetween } from './processor.ts'
import { ADMIN_ENV, DATABASE_OPTION, onScratchDatabase } from './scratch.ts'
import { lines } from './table.ts'

const { values: options } = parseArgs({
  options: {
    database: DATABASE_OPTION,
    resources: { type: 'string', default: '500' },
    fields: { type: 'string', default: '30' },
  },
})

/** Requests in each of the two rows about them. */
const REQUESTS = 2_000

/** Has a process say at its end how many microseconds of processor time it used. */
const TELL =
  'data:text/javascript,process.on("exit",()=>{const{user,system}=process.cpuUsage();console.log("\\n"+(user+system))})'

/** A row of the table: what was done, by the clock, and by the processor time of Node. */
type Row = readonly [work: string, clock: string, node: string]

function seconds(work: string, began: number, node: number): Row {
  return [work, `${((performance.now() - began) / 1000).toFixed(1)} s`, `${node.toFixed(1)} s`]
}

function checked(env: NodeJS.ProcessEnv): Row {
  const began = performance.now()
  const args = ['--import', TELL, PROGRAM, 'check']
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`the check ends with ${status}\n${stdout}${stderr}`)
  return seconds('plinth check', began, Number(stdout.trimEnd().split('\n').at(-1)) / 1e6)
}

/** Starts and stops it, and asks it in between. */
async function started(
  name: string,
  env: NodeJS.ProcessEnv,
  ask: (url: string, pid: number) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  const began = performance.now()
  const server = await startServer(PROGRAM, process.cwd(), env)
  const pid = server.child.pid!
  const row = seconds(name, began, secondsBetween(new Map(), processorTimes([pid])))
  const asked = await ask(server.url, pid)
  await server.stop('SIGTERM')
  return [row, ...asked]
}

/** What a request costs that is refused once its route is found, because nobody signed in. */
async function refused(work: string, url: string, pid: number): Promise<Row> {
  const before = processorTimes([pid])
  const began = performance.now()
  for (let i = 0; i < REQUESTS; i += 1) {
    const number = 1 + (i % Number(options.resources))
    const answer = await fetch(`${url}/api/${largeName(number).replace('_', '-')}/1`)
    if (answer.status !== 401) throw new Error(`${answer.url} answers ${answer.status}`)
    await answer.arrayBuffer()
  }
  const each = (sum: number): string => `${Math.round((sum * 1e6) / REQUESTS)} µs`
  const clock = each((performance.now() - began) / 1000)
  return [work, clock, each(secondsBetween(before, processorTimes([pid])))]
}

/** Until the server has written down what it serves: a start after it finds that there is nothing new. */
async function remembered(connectionString: string): Promise<readonly Row[]> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  const text = `select from ${FACT_TABLE.name} where name = 'served'`
  await until(async () => (await client.query(text)).rowCount === 1, 120_000)
  await client.end()
  return []
}

/** The document, which is made with the first request for it. */
async function described(url: string, pid: number): Promise<Row> {
  const before = processorTimes([pid])
  const began = performance.now()
  const answer = await fetch(`${url}/openapi.json`)
  const size = (await answer.arrayBuffer()).byteLength
  if (answer.status !== 200) throw new Error(`/openapi.json answers ${answer.status}`)
  const row = seconds('/openapi.json', began, secondsBetween(before, processorTimes([pid])))
  return [`${row[0]}, ${(size / 1e6).toFixed(2)} MB`, row[1], row[2]]
}

await onScratchDatabase(options.database, async (DATABASE_URL) => {
  const { folder, remove } = await writeLargeApplication(Number(options.resources), Number(options.fields))
  try {
    const env = bare({ ...ADMIN_ENV, DATABASE_URL, RESOURCES_DIR: folder, DATA_DIR: `${folder}/data` })
    const rows: Row[] = [checked(env)]
    rows.push(...(await started('first start, makes the tables', env, () => remembered(DATABASE_URL))))
    const ask = async (url: string, pid: number) => [
      // What the process does just after it listens is in the first of these two, so that it is not in the second.
      await refused(`a request without a token, of the first ${REQUESTS}`, url, pid),
      await refused(`a request without a token, of the next ${REQUESTS}`, url, pid),
      await described(url, pid),
    ]
    rows.push(...(await started('second start, on these tables', env, ask)))
    console.log(lines([['work', 'time', 'Node CPU'], ...rows]))
  } finally {
    await remove()
  }
})
