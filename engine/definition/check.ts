/** Checks parsed files by the schema of the language and of its plugins; every mistake of a file is reported at once. */
import type { FieldType } from '../field/field-type.ts'
import { isObject, type JsonObject, type JsonSchema } from '../json.ts'
import { memo } from '../memo.ts'
import type { Collected, Diagnostic } from '../text/diagnostic.ts'
import { meant } from '../text/synonyms.ts'
import type { AppDefinition, Document, PluginsDefinition, ResourceDefinition, Vocabulary } from './definition.ts'
import { FIELD_KEYS } from './field-schema.ts'
import { type Judgement, judge } from './judge.ts'
import { outdented } from './outdented.ts'
import { APP_SCHEMA, PLUGINS_SCHEMA, resourceSchema } from './schema.ts'

/**
 * Checks which plugins app.yaml names. This comes first, because the plugins bring words of the language; what their
 * options may be is judged when they are loaded.
 */
export const checkPlugins = memo((document: Document<unknown>): Required<Collected<Document<PluginsDefinition>>> => {
  const plugins = mapOf(document.value).plugins
  const place: Document<unknown>['place'] = (path, part) => document.place(['plugins', ...path], part)
  if (plugins === undefined) return { value: { value: {}, place }, diagnostics: [] }
  const { diagnostics } = judge(PLUGINS_SCHEMA, { value: { plugins }, place: document.place })
  // A plugin whose options are no map is loaded all the same, so that its words are known.
  const options = Object.entries(isObject(plugins) ? plugins : {}).map(
    ([name, own]) => [name, isObject(own) ? own : null] as const,
  )
  return { value: { value: Object.fromEntries(options), place }, diagnostics }
})

/**
 * Checks app.yaml without its plugins. The result may have a value as well as complaints, without the wrong parts:
 * later stages use it to find their own mistakes, and nothing may run on it.
 */
export function checkApp(document: Document<unknown>): Collected<Document<AppDefinition>> {
  const { diagnostics, usable, place } = checkShape(document, APP_SCHEMA)
  if (usable === undefined) return { diagnostics }
  return { value: Object.freeze({ place, value: usable as JsonObject & AppDefinition }), diagnostics }
}

export interface CheckedResource extends Collected<Document<ResourceDefinition>> {
  /** Fields and relations that are written in a way that cannot be used, and left out of the value. */
  readonly lost: readonly LostPart[]
}

export interface LostPart {
  readonly name: string
  readonly definition: unknown
}

/** The app.yaml with the keys in their places that are indented too far. */
export const outdentedApp = memo(
  (document: Document<unknown>): Required<Collected<Document<unknown>>> =>
    outdented(document, {
      ...APP_SCHEMA,
      properties: { ...mapOf(APP_SCHEMA.properties), ...mapOf(PLUGINS_SCHEMA.properties) },
    }),
)

/** The same of a resource file. */
export const outdentedResource = memo(
  (document: Document<unknown>, vocabulary: Vocabulary): Required<Collected<Document<unknown>>> =>
    outdented(document, schemaOf(vocabulary)),
)

/** Checks one resource file, as `checkApp` does. Whether options fit each other is judged once they are complete. */
export const checkResource = memo((document: Document<unknown>, vocabulary: Vocabulary): CheckedResource => {
  const judged = checkShape(document, schemaOf(vocabulary))
  const diagnostics = [...judged.diagnostics, ...missingOptions(document, vocabulary)]
  if (judged.usable === undefined) return { diagnostics, lost: [] }
  // Whatever names a field would be wrong where none of them could be read.
  const isWhole = (part: string): boolean =>
    mapOf(document.value)[part] === undefined || mapOf(judged.usable)[part] !== undefined
  if (!isWhole('fields') || !isWhole('relations')) return { diagnostics, lost: [] }
  const written = mapOf(document.value)
  const useless = withoutOptions(written, mapOf(judged.usable), vocabulary)
  const usable = useless.length === 0 ? judged.usable : withoutFields(judged.usable as JsonObject, useless)
  const value = Object.freeze({ place: judged.place, value: usable as JsonObject & ResourceDefinition })
  const lost = [...judged.lost, ...useless.map((name) => ['fields', name])].map(([part = '', name = '']) => ({
    name: String(name),
    definition: mapOf(written[part])[name],
  }))
  return { value, diagnostics, lost }
})

/** Made once for all files of an application. */
const schemaOf = memo((vocabulary: Vocabulary): JsonSchema => resourceSchema(vocabulary))

function checkShape(document: Document<unknown>, schema: JsonSchema): Judgement {
  if (document.value !== null) return judge(schema, document)
  const [first] = Object.keys((schema.properties ?? {}) as object)
  const message = 'The file is empty'
  const diagnostic: Diagnostic = {
    code: 'missing_key',
    message,
    span: document.place([]),
    hint: `begin with ${first}: …`,
  }
  return { diagnostics: [diagnostic], usable: undefined, place: document.place, lost: [] }
}

/** The fields with an option that is written, that their type needs, and that could not be read. */
function withoutOptions(
  written: Readonly<Record<string, unknown>>,
  usable: Readonly<Record<string, unknown>>,
  { fieldTypes }: Vocabulary,
): readonly string[] {
  return Object.entries(mapOf(usable.fields)).flatMap(([name, field]) => {
    const { requires = [] } = fieldTypes.get(String(mapOf(field).type)) ?? {}
    const isLost = (option: string) =>
      Object.hasOwn(mapOf(mapOf(written.fields)[name]), option) && !Object.hasOwn(mapOf(field), option)
    return requires.some(isLost) ? [name] : []
  })
}

function withoutFields(usable: JsonObject, names: readonly string[]): JsonObject {
  const fields = Object.entries(mapOf(usable.fields)).filter(([name]) => !names.includes(name))
  return Object.freeze({ ...usable, fields: Object.freeze(Object.fromEntries(fields)) as JsonObject })
}

/** Reports options that a type needs and that are not there; a resource with `of` may have them from its base. */
function missingOptions(document: Document<unknown>, vocabulary: Vocabulary): Diagnostic[] {
  const { fields, of } = mapOf(document.value)
  if (of !== undefined) return []
  return Object.entries(mapOf(fields)).flatMap(([name, written]) => {
    const field = mapOf(written)
    const type = vocabulary.fieldTypes.get(String(field.type))
    if (type === undefined) return []
    const missing = (type.requires ?? []).filter((option) => !isThere(option, field, type))
    return missing.map((option): Diagnostic => {
      const [example] = (type.options[option]?.examples ?? []) as readonly unknown[]
      return {
        code: 'missing_key',
        message: `A field of type ${type.name} needs the key "${option}"`,
        span: document.place(['fields', name], 'key'),
        hint: `add ${option}: ${JSON.stringify(example)}`,
      }
    })
  })
}

/** A misspelled option counts as there, because it is reported already. */
function isThere(option: string, field: Readonly<Record<string, unknown>>, type: FieldType): boolean {
  const known = (key: string) => key === 'type' || Object.hasOwn(FIELD_KEYS, key) || Object.hasOwn(type.options, key)
  return Object.keys(field).some((key) => key === option || (!known(key) && meant(key, [option]) === option))
}

function mapOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
}
