/** The role that customers have: the last of the built-in ones. */
import type { Catalog } from '../../../engine/index.ts'

export function customerRole({ pluginOptions }: Catalog): string {
  const roles = pluginOptions.get('auth')?.roles
  return Array.isArray(roles) ? String(roles.at(-1)) : 'customer'
}
