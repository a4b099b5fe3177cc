/** What plugins add to the YAML language: types of field, keys of a resource file, options in app.yaml. */
import type { FieldType } from '../field/field-type.ts'
import type { Json, JsonSchema } from '../json.ts'

/** The words beyond the core language, by name; `plugin` says who brought a key along. */
export interface Vocabulary {
  readonly fieldTypes: ReadonlyMap<string, FieldType>
  readonly keys: ReadonlyMap<
    string,
    {
      readonly plugin: string
      readonly description: string
      readonly schema: JsonSchema
      readonly permissions?: (value: Json) => readonly string[]
      readonly roles?: (value: Json) => readonly string[]
    }
  >
  /** What automations can do, by full name `<plugin>.<name>`, each with the key that stands for it there. */
  readonly actions: ReadonlyMap<
    string,
    {
      readonly plugin: string
      readonly key: string | undefined
      readonly description: string
      readonly schema: JsonSchema
    }
  >
  readonly plugins: ReadonlyMap<string, { readonly description: string; readonly options: JsonSchema | undefined }>
}
