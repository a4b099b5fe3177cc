/** ⇄ Serves an application from its folder for a test: on a database of its own, with people of any role. */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import type { Database } from '../database/database.ts'
import { failureCode } from '../database/failure.ts'
import { throwawayDatabase } from '../database/throwaway.ts'
import { createEngine, type Engine, type EngineOptions } from '../engine.ts'
import { sentenceOf } from '../error.ts'
import type { JsonObject } from '../json.ts'
import type { Logger } from '../observe.ts'
import type { SentMail } from '../plugin/plugin.ts'
import type { TypesOf } from '../run/resource-types.ts'
import { readSettings, type Settings } from '../settings.ts'
import { renderDiagnostics } from '../text/render.ts'
import { type Answer, exchange, type Sent } from './answer.ts'
import { CLOCK_SQL, type Clock, createClock, SEARCH_PATH } from './clock.ts'
import { type Account, headersOf, makeAccount, signInBy } from './people.ts'
import { mailsOf, type SystemRecords, settled, systemRecords, waitFor } from './system.ts'

/** Requests by their method; paths are below the prefix of the application, `/bookings`. */
export interface Requests {
  get(path: string): Promise<Answer>
  post(path: string, body?: unknown): Promise<Answer>
  put(path: string, body?: unknown): Promise<Answer>
  patch(path: string, body?: unknown): Promise<Answer>
  delete(path: string): Promise<Answer>
  /** Any other request, with its own headers. A path that begins with `//` is below the root. */
  request(method: string, path: string, sent?: Sent): Promise<Answer>
}

/** A person with an account, who sends requests. */
export interface Person extends Account, Requests {}

/** A provider that says of people what a test says. */
export interface FalseProvider {
  /**
   * Signs somebody in by these claims, over those of a person with a verified address; rejects with the sentence for
   * somebody who is not let in.
   */
  signIn(claims?: JsonObject): Promise<Person>
}

/** A running application of a test; its own requests have no account. */
export interface TestApplication extends Requests {
  /** Its URL: `http://127.0.0.1:40123`. */
  readonly address: string
  /** Its DATA_DIR, with mails in `outbox`; removed at the end. */
  readonly dataDir: string
  readonly engine: Engine
  /**
   * A person with this role, made on first use; another name of the same role is another person. `values` are further
   * fields of the account.
   */
  person(role: string, name?: string, values?: JsonObject): Promise<Person>
  /** A provider of app.yaml by which people sign in; nobody is asked outside. */
  provider(name: string): FalseProvider
  /** Records as the system sees them, without policies. */
  records<Name extends string>(resource: Name): SystemRecords<TypesOf<Name>>
  /** Waits until everything that follows from the writes so far is done: listeners, and jobs that may run now. */
  settled(): Promise<void>
  /** Moves the clock on by a length of time, `3 days`, or to a moment, `2099-01-05T09:00Z`; then waits as `settled`. */
  wait(time: string): Promise<void>
  /** The mails that it sent so far, in their order; none where no plugin sends any. */
  mails(): Promise<readonly SentMail[]>
  close(): Promise<void>
}

export interface ApplicationOptions {
  /** The folder of the application; the present one if absent. */
  readonly folder?: string
  /** Variables of the environment; those of the process and of a `.env` file are not read. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** The time for plugins and answers; the database has its own clock. */
  readonly now?: () => Date
  /** `postgres://…` of a server on which a database is made and dropped; TEST_DATABASE_URL, or an embedded one, if absent. */
  readonly server?: string
  /** The log, for a test that looks for the reason of a 500. */
  readonly log?: Logger
}

const SILENT: Logger = Object.freeze({ debug() {}, info() {}, warn() {}, error() {} })

/** The time that a database waits for the next application of the same file. */
const LINGER_MS = 1_000

/** No limit for a test. */
const UNLIMITED = '1000000000'

function environment(folder: string, dataDir: string, { env }: ApplicationOptions) {
  const { RESOURCES_DIR, PLUGINS_DIR } = process.env
  return {
    PORT: '0',
    DATA_DIR: dataDir,
    RESOURCES_DIR: resolve(folder, RESOURCES_DIR || 'resources'),
    PLUGINS_DIR: resolve(folder, PLUGINS_DIR || 'plugins'),
    RATE_LIMIT: UNLIMITED,
    AUTH_RATE_LIMIT: UNLIMITED,
    RATE_LIMIT_SESSION: UNLIMITED,
    ...env,
  }
}

/** A database and a data folder, on which an application can be served. */
export interface Ground {
  /** The engine of an application that was read here, or of the one in the folder. */
  engine(more?: Pick<EngineOptions, 'read' | 'begin' | 'asLeft'>): Promise<Engine>
  readonly settings: Settings
  readonly database: Database
  readonly dataDir: string
  readonly clock: Clock
  close(): Promise<void>
}

