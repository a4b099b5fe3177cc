/** Makes the context that handlers of plugins hold. */
import { type Execution, inTransaction } from '../action/execution.ts'
import type { Transaction } from '../database/database.ts'
import type { JsonObject } from '../json.ts'
import type { RequestInput } from './parts.ts'
import type { Reply, RouteContext } from './route.ts'

/** Runs work that ends in a reply in one transaction. */
export type Transact = (work: (inner: Execution) => Promise<Reply>) => Promise<Reply>

type InTransaction = RouteContext & { readonly transaction: Transaction }

/** The context of one request for a function of the plugin with `options`; `transact` does what is to be done once. */
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

/** The same inside an open transaction; asking for a transaction again joins it. */
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
