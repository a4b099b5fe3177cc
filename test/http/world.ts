/** A real listening server around given routes, and ways to talk to it as clients and as attackers do. */
import { mkdtemp, rm } from 'node:fs/promises'
import { request as httpRequest, type Server } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Actor } from '../../engine/actor.ts'
import { ANONYMOUS } from '../../engine/actor.ts'
import type { Database } from '../../engine/database/database.ts'
import { createAdmission } from '../../engine/http/admission.ts'
import type { PluginRoute } from '../../engine/http/bound-route.ts'
import type { HttpParts } from '../../engine/http/http-app.ts'
import { createMetrics, type Metrics } from '../../engine/http/metrics.ts'
import type { Route } from '../../engine/http/route.ts'
import { createHttp, createPassage, httpServer, type Passage } from '../../engine/http/server.ts'
import { LIMITS } from '../../engine/limits.ts'
import type { Execution, Foundation } from '../../engine/run/execution.ts'
import { memoryStore } from '../../engine/store/memory.ts'
import { type Answer, answerTo } from '../support/answer.ts'
import { type Line, remembering } from './log.ts'

export const AGENT: Actor = Object.freeze({
  ...ANONYMOUS,
  kind: 'user',
  id: 7,
  role: 'agent',
  permissions: new Set(['things.view', 'things.create']),
})
/** The same person after a permission was taken from the role, after another role was given, and with one permission more. */
const CHANGED: Readonly<Record<string, Actor>> = {
  'Bearer less': Object.freeze({ ...AGENT, permissions: new Set(['things.view']) }),
  'Bearer other': Object.freeze({ ...AGENT, role: 'customer' }),
  'Bearer more': Object.freeze({ ...AGENT, permissions: new Set([...AGENT.permissions, 'things.delete']) }),
}
export const RESTRICTED: Actor = Object.freeze({ ...AGENT, id: 8, restriction: 'Your account awaits approval' })

/** The actor of `Bearer agent` and `Bearer restricted`; `Bearer broken` is a database that is out. */
async function authenticate(headers: Readonly<Record<string, string | undefined>>): Promise<Actor | null> {
  if (headers.authorization === 'Bearer broken') throw new Error('authentication is out')
  if (headers.authorization === 'Bearer agent') return AGENT
  if (headers.authorization === 'Bearer restricted') return RESTRICTED
  return CHANGED[headers.authorization ?? ''] ?? null
}

const NO_DATABASE: Pick<Database, 'transaction' | 'adhoc'> = {
  transaction: async () => {
    throw new Error('this scenario has no database')
  },
  adhoc: {
    run: async () => {
      throw new Error('this scenario has no database')
    },
  },
}

/** The part of a plugin's context that scenarios look at. */
const contextOf: Foundation['contextOf'] = ({ actor, requestId, transaction }: Execution, options) =>
  Object.assign(Object.create(null), { actor, requestId, options, ...(transaction && { transaction }) })

/** A route with what most scenarios leave alone. */
export function route(given: Partial<PluginRoute> & Pick<Route, 'method' | 'path' | 'handle'>): PluginRoute {
  return {
    summary: 'A route of a scenario',
    access: [{ kind: 'signed_in' }],
    plugin: 'scenario',
    options: {},
    inputFields: undefined,
    queryFields: undefined,
    ...given,
  }
}

export interface Answered extends Answer {
  /** The body as JSON; an empty object when it is none. */
  readonly json: {
    readonly success?: boolean
    readonly data?: unknown
    readonly message?: string
    readonly code?: string
    readonly errors?: Record<string, string[]>
    readonly error_codes?: Record<string, string[]>
    readonly meta?: Record<string, unknown>
  }
}

export interface Asked {
  readonly headers?: Record<string, string>
  readonly body?: string | Buffer
  /** JSON of it is the body. */
  readonly json?: unknown
}

export interface World {
  readonly port: number
  readonly server: Server
  readonly passage: Passage
  /** How many requests have a place. */
  inFlight(): number
  readonly lines: Line[]
  readonly metrics: Metrics
  readonly folder: string
  ask(target: string, asked?: Asked): Promise<Answered>
  /** Sends raw bytes and gives everything that comes back until the connection ends or `quietMs` pass. */
  raw(text: string | readonly string[], quietMs?: number): Promise<string>
  /** Puts another app in place of the one that serves. */
  replace(routes: readonly PluginRoute[]): void
  close(): Promise<void>
}

