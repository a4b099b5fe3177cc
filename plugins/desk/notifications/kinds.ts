/** Kinds of notifications: the built-in ones, and those that `notify` of resources and automations name. */
import { isObject, type Json, type JsonObject, type Plugin, type Resource } from '../../../engine/index.ts'

type Transform = NonNullable<Plugin['transforms']>[number]

/** The kind of a rule: its key `kind`, or the name of its automation or entry. */
export function kindOf(given: JsonObject, automation: string): string {
  return typeof given.kind === 'string' ? given.kind : automation.slice(automation.indexOf('.') + 1)
}

/** Adds the kinds that files name to the values of the field `type` of `notifications`. */
export const addKinds: Transform = (resource, _, { resources }) => {
  if (resource.resource !== 'notifications') return resource
  const { fields = {} } = resource
  const { type } = fields
  const found = resources.flatMap(({ automations = {}, notify: entries }) => [
    ...Object.entries(asObject(entries as Json)).flatMap(([name, given]) =>
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

/** Every kind of notification: the values of the field `type`, to which `addKinds` has added those of all files. */
export function kindsOf({ fields }: Resource): readonly string[] {
  const values = fields.get('type')?.options.own.values
  return Array.isArray(values) ? values.map(String) : []
}

function asObject(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {}
}
