/** Contexts inside a transaction, and contexts that can open one. */
import type { PluginContext, RouteContext } from '../../engine/index.ts'

/** A context inside a transaction, or outside. */
export type Around = PluginContext & { readonly transaction?: unknown }

/** A context that can open a transaction. */
export type WithTransactions = PluginContext & Pick<RouteContext, 'transaction'>

/** Whether a transaction can be opened here, or joined. */
export function hasTransactions(context: Around): context is WithTransactions {
  return typeof context.transaction === 'function'
}
