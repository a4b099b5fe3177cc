/** The type of an OpenAPI document. */
import type { JsonSchema } from '../json.ts'

export type Node = Readonly<Record<string, unknown>>

/** The operations of a path by method; the key `parameters` holds those of the path itself. */
export type PathItem = Readonly<Record<string, Node>>

/** An OpenAPI 3.1 document. */
export interface OpenApiDocument extends Node {
  readonly openapi: '3.1.0'
  readonly paths: Readonly<Record<string, PathItem>>
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> } & Node
}
