/** A plugin's options: judged by the plugin's own schema, completed with its defaults, frozen. */
import type { Document, PluginsDefinition } from '../definition/definition.ts'
import { judge } from '../definition/judge.ts'
import { isObject, type Json, type JsonObject, type JsonSchema } from '../json.ts'
import type { Diagnostic } from '../text/diagnostic.ts'

const NO_OPTIONS: JsonSchema = { type: 'object', additionalProperties: false }

/** Complaints about the options of one plugin, and the options as its functions get them. */
export function checkOptions(
  { name, options: schema = NO_OPTIONS }: { readonly name: string; readonly options?: JsonSchema | undefined },
  written: Document<PluginsDefinition>,
): { readonly options: JsonObject; readonly diagnostics: readonly Diagnostic[] } {
  const own = written.value[name] ?? {}
  const root: JsonSchema = { type: 'object', properties: { [name]: schema } }
  const { diagnostics } = judge(root, { value: { [name]: own }, place: written.place })
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
