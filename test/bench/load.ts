/** Load from outside: wrk where it is installed, a small generator of our own otherwise. */
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** One request of a workload; `{n}` in its body is replaced by a number that never comes twice. */
export interface BenchRequest {
  readonly method: string
  readonly path: string
  readonly body?: string
}

export interface LoadResult {
  readonly requests: number
  readonly seconds: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Answers that were no 2xx, and connections that broke. */
  readonly errors: number
}

export interface LoadOptions {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly requests: readonly BenchRequest[]
  readonly seconds: number
  readonly connections: number
  /** The core the generator stays on. */
  readonly core: number
}

const hasWrk = spawnSync('wrk', ['--version']).error === undefined

/** Which generator runs, for the heading of the table. */
export const GENERATOR = hasWrk ? 'wrk' : 'a generator in Node'

function lua(text: string): string {
  return `"${text.replace(/[\\"]/g, '\\$&').replace(/\n/g, '\\n')}"`
}

function wrkScript({ requests, headers }: LoadOptions): string {
  const list = requests.map(
    ({ method, path, body }) => `{${lua(method)},${lua(path)},${body === undefined ? 'nil' : lua(body)}}`,
  )
  const sent = { ...headers, 'Content-Type': 'application/json' }
  return `
local list = {${list.join(',\n')}}
local headers = {${Object.entries(sent)
    .map(([name, value]) => `[${lua(name)}]=${lua(value)}`)
    .join(',')}}
local at = ${Date.now() % 1_000_000_000}
request = function()
  at = at + 1
  local item = list[1 + at % #list]
  local body = item[3]
  if body then body = string.gsub(body, "{n}", tostring(at)) end
  return wrk.format(item[1], item[2], headers, body)
end
done = function(summary, latency)
  local bad = summary.errors.status + summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout
  io.write(string.format("RESULT %d %d %d %d %d\\n", summary.requests, summary.duration, latency:percentile(50), latency:percentile(99), bad))
end
`
}

async function output(command: string, args: readonly string[]): Promise<string> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  let text = ''
  for await (const part of child.stdout) text += String(part)
  return text
}

/** Sends the requests in turn over so many connections for so long. */
export async function load(options: LoadOptions): Promise<LoadResult> {
  const folder = mkdtempSync(join(tmpdir(), 'plinth-bench-'))
  const file = join(folder, hasWrk ? 'load.lua' : 'load.json')
  writeFileSync(file, hasWrk ? wrkScript(options) : JSON.stringify(options))
  const { core, connections, seconds, url } = options
  const pinned = ['-c', String(core)]
  const command = hasWrk
    ? [...pinned, 'wrk', '-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '20s', '-s', file, url]
    : [...pinned, process.execPath, '--import', 'tsx', fileURLToPath(new URL('./generator.ts', import.meta.url)), file]
  const said = await output('taskset', command)
  rmSync(folder, { recursive: true })
  const match = /RESULT (\d+) (\d+) (\d+) (\d+) (\d+)/.exec(said)
  if (match === null) throw new Error(`the load generator said nothing of use: ${said}`)
  const [requests = 0, micros = 0, p50 = 0, p99 = 0, errors = 0] = match.slice(1).map(Number)
  return { requests, seconds: micros / 1e6, p50Ms: p50 / 1000, p99Ms: p99 / 1000, errors }
}
