/** Judges parsed files by the language and by its plugins; rejects what has the wrong shape, all of it at once. */
import type { JsonObject, JsonSchema } from '../json.ts'
import type { Collected, Diagnostic } from '../text/diagnostic.ts'
import type { AppDefinition, Document, ResourceDefinition } from './definition.ts'
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
  return { value: Object.freeze({ place: document.place, value: usable as JsonObject & AppDefinition }), diagnostics }
}

/** Checks one resource file, as `checkApp` does. Whether options fit each other is judged once they are complete. */
export function checkResource(
  document: Document<unknown>,
  vocabulary: Vocabulary,
): Collected<Document<ResourceDefinition>> {
  const { diagnostics, usable } = checkShape(document, schemaOf(vocabulary).resource)
  if (usable === undefined) return { diagnostics }
  const value = Object.freeze({ place: document.place, value: usable as JsonObject & ResourceDefinition })
  return { value, diagnostics: [...diagnostics, ...missingOptions(value, vocabulary)] }
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

/** The options a type can't do without; on another resource's table they may be the owner's. */
function missingOptions(document: Document<ResourceDefinition>, vocabulary: Vocabulary): Diagnostic[] {
  if (document.value.of !== undefined) return []
  return Object.entries(document.value.fields ?? {}).flatMap(([name, field]) => {
    const type = vocabulary.fieldTypes.get(field.type)
    const missing = (type?.requires ?? []).filter((option) => field[option] === undefined)
    return missing.map((option): Diagnostic => {
      const [example] = (type?.options[option]?.examples ?? []) as readonly unknown[]
      return {
        code: 'missing_key',
        message: `A field of type ${field.type} needs the key "${option}"`,
        span: document.place(['fields', name], 'key'),
        hint: `add ${option}: ${JSON.stringify(example)}`,
      }
    })
  })
}
