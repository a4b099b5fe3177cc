/** Judges parsed files by the language and by its plugins; rejects what has the wrong shape, all of it at once. */
import type { FieldOptions } from '../field/field-type.ts'
import type { Json, JsonObject, JsonSchema } from '../json.ts'
import type { Collected, Diagnostic } from '../text/diagnostic.ts'
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
  const { diagnostics, usable } = checkShape(document, schemaOf(vocabulary).app)
  if (usable === undefined) return { diagnostics }
  return { value: { place: document.place, value: usable as JsonObject & AppDefinition }, diagnostics }
}

/** Checks one resource file, and the options of its fields against each other; as `checkApp` does. */
export function checkResource(
  document: Document<unknown>,
  vocabulary: Vocabulary,
): Collected<Document<ResourceDefinition>> {
  const { diagnostics, usable } = checkShape(document, schemaOf(vocabulary).resource)
  if (usable === undefined) return { diagnostics }
  const value = usable as JsonObject & ResourceDefinition
  const contradictions = Object.entries(value.fields ?? {}).flatMap(([name, field]) =>
    checkOptions(name, field as JsonObject, document, vocabulary),
  )
  return { value: { place: document.place, value }, diagnostics: [...diagnostics, ...contradictions] }
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
  return { diagnostics: [diagnostic], usable: undefined }
}

function checkOptions(
  name: string,
  field: JsonObject,
  document: Document<unknown>,
  vocabulary: Vocabulary,
): Diagnostic[] {
  const type = vocabulary.fieldTypes.get(String(field.type))
  if (type?.judge === undefined) return []
  const own = Object.fromEntries(Object.entries(field).filter(([option]) => !isCommon(option)))
  const required = field.required === true
  const options: FieldOptions = { name, required, nullable: (field.nullable as Json) !== false && !required, own }
  return Object.entries(type.judge(options)).map(([option, sentence]) => ({
    code: 'wrong_option' as const,
    message: `"${option}" ${sentence}`,
    span: document.place(['fields', name, option], 'value'),
  }))
}

function isCommon(option: string): boolean {
  return option === 'type' || Object.hasOwn(FIELD_KEYS, option)
}
