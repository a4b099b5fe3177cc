/** Kinds of notifications that files of the application add: beside the built-in ones wherever a kind is named, and in each person's settings. */

import type { Plugin } from '../../../engine/index.ts'
import {
  isObject,
  type Json,
  type JsonObject,
  type JsonSchema,
  type Resource,
  type Route,
} from '../../../engine/index.ts'
import { TYPES } from './options.ts'
import { isReach, REACHES } from './reach.ts'

type Transform = NonNullable<Plugin['transforms']>[number]

const WORDS = 'Made by this application: `list`, `mail`, `both`, `neither`, or `default`, which its files decide.'

/** The kind of what is told, by an automation or by an entry of a resource's `notify`. */
export function kindOf(given: JsonObject, automation: string): string {
  return typeof given.kind === 'string' ? given.kind : automation.slice(automation.indexOf('.') + 1)
}

/** `notifications`, whose field `type` gains the kinds of all files. */
export const addKinds: Transform = (resource, _, { resources }) => {
  if (resource.resource !== 'notifications') return resource
  const { fields = {} } = resource
  const { type } = fields
  const found = resources.flatMap(({ automations = {}, notify: told }) => [
    ...Object.entries(asObject(told as Json)).flatMap(([name, given]) =>
      isObject(given) ? [kindOf(given, name)] : [],
    ),
    ...Object.entries(automations).flatMap(([name, { notify, run }]) =>
      [notify, run?.['notifications.notify']].flatMap((given) =>
        isObject(given as Json) ? [kindOf(given as JsonObject, name)] : [],
      ),
    ),
  ])
  if (found.length === 0 || type === undefined) return resource
  const values = Array.isArray(type.values) ? type.values.map(String) : []
  return { ...resource, fields: { ...fields, type: { ...type, values: [...new Set([...values, ...found])] } } }
}

/** The kinds that are not built in. */
export function addedKinds({ fields }: Resource): readonly string[] {
  const values = fields.get('type')?.options.own.values
  return Array.isArray(values) ? values.map(String).filter((kind) => !TYPES.some((type) => type === kind)) : []
}

/** A route of notifications with these kinds beside the built-in ones. */
export function withKinds(route: Route, kinds: readonly string[]): Route {
  if (kinds.length === 0) return route
  const wide = route.output === undefined ? route : { ...route, output: widened(route.output, kinds) }
  if (route.path !== '/notifications/settings') return wide
  const input = Object.fromEntries(
    kinds.map((kind) => [kind, { type: 'enum', values: [...REACHES], nullable: false, description: WORDS }]),
  )
  return {
    ...wide,
    ...(route.input === undefined ? {} : { input: { ...route.input, ...input } }),
    handle: async (context) => {
      const inner: typeof context = Object.create(context, { transaction: { value: saving(context, kinds) } })
      const reply = await route.handle(inner)
      return { ...reply, data: { ...(reply.data as JsonObject), ...(await reachesOf(context, kinds)) } }
    },
  }
}

/** What is told of the record, beside its ticket. */
const OF_RECORDS = { resource: { type: 'string' }, record_id: { type: ['integer', 'string'] } } as const

function asObject(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {}
}

function widened(schema: JsonSchema, kinds: readonly string[]): JsonSchema {
  if (isObject(schema.items)) return { ...schema, items: widened(schema.items, kinds) }
  if (!isObject(schema.properties)) return schema
  const { data, type } = schema.properties
  if (isObject(type) && Array.isArray(type.enum)) {
    const properties = {
      ...schema.properties,
      type: { ...type, enum: [...type.enum, ...kinds] },
      ...(isObject(data) ? { data: { ...data, properties: { ...asObject(data.properties), ...OF_RECORDS } } } : {}),
    }
    return { ...schema, properties }
  }
  const added = kinds.map((kind) => [kind, { type: 'string', enum: [...REACHES], description: WORDS }] as const)
  const required = Array.isArray(schema.required) ? schema.required : []
  return {
    ...schema,
    required: [...required, ...kinds],
    properties: { ...schema.properties, ...Object.fromEntries(added) },
  }
}

type Context = Parameters<Route['handle']>[0]

/** The transaction of the route, in which these kinds are saved too. */
function saving(context: Context, kinds: readonly string[]): Context['transaction'] {
  return (work) =>
    context.transaction(async (inner) => {
      const { table } = inner.catalog.resources.get('notification_settings')!
      const user = Number(inner.actor.id)
      const chosen = kinds.flatMap((type) =>
        isReach(context.body[type]) ? [{ type, reach: String(context.body[type]) }] : [],
      )
      const usual = chosen.filter(({ reach }) => reach === 'default').map(({ type }) => type)
      const rows = chosen.filter(({ reach }) => reach !== 'default').map((one) => ({ user_id: user, ...one }))
      const { knex } = inner.transaction
      if (usual.length > 0) await knex(table).where({ user_id: user }).whereIn('type', usual).delete()
      if (rows.length > 0) await knex(table).insert(rows).onConflict(['user_id', 'type']).merge(['reach'])
      return work(inner)
    })
}

async function reachesOf({ actor, catalog, database }: Context, kinds: readonly string[]): Promise<JsonObject> {
  const { table } = catalog.resources.get('notification_settings')!
  const text = `select type, reach from "${table}" where user_id = $1::int and type = any($2::text[])`
  const rows = new Map((await database.adhoc.run({ text }, [actor.id, kinds])).map(([type, reach]) => [type, reach]))
  return Object.fromEntries(kinds.map((kind) => [kind, rows.get(kind) ?? 'default']))
}
