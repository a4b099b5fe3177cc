/** ⇄ Writes down what is served, a moment after it began to be. */
import type { Catalog } from '../catalog/catalog.ts'
import type { Database } from '../database/database.ts'
import type { BoundRoute } from '../http/parts.ts'
import { LIMITS } from '../limits.ts'
import { keepServed } from '../migration/served.ts'
import type { Logger } from '../observe.ts'
import type { OpenApiDocument } from '../openapi/openapi-document.ts'
import { served } from './served.ts'

/** What is served, with its document when it is asked for. */
interface Serving {
  readonly catalog: Catalog
  readonly routes: readonly BoundRoute[]
  readonly document: () => OpenApiDocument
}

export interface Remembering {
  /** The process serves from now on. */
  begin(): void
  /** Another application takes the place of the one that is served; nothing where none is. */
  again(): void
  /** Resolves when nothing is written any more; what was served for a moment only is not written down. */
  end(): Promise<void>
}

/** Keeps in the database what is served, for `plinth plan` to compare with. */
export function createRemembering(
  { database, log }: { readonly database: Pick<Database, 'adhoc'>; readonly log: Logger },
  serving: () => Serving | undefined,
): Remembering {
  let timer: NodeJS.Timeout | undefined
  let written = Promise.resolve()
  const write = async (): Promise<void> => {
    try {
      const app = serving()
      if (app === undefined) return
      const { catalog, routes, document } = app
      await keepServed(database.adhoc, JSON.stringify(served(catalog, routes, document())))
    } catch (error) {
      log.warn({ err: error }, 'what is served could not be written down: `plinth plan` compares with what was before')
    }
  }
  const begin = (): void => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      written = written.then(write)
    }, LIMITS.rememberAfterMs)
    timer.unref()
  }
  return {
    begin,
    again() {
      if (timer !== undefined) begin()
    },
    end() {
      clearTimeout(timer)
      return written
    },
  }
}
