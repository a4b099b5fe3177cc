/** ajv, which judges values by JSON Schema; its patterns run on the linear engine. */
import { createRequire } from 'node:module'
import type { ErrorObject, KeywordDefinition, Options, SchemaValidateFunction, ValidateFunction } from 'ajv'
import { linearRegExp } from './pattern.ts'

export type { ErrorObject, SchemaValidateFunction, ValidateFunction }

/** The least of ajv that is used here. */
interface Compiler {
  compile(schema: object): ValidateFunction
  removeKeyword(keyword: string): void
  addKeyword(definition: KeywordDefinition): void
}

/** A compiler for one schema: ajv keeps what it compiles, so it must go together with the schema. */
export function newCompiler(options: Options): Compiler {
  // Loading ajv takes 50 ms that an application without such schemas need not spend.
  const { Ajv }: { readonly Ajv: new (options: Options) => Compiler } = createRequire(import.meta.url)('ajv')
  return new Ajv({ strict: false, logger: false, code: { regExp: linearRegExp }, ...options })
}
