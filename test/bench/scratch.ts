/** What the benchmarks run on: a database of their own, and somebody who may do everything. */
import pg from 'pg'

/** The option that names the server. */
export const DATABASE_OPTION = {
  type: 'string',
  default: process.env.BENCH_DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres',
} as const

/** Variables that make the admin, and let everybody ask as often as they like. */
export const ADMIN_ENV = {
  ADMIN_EMAIL: 'admin@bench.example',
  ADMIN_PASSWORD: 'a password for the benchmark',
  RATE_LIMIT: '1000000000',
  AUTH_RATE_LIMIT: '1000000000',
  LOG_LEVEL: 'error',
} as const

/** Runs `work` with the address of an empty database on a server, which is dropped at the end. */
export async function onScratchDatabase(address: string, work: (databaseUrl: string) => Promise<void>): Promise<void> {
  const server = new pg.Client(address)
  await server.connect()
  const name = `plinth_bench_${process.pid}`
  const scratch = new URL(address)
  scratch.pathname = `/${name}`
  await server.query(`create database ${name}`)
  try {
    await work(scratch.href)
  } finally {
    await server.query(`drop database if exists ${name} with (force)`)
    await server.end()
  }
}

/** The token of the admin of a server at an address. */
export async function adminToken(url: string): Promise<string> {
  const answer = await fetch(`${url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: ADMIN_ENV.ADMIN_EMAIL, password: ADMIN_ENV.ADMIN_PASSWORD }),
  })
  const { data } = (await answer.json()) as { data?: { token: string } }
  if (data === undefined) throw new Error(`the admin could not log in: ${answer.status}`)
  return data.token
}
