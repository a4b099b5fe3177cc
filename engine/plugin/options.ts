/** The options of a plugin in app.yaml, judged by its schema and completed. */
import { dirname, isAbsolute, join } from 'node:path'
import type { Document, Path, PluginsDefinition } from '../definition/definition.ts'
import { judge } from '../definition/judge.ts'
import { isObject, type Json, type JsonObject, type JsonSchema } from '../json.ts'
import type { Diagnostic } from '../text/diagnostic.ts'

const NO_OPTIONS: JsonSchema = { type: 'object', additionalProperties: false }

/** Judges the options of a plugin by its schema; returns them with defaults, frozen. */
export function checkOptions(
  { name, options: schema = NO_OPTIONS }: { readonly name: string; readonly options?: JsonSchema | undefined },
  written: Document<PluginsDefinition>,
): { readonly options: JsonObject; readonly diagnostics: readonly Diagnostic[] } {
  const own = written.value[name] ?? {}
  const root: JsonSchema = { type: 'object', properties: { [name]: schema } }
  const { diagnostics } = judge(root, { value: { [name]: own }, place: written.place })
  const options = withDefaults(schema, own)
  return { options: frozen(withFiles(schema, options, [name], written.place) as JsonObject), diagnostics }
}

/** The value with the paths of its files (`format: file`), which begin at the file that names them. */
function withFiles(schema: JsonSchema, value: Json, at: Path, place: Document<unknown>['place']): Json {
  if (typeof value === 'string' && schema.format === 'file' && !isAbsolute(value))
    return join(dirname(place(at).source.file), value)
  if (Array.isArray(value)) {
    const items = (schema.items ?? {}) as JsonSchema
    return value.map((item, index) => withFiles(items, item as Json, [...at, index], place))
  }
  if (!isObject(value)) return value
  const properties = (schema.properties ?? {}) as Readonly<Record<string, JsonSchema>>
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, withFiles(properties[key] ?? {}, one, [...at, key], place)]),
  )
}

function withDefaults(schema: JsonSchema, value: JsonObject): JsonObject {
  const completed: Record<string, Json> = { ...value }
  for (const [key, property] of Object.entries((schema.properties ?? {}) as Readonly<Record<string, JsonSchema>>)) {
    const given = completed[key] ?? (property.default as Json | undefined)
    if (given === undefined) {
      // What has to say something is absent, or written.
      const isMade = property.type === 'object' && property.required === undefined
      const nested = isMade ? withDefaults(property, {}) : {}
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
