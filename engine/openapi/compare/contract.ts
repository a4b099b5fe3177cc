/** The contract of a document with clients: everything that comparison reads, without the words for people. */

import type { Node, OpenApiDocument } from '../openapi-document.ts'
import { used } from '../reference.ts'

/** Keys with words for people, where they are keys of the document itself. */
const WORDS = new Set(['description', 'summary', 'title', 'operationId', 'tags', 'example', 'examples', 'deprecated'])

/** Keys whose own keys are names: a property may be called `description`. */
const NAMING = new Set(['properties', 'schemas', 'content', 'responses', 'parameters', 'requestBodies', 'headers'])

/**
 * The document with what `compareDocuments` reads, and nothing else; comparing two contracts finds the same changes.
 */
export function contractOf({ openapi, paths, components }: OpenApiDocument): OpenApiDocument {
  const bare = Object.fromEntries(
    Object.entries(paths).map(([path, item]) => [
      path,
      Object.fromEntries(Object.entries(item).map(([method, node]) => [method, answeredWell(node)])),
    ]),
  )
  const { schemas, parameters, requestBodies, responses } = components as Readonly<Record<string, Node>>
  const kept = { openapi, paths: bare, components: { schemas, parameters, requestBodies, responses } }
  return used(withoutWords(kept, false) as OpenApiDocument)
}

/** An operation with its successful answers; other answers are not compared. */
function answeredWell(node: Node): Node {
  if (node.responses === undefined) return node
  const answers = Object.entries(node.responses as Node).filter(([status]) => status.startsWith('2'))
  return { ...node, responses: Object.fromEntries(answers) }
}

function withoutWords(node: unknown, isNaming: boolean): unknown {
  if (Array.isArray(node)) return node.map((item) => withoutWords(item, false))
  if (typeof node !== 'object' || node === null) return node
  return Object.fromEntries(
    Object.entries(node).flatMap(([key, value]) =>
      !isNaming && WORDS.has(key) ? [] : [[key, withoutWords(value, !isNaming && NAMING.has(key))]],
    ),
  )
}
