/** Runs test files strictly: whatever did not plainly pass has failed, and the last line counts it all. */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { register } from 'node:module'
import { relative, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'

Object.assign(globalThis, { UVU_DEFER: 1 })
register('./run/resolve.mjs', import.meta.url)
const { resetWatch, watch } = await import('./run/suite.ts')

/** uvu's own word for how a suite went: its failures as text (or true), passed, skipped, total. */
type SuiteRun = () => Promise<[errors: string | true, passed: number, skipped: number, total: number]>

interface FileResult {
  readonly file: string
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  readonly ms: number
}

const USAGE = `npm test -- [path …] [--bail] [--timeout ms]
  path       only test files whose path contains it; a file is taken as it is
  --faults   the tests that inject faults (test/faults/*.faults.ts) instead of the usual ones
  --bail     stop after the first file that fails
  --timeout  how long one file may take, in milliseconds (default 120000)`

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    bail: { type: 'boolean' },
    faults: { type: 'boolean' },
    timeout: { type: 'string', default: '120000' },
    help: { type: 'boolean' },
  },
})
const root = process.cwd()
const totals = { passed: 0, failed: 0, skipped: 0, done: false }
const stray: string[] = []

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(options.faults ? '.faults.ts' : '.test.ts'))
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

function explain(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

async function runSuites(
  runs: readonly SuiteRun[],
): Promise<{ passed: number; skipped: number; total: number; complaints: string[] }> {
  const sum = { passed: 0, skipped: 0, total: 0, complaints: [] as string[] }
  for (const run of runs) {
    watch.thrown = []
    const outcome = await run().catch(() => undefined)
    if (outcome === undefined) {
      sum.total += 1
      sum.complaints.push(...watch.thrown.map(explain))
      continue
    }
    const [errors, passed, skipped, total] = outcome
    sum.passed += passed
    sum.skipped += skipped
    sum.total += total
    if (errors !== true) sum.complaints.push(errors)
    // uvu reports nothing when a hook throws: the counts are short, and the reason is only here.
    if (passed < total && errors === true) sum.complaints.push(...watch.thrown.map(explain))
  }
  return sum
}

function deadline(ms: number): { readonly expired: Promise<'expired'>; readonly clear: () => void } {
  let timer: NodeJS.Timeout | undefined
  const expired = new Promise<'expired'>((done) => {
    timer = setTimeout(() => done('expired'), ms)
  })
  return { expired, clear: () => clearTimeout(timer) }
}

async function importAndRun(file: string, index: number) {
  Object.assign(globalThis, { UVU_INDEX: index })
  const queue = (globalThis as { UVU_QUEUE?: (SuiteRun | null)[][] }).UVU_QUEUE ?? []
  queue[index] = []
  await import(pathToFileURL(resolve(root, file)).href)
  const sum = await runSuites((queue[index] ?? []).filter((run) => run !== null))
  // A rejection nobody handles is reported only once the event loop has turned.
  await new Promise((done) => setImmediate(done))
  return sum
}

async function runFile(file: string, index: number, ms: number): Promise<FileResult> {
  resetWatch()
  const started = performance.now()
  const complaints: string[] = []
  let counts = { passed: 0, skipped: 0, total: 0 }
  process.stdout.write(`${file}\n`)
  const limit = deadline(ms)
  try {
    const outcome = await Promise.race([importAndRun(file, index), limit.expired])
    if (outcome === 'expired') complaints.push(`not finished after ${ms} ms; last seen in "${watch.running}"`)
    else {
      counts = outcome
      complaints.push(...outcome.complaints)
      if (outcome.total === 0 && outcome.skipped === 0) complaints.push('the file ran no test')
    }
  } catch (error) {
    complaints.push(`the file could not be loaded\n${explain(error)}`)
  } finally {
    limit.clear()
  }
  for (const name of watch.idle) complaints.push(`suite "${name}" was never run: call .run() after its last test`)
  if (positionals.length === 0)
    for (const name of watch.narrowed) complaints.push(`suite "${name}" is narrowed by .only`)
  complaints.push(...stray.splice(0))
  for (const complaint of complaints) process.stdout.write(`\n✘ ${file}\n${complaint}\n`)
  const short = counts.total - counts.passed
  const failed = complaints.length === 0 && short === 0 ? 0 : Math.max(short, 1)
  return { file, passed: counts.passed, failed, skipped: counts.skipped, ms: performance.now() - started }
}

function printSlowest(results: readonly FileResult[]): void {
  const slow = [...results]
    .sort((a, b) => b.ms - a.ms)
    .slice(0, 5)
    .filter((result) => result.ms > 500)
  if (slow.length > 0) process.stdout.write('\nslowest files\n')
  for (const { file, ms } of slow) process.stdout.write(`  ${(ms / 1000).toFixed(1).padStart(6)} s  ${file}\n`)
}

process.on('unhandledRejection', (reason) =>
  stray.push(`a promise was rejected and nobody handled it\n${explain(reason)}`),
)
process.on('uncaughtException', (error) => stray.push(`an exception was thrown outside any test\n${explain(error)}`))
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
const files = chosenFiles(positionals)
const results: FileResult[] = []
if (files.length === 0) {
  totals.failed = 1
  process.stdout.write(`no test file matches ${positionals.join(' ') || 'test/**/*.test.ts'}\n`)
}
for (const [index, file] of files.entries()) {
  const result = await runFile(file, index, Number(options.timeout))
  results.push(result)
  totals.passed += result.passed
  totals.failed += result.failed
  totals.skipped += result.skipped
  if (result.failed > 0 && options.bail) break
}
const failures = results.filter((result) => result.failed > 0)
if (failures.length > 0) process.stdout.write('\nfailed files\n')
for (const { file, failed } of failures) process.stdout.write(`  ${file} (${failed})\n`)
printSlowest(results)
totals.done = true
process.exit()
