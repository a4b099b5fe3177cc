/** Has an instance serve the files that are rolled out ⇄, as they lie on its own disk. */
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { pid } from 'node:process'
import type { Database } from '../database/database.ts'
import type { Logger } from '../observe.ts'
import { type Follower, type FollowerParts, followRollouts } from '../rollout/follow.ts'
import { type Boot, type BootOptions, readCatalog } from './boot.ts'
import { fileVersion } from './version.ts'

interface Around {
  readonly database: Pick<Database, 'adhoc'>
  readonly log: Logger
  readonly settings: BootOptions
}

/** `version` is that of the files which are served at first; `serve` serves what was read from then on. */
export function followFiles(
  { database, log, settings }: Around,
  version: Promise<string>,
  { alone, serve }: Pick<FollowerParts, 'alone'> & { readonly serve: (boot: Boot) => Promise<void> },
): Follower {
  let served = version
  return followRollouts({
    runner: database.adhoc,
    log,
    id: randomUUID(),
    name: `${hostname()}:${pid}`,
    version: () => served,
    alone,
    async read() {
      const { value, diagnostics } = await readCatalog(settings)
      if (value === undefined) return { diagnostics }
      const found = await fileVersion(value, settings)
      return {
        value: {
          version: found,
          async serve() {
            await serve(value)
            served = Promise.resolve(found)
          },
        },
        diagnostics,
      }
    },
  })
}
