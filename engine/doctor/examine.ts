/** Examines a whole deployment ⇄, one part after the other; a part that cannot be examined is a finding itself. */

import { existsSync } from 'node:fs'
import { rm, stat, statfs } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Catalog } from '../catalog/catalog.ts'
import { reasonOf } from '../database/connect.ts'
import type { Database, Runner } from '../database/database.ts'
import { writeWhole } from '../disk/files.ts'
import { sentenceOf } from '../error.ts'
import type { JsonObject } from '../json.ts'
import type { Program } from '../program.ts'
import type { Settings } from '../settings.ts'
import { lookAtNames, lookAtProxy, lookAtSecret } from './configuration.ts'
import { type Check, type Checked, type Finding, ok, problem, type Thresholds, warning } from './finding.ts'
import { lookAtGrowth, lookAtWork } from './growth.ts'
import { lookAtQueries } from './queries.ts'
import { lookAtClock, lookAtDatabase, lookAtExtensions, lookAtRoles, lookAtTables, lookAtVersions } from './server.ts'

const OTHERS = 0o077
const MEGABYTE = 1_048_576

async function lookAtFolder(
  { dataDir, databaseUrl }: Settings,
  { roomMb }: Pick<Thresholds, 'roomMb'>,
): Promise<readonly Finding[]> {
  const folder = resolve(dataDir)
  if (!existsSync(folder)) {
    const above = existsSync(dirname(folder))
    return [
      above
        ? ok(`${folder} is not there yet: the first start makes it`)
        : warning(`${folder} is not there, nor the folder above it`, 'name the right DATA_DIR'),
    ]
  }
  const found: Finding[] = []
  const probe = join(folder, `.doctor-${process.pid}`)
  try {
    await writeWhole(probe, 'x')
  } catch (error) {
    const advice = 'give the folder to the user that runs Plinth, and make room'
    return [problem(`${folder} cannot be written to: ${sentenceOf(error)}`, advice)]
  } finally {
    await rm(probe, { force: true }).catch(() => undefined)
  }
  const { mode } = await stat(folder)
  if (process.platform !== 'win32' && (mode & OTHERS) !== 0)
    found.push(warning(`others can look into ${folder}`, `chmod 700 ${folder}; the next start does it too`))
  const { bavail, bsize, blocks } = await statfs(folder)
  const [free, all] = [(bavail * bsize) / MEGABYTE, (blocks * bsize) / MEGABYTE]
  const room = `${Math.floor(free).toLocaleString('en')} MB are free in ${folder}`
  const matters =
    databaseUrl === undefined ? 'below 64 MB the database takes no writes' : 'without room uploads are refused'
  if (free < roomMb) found.push(problem(`${room}: ${matters}`, 'make room'))
  else if (free < all / 20) found.push(warning(`${room}, less than a twentieth of the disk`, 'make room'))
  return found.length > 0 ? found : [ok(`${room}; it takes writes, and is closed to others`)]
}

/** A check of a plugin, with the plugin's options. */
export interface PluginCheck {
  readonly name: string
  readonly options: JsonObject
  readonly value: Check
}

export interface Patient {
  readonly settings: Settings
  readonly catalog: Catalog
  readonly program: Program
  readonly checks: readonly PluginCheck[]
  /** Opens the database; rejects with a sentence where that cannot be. */
  readonly open: () => Promise<Database>
  readonly now: () => Date
  readonly thresholds: Thresholds
}

type Look = () => Promise<readonly Finding[]> | readonly Finding[]

/** All findings, in the order of the examination. Never rejects, and contains no secret. */
export async function examine(patient: Patient): Promise<readonly Checked[]> {
  const { settings, catalog, checks, thresholds } = patient
  const found: Checked[] = []
  const look = async (check: string, work: Look): Promise<void> => {
    const findings = await Promise.resolve()
      .then(work)
      .catch((error: unknown) => [problem(`it cannot be looked at: ${sentenceOf(error)}`, 'see the message')])
    found.push(...findings.map((finding) => hidden(settings, { check, ...finding })))
  }
  await look('secret', () => lookAtSecret(settings))
  await look('settings', () => lookAtNames(settings))
  await look('proxy', () => lookAtProxy(settings))
  await look('data', () => lookAtFolder(settings, thresholds))
  await lookAtAll(patient, look, async (runner) => {
    await look('redis', () => lookAtRedis(settings))
    for (const { name, options, value } of checks)
      await look(name, () =>
        within(thresholds.checkMs, value({ settings, catalog, options, now: patient.now, runner })),
      )
  })
  return found
}

