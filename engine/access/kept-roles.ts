/** Roles that keep what the seeds no longer give them ⇄: a seed writes a role once, and never takes anything from it. */
import { SYSTEM } from '../actor.ts'
import type { Catalog, Resource } from '../catalog/catalog.ts'
import { idSql } from '../catalog/stored.ts'
import type { Runner } from '../database/database.ts'
import { ifThere } from '../database/failure.ts'
import { and, quoted, sql } from '../filter/sql.ts'
import { compiled, parameterValues } from '../statement/compiled.ts'
import { liveSql } from '../statement/condition.ts'
import type { DescribedAccess } from './description.ts'

/** A role of the database that keeps permissions, or that is kept as a whole. */
export interface KeptRole {
  readonly role: string
  readonly id: string
  /** The permissions that its seed gave and gives no more; undefined: the seed of the role is gone. */
  readonly permissions: readonly string[] | undefined
  /** How many accounts have the role. */
  readonly accounts: number
  /** The path of the role, where requests can change it. */
  readonly path: string
}

/** The kept roles, by what the seeds said before and say now. */
export async function keptRoles(
  catalog: Catalog,
  runner: Runner,
  now: Date,
  { before, after }: { readonly before: DescribedAccess['roles']; readonly after: DescribedAccess['roles'] },
): Promise<readonly KeptRole[]> {
  const resource = catalog.resources.get(catalog.accounts?.role?.resource ?? '')
  if (resource === undefined || before === undefined || after === undefined) return []
  const rows = await rowsOf(catalog, resource, runner, now)
  return rows.flatMap(([id, name, list, accounts]): readonly KeptRole[] => {
    const role = name ?? ''
    const given = Object.hasOwn(before, role) ? before[role]! : undefined
    if (given === undefined) return []
    const kept = { role, id: id ?? '', accounts: Number(accounts), path: `${catalog.prefix}/${resource.path}/${id}` }
    if (!Object.hasOwn(after, role)) return [{ ...kept, permissions: undefined }]
    const held: unknown = JSON.parse(list ?? '[]')
    const taken = given.filter((one) => !after[role]!.includes(one) && Array.isArray(held) && held.includes(one))
    return taken.length === 0 ? [] : [{ ...kept, permissions: taken }]
  })
}

async function rowsOf(catalog: Catalog, resource: Resource, runner: Runner, now: Date) {
  const { role, resource: people } = catalog.accounts!
  const accounts = catalog.resources.get(people)!
  const way = [...accounts.relations.values()].find((one) => one.kind === 'belongs_to' && one.target === role!.resource)
  const column = way?.kind === 'belongs_to' ? way.field.column : undefined
  if (column === undefined) return []
  const [name, permissions] = [role!.name, role!.permissions].map((field) => sql`t.${quoted(field.column)}`)
  const id = idSql(resource, 't')
  const having = and([sql`u.${quoted(column)} = ${id}`, ...liveSql(catalog, accounts, 'u')])
  const { statement, parameters } = compiled(
    sql`select ${id}, ${name!}, ${permissions!}, (select count(*) from ${quoted(accounts.table)} u where ${having})
      from ${quoted(resource.table)} t where ${and(liveSql(catalog, resource, 't'))} order by ${id}`,
  )
  const values = parameterValues(parameters, { actor: SYSTEM, now, slots: {} })
  return (await ifThere(runner.run(statement, values))) ?? []
}

/** What a role keeps, and the step that takes it, as sentences. */
export function keptRoleSentences(kept: readonly KeptRole[]): readonly string[] {
  return kept.flatMap(({ accounts, path, permissions, role }) => {
    const people = accounts === 1 ? '1 account has' : `${accounts.toLocaleString('en')} accounts have`
    return permissions === undefined
      ? [
          `${role}: no seed names the role any more, and it stays; ${people} it`,
          `  → to take it away, give them another role, and then DELETE ${path}`,
        ]
      : [
          `${role}: the role keeps ${permissions.join(', ')}, which its seed gave before; ${people} it`,
          `  → to take ${permissions.length === 1 ? 'it' : 'them'} away, PATCH ${path} with "permissions" as the seed has them`,
        ]
  })
}
