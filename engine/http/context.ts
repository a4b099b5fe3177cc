/** Makes the context that handlers of plugins hold. */
import { type Execution, inTransaction } from '../action/execution.ts'
import type { Transaction } from '../database/database.ts'
import type { JsonObject } from '../json.ts'
import type { RequestInput } from './parts.ts'
import type { RouteContext } from './route.ts'

type InTransaction = RouteContext & { readonly transaction: Transaction }

/** The context of one request for a function of the plugin with `options`. */
export function routeContext(around: Execution, input: RequestInput, options: JsonObject): RouteContext {
  return Object.assign(around.contextOf(around, options), input, {
    transaction: <T>(work: (context: InTransaction) => Promise<T>): Promise<T> =>
      inTransaction(around, (inner) => work(within(inner, input, options))),
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
    afterCommit: around.afterCommit,
  })
  return context
}
