/** ⇄ Where SQL of the plugin runs: the open transaction, or the database where there is none. */
import type { PluginContext, RouteContext, Transaction } from '../../engine/index.ts'

/** A context inside of a transaction, or outside of any. */
export type Around = PluginContext & { readonly transaction?: unknown }

/** A context in which a transaction can be opened. */
export type WithTransactions = PluginContext & Pick<RouteContext, 'transaction'>

/** The open transaction, or the database where there is none: the embedded one has no second connection. */
export function placeOf({ database, transaction }: Around): Pick<PluginContext['database'], 'knex'> {
  return isOpen(transaction) ? transaction : database
}

/** Whether a transaction can be opened here, or is open and can be joined. */
export function hasTransactions(context: Around): context is WithTransactions {
  return typeof context.transaction === 'function'
}

/** The transaction of a request is a function, by which work inside joins it. */
function isOpen(value: unknown): value is Pick<Transaction, 'knex'> {
  return ((typeof value === 'object' && value !== null) || typeof value === 'function') && 'knex' in value
}
