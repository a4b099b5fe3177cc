/** Tables of others that are no longer as the YAML describes them ⇄: found while they are served, and told. */
import type { Catalog, Resource } from '../catalog/catalog.ts'
import type { Runner } from '../database/database.ts'
import { failureCode } from '../database/failure.ts'
import { ApiError } from '../error.ts'
import type { Logger } from '../observe.ts'
import { tables } from './catalog-tables.ts'
import { inspectTables } from './inspect.ts'
import { existingSteps } from './plan-existing.ts'
import type { Table } from './table.ts'

/** The differences between existing tables and the YAML, as they were last seen. */
export interface Drift {
  /** Looks at the tables; resolves with whether one differs. */
  look(): Promise<boolean>
  /**
   * Does work on a resource. Rejects with unavailable where its table differs, also in place of an error of the database
   * that a difference has caused; the database is asked only after such an error, and where a table did differ before.
   */
  guarded<T>(resource: string | undefined, work: () => Promise<T>): Promise<T>
}

/** How long a difference is believed, in milliseconds. */
const BELIEVED_MS = 1_000
const RETRY_AFTER = 30

/** The class of errors about names and types that a statement has and the database has not. */
const MISNAMED = /^42/

interface Parts {
  readonly catalog: Catalog
  readonly runner: Runner
  readonly log: Logger
  /** Monotonic, in milliseconds. */
  readonly clock: () => number
}

export function watchDrift({ catalog, runner, log, clock }: Parts): Drift {
  let wanted: readonly Table[] | undefined
  let found: ReadonlyMap<string, readonly string[]> = new Map()
  let lookedAt = Number.NEGATIVE_INFINITY

  async function look(): Promise<boolean> {
    wanted ??= tables(catalog).filter(({ existing }) => existing === true)
    if (wanted.length === 0) return false
    const now = await differencesOf(wanted, runner)
    lookedAt = clock()
    const [told, known] = [now, found].map((map) => JSON.stringify([...map]))
    found = now
    if (told !== known) tell(log, now)
    return now.size > 0
  }

  const differs = (name: string | undefined): Resource | undefined => {
    const resource = catalog.resources.get(name ?? '')
    return resource !== undefined && found.has(resource.table) ? resource : undefined
  }
  async function refuse(name: string | undefined): Promise<void> {
    if (differs(name) === undefined) return
    if (clock() - lookedAt > BELIEVED_MS) await look()
    const resource = differs(name)
    if (resource !== undefined) throw refusal(resource)
  }

  async function explained(error: unknown, name: string | undefined): Promise<unknown> {
    if (error instanceof ApiError || !MISNAMED.test(failureCode(error) ?? '') || !(await look())) return error
    const others = [...catalog.resources.values()].filter(({ table }) => found.has(table))
    const resource = differs(name) ?? others[0]
    return resource === undefined ? error : refusal(resource, error)
  }

  return {
    look,
    async guarded(name, work) {
      await refuse(name)
      try {
        return await work()
      } catch (error) {
        throw await explained(error, name)
      }
    },
  }
}

async function differencesOf(
  wanted: readonly Table[],
  runner: Runner,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const there = await inspectTables(
    runner,
    wanted.map(({ name }) => name),
  )
  const entries = wanted.map((table) => [table.name, existingSteps(table, { tables: there }).map(({ title }) => title)])
  return new Map((entries as [string, string[]][]).filter(([, titles]) => titles.length > 0))
}

function tell(log: Logger, found: ReadonlyMap<string, readonly string[]>): void {
  if (found.size === 0) log.warn({}, 'the existing tables are as the YAML describes them again')
  else
    log.error(
      { differences: [...found.values()].flat() },
      'existing tables are not as the YAML describes them, so their resources are not served; `plinth plan` says what to do',
    )
}

function refusal({ label }: Resource, cause?: unknown): ApiError {
  const message = `${label} cannot be served at present: its table in the database is not as this application describes it`
  return new ApiError('unavailable', { message, retryAfter: RETRY_AFTER, ...(cause === undefined ? {} : { cause }) })
}
