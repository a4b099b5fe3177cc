/**
 * Roles of the application: the built-in ones become seeds, new accounts get the last of them, and options may only
 * name roles that exist.
 */
import {
  type Access,
  ApiError,
  type Catalog,
  type Diagnostic,
  type JsonObject,
  nearest,
  type ResourceDefinition,
  type RuleComplaint,
  type RuleDefinition,
} from '../../engine/index.ts'
import { authOptions } from './options.ts'

/** Completes the resources `users` and `roles` by the option `roles`, where the application does not. */
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

/** Why the highest role is not taken from an account. */
export const LAST_ADMIN = 'This is the last active admin: make somebody else admin first'

/** Whether a write was refused because it would take the highest role from the last who has it. */
export function isLastAdmin(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false
  return [error.message, ...Object.values(error.params.errors ?? {}).flat()].some((text) => text === LAST_ADMIN)
}

/** Somebody who may sign in must keep the highest role. */
function withLastAdmin(resource: ResourceDefinition, slug: string): ResourceDefinition {
  const last_admin: RuleDefinition = {
    at_least: 1,
    where: { 'role.slug': slug, status: { ne: 'declined' }, kind: 'person' },
    // The slug of a built-in role never changes.
    holds: 'when_written',
    says: LAST_ADMIN,
  }
  // An application adds rules of its own, and takes none of the plugin's away.
  return { ...resource, rules: { ...resource.rules, last_admin } }
}

/** The first role may do everything, the last is for people who register; the application defines those between. */
function withSeeds(resource: ResourceDefinition, roles: readonly string[]): ResourceDefinition {
  const { key = 'slug', rows = [] } = resource.seeds ?? {}
  const seeded = rows.map(({ slug }) => String(slug))
  // A slug near to an existing one is a slip, which a rule reports; seeding it would hide that.
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

/**
 * A diagnostic for each role that a plugin's option names and no seed has; none where the application knows no roles.
 */
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

type At = readonly (string | number)[]

/** A complaint where there is no such role; `words` may be written instead of one. */
export function roleMistakes(
  catalog: Catalog,
  role: string,
  at: At,
  words: readonly string[],
): readonly RuleComplaint[] {
  const known = catalog.accounts?.roles
  if (known === undefined || known.has(role)) return []
  const near = nearest(role, [...known, ...words])
  return [
    {
      code: 'auth/unknown_role',
      message: `There is no role "${role}"`,
      hint: near === undefined ? `one of: ${[...words, ...known].join(', ')}` : `did you mean "${near}"?`,
      at,
    },
  ]
}

/** A complaint for each role and permission that there is not, among those by which options choose accounts. */
export function unknownAccounts(catalog: Catalog, options: JsonObject): readonly RuleComplaint[] {
  const { keys, magicLink, secondFactor } = authOptions(options)
  return [
    ...accessMistakes(catalog, secondFactor.required, ['second_factor', 'required']),
    ...accessMistakes(catalog, magicLink?.for ?? [], ['magic_link', 'for']),
    ...accessMistakes(catalog, keys.for, ['keys', 'for']),
  ]
}

function accessMistakes(catalog: Catalog, list: readonly Access[], at: At): readonly RuleComplaint[] {
  return list.flatMap((access, index) => {
    if (access.kind === 'role') return roleMistakes(catalog, access.roles[0] ?? '', [...at, index, 'role'], [])
    if (access.kind !== 'permission' || catalog.permissions.has(access.permission)) return []
    const { permission } = access
    const near = nearest(permission, [...catalog.permissions.keys()])
    return [
      {
        code: 'auth/unknown_permission',
        message: `There is no permission "${permission}"`,
        hint: near === undefined ? 'a policy or a plugin that names it makes it one' : `did you mean "${near}"?`,
        at: [...at, index, 'permission'],
      },
    ]
  })
}
