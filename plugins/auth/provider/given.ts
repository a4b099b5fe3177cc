/** What a mapping gives an account, as the values of a write: the role, fields, and relations by the record that they lead to. */
import {
  type Catalog,
  isObject,
  type Json,
  type JsonObject,
  type PluginContext,
  type Resource,
  readChangeCondition,
  SYSTEM,
} from '../../../engine/index.ts'
import type { Claims } from './claims.ts'
import type { Given } from './options.ts'

/** The condition on the record that a relation of accounts is to lead to; throws for one that `check` refuses. */
function conditionOn(catalog: Catalog, target: Resource, written: Json) {
  const { condition, problems } = readChangeCondition(catalog, target, written)
  if (condition === undefined || !('filter' in condition))
    throw new Error(problems?.map(({ message }) => message).join('; ') ?? 'a condition of one moment is needed')
  return condition.filter
}

/** The values for a write of `users`. A record that is not there is null. */
export async function valuesOf(context: PluginContext, { role, set }: Given, claims: Claims): Promise<JsonObject> {
  const users = context.catalog.resources.get('users')!
  const values: Record<string, Json> = {}
  for (const [name, given] of Object.entries(role === undefined ? set : { ...set, role: { slug: role } })) {
    const relation = users.relations.get(name)
    if (relation?.kind === 'belongs_to') values[relation.field.name] = await idOf(context, relation.target, given)
    else values[name] = isObject(given) ? (claims.raw[String(given.claim)] ?? null) : given
  }
  return values
}

async function idOf(context: PluginContext, resource: string, written: Json): Promise<number | null> {
  const target = context.catalog.resources.get(resource)!
  const values: unknown[] = []
  const exists = context.readable(resource, 't', values, { as: SYSTEM })
  const matches = context.matching(conditionOn(context.catalog, target, written), 't', values)
  const text = `select t.id from "${target.table}" t where ${exists} and ${matches} order by t.id limit 1`
  const [row] = await context.connection.run({ text }, values)
  return row === undefined ? null : Number(row[0])
}