/** Looks at the database, and then at what is outside of it, which gets the database where it is there. */
async function lookAtAll(
  { catalog, open, now, program, thresholds }: Patient,
  look: (check: string, work: Look) => Promise<void>,
  lookOutside: (runner: Runner | undefined) => Promise<void>,
): Promise<void> {
  let database: Database
  try {
    database = await open()
  } catch (error) {
    const advice = 'start the server, or correct DATABASE_URL or DATA_DIR'
    await look('database', () => [problem(reasonOf(error), advice)])
    return lookOutside(undefined)
  }
  try {
    await look('database', () => lookAtDatabase(database, catalog))
    await look('versions', () => lookAtVersions(database, program))
    await look('clock', () => lookAtClock(database, now, thresholds))
    await look('extensions', () => lookAtExtensions(database, catalog))
    await look('tables', () => lookAtTables(database, catalog, now()))
    const served = await isServed(database)
    const nothing = (): readonly Finding[] => [ok('nothing was served from this database yet')]
    if (catalog.accounts?.role !== undefined) await look('roles', () => lookAtRoles(database, catalog, now()))
    await look('growth', () => (served ? lookAtGrowth(database, catalog, thresholds) : nothing()))
    await look('work', () => (served ? lookAtWork(database, catalog, now(), thresholds) : nothing()))
    await look('queries', () => lookAtQueries(database, catalog, now(), thresholds))
    await lookOutside(served ? database.adhoc : undefined)
  } finally {
    await database.close()
  }
}

/** Whether a start has made the tables of the engine. A failure here is reported by the other examinations. */
async function isServed({ adhoc }: Database): Promise<boolean> {
  const text = "select to_regclass('plinth_job') is not null and to_regclass('plinth_idempotency') is not null as made"
  const [row] = await adhoc.run({ text }, []).catch(() => [['t']])
  return row?.[0] === 't'
}

/** Rejects when the work takes longer; its later result is ignored. */
async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it does not answer within ${ms / 1_000} s`)), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

/** Settings whose values are secrets, or hold one. */
const SECRET_NAME = /SECRET|PASSWORD|TOKEN|KEY|_URL$/

/** The finding without secrets of the environment, which the text of a server or a library may contain. */
function hidden({ env }: Settings, finding: Checked): Checked {
  const secrets = Object.entries(env).flatMap(([name, value]) => {
    if (value === undefined || value.length < 6 || !SECRET_NAME.test(name)) return []
    const password = URL.canParse(value) ? new URL(value).password : ''
    const parts = /^(BASE_URL|S3_ENDPOINT|AI_BASE_URL)$/.test(name) ? [] : [value, ...value.split(',')]
    return [...parts, ...(password === '' ? [] : [password, decodeURIComponent(password)])]
  })
  const clean = (text: string): string => secrets.reduce((so, secret) => so.replaceAll(secret, '(hidden)'), text)
  const { advice, message } = finding
  return { ...finding, message: clean(message), ...(advice === undefined ? {} : { advice: clean(advice) }) }
}

async function lookAtRedis({ redisUrl }: Settings): Promise<readonly Finding[]> {
  if (redisUrl === undefined) return [ok('no REDIS_URL: right for one instance; several would count limits apart')]
  // Loading ioredis takes time that a deployment without it need not spend.
  const { probeRedis } = await import('../store/redis.ts')
  const { host } = new URL(redisUrl)
  try {
    return [ok(`Redis ${await probeRedis(redisUrl)} at ${host} takes writes`)]
  } catch (error) {
    const told = sentenceOf(error)
    return [
      problem(
        `Redis at ${host} does not serve: ${told}; until it does, each instance counts limits for itself`,
        /WRONGPASS|NOAUTH|NOPERM/.test(told)
          ? 'correct user and password in REDIS_URL'
          : 'start it, or correct REDIS_URL',
      ),
    ]
  }
}
