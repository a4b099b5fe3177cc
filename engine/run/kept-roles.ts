/** Roles that keep what the seeds no longer give them ⇄: a seed writes a role once, and never takes anything from it. */
import { SYSTEM } from '../actor.ts'
import type { Catalog, Field, Resource, SeedRow } from '../catalog/catalog.ts'
import { idSql, literalOf } from '../catalog/stored.ts'
import type { Runner } from '../database/database.ts'
import { ifThere } from '../database/failure.ts'
import { and, quoted, sql } from '../filter/sql.ts'
import type { Json } from '../json.ts'
import { compiled, parameterValues } from '../statement/compiled.ts'
import { liveSql } from '../statement/condition.ts'

/** A role of the database that keeps permissions, or that is kept as a whole. */
export interface KeptRole {
  readonly role: string
  readonly id: string
  /** The permissions that its seed gave and gives no more; undefined: the seed of the role is gone. */
  readonly permissions: readonly string[] | undefined
  /** Whether the seeds that were served last give it still, so that the YAML is what takes it. */
  readonly isNew: boolean
  /** How many accounts have the role. */
  readonly accounts: number
  /** The path of the role, where requests can change it. */
  readonly path: string
}

/** The seeded roles with their permissions. */
export type SeededRoles = Readonly<Record<string, readonly string[]>>

/** The roles that the YAML seeds; undefined where no plugin knows roles. */
export function seededRoles({ accounts, resources }: Catalog): SeededRoles | undefined {
  const role = accounts?.role
  const rows = resources.get(role?.resource ?? '')?.seeds?.rows
  if (role === undefined || rows === undefined) return undefined
  const writtenIn = ({ assignments }: SeedRow, field: Field): Json | undefined => {
    const found = assignments.find((one) => one.field.column === field.column)
    return found && literalOf(found)
  }
  return Object.fromEntries(
    rows.map((row) => {
      const list = writtenIn(row, role.permissions)
      const held: unknown = typeof list === 'string' ? JSON.parse(list) : list
      return [String(writtenIn(row, role.name)), Array.isArray(held) ? held.map(String) : []]
    }),
  )
}

/**
 * The kept roles. A role that some seed made is told as long as accounts have it; what a seed gave, and who has none of it,
 * only as the change from what was seeded `before`.
 */
export async function keptRoles(
  catalog: Catalog,
  runner: Runner,
  now: Date,
  before: SeededRoles = {},
): Promise<readonly KeptRole[]> {
  const resource = catalog.resources.get(catalog.accounts?.role?.resource ?? '')
  const after = seededRoles(catalog)
  if (resource === undefined || after === undefined) return []
  const seeded = await everSeeded(resource, runner)
  const rows = await rowsOf(catalog, resource, runner, now)
  return rows.flatMap(([id, name, list, accounts]): readonly KeptRole[] => {
    const role = name ?? ''
    const given = Object.hasOwn(before, role) ? before[role]! : undefined
    const path = `${catalog.prefix}/${resource.path}/${id}`
    const kept = { role, id: id ?? '', accounts: Number(accounts), path, isNew: given !== undefined }
    if (!Object.hasOwn(after, role)) {
      const isTold = given !== undefined || (seeded.has(JSON.stringify([role])) && kept.accounts > 0)
      return isTold ? [{ ...kept, permissions: undefined }] : []
    }
    const held: unknown = JSON.parse(list ?? '[]')
    const taken = (given ?? []).filter(
      (one) => !after[role]!.includes(one) && Array.isArray(held) && held.includes(one),
    )
    return taken.length === 0 ? [] : [{ ...kept, permissions: taken }]
  })
}

/** The keys of all rows that seeds of the resource ever made. */
async function everSeeded({ name }: Resource, runner: Runner): Promise<ReadonlySet<string>> {
  const rows = await ifThere(runner.run({ text: 'select key from plinth_seed where resource = $1' }, [name]))
  return new Set((rows ?? []).map(([key]) => key ?? ''))
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
