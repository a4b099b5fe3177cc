/** The keys that plugins add to resource files, with what their values name and how they are judged. */
import type { BoundKey } from '../resolve/extensions.ts'
import { type Binder, type Named, named } from './bound.ts'
import type { KeyContribution } from './plugin.ts'

/** The keys of all plugins by their names; that two give the same one is told elsewhere. */
export function keysOf(bound: Binder): ReadonlyMap<string, BoundKey> {
  return new Map(named(bound, (plugin) => plugin.keys).map((key) => [key.name, keyOf(key)]))
}

const none = (): readonly string[] => []

function keyOf({ options, plugin, value }: Named<KeyContribution>): BoundKey {
  const { check, permissions = none, roles = none } = value
  if (check === undefined) return { permissions, roles }
  return {
    permissions,
    roles,
    check: { plugin, run: (given, catalog, resource) => check(given, { catalog, resource, options }) },
  }
}
