/** The context for handlers of plugins' routes. */

import type { Transaction } from '../database/database.ts'
import type { JsonObject } from '../json.ts'
import { type Execution, inTransaction } from '../run/execution.ts'
import type { RequestInput } from './bound-route.ts'
import type { Reply, RouteContext } from './route.ts'

/** Runs work in a transaction and gives its reply. */
export type Transact = (work: (inner: Execution) => Promise<Reply>) => Promise<Reply>

type InTransaction = RouteContext & { readonly transaction: Transaction }

/** The context of a request for a route of the plugin with `options`. `transact` runs the work of `once`. */
export function routeContext(
  around: Execution,
  input: RequestInput,
  options: JsonObject,
  transact: Transact = (work) => inTransaction(around, work),
): RouteContext {
  let begun = false
  return Object.assign(around.contextOf(around, options), input, {
    transaction: <T>(work: (context: InTransaction) => Promise<T>): Promise<T> =>
      inTransaction(around, (inner) => work(within(inner, input, options))),
    once: async (work: (context: InTransaction) => Promise<Reply>): Promise<Reply> => {
      if (begun) throw new Error('a request has one `once`')
      begun = true
      return transact((inner) => work(within(inner, input, options)))
    },
    afterCommit: around.afterCommit,
  })
}

/** The context inside an open transaction; a further transaction joins it. */
function within(around: Execution, input: RequestInput, options: JsonObject): InTransaction {
  const open = around.transaction
  if (open === undefined) throw new Error('no transaction is open')
  const joined = Object.assign(<T>(work: (context: InTransaction) => Promise<T>) => work(context), {
    run: open.run.bind(open),
    knex: open.knex,
  })
  const context: InTransaction = Object.assign(around.contextOf(around, options), input, {
    transaction: joined,
    once: () => Promise.reject(new Error('a request has one `once`')),
    afterCommit: around.afterCommit,
  })
  return context
}
