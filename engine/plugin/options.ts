/** A plugin's options: judged by the plugin's own schema, completed with its defaults, frozen. */
import type { Document } from '../definition/definition.ts'
import { judge } from '../definition/judge.ts'
import { isObject, type Json, type JsonObject, type JsonSchema } from '../json.ts'
import type { Diagnostic } from '../text/diagnostic.ts'
import type { Plugin } from './plugin.ts'

/** What app.yaml says of plugins, and where. */
export type WrittenOptions = Document<Readonly<Record<string, JsonObject | null>>>

/** Complaints about the options of one plugin, and the options as its functions get them. */
export function checkOptions(
  plugin: Plugin,
  written: WrittenOptions,
): { readonly options: JsonObject; readonly diagnostics: readonly Diagnostic[] } {
  const own = written.value[plugin.name] ?? {}
  const schema = plugin.options ?? { type: 'object', additionalProperties: false }
  const root: JsonSchema = { type: 'object', properties: { [plugin.name]: schema } }
  const { diagnostics } = judge(root, { value: { [plugin.name]: own }, place: written.place })
  return { options: frozen(withDefaults(schema, own)), diagnostics }
}

function withDefaults(schema: JsonSchema, value: JsonObject): JsonObject {
  const completed: Record<string, Json> = { ...value }
  for (const [key, property] of Object.entries((schema.properties ?? {}) as Readonly<Record<string, JsonSchema>>)) {
    const given = completed[key] ?? (property.default as Json | undefined)
    if (given === undefined) {
      const nested = property.type === 'object' ? withDefaults(property, {}) : {}
      if (Object.keys(nested).length > 0) completed[key] = nested
    } else completed[key] = isObject(given) ? withDefaults(property, given) : given
  }
  return completed
}

function frozen<T extends Json>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const item of Object.values(value)) frozen(item as Json)
    Object.freeze(value)
  }
  return value
}
