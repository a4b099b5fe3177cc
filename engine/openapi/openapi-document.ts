/** The type of the document that this room makes. */
import type { JsonSchema } from '../json.ts'
import type { Operation } from './operation.ts'

export type Node = Readonly<Record<string, unknown>>

/** An OpenAPI 3.1 document. */
export interface OpenApiDocument extends Node {
  readonly openapi: '3.1.0'
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> } & Node
}
