/** Runs one test file strictly in this process: whatever did not plainly pass has failed, and says why. */
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import fc from 'fast-check'
import { share } from '../support/wait.ts'
import { leftDatabases } from './left-databases.ts'
import { resetWatch, watch } from './suite.ts'

/** uvu's own word for how a suite went: its failures as text (or true), passed, skipped, total. */
type SuiteRun = () => Promise<[errors: string | true, passed: number, skipped: number, total: number]>

export interface FileResult {
  readonly file: string
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  readonly ms: number
  /** Processor time of this process, in milliseconds; that of a database server is not in it. */
  readonly cpuMs: number
  /** Databases that stay on the server until the run ends, for the files that follow. */
  readonly left: readonly string[]
  /** The file did not come to its end: what it left behind may still run in this process. */
  readonly hangs: boolean
}

/**
 * `index` is another for each file of a process; `narrowable` allows suites that run only some of their tests; inputs are
 * drawn by `seed`.
 */
export interface FileOrder {
  readonly file: string
  readonly index: number
  readonly ms: number
  readonly narrowable: boolean
  readonly seed: number
}

const stray: string[] = []

/** Takes note of what a test leaves to nobody, so that its file fails instead of the process. */
export function watchProcess(): void {
  process.on('unhandledRejection', (reason) =>
    stray.push(`a promise was rejected and nobody handled it\n${explain(reason)}`),
  )
  process.on('uncaughtException', (error) => stray.push(`an exception was thrown outside any test\n${explain(error)}`))
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

/** How often the time of a file is looked at, in milliseconds. */
const LOOK_MS = 100

/** Expires when the process could have worked for so long: on a busy machine a file may take longer by the clock. */
function deadline(ms: number): { readonly expired: Promise<'expired'>; readonly clear: () => void } {
  let timer: NodeJS.Timeout | undefined
  let left = ms
  let looked = performance.now()
  const expired = new Promise<'expired'>((done) => {
    timer = setInterval(() => {
      const now = performance.now()
      left -= (now - looked) * share()
      looked = now
      if (left <= 0) done('expired')
    }, LOOK_MS)
  })
  return { expired, clear: () => clearInterval(timer) }
}

async function importAndRun(file: string, index: number) {
  Object.assign(globalThis, { UVU_INDEX: index })
  const queue = (globalThis as { UVU_QUEUE?: (SuiteRun | null)[][] }).UVU_QUEUE ?? []
  queue[index] = []
  await import(pathToFileURL(resolve(file)).href)
  const sum = await runSuites((queue[index] ?? []).filter((run) => run !== null))
  // A rejection nobody handles is reported only once the event loop has turned.
  await new Promise((done) => setImmediate(done))
  return sum
}

/** Runs a file, prints what it says, and counts its tests. Never rejects. */
export async function runFile({ file, index, ms, narrowable, seed }: FileOrder): Promise<FileResult> {
  resetWatch()
  fc.configureGlobal({ seed })
  const started = performance.now()
  const before = process.cpuUsage()
  const complaints: string[] = []
  let counts = { passed: 0, skipped: 0, total: 0 }
  let hangs = false
  process.stdout.write(`${file}\n`)
  const limit = deadline(ms)
  try {
    const outcome = await Promise.race([importAndRun(file, index), limit.expired])
    if (outcome === 'expired') {
      hangs = true
      complaints.push(`not finished after ${ms} ms; last seen in "${watch.running}"`)
    } else {
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
  if (!narrowable) for (const name of watch.narrowed) complaints.push(`suite "${name}" is narrowed by .only`)
  complaints.push(...stray.splice(0))
  for (const complaint of complaints) process.stdout.write(`\n✘ ${file}\n${complaint}\n`)
  const short = counts.total - counts.passed
  const failed = complaints.length === 0 && short === 0 ? 0 : Math.max(short, 1)
  const { user, system } = process.cpuUsage(before)
  const took = { ms: performance.now() - started, cpuMs: (user + system) / 1000 }
  return { file, passed: counts.passed, failed, skipped: counts.skipped, ...took, left: leftDatabases.splice(0), hangs }
}
