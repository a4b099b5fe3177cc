/** Reads an OpenAPI document as its readers do: references followed, `allOf` taken together. */
import type { Node } from '../../engine/openapi/openapi-document.ts'

/** What a node refers to, or the node itself. */
export function resolved(document: Node, node: unknown): Node {
  const target = Reflect.get(Object(node), '$ref')
  if (typeof target !== 'string') return node as Node
  const keys = target.slice(2).split('/')
  return resolved(
    document,
    keys.reduce<unknown>((at, key) => Reflect.get(Object(at), key), document),
  )
}

export interface ObjectSchema {
  readonly properties: Readonly<Record<string, Node>>
  readonly required: readonly string[]
}

/** The properties of a schema with those of all its parts. */
export function flat(document: Node, node: unknown): ObjectSchema {
  const { allOf = [], properties = {}, required = [] } = resolved(document, node)
  const parts = (allOf as readonly unknown[]).map((part) => flat(document, part))
  return {
    properties: Object.assign({}, ...parts.map((part) => part.properties), properties),
    required: [...new Set([...parts.flatMap((part) => part.required), ...(required as readonly string[])])],
  }
}

/** The operations of a path; beside them stand the parameters that are in the path itself. */
export function methodsOf(path: Node): readonly (readonly [method: string, node: Node])[] {
  return Object.entries(path).filter(([key]) => key !== 'parameters') as [string, Node][]
}
