/** The tables of the plugin, by the names that an application gave them. */
import type { PluginContext } from '../../engine/index.ts'

export interface Tables {
  readonly webhooks: string
  readonly deliveries: string
  readonly attempts: string
}

/** Their names, quoted for SQL. */
export function tablesOf({ catalog }: Pick<PluginContext, 'catalog'>): Tables {
  const table = (name: string): string => `"${catalog.resources.get(name)!.table.replaceAll('"', '""')}"`
  return { webhooks: table('webhooks'), deliveries: table('webhook_deliveries'), attempts: table('webhook_attempts') }
}
