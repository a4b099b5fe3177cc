/** A load generator for machines without wrk: keep-alive connections that each send one request after the other. */
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import type { BenchRequest, LoadOptions } from './load.ts'

const options = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as LoadOptions
const agent = new Agent({ keepAlive: true, maxSockets: options.connections })
const latencies: number[] = []
let errors = 0
let at = Date.now() % 1_000_000_000

function send(item: BenchRequest): Promise<number> {
  at += 1
  const body = item.body?.replaceAll('{n}', String(at))
  const headers = {
    ...options.headers,
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body ?? ''),
  }
  return new Promise((done) => {
    const call = request(options.url + item.path, { method: item.method, agent, headers }, (answer) => {
      answer.resume()
      answer.on('end', () => done(answer.statusCode ?? 0))
    })
    call.on('error', () => done(0))
    call.end(body)
  })
}

async function connection(until: number): Promise<void> {
  while (performance.now() < until) {
    const started = performance.now()
    const status = await send(options.requests[at % options.requests.length] as BenchRequest)
    latencies.push(performance.now() - started)
    if (status < 200 || status > 299) errors += 1
  }
}

const started = performance.now()
await Promise.all(Array.from({ length: options.connections }, () => connection(started + options.seconds * 1000)))
const micros = Math.round((performance.now() - started) * 1000)
latencies.sort((a, b) => a - b)
const within = (share: number): number => Math.round((latencies[Math.floor(latencies.length * share)] ?? 0) * 1000)
process.stdout.write(`RESULT ${latencies.length} ${micros} ${within(0.5)} ${within(0.99)} ${errors}\n`)
agent.destroy()
