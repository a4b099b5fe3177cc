/**
 * Large applications: `npm run bench:large` prints what it costs to check them, to start them, to plan them and to serve
 * a saved file of them. `-- --resources 200 --only plan` makes one column and one row.
 */
import { spawnSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { FACT_TABLE } from '../../engine/migration/own/engine-tables.ts'
import { bare, PROGRAM, type Server, startServer } from '../cli/server.ts'
import { largeName, writeLargeApplication } from '../support/large.ts'
import { until } from '../support/wait.ts'
import { memoryNow, memoryPeak, processorTimes, secondsBetween } from './processor.ts'
import { ADMIN_ENV, DATABASE_OPTION, onScratchDatabase } from './scratch.ts'
import { lines, median } from './table.ts'

const ROWS = {
  check: 'check',
  first: 'first start, makes the tables',
  start: 'start on these tables',
  plan: 'plan, with nothing to do',
  save: 'a filter added to one file, until it is served by SIGHUP',
  requests: 'a request without a token, after the first ones',
  memory: 'memory at rest, and the most of it',
  document: 'the first /openapi.json',
} as const

type Name = keyof typeof ROWS

const { values: options } = parseArgs({
  options: {
    database: DATABASE_OPTION,
    resources: { type: 'string', default: '50,200,500,1000' },
    fields: { type: 'string', default: '20' },
    only: { type: 'string', default: Object.keys(ROWS).join() },
  },
})
const wanted = options.only.split(',')
const unknown = wanted.filter((name) => !Object.hasOwn(ROWS, name))
if (unknown.length > 0) throw new Error(`there is no row ${unknown.join()}; there are ${Object.keys(ROWS).join()}`)

/** Requests that are measured, and as many before them. */
const REQUESTS = 2_000
/** Files that are saved one after the other; the table has the median. */
const SAVES = 3
/** How long a server has nothing to do before its memory is looked at. */
const IDLE_MS = 5_000

/** Has a process say at its end how many microseconds of processor time it used. */
const TELL =
  'data:text/javascript,process.on("exit",()=>{const{user,system}=process.cpuUsage();console.log("\\n"+(user+system))})'

/** An application of one column, its database, and what was measured of it. */
interface Column {
  readonly resources: number
  readonly folder: string
  readonly env: NodeJS.ProcessEnv
  readonly cells: Map<Name, string>
}

function wants(...names: readonly Name[]): boolean {
  return names.some((name) => wanted.includes(name))
}

/** By the clock, and by the processor time of Node. */
function seconds(clockMs: number, node: number): string {
  return `${(clockMs / 1000).toFixed(1)} s (${node.toFixed(1)} s)`
}

/** Runs a command of the program to its end. */
function command({ env, cells }: Column, name: 'check' | 'plan'): void {
  if (!wants(name)) return
  const began = performance.now()
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', TELL, PROGRAM, name], {
    env,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`${name} ends with ${status}\n${stdout}${stderr}`)
  cells.set(name, seconds(performance.now() - began, Number(stdout.trimEnd().split('\n').at(-1)) / 1e6))
}

/** Starts and stops it, and does something with it in between. */
async function started(
  { env, cells }: Column,
  name: 'first' | 'start',
  work: (server: Server) => Promise<void>,
): Promise<void> {
  const began = performance.now()
  const server = await startServer(PROGRAM, process.cwd(), env)
  const used = secondsBetween(new Map(), processorTimes([server.child.pid!]))
  cells.set(name, seconds(performance.now() - began, used))
  try {
    await work(server)
  } finally {
    await server.stop('SIGTERM')
  }
}

/** By the clock in milliseconds, and by the processor time of a server in seconds, how long something takes. */
async function measured({ child }: Server, work: () => Promise<void>): Promise<readonly [clock: number, node: number]> {
  const before = processorTimes([child.pid!])
  const began = performance.now()
  await work()
  return [performance.now() - began, secondsBetween(before, processorTimes([child.pid!]))]
}

/** Until the server has written down what it serves: a start after it finds that there is nothing new. */
async function remembered(connectionString: string): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  const text = `select from ${FACT_TABLE.name} where name = 'served'`
  await until(async () => (await client.query(text)).rowCount === 1, 240_000)
  await client.end()
}

