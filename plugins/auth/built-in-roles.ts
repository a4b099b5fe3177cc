/** Transform: the roles that the plugin itself cannot do without are seeded, and new accounts get the last of them. */
import { type JsonObject, nearest, type ResourceDefinition, type RuleDefinition } from '../../engine/index.ts'
import { authOptions } from './options.ts'

/** Completes the resources `users` and `roles` by the option `roles`, where the application does not say it itself. */
export function builtInRoles(resource: ResourceDefinition, options: JsonObject): ResourceDefinition {
  const { roles } = authOptions(options)
  if (resource.resource === 'users') return withLastAdmin(withDefault(resource, roles.at(-1) ?? ''), roles[0] ?? '')
  if (resource.resource === 'roles') return withSeeds(resource, roles)
  return resource
}

function withDefault(resource: ResourceDefinition, slug: string): ResourceDefinition {
  const role = resource.relations?.role
  if (role === undefined || role.default !== undefined) return resource
  return { ...resource, relations: { ...resource.relations, role: { ...role, default: { slug } } } }
}

/** Somebody who may sign in keeps the highest role. */
function withLastAdmin(resource: ResourceDefinition, slug: string): ResourceDefinition {
  const last_admin: RuleDefinition = {
    at_least: 1,
    where: { 'role.slug': slug, status: { ne: 'declined' } },
    // The slug of a built-in role never changes.
    holds: 'when_written',
    says: 'This is the last active admin: make somebody else admin first',
  }
  // An application adds rules of its own, and takes none of the plugin's away.
  return { ...resource, rules: { ...resource.rules, last_admin } }
}

/** The first role may do everything, the last is what those who register get; what stands between is the application's. */
function withSeeds(resource: ResourceDefinition, roles: readonly string[]): ResourceDefinition {
  const { key = 'slug', rows = [] } = resource.seeds ?? {}
  const seeded = rows.map(({ slug }) => String(slug))
  // A name that looks like one that is there is a slip, which a rule tells; a role would hide it.
  const missing = (slug: string) => !seeded.includes(slug) && nearest(slug, seeded) === undefined
  const row = (slug: string, permissions: readonly string[]) => ({ slug, name: nameOf(slug), permissions })
  const first = roles.slice(0, 1).filter(missing)
  const last = roles.slice(-1).filter(missing)
  const all = [...first.map((slug) => row(slug, ['*'])), ...rows, ...last.map((slug) => row(slug, []))]
  return { ...resource, seeds: { key, rows: all } }
}

function nameOf(slug: string): string {
  return slug.slice(0, 1).toUpperCase() + slug.slice(1).replaceAll(/[-_]/g, ' ')
}
