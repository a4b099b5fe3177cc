/** Instances of one application whose versions rename a field, and `plinth apply` as a process. */
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { LIMITS } from '../../engine/limits.ts'
import { bare, build, PROGRAM, type Server, startServer } from '../cli/server.ts'
import { type Folder, folder, NOTES } from '../cli/world.ts'
import { testDatabase } from '../support/database.ts'

const NOTE = NOTES['resources/notes.yaml']
/** Far above what a request may be held; an answer that comes later is none. */
export const HANGS_MS = LIMITS.statementMs * 4

interface Place {
  readonly files: Folder
  readonly server: Server
}

export const places: Place[] = []
/** The application as it is served. */
export const world: { url: string | undefined; version: number } = {
  url: undefined,
  /** Its field is `c<number>`. */
  version: 0,
}
/** Ids of records → what their field says. */
export const rows = new Map<number, string | null>()

/** The files of a version: its field had the name of the version before. */
export function notes(number: number): string {
  const was = number === 0 ? '' : `, renamed_from: c${number - 1}`
  return NOTE.replace('fields:', `fields:\n  c${number}: { type: string, max: 20${was} }`)
}

export function environment({ path }: Folder): NodeJS.ProcessEnv {
  return bare({ DATABASE_URL: world.url, DATA_DIR: join(path, 'data'), RATE_LIMIT: '100000000' })
}

export async function begin(): Promise<Place> {
  const files = folder({ ...NOTES, 'resources/notes.yaml': notes(0) })
  const server = await startServer(PROGRAM, files.path, environment(files))
  return { files, server }
}

interface Applying {
  readonly child: ChildProcess
  readonly ended: Promise<number | null>
  output(): string
}

export function apply({ files }: Place): Applying {
  const child = spawn(process.execPath, [PROGRAM, 'apply'], { cwd: files.path, env: environment(files) })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (output += String(part)))
  const ended = new Promise<number | null>((done) => child.once('exit', done))
  return { child, ended, output: () => output }
}

interface Listed {
  readonly status: number
  readonly text: string
}

export async function ask(place: Place, path = '/api/notes', body?: object): Promise<Listed> {
  const headers = { 'content-type': 'application/json' }
  const sent = body === undefined ? {} : { method: 'POST', headers, body: JSON.stringify(body) }
  const answer = await fetch(`${place.server.url}${path}`, { ...sent, signal: AbortSignal.timeout(HANGS_MS) })
  return { status: answer.status, text: await answer.text() }
}

/** The name under which the field is served. */
export async function served(place: Place): Promise<string | undefined> {
  const { status, text } = await ask(place)
  return status === 200 ? /"(c\d+)":/.exec(text)?.[1] : undefined
}

function isTold({ status, text }: Listed): boolean {
  return status === 503 && text.includes('another version of the application')
}

/** Asks every instance without a pause while `work` runs; gives the answers that are neither success nor the told 503. */
export async function under(work: () => Promise<void>): Promise<readonly string[]> {
  let asking = true
  const wrong: string[] = []
  const askers = places.map(async (place) => {
    while (asking) {
      const answers = await Promise.all([ask(place), ask(place, '/api/notes', { title: 'meanwhile' })]).catch(
        (error: unknown) => [{ status: 0, text: String(error) }],
      )
      for (const answer of answers) {
        if (answer.status === 201) rows.set(JSON.parse(answer.text).data.id, null)
        else if (answer.status !== 200 && !isTold(answer)) wrong.push(`${answer.status} ${answer.text}`)
      }
    }
  })
  try {
    await work()
  } finally {
    asking = false
    await Promise.all(askers)
  }
  return wrong
}

/** Every record that was acknowledged is there with its value, on every instance. */
export async function allThere(): Promise<void> {
  for (const place of places) {
    const found = new Map<number, string | null>()
    for (let page = 1, more = true; more; page += 1) {
      const { data } = JSON.parse((await ask(place, `/api/notes?per_page=100&page=${page}`)).text) as {
        data: { id: number }[]
      }
      for (const note of data) found.set(note.id, Reflect.get(note, `c${world.version}`))
      more = data.length === 100
    }
    for (const [id, value] of rows) assert.is(found.get(id), value, `record ${id}`)
  }
}

/** Two instances on a server, or one on an embedded database; gives what ends them. */
export async function beginAll(): Promise<() => Promise<void>> {
  let close: () => Promise<void> = async () => {}
  // Another file of the same process may have begun some before.
  places.length = 0
  rows.clear()
  Object.assign(world, { url: undefined, version: 0 })
  build()
  if (process.env.TEST_DATABASE_URL !== undefined) {
    const made = await testDatabase()
    world.url = made.url
    close = made.close
  }
  places.push(await begin())
  if (world.url !== undefined) places.push(await begin())
  return async () => {
    await Promise.all(places.map(({ server }) => server.stop('SIGTERM')))
    for (const { files } of places) files.remove()
    await close()
  }
}
