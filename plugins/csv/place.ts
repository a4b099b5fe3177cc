/** Whether work of the plugin is inside of a transaction, or can open one. */
import type { PluginContext, RouteContext } from '../../engine/index.ts'

/** A context inside of a transaction, or outside of any. */
export type Around = PluginContext & { readonly transaction?: unknown }

/** A context in which a transaction can be opened. */
export type WithTransactions = PluginContext & Pick<RouteContext, 'transaction'>

/** Whether a transaction can be opened here, or is open and can be joined. */
export function hasTransactions(context: Around): context is WithTransactions {
  return typeof context.transaction === 'function'
}
