/**
 * What a key costs a request: `npm run bench:keys` prints the middle time of answers to requests by a token and by a key
 * of the same account, asked in turn over one connection each, and their ratio.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { bare, PROGRAM, startServer } from '../cli/server.ts'
import { ADMIN_ENV, adminToken, DATABASE_OPTION, onScratchDatabase } from './scratch.ts'
import { lines, median } from './table.ts'

const { values: options } = parseArgs({
  options: {
    database: DATABASE_OPTION,
    rounds: { type: 'string', default: '40' },
    requests: { type: 'string', default: '100' },
  },
})
const WARM_ROUNDS = 5
const PATHS = ['/tickets/1', '/tickets?per_page=15', '/auth/me'] as const

const agent = new Agent({ keepAlive: true, maxSockets: 1 })

/** Asks once; gives the milliseconds until the whole answer is there. */
function ask(url: string, token: string): Promise<number> {
  const began = performance.now()
  return new Promise((resolve, reject) => {
    const asked = request(url, { agent, headers: { authorization: `Bearer ${token}` } }, (answer) => {
      answer.resume()
      answer.on('end', () =>
        answer.statusCode === 200
          ? resolve(performance.now() - began)
          : reject(new Error(`${url} answers ${answer.statusCode}`)),
      )
    })
    asked.on('error', reject)
    asked.end()
  })
}

async function send(url: string, token: string, body: object): Promise<Readonly<Record<string, unknown>>> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  const { data } = (await answer.json()) as { readonly data?: Readonly<Record<string, unknown>> }
  if (!answer.ok || data === undefined) throw new Error(`${url} answers ${answer.status}`)
  return data
}

async function compared(url: string, callers: readonly string[]): Promise<readonly number[]> {
  const times: number[][] = callers.map(() => [])
  for (let round = 0; round < WARM_ROUNDS + Number(options.rounds); round += 1)
    for (const [at, caller] of callers.entries())
      for (let count = 0; count < Number(options.requests); count += 1) {
        const took = await ask(url, caller)
        if (round >= WARM_ROUNDS) times[at]!.push(took)
      }
  return times.map(median)
}

await onScratchDatabase(options.database, async (databaseUrl) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'plinth-bench-'))
  const server = await startServer(
    PROGRAM,
    process.cwd(),
    bare({ ...ADMIN_ENV, DATA_DIR: dataDir, DATABASE_URL: databaseUrl }),
  )
  try {
    const api = `${server.url}/api/v1`
    const token = await adminToken(server.url)
    await send(`${api}/tickets`, token, { subject: 'The printer is out', details: 'Nothing comes out of it' })
    const made = await send(`${api}/auth/keys`, token, { name: 'Bench', permissions: ['*'], own: true })
    const rows: (readonly string[])[] = [['request', 'by token, p50 ms', 'by key, p50 ms', 'ratio']]
    for (const path of PATHS) {
      const [byToken = 0, byKey = 0] = await compared(`${api}${path}`, [token, String(made.key)])
      rows.push([`GET ${path}`, byToken.toFixed(3), byKey.toFixed(3), (byKey / byToken).toFixed(3)])
    }
    process.stdout.write(`${lines(rows)}\n`)
  } finally {
    agent.destroy()
    await server.stop('SIGTERM')
    rmSync(dataDir, { recursive: true, force: true })
  }
})
