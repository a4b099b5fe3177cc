/** A server under measurement: started on its own core, known with the database connections it holds. */
import { type ChildProcess, spawn } from 'node:child_process'
import type pg from 'pg'

export interface Contender {
  readonly name: string
  readonly url: string
  readonly pid: number
  readonly headers: Readonly<Record<string, string>>
  /** The database's processes that serve it now. */
  backends(): Promise<readonly number[]>
  stop(): Promise<void>
}

export interface ContenderOptions {
  readonly name: string
  readonly args: readonly string[]
  readonly port: number
  readonly core: number
  readonly databaseUrl: string
  readonly env: Readonly<Record<string, string>>
  readonly admin: pg.Client
}

/** A connection string whose sessions tell whose they are. */
function named(databaseUrl: string, name: string): string {
  const url = new URL(databaseUrl)
  url.searchParams.set('application_name', `bench-${name}`)
  return url.href
}

async function untilItAnswers(url: string, child: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode} before it answered`)
    const answer = await fetch(url).catch(() => undefined)
    if (answer !== undefined) {
      await answer.arrayBuffer()
      if (answer.status < 500) return
    }
    await new Promise((done) => setTimeout(done, 100))
  }
  throw new Error(`nothing answers at ${url}`)
}

/** Starts a server and waits until it answers. */
export async function startContender(options: ContenderOptions): Promise<Contender> {
  const { name, args, port, core, databaseUrl, env, admin } = options
  const url = `http://127.0.0.1:${port}`
  const child = spawn('taskset', ['-c', String(core), process.execPath, ...args], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...env, PORT: String(port), DATABASE_URL: named(databaseUrl, name) },
  })
  process.once('exit', () => child.kill('SIGKILL'))
  const ended = new Promise<void>((done) => {
    child.once('exit', (code, signal) => {
      process.stderr.write(`${name} ended with ${code ?? signal}\n`)
      done()
    })
  })
  await untilItAnswers(`${url}/readyz`, child)
  return {
    name,
    url,
    pid: child.pid ?? 0,
    headers: {},
    async backends() {
      const sql = 'select pid from pg_stat_activity where application_name = $1'
      return (await admin.query<{ pid: number }>(sql, [`bench-${name}`])).rows.map((row) => row.pid)
    },
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}