function asker(port: number): World['ask'] {
  return async (target, { headers = {}, body, json } = {}) => {
    const [method, path] = target.split(' ')
    const type: Record<string, string> = json === undefined ? {} : { 'Content-Type': 'application/json' }
    const options = { port, host: '127.0.0.1', method, path, headers: { ...type, ...headers }, agent: false }
    const request = httpRequest(options)
    request.end(json === undefined ? body : JSON.stringify(json))
    const answer = await answerTo(request)
    return { ...answer, json: answer.body }
  }
}

function rawAsker(port: number): World['raw'] {
  return (text, quietMs = 400) =>
    new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1')
      let received = ''
      const done = () => {
        socket.destroy()
        resolve(received)
      }
      socket.setTimeout(quietMs, done)
      socket.on('data', (chunk) => {
        received += chunk.toString('latin1')
      })
      socket.on('close', done)
      socket.on('error', done)
      for (const part of typeof text === 'string' ? [text] : text) socket.write(part)
    })
}

export interface Options {
  readonly settings?: Partial<HttpParts['settings']>
  readonly strictness?: Partial<HttpParts['catalog']['strictness']>
  readonly database?: Pick<Database, 'transaction' | 'adhoc'>
  readonly readiness?: HttpParts['readiness']
  readonly now?: () => Date
  readonly clock?: () => number
  /** How long requests wait for a connection, in milliseconds. */
  readonly waited?: () => number
  /** How long requests wait at most while a change holds them, in milliseconds. */
  readonly heldMs?: number
}

/** Serves routes under `/api/v1` on a free port. */
export async function serve(routes: readonly PluginRoute[], options: Options = {}): Promise<World> {
  const { log, lines } = remembering()
  const folder = await mkdtemp(join(tmpdir(), 'plinth-http-'))
  const admission = createAdmission({ waited: options.waited ?? (() => 0), log })
  const metrics = createMetrics(() => [{ pool: 'ordinary', used: 2, free: 1, waiting: 0 }], admission.figures)
  const now = options.now ?? (() => new Date())
  let ids = 0
  const database = options.database ?? NO_DATABASE
  const foundation: Foundation = Object.assign(Object.create(null), { database, log, now, contextOf })
  const parts: HttpParts = {
    routes,
    authenticate: { options: {}, value: ({ headers }) => authenticate(headers) },
    catalog: Object.assign(Object.create(null), {
      version: '1.0.0',
      prefix: '/api/v1',
      explain: undefined,
      languages: [],
      words: new Map(),
      strictness: { unknownParameters: 'refuse', unknownKeys: 'refuse', malformedJson: 400, ...options.strictness },
      limits: LIMITS,
      resources: new Map(),
    }),
    settings: {
      rateLimit: 1_000,
      authRateLimit: 1_000,
      sessionRateLimit: 1_000,
      trustProxy: 0,
      corsOrigins: [],
      baseUrl: 'http://127.0.0.1',
      metricsToken: undefined,
      dataDir: folder,
      appSecrets: [],
      ...options.settings,
    },
    store: memoryStore(() => {}),
    log,
    now,
    clock: options.clock ?? (() => performance.now()),
    newId: () => {
      ids += 1
      return `id-${ids}`
    },
    foundation,
    readiness: options.readiness ?? (async () => ({ ready: true, checks: { database: 'ok' } })),
    metrics,
    largeAnswers: admission.largeAnswers,
  }
  const serving = { app: { http: createHttp(parts) } }
  const passage = createPassage(options.heldMs)
  const server = httpServer(serving, { admission, passage })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    port,
    server,
    passage,
    inFlight: () => admission.figures().inFlight,
    lines,
    metrics,
    folder,
    ask: asker(port),
    raw: rawAsker(port),
    replace: (others) => {
      serving.app = { http: createHttp({ ...parts, routes: others }) }
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** The usual header of an agent. */
export const AS_AGENT = { Authorization: 'Bearer agent' }
