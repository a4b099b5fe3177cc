/** Makes the context that handlers hold, and runs what they leave for after the commit. */
import { runLeft, type Work } from '../action/execution.ts'
import type { Actor } from '../actor.ts'
import type { Transaction } from '../database/database.ts'
import type { Json, JsonObject } from '../json.ts'
import type { ContextBase, Headers, HttpParts } from './parts.ts'
import type { RouteContext, UploadedFile } from './route.ts'

/** What one request brought, checked and decoded. */
export interface Input {
  readonly actor: Actor
  readonly requestId: string
  readonly ip: string
  readonly headers: Headers
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly parameters: Readonly<Record<string, Json>>
  readonly body: JsonObject
  readonly files: readonly UploadedFile[]
}

type InTransaction = RouteContext & { readonly transaction: Transaction }

/** The context of a handler in an open transaction; asking for a transaction again joins the same. */
function within(parts: HttpParts, input: Input, base: ContextBase, open: Transaction): InTransaction {
  const joined = Object.assign(<T>(work: (context: InTransaction) => Promise<T>) => work(context), {
    run: open.run.bind(open),
    knex: open.knex,
  })
  const context: InTransaction = Object.assign(parts.pluginContext({ ...base, transaction: open }), input, {
    transaction: joined,
    afterCommit: base.afterCommit,
  })
  return context
}

/** A context, and what is to be run once its handler has come to an end. */
export interface Prepared {
  readonly context: RouteContext
  readonly settle: () => Promise<void>
}

/** Prepares the context of one request for a handler with `options`. */
export function prepareContext(parts: HttpParts, input: Input, options: JsonObject): Prepared {
  const later: Work[] = []
  const { actor, requestId } = input
  const build = (own: JsonObject): RouteContext => {
    const base = { actor, requestId, options: own, afterCommit: (work: Work) => void later.push(work) }
    return Object.assign(parts.pluginContext(base), input, {
      transaction: async <T>(work: (context: InTransaction) => Promise<T>): Promise<T> => {
        let works: Work[] = []
        const done = await parts.database.transaction((open) => {
          // The transaction may be run again; what its first run left is not to happen twice.
          works = []
          return work(within(parts, input, { ...base, afterCommit: (then) => void works.push(then) }, open))
        })
        await runLeft({ log: parts.log, requestId }, works)
        return done
      },
      afterCommit: base.afterCommit,
    })
  }
  return {
    context: build(options),
    settle: async () => {
      if (later.length > 0) await runLeft({ log: parts.log, requestId }, later)
    },
  }
}
