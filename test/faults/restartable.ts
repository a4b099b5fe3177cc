/** A real process of the compiled program on a database of its own that outlives it, so that it can be killed and started again. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { bare, build, PROGRAM, type Server, startServer } from '../cli/server.ts'
import { testDatabase } from '../support/database.ts'

export interface Restartable {
  /** Where it is served now; another port after each start. */
  readonly url: string
  readonly dataDir: string
  /** The address of its database; undefined on the embedded one. */
  readonly databaseUrl: string | undefined
  readonly server: Server
  /** Starts the process again, with further variables; the one before must have ended. */
  start(env?: Readonly<Record<string, string>>): Promise<void>
  /** Ends the process at once, as `kill -9` does, and waits until it is gone. */
  kill(): Promise<void>
  /** Stops what runs and removes the database and the folder. */
  close(): Promise<void>
}

export interface RestartableOptions {
  /** The folder of the YAML; the desk's without it. */
  readonly resources?: string
  readonly plugins?: string
  readonly env?: Readonly<Record<string, string>>
  /** Called with DATA_DIR before the first start. */
  readonly prepare?: (dataDir: string) => void
}

/** Builds what is out of date and starts the program; with TEST_DATABASE_URL on PostgreSQL, otherwise embedded in its DATA_DIR. */
export async function openRestartable(options: RestartableOptions = {}): Promise<Restartable> {
  const { resources, plugins, env = {}, prepare } = options
  build()
  const dataDir = await mkdtemp(join(tmpdir(), 'plinth-faults-'))
  prepare?.(dataDir)
  const database = process.env.TEST_DATABASE_URL === undefined ? undefined : await testDatabase()
  const redis = process.env.TEST_REDIS_URL
  const fixed = {
    DATA_DIR: dataDir,
    RATE_LIMIT: '1000000',
    // Redis counts for every application of a run together.
    AUTH_RATE_LIMIT: '1000000',
    ...(database?.url === undefined ? {} : { DATABASE_URL: database.url }),
    ...(database === undefined || redis === undefined ? {} : { REDIS_URL: redis }),
    ...(resources === undefined ? {} : { RESOURCES_DIR: resources }),
    ...(plugins === undefined ? {} : { PLUGINS_DIR: plugins }),
    ...env,
  }
  const run = (more: Readonly<Record<string, string>>): Promise<Server> =>
    startServer(PROGRAM, process.cwd(), bare({ ...fixed, ...more }))
  let server = await run({})
  const kill = async (): Promise<void> => {
    const { child } = server
    if (child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }
  return {
    get url() {
      return server.url
    },
    get server() {
      return server
    },
    dataDir,
    databaseUrl: database?.url,
    async start(more = {}) {
      server = await run(more)
    },
    kill,
    async close() {
      await kill()
      await database?.close()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** A process that gets a signal a while after its start began; gives its end. */
export async function signalledStart(
  program: string,
  env: NodeJS.ProcessEnv,
  afterMs: number,
  cwd: string,
  sent: NodeJS.Signals,
) {
  const child = spawn(process.execPath, [program, 'start'], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (output += String(part)))
  const gone = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>
  // The moment is drawn, or that of a part of the start.
  await sleep(afterMs)
  const told = performance.now()
  child.kill(sent)
  const [code, signal] = await gone
  return { code, signal, output, ms: performance.now() - told }
}
