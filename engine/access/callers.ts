/** The callers for whom access is reported ⇄: the roles as they are in the database, and everyone without a token. */
import { type Actor, ANONYMOUS, SYSTEM } from '../actor.ts'
import type { Access, Catalog } from '../catalog/catalog.ts'
import { idSql } from '../catalog/stored.ts'
import type { Runner } from '../database/database.ts'
import { ifThere } from '../database/failure.ts'
import { and, quoted, sql } from '../filter/sql.ts'
import { compiled, parameterValues } from '../statement/compiled.ts'
import { conditionSql } from '../statement/condition.ts'
import type { Caller } from './compare.ts'
import type { DescribedAccess } from './description.ts'

const EVERYONE: Caller = { name: 'everyone without a token', actor: ANONYMOUS }

/**
 * Everyone without a token, and each role with the permissions that it has in the database. Where no plugin says what roles
 * are: callers who are signed in, and those with one of the roles or permissions that the rules name.
 */
export async function callersOf(
  catalog: Catalog,
  runner: Runner,
  now: Date,
  described: readonly DescribedAccess[],
): Promise<readonly Caller[]> {
  const role = catalog.accounts?.role
  if (role === undefined) return [EVERYONE, ...namedIn(described)]
  const resource = catalog.resources.get(role.resource)!
  const live = resource.live === undefined ? [] : [conditionSql(catalog, resource.live, 't')]
  const [name, permissions] = [role.name, role.permissions].map(({ column }) => sql`t.${quoted(column)}`)
  const { statement, parameters } = compiled(
    sql`select ${name!}, ${permissions!} from ${quoted(resource.table)} t where ${and(live)} order by ${idSql(resource, 't')}`,
  )
  const rows = await ifThere(runner.run(statement, parameterValues(parameters, { actor: SYSTEM, now, slots: {} })))
  const roles = (rows ?? []).map(([slug, list]): Caller => {
    const held: unknown = JSON.parse(list ?? '[]')
    return signedIn(slug ?? '', slug ?? null, Array.isArray(held) ? held.map(String) : [])
  })
  return [EVERYONE, ...roles]
}

function signedIn(name: string, role: string | null, permissions: readonly string[]): Caller {
  const actor: Actor = { kind: 'user', id: null, role, permissions: new Set(permissions), attributes: {} }
  return { name, actor }
}

function namedIn(described: readonly DescribedAccess[]): readonly Caller[] {
  const rules = described.flatMap(accessIn)
  const signed = rules.some(({ kind }) => kind !== 'anyone') ? [signedIn('everyone signed in', null, [])] : []
  const roles = rules.flatMap((rule) => (rule.kind === 'role' ? rule.roles : []))
  const permissions = rules.flatMap((rule) => (rule.kind === 'permission' ? [rule.permission] : []))
  return [
    ...signed,
    ...[...new Set(roles)].map((role) => signedIn(role, role, [])),
    ...[...new Set(permissions)].map((permission) => signedIn(`who holds ${permission}`, null, [permission])),
  ]
}

function accessIn({ resources, routes }: DescribedAccess): readonly Access[] {
  return [
    ...Object.values(resources).flatMap(({ policies, parts }) => [
      ...Object.values(policies).flatMap((clauses) => clauses.flatMap(({ access }) => access)),
      ...Object.values(parts).flatMap(({ read = [], write = [] }) => [...read, ...write]),
    ]),
    ...Object.values(routes).flatMap((access) => (access === 'public' ? [] : access)),
  ]
}