/** SQL that makes the tables of `existing: true`, if the application has that file. */
async function schemaOf(file: string): Promise<{ readonly file: string; readonly text: string } | undefined> {
  try {
    const text = await readFile(file, 'utf8')
    // Commands of pg_dump for psql.
    return { file, text: text.replaceAll(/^\\(?:un)?restrict .*$/gm, '') }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Where to run a test whose tables need more than the embedded database has. */
function advice(error: unknown, server: string | undefined): string {
  if (server || !/^extension .* is not available/.test(sentenceOf(error))) return ''
  return '. The embedded database does not have it: name a server that has, TEST_DATABASE_URL=postgres://…'
}

/** Makes a folder and a database with only the tables of `test/schema.sql`; rejects for an impossible environment. */
export async function openGround(options: ApplicationOptions): Promise<Ground> {
  const { folder = '.', now, log = SILENT, server = process.env.TEST_DATABASE_URL } = options
  const dataDir = await mkdtemp(join(tmpdir(), 'plinth-test-'))
  try {
    const { value: settings, diagnostics } = readSettings(environment(folder, dataDir, options))
    if (settings === undefined) throw new Error(renderDiagnostics(diagnostics))
    const schema = await schemaOf(join(dirname(settings.resourcesDir), 'test', 'schema.sql'))
    const { database, close: drop } = await throwawayDatabase(server, {
      log,
      lingerMs: LINGER_MS,
      schema: `${schema?.text ?? ''};${CLOCK_SQL}`,
      searchPath: SEARCH_PATH,
    }).catch((error: unknown) => {
      if (schema === undefined || failureCode(error) === undefined) throw error
      throw new Error(`${schema.file} cannot make the tables of a test: ${sentenceOf(error)}${advice(error, server)}`)
    })
    const clock = createClock(now)
    return {
      ...{ settings, database, dataDir, clock },
      async engine(more) {
        await clock.read(database)
        const made = await createEngine({ settings, log, database, now: clock.now, ...more })
        if (made.value === undefined) throw new Error(renderDiagnostics(made.diagnostics))
        return made.value
      },
      async close() {
        await drop()
        await rm(dataDir, { recursive: true, force: true })
      },
    }
  } catch (error) {
    await rm(dataDir, { recursive: true, force: true })
    throw error
  }
}

/** Starts the application of a folder on an empty database; rejects with its diagnostics where it does not start. */
export async function application(options: ApplicationOptions = {}): Promise<TestApplication> {
  const ground = await openGround(options)
  try {
    const app = await served(await ground.engine(), ground)
    return { ...app, close: () => app.close().then(ground.close) }
  } catch (error) {
    await ground.close()
    throw error
  }
}

/** Lets an engine listen; closing the application closes the engine, and nothing else. */
export async function served(engine: Engine, ground: Pick<Ground, 'clock' | 'dataDir'>): Promise<TestApplication> {
  try {
    const { url } = await engine.listen()
    return { ...testApplication(engine, url, ground), close: () => engine.close() }
  } catch (error) {
    await engine.close()
    throw error
  }
}

function testApplication(
  engine: Engine,
  address: string,
  { clock, dataDir }: Pick<Ground, 'clock' | 'dataDir'>,
): Omit<TestApplication, 'close'> {
  const people = new Map<string, Promise<Person>>()
  const asked = (headers: Readonly<Record<string, string>>): Requests => requestsOf(engine, address, headers)
  const signedIn = (account: Account): Person => ({ ...account, ...asked(account.headers) })
  return {
    ...asked({}),
    address,
    dataDir,
    engine,
    person(role, name = nameOf(role), values = {}) {
      const key = `${role} ${name}`
      const found = people.get(key) ?? makeAccount(engine, role, name, values).then(signedIn)
      people.set(key, found)
      // A person who could not be made is tried again.
      found.catch(() => people.delete(key))
      return found
    },
    provider: (name) => ({
      signIn: async (claims = {}) => signedIn(await signInBy(engine, name, claims)),
    }),
    records: (resource) => systemRecords(engine, resource),
    settled: () => settled(engine, clock.now),
    async wait(time) {
      await waitFor(engine, clock, time)
      // What they signed in with has an end, which may have come.
      const again = async (one: Person) => signedIn({ ...one, headers: await headersOf(engine, one.id) })
      for (const [key, person] of people) people.set(key, person.then(again))
    },
    mails: () => mailsOf(engine),
  }
}

/** The name of a person is that of the role, unless the test gives another. */
function nameOf(role: string): string {
  return role.charAt(0).toUpperCase() + role.slice(1)
}

function requestsOf(engine: Engine, address: string, own: Readonly<Record<string, string>>): Requests {
  const request: Requests['request'] = (method, path, { headers, ...sent } = {}) => {
    const { prefix } = engine.app.catalog
    const whole = path.startsWith('//') ? path.slice(1) : `${prefix}${path}`
    return exchange(new URL(whole, address), method, { ...sent, headers: { ...own, ...headers } })
  }
  return {
    request,
    get: (path) => request('GET', path),
    post: (path, body) => request('POST', path, { body }),
    put: (path, body) => request('PUT', path, { body }),
    patch: (path, body) => request('PATCH', path, { body }),
    delete: (path) => request('DELETE', path),
  }
}
