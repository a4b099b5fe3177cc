/** Has an instance serve the files that are rolled out ⇄, as they lie on its own disk. */
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { pid } from 'node:process'
import type { Database } from '../database/database.ts'
import type { Logger } from '../observe.ts'
import { type Follower, type FollowerParts, followRollouts } from '../rollout/follow.ts'
import { inTurns } from '../turns.ts'
import { type Boot, type BootOptions, readCatalog } from './boot.ts'

interface Around {
  readonly database: Pick<Database, 'adhoc' | 'presence'>
  readonly log: Logger
  readonly settings: BootOptions
}

export interface Serves<T> extends Pick<FollowerParts, 'alone' | 'changed'> {
  /** Makes of what was read all that is made without the database; nothing of it is served yet. */
  readonly compose: (boot: Boot) => T
  /** Serves it from now on. */
  readonly serve: (boot: Boot, app: T) => Promise<void>
  /** As those of a candidate: of what was read. */
  readonly fits: (boot: Boot) => Promise<boolean>
  readonly finish: (boot: Boot) => Promise<boolean>
  /** Whether the database is as what is served wants it. */
  readonly fitsNow: () => Promise<boolean>
}

/** `version` is that of the files which are served at first. */
export function followFiles<T>(
  { database, log, settings }: Around,
  version: string,
  { alone, changed, compose, serve, fits, finish, fitsNow }: Serves<T>,
): Follower {
  let served = version
  return followRollouts({
    runner: database.adhoc,
    presence: database.presence,
    log,
    id: randomUUID(),
    name: `${hostname()}:${pid}`,
    version: () => served,
    alone,
    changed,
    fits: fitsNow,
    async read() {
      const { value, diagnostics } = await readCatalog(settings, inTurns)
      if (value === undefined) return { diagnostics }
      // Here and not in `serve`, for which requests may wait.
      const app = compose(value)
      return {
        value: {
          version: value.version,
          async serve() {
            await serve(value, app)
            served = value.version
          },
          fits: () => fits(value),
          finish: () => finish(value),
        },
        diagnostics,
      }
    },
  })
}
