/** Judges parsed files by the language and by its plugins; rejects what has the wrong shape, all of it at once. */
import type { FieldType } from '../field/field-type.ts'
import type { JsonObject, JsonSchema } from '../json.ts'
import type { Collected, Diagnostic } from '../text/diagnostic.ts'
import { nearest } from '../text/nearest.ts'
import type { AppDefinition, Document, ResourceDefinition } from './definition.ts'
import { FIELD_KEYS } from './field-schema.ts'
import { judge } from './judge.ts'
import { appSchema, resourceSchema } from './schema.ts'
import type { Vocabulary } from './vocabulary.ts'

/**
 * Checks app.yaml. Beside complaints there may be a value, without what was wrong: later stages use it to find
 * their own mistakes, and nothing may run on it.
 */
export function checkApp(document: Document<unknown>, vocabulary: Vocabulary): Collected<Document<AppDefinition>> {
  const { diagnostics, usable, place } = checkShape(document, schemaOf(vocabulary).app)
  if (usable === undefined) return { diagnostics }
  return { value: Object.freeze({ place, value: usable as JsonObject & AppDefinition }), diagnostics }
}

/**
 * Checks one resource file, as `checkApp` does; `fields` and `relations` are left out as a whole if one of them can't
 * be used. Whether options fit each other is judged once they are complete.
 */
export function checkResource(
  document: Document<unknown>,
  vocabulary: Vocabulary,
): Collected<Document<ResourceDefinition>> {
  const { diagnostics, usable, place } = checkShape(document, schemaOf(vocabulary).resource)
  const all = [...diagnostics, ...missingOptions(document, vocabulary)]
  if (usable === undefined) return { diagnostics: all }
  const value = Object.freeze({ place, value: usable as JsonObject & ResourceDefinition })
  return { value, diagnostics: all }
}

const schemas = new WeakMap<Vocabulary, { readonly app: JsonSchema; readonly resource: JsonSchema }>()

/** Made once for all files of an application. */
function schemaOf(vocabulary: Vocabulary): { readonly app: JsonSchema; readonly resource: JsonSchema } {
  const known = schemas.get(vocabulary)
  if (known !== undefined) return known
  const made = { app: appSchema(vocabulary), resource: resourceSchema(vocabulary) }
  schemas.set(vocabulary, made)
  return made
}

function checkShape(document: Document<unknown>, schema: JsonSchema): ReturnType<typeof judge> {
  if (document.value !== null) return judge(schema, document)
  const [first] = Object.keys((schema.properties ?? {}) as object)
  const message = 'The file is empty'
  const diagnostic: Diagnostic = {
    code: 'missing_key',
    message,
    span: document.place([]),
    hint: `begin with ${first}: …`,
  }
  return { diagnostics: [diagnostic], usable: undefined, place: document.place }
}

/** The options a type can't do without; on another resource's table they may be the owner's. */
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

/** A misspelled option is there too: it has been complained of already. */
function isThere(option: string, field: Readonly<Record<string, unknown>>, type: FieldType): boolean {
  const known = (key: string) => key === 'type' || Object.hasOwn(FIELD_KEYS, key) || Object.hasOwn(type.options, key)
  return Object.keys(field).some((key) => key === option || (!known(key) && nearest(key, [option]) === option))
}

function mapOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
