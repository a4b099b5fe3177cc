/** ⇄ Writes down what is served, a moment after it began to be. */
import type { Catalog } from '../catalog/catalog.ts'
import type { Database } from '../database/database.ts'
import type { BoundRoute } from '../http/parts.ts'
import { LIMITS } from '../limits.ts'
import { keepServed } from '../migration/own/facts.ts'
import type { Logger } from '../observe.ts'
import type { OpenApiDocument } from '../openapi/openapi-document.ts'
import type { Composition } from '../plugin/compose.ts'
import { inTurns, type Pieces } from '../turns.ts'
import type { BootOptions } from './boot.ts'
import { served } from './served.ts'
import { madeFrom } from './version.ts'

/** What is served, with its document when it is asked for. */
interface Serving {
  readonly catalog: Catalog
  readonly composition: Pick<Composition, 'plugins'>
  readonly routes: readonly BoundRoute[]
  readonly documentPieces: () => Pieces<OpenApiDocument>
}

export interface Remembering {
  /** The process serves these files from now on. */
  begin(version: string): void
  /** Another application, of these files, takes the place of the one that is served; nothing where none is. */
  again(version: string): void
  /** Resolves when nothing is written any more; what was served for a moment only is not written down. */
  end(): Promise<void>
}

interface Around {
  readonly database: Pick<Database, 'adhoc'>
  readonly log: Logger
  readonly settings: BootOptions
}

/** The description of what is served, as text. */
function* description({ catalog, routes, documentPieces }: Serving): Pieces<string> {
  const made = yield* documentPieces()
  yield
  const described = served(catalog, routes, made)
  yield
  return JSON.stringify(described)
}

/** Keeps in the database what is served, for `plinth plan` to compare with. */
export function createRemembering(
  { database, log, settings }: Around,
  serving: () => Serving | undefined,
): Remembering {
  let timer: NodeJS.Timeout | undefined
  let written = Promise.resolve()
  const write = async (version: string): Promise<void> => {
    try {
      const app = serving()
      if (app === undefined) return
      const from = await madeFrom(version, app.composition, settings)
      await keepServed(database.adhoc, from, () => inTurns(description(app)))
    } catch (error) {
      log.warn({ err: error }, 'what is served could not be written down: `plinth plan` compares with what was before')
    }
  }
  const begin = (version: string): void => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      written = written.then(() => write(version))
    }, LIMITS.rememberAfterMs)
    timer.unref()
  }
  return {
    begin,
    again(version) {
      if (timer !== undefined) begin(version)
    },
    end() {
      clearTimeout(timer)
      return written
    },
  }
}
