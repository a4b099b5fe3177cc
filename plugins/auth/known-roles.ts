/** Rules: the roles that options name are roles of the application. */
import { type Catalog, type Diagnostic, nearest } from '../../engine/index.ts'

/** One diagnostic for each role that a plugin's option names and nobody seeds; none where nobody knows the roles. */
export function unseededRoles(
  catalog: Catalog,
  plugin: string,
  option: string,
  names: readonly string[],
): readonly Diagnostic[] {
  const roles = catalog.accounts?.roles
  if (roles === undefined) return []
  return names
    .filter((name) => !roles.has(name))
    .map((name) => {
      const near = nearest(name, [...roles])
      return {
        code: `${plugin}/unknown_role` as const,
        message: `There is no role "${name}", which the option "${option}" of the plugin ${plugin} names`,
        hint:
          near === undefined
            ? `seed the role, or name others: ${plugin}: { ${option}: […] }`
            : `did you mean "${near}"?`,
      }
    })
}
