/** Runs test files strictly: whatever did not plainly pass has failed, and the last line counts it all. */
import { randomInt } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { register } from 'node:module'
import { availableParallelism } from 'node:os'
import { relative, resolve, sep } from 'node:path'
import { parseArgs } from 'node:util'
import type { FileOrder, FileResult } from './run/file.ts'

Object.assign(globalThis, { UVU_DEFER: 1 })
register('./run/resolve.mjs', import.meta.url)
const { runFile, watchProcess } = await import('./run/file.ts')
const { dropDatabases } = await import('./run/left-databases.ts')
const { inTurn, isAboutServer, isLong } = await import('./run/selection.ts')
const { watch } = await import('./run/suite.ts')
const { runInWorkers } = await import('./run/workers.ts')

/** Each process with the embedded database takes up to a gigabyte of memory. */
const MOST_PROCESSES = 4
/** Each browser is several processes itself. */
const MOST_BROWSERS = 2

/** The inputs that a run draws where nobody asks for others: a failure is a fault of the change that was made, and not of the day. */
const SEED = 20_261

const USAGE = `npm test -- [path …] [--server] [--long] [--bail] [--jobs n] [--timeout ms] [--slowest n] [--seed n]
  path       only test files whose path contains it; a file is taken as it is
  --browser  the tests of pages in a browser (test/browser/*.browser.ts) instead of the usual ones
  --faults   the tests that inject faults (test/faults/*.faults.ts) instead of the usual ones
  --server   only files to which the server of TEST_DATABASE_URL or TEST_REDIS_URL makes a difference
  --long     long files too, which else run where they are named, and on a server
  --bail     start no further file after one that fails
  --jobs     in how many processes (default: one more than there are cores, at most ${MOST_PROCESSES}, of browsers ${MOST_BROWSERS})
  --timeout  how long one file may take, in milliseconds (default 120000); longer where others use the processor
  --slowest  how many of the slowest files are listed at the end (default 5)
  --seed     what inputs are drawn from, a number or random (default ${SEED}, so that a run can be repeated)`

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    bail: { type: 'boolean' },
    browser: { type: 'boolean' },
    faults: { type: 'boolean' },
    server: { type: 'boolean' },
    long: { type: 'boolean' },
    jobs: { type: 'string' },
    timeout: { type: 'string', default: '120000' },
    slowest: { type: 'string', default: '5' },
    seed: { type: 'string', default: String(SEED) },
    help: { type: 'boolean' },
  },
})
const ENDING = options.faults ? '.faults.ts' : options.browser ? '.browser.ts' : '.test.ts'
const root = process.cwd()
const totals = { passed: 0, failed: 0, skipped: 0, done: false }

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ENDING))
    .map((name) => relative(root, resolve(folder, name)).split(sep).join('/'))
    .sort()
}

function chosenFiles(paths: readonly string[]): string[] {
  const all = filesUnder(resolve(root, 'test'))
  if (paths.length === 0) return all
  const wanted = paths.map((path) => relative(root, resolve(root, path)).split(sep).join('/'))
  const direct = wanted.filter((path) => existsSync(path) && statSync(path).isFile())
  const found = all.filter((file) => wanted.some((path) => file.includes(path)))
  return [...new Set([...found, ...direct])].sort()
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1).padStart(6)} s`
}

function printSlowest(results: readonly FileResult[]): void {
  const slow = [...results]
    .sort((a, b) => b.ms - a.ms)
    .slice(0, Number(options.slowest))
    .filter((result) => result.ms > 500)
  if (slow.length > 0) process.stdout.write('\nslowest files\n')
  for (const { file, ms, cpuMs } of slow)
    process.stdout.write(`  ${seconds(ms)}  ${seconds(cpuMs)} of processor time  ${file}\n`)
  const cpuMs = results.reduce((sum, result) => sum + result.cpuMs, 0)
  process.stdout.write(`\n${seconds(cpuMs)} of processor time in ${results.length} files\n`)
}

watchProcess()
process.on('exit', () => {
  // process.exit() inside a test, or an event loop that ran dry, must not look like success.
  if (!totals.done) {
    totals.failed += 1
    process.stdout.write(`\n✘ the process ended during "${watch.running}"\n`)
  }
  if (totals.failed > 0) process.exitCode = 1
  process.stdout.write(`\n${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped\n`)
})

if (options.help) {
  process.stdout.write(`${USAGE}\n`)
  process.exit(0)
}
const named = chosenFiles(positionals)
const isWhole = options.long === true || positionals.length > 0 || process.env.TEST_DATABASE_URL !== undefined
const files = named.filter(options.server ? isAboutServer : (file) => isWhole || !isLong(file))
if (files.length < named.length)
  process.stdout.write(
    `${named.length - files.length} of ${named.length} files ${options.server ? 'run the same without a server' : 'are long'} and are left out\n\n`,
  )
const results: FileResult[] = []
if (files.length === 0) {
  totals.failed = 1
  process.stdout.write(`no test file matches ${positionals.join(' ') || 'test/**/*.test.ts'}\n`)
}
const seed = options.seed === 'random' ? randomInt(2 ** 31) : Number(options.seed)
if (seed !== SEED) process.stdout.write(`inputs are drawn by --seed ${seed}\n`)
const orders = inTurn(files).map(
  (file, index): FileOrder => ({ file, index, ms: Number(options.timeout), narrowable: positionals.length > 0, seed }),
)

/** Counts a result; false when no further file is to be started. */
function count(result: FileResult): boolean {
  results.push(result)
  totals.passed += result.passed
  totals.failed += result.failed
  totals.skipped += result.skipped
  return result.failed === 0 || options.bail !== true
}

/** What a file imports that measures a server under load. */
const LOAD = "from './load.ts'"

/** Servers whose answers under load are compared with their usual ones have the machine alone. */
function isAlone(file: string): boolean {
  return options.faults === true && readFileSync(file, 'utf8').includes(LOAD)
}

/** Runs the files by so many processes; false when no further file is to be started. */
async function run(some: readonly FileOrder[], processes: number): Promise<boolean> {
  if (processes > 1) {
    let goesOn = true
    const atEnd = await runInWorkers(some, processes, (result, printed) => {
      process.stdout.write(printed)
      goesOn = count(result) && goesOn
      return goesOn
    })
    process.stdout.write(atEnd)
    return goesOn
  }
  for (const order of some) if (!count(await runFile(order))) return false
  return true
}

// A process waits for the programs and servers that its tests start for a third of its time.
const usual = Math.min(availableParallelism() + 1, options.browser ? MOST_BROWSERS : MOST_PROCESSES)
const most = Number(options.jobs ?? usual)
const together = orders.filter(({ file }) => !isAlone(file))
const goesOn = await run(together, Math.min(most, together.length))
if (goesOn)
  await run(
    orders.filter(({ file }) => isAlone(file)),
    1,
  )

const failures = results.filter((result) => result.failed > 0)
if (failures.length > 0) process.stdout.write('\nfailed files\n')
for (const { file, failed } of failures) process.stdout.write(`  ${file} (${failed})\n`)
printSlowest(results)
const server = process.env.TEST_DATABASE_URL
const left = results.flatMap((result) => result.left)
if (server && left.length > 0) await dropDatabases(server, left)
totals.done = true
process.exit()