async function rested({ cells }: Column, { child }: Server): Promise<void> {
  await sleep(IDLE_MS)
  cells.set('memory', `${memoryNow(child.pid!).toFixed(0)} MB (${memoryPeak(child.pid!).toFixed(0)} MB)`)
}

/** What a request costs that is refused once its route is found, because nobody signed in. */
async function refused({ cells, resources }: Column, server: Server): Promise<void> {
  const ask = async (): Promise<void> => {
    for (let i = 0; i < REQUESTS; i += 1) {
      const answer = await fetch(`${server.url}/api/${largeName(1 + (i % resources)).replace('_', '-')}/1`)
      if (answer.status !== 401) throw new Error(`${answer.url} answers ${answer.status}`)
      await answer.arrayBuffer()
    }
  }
  await ask()
  const [clock, node] = await measured(server, ask)
  const micros = (sum: number): string => `${Math.round(sum / REQUESTS)} µs`
  cells.set('requests', `${micros(clock * 1e3)} (${micros(node * 1e6)})`)
}

/** The document, which is made with the first request for it. */
async function described({ cells }: Column, server: Server): Promise<void> {
  let bytes = 0
  const took = await measured(server, async () => {
    const answer = await fetch(`${server.url}/openapi.json`)
    bytes = (await answer.arrayBuffer()).byteLength
    if (answer.status !== 200) throw new Error(`/openapi.json answers ${answer.status}`)
  })
  cells.set('document', `${seconds(...took)}, ${(bytes / 1e6).toFixed(1)} MB`)
}

/** Saves a file with one filter more, has the server read it, and waits until it says that it serves it. */
async function saved({ cells, folder }: Column, server: Server): Promise<void> {
  const took: (readonly [number, number])[] = []
  const isRefused = (): boolean => server.output().includes('What was served is served on')
  const served = (): number => server.output().split('serves the files as they are now').length - 1
  for (let number = 1; number <= SAVES; number += 1) {
    const path = join(folder, `${largeName(number + 1)}.yaml`)
    const text = await readFile(path, 'utf8')
    await writeFile(path, text.replace('filters: [', 'filters: [price, '))
    const before = served()
    const one = await measured(server, async () => {
      server.child.kill('SIGHUP')
      await until(() => served() > before || isRefused(), 240_000)
    })
    if (isRefused()) throw new Error(`a saved file is not served\n${server.output()}`)
    took.push(one)
  }
  cells.set('save', seconds(median(took.map(([clock]) => clock)), median(took.map(([, node]) => node))))
}

async function measure(resources: number): Promise<ReadonlyMap<Name, string>> {
  const cells = new Map<Name, string>()
  await onScratchDatabase(options.database, async (DATABASE_URL) => {
    const { folder, remove } = await writeLargeApplication(resources, Number(options.fields))
    const env = bare({ ...ADMIN_ENV, DATABASE_URL, RESOURCES_DIR: folder, DATA_DIR: `${folder}/data` })
    const column: Column = { resources, folder, env, cells }
    try {
      command(column, 'check')
      if (!wants('first', 'start', 'plan', 'save', 'requests', 'memory', 'document')) return
      await started(column, 'first', () => remembered(DATABASE_URL))
      command(column, 'plan')
      if (!wants('start', 'save', 'requests', 'memory', 'document')) return
      await started(column, 'start', async (server) => {
        if (wants('memory')) await rested(column, server)
        if (wants('requests')) await refused(column, server)
        if (wants('document')) await described(column, server)
        if (wants('save')) await saved(column, server)
      })
    } finally {
      await remove()
    }
  })
  return cells
}

const columns = options.resources.split(',').map(Number)
const cells: ReadonlyMap<Name, string>[] = []
for (const resources of columns) cells.push(await measure(resources))
const names = (Object.keys(ROWS) as Name[]).filter((name) => wants(name))
console.log(
  lines([
    ['resources', ...columns.map(String)],
    ...names.map((name) => [ROWS[name], ...cells.map((one) => one.get(name) ?? '')]),
  ]),
)
