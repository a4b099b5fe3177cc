/** Generators of others take /openapi.json with their default settings, and what they make compiles and means what the interface does. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { plinth } from '../cli/world.ts'
import { wrongLines } from '../support/compile.ts'

const test = suite('generators of others')
const folder = mkdtempSync(join(tmpdir(), 'plinth-generated-'))
const run = promisify(execFile)

/** As an application would be that uses them: strict, for browsers. */
const CONFIG = {
  compilerOptions: {
    strict: true,
    noEmit: true,
    target: 'ES2022',
    module: 'ESNext',
    moduleResolution: 'Bundler',
    lib: ['ES2022', 'DOM', 'DOM.Iterable'],
    types: [],
    paths: { 'openapi-fetch': [resolve('node_modules/openapi-fetch/dist/index.d.mts')] },
  },
  include: ['.'],
}

const FETCH = `import createClient from 'openapi-fetch'
import type { paths } from './paths.d.ts'
const client = createClient<paths>({ baseUrl: 'http://127.0.0.1' })
export async function read(): Promise<string | undefined> {
  const { data, error } = await client.GET('/api/v1/tickets', { params: { query: { search: 'printer', per_page: 5 } } })
  return data?.data[0]?.subject ?? error?.message
}
export async function write(): Promise<number | undefined> {
  const body = { subject: 'Printer', details: 'No paper' }
  return (await client.POST('/api/v1/tickets', { body })).data?.data.id
}
export async function pending(): Promise<string | undefined> {
  return (await client.GET('/api/v1/users/pending')).data?.data[0]?.email
}
`

const SDK = `import { createTicket, listPendingUsers, listTickets } from './sdk/index'
export async function read(): Promise<string | undefined> {
  const { data, error } = await listTickets({ query: { search: 'printer', per_page: 5 } })
  return data?.data[0]?.subject ?? error?.message
}
export async function write(): Promise<number | undefined> {
  return (await createTicket({ body: { subject: 'Printer', details: 'No paper' } })).data?.data.id
}
export async function pending(): Promise<string | undefined> {
  return (await listPendingUsers()).data?.data[0]?.email
}
`

/** What the interface refuses, one mistake on each line. */
const WRONG = `import createClient from 'openapi-fetch'
import type { paths } from './paths.d.ts'
import { createTicket, listTickets } from './sdk/index'
const client = createClient<paths>({ baseUrl: 'http://127.0.0.1' })
export const fetched = await client.GET('/api/v1/tickets', { params: { query: { per_page: 'five' } } })
export const made = await client.POST('/api/v1/tickets', { body: { subject: 'Printer' } })
export const nowhere = await client.GET('/api/v1/tickts', {})
export const listed = await listTickets({ query: { per_page: 'five' } })
export const created = await createTicket({ body: { subject: 'Printer' } })
`

test.before(async () => {
  const { code, complained, said } = await plinth(['openapi'], { RESOURCES_DIR: 'resources' })
  if (code !== 0) throw new Error(complained)
  writeFileSync(join(folder, 'openapi.json'), said)
})
test.after(() => rmSync(folder, { recursive: true }))

/** Runs a generator as its own documentation says. */
async function generate(program: string, ...args: readonly string[]): Promise<void> {
  // By the environment, because one of them starts a process of its own.
  const env = { ...process.env, NODE_OPTIONS: `--import=${resolve('test/support/typescript5.mjs')}` }
  await run(process.execPath, [resolve('node_modules', program), ...args], { cwd: folder, env })
}

test('openapi-typescript with openapi-fetch, and @hey-api/openapi-ts', async () => {
  await Promise.all([
    generate('openapi-typescript/bin/cli.js', 'openapi.json', '-o', 'paths.d.ts'),
    generate('@hey-api/openapi-ts/bin/run.js', '-i', 'openapi.json', '-o', 'sdk'),
  ])
  writeFileSync(join(folder, 'fetch.ts'), FETCH)
  writeFileSync(join(folder, 'sdk.ts'), SDK)
  writeFileSync(join(folder, 'wrong.ts'), WRONG)
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(CONFIG))
  const said = await run(process.execPath, [resolve('node_modules/typescript/bin/tsc')], { cwd: folder }).catch(
    (error: { readonly stdout: string }) => error,
  )
  assert.equal(wrongLines(said.stdout, 'wrong.ts'), [5, 6, 7, 8, 9], said.stdout)
  const others = said.stdout.split('\n').filter((line) => /^\S.*\(\d+,/.test(line) && !line.startsWith('wrong.ts('))
  assert.equal(others, [])
})

test.run()
