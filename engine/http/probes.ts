/** `/livez`, `/readyz` and `/metrics`: outside the prefix, the rate limit and the table of routes. */

import { timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isLoopback, isOwnHost } from '../address.ts'
import { outsideChecks } from '../breaker.ts'
import type { Database } from '../database/database.ts'
import type { Disk } from '../disk/disk-watch.ts'
import { ApiError } from '../error.ts'
import type { Drift } from '../migration/drift.ts'
import { writtenBy } from '../migration/own/facts.ts'
import type { Program } from '../program.ts'
import type { Settings } from '../settings.ts'
import type { HttpParts, Readiness } from './http-app.ts'
import type { Answer } from './send.ts'
import { JSON_TYPE, type Stamp, successText } from './send.ts'

/** The answers to GET and HEAD, by path. */
export type Probes = ReadonlyMap<string, (request: IncomingMessage) => Promise<Answer>>

function sameSecret(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/** Headers that proxies add. A proxy that adds none is known by the settings, or by the host of the request. */
const PROXIED = /^(forwarded|via|x-forwarded-.*|x-real-ip|x-(cluster-)?client-ip|true-client-ip|cf-connecting-ip)$/

/**
 * Whether a request comes from this machine, and not through a proxy on it: nothing may point to a proxy, neither
 * TRUST_PROXY, nor a BASE_URL elsewhere, nor the request.
 */
function isLocal({ headers, socket }: IncomingMessage, { trustProxy, baseUrl }: ProbeSettings): boolean {
  if (trustProxy > 0 || !isOwnHost(new URL(baseUrl).host)) return false
  if (Object.keys(headers).some((name) => PROXIED.test(name)) || !isOwnHost(headers.host)) return false
  return isLoopback(socket.remoteAddress ?? '')
}

type ProbeSettings = Pick<HttpParts['settings'], 'metricsToken' | 'trustProxy' | 'baseUrl'>

/** Whether a request comes from an operator: from this machine, or with the token of /metrics. */
function isOperator(request: IncomingMessage, settings: ProbeSettings): boolean {
  if (isLocal(request, settings)) return true
  const given = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? ''
  return settings.metricsToken !== undefined && sameSecret(given, settings.metricsToken)
}

function checkMetrics(request: IncomingMessage, settings: ProbeSettings): void {
  if (isOperator(request, settings)) return
  throw new ApiError(settings.metricsToken === undefined ? 'route_not_found' : 'unauthenticated')
}

const TOLD = /^(?:ok|full|read-only|stopping|differs)\b/

/** The public form of the checks: `ok` or a word for each kind of part, without addresses and figures. */
function briefly(checks: Readiness['checks']): Readiness['checks'] {
  const brief: Record<string, string> = {}
  for (const [name, said] of Object.entries(checks)) {
    const kind = name.split(' ')[0] ?? ''
    // Of several servers of a kind, the answer names one that is out.
    if (brief[kind] === undefined || brief[kind] === 'ok') brief[kind] = TOLD.exec(said)?.[0] ?? 'out'
  }
  return brief
}

/** The probes of an app. */
export function probes(
  parts: Pick<HttpParts, 'readiness' | 'metrics' | 'now' | 'settings' | 'log'>,
  stamp: Stamp,
): Probes {
  const ok = (data: unknown): Answer => ({
    status: 200,
    headers: {},
    type: JSON_TYPE,
    body: successText({ data }, stamp(parts.now())),
  })
  let lastFailed = ''
  const ready = async (request: IncomingMessage) => {
    const { ready: isReady, checks, versions } = await parts.readiness()
    const shown = isOperator(request, parts.settings) ? { ...checks, ...(await versions?.()) } : briefly(checks)
    const failed = isReady ? '' : JSON.stringify(checks)
    // Probes come every few seconds; the log only needs changes.
    if (failed !== lastFailed) parts.log.warn({ checks }, isReady ? 'ready' : 'not ready')
    lastFailed = failed
    if (!isReady) throw new ApiError('unavailable', { checks: shown })
    return ok({ status: 'ready', checks: shown })
  }
  const metrics = async (request: IncomingMessage): Promise<Answer> => {
    checkMetrics(request, parts.settings)
    const { type, text } = await parts.metrics.render()
    return { status: 200, headers: {}, type, body: text }
  }
  return new Map<string, (request: IncomingMessage) => Promise<Answer>>([
    ['/livez', async () => ok({ status: 'alive' })],
    ['/readyz', ready],
    ['/metrics', metrics],
  ])
}

interface Serving {
  readonly database: Pick<Database, 'adhoc' | 'ping'>
  readonly disk: Pick<Disk, 'says'>
  /** Whether the process was told to stop. */
  readonly draining: boolean
  readonly settings: Settings
}

/**
 * The state of an instance for /readyz. A disk without space leaves it ready if its database is elsewhere: everything
 * but uploads works.
 */
export async function readiness(
  process: Serving,
  drift: Pick<Drift, 'look'> | undefined,
  program: Program,
): Promise<Readiness> {
  const { database, disk, draining, settings } = process
  if (draining) return { ready: false, checks: { process: 'stopping' } }
  try {
    await database.ping()
    // Other resources are served, so a balancer must not take the instance out.
    const differing = drift === undefined ? {} : { tables: (await drift.look()) ? 'differs' : 'ok' }
    const checks = { process: 'ok', database: 'ok', ...differing, disk: disk.says(), ...outsideChecks(settings) }
    return { ready: true, checks, versions: () => versionsOf(program, database) }
  } catch (error) {
    // The words of a driver are for the log alone.
    const reason = error instanceof ApiError ? error.message : 'out'
    return { ready: false, checks: { process: 'ok', database: reason, disk: disk.says() } }
  }
}

/** The versions of the program and of the data, for operators. */
async function versionsOf(
  { version }: Program,
  database: Pick<Database, 'adhoc'>,
): Promise<Readonly<Record<string, string>>> {
  const written = await writtenBy(database.adhoc)
  if (typeof written !== 'object') return { program: version }
  return { program: version, data: `written by ${written.version} since ${written.since} UTC` }
}
