/** The changes for clients between two OpenAPI documents, and whether they break clients of the older one. */
import { nameless } from '../../http/table.ts'
import type { JsonSchema } from '../../json.ts'
import type { Node, OpenApiDocument, PathItem } from '../openapi-document.ts'
import { type Change, createSchemaComparison, resolved } from './schemas.ts'

const METHODS = ['get', 'post', 'put', 'patch', 'delete']

interface Operation {
  readonly name: string
  readonly node: Node
  readonly parameters: ReadonlyMap<string, Node>
}

/** All changes, in the order of the paths; a change of a named schema is reported once. */
export function compareDocuments(older: OpenApiDocument, newer: OpenApiDocument): readonly Change[] {
  const changes: Change[] = []
  const compareSchemas = createSchemaComparison(older, newer, (change) => changes.push(change))
  const [before, after] = [operationsOf(older), operationsOf(newer)]
  for (const [key, { name }] of before) {
    if (!after.has(key)) changes.push({ breaking: true, where: name, what: 'is gone' })
  }
  for (const [key, operation] of after) {
    const former = before.get(key)
    if (former === undefined) changes.push({ breaking: false, where: operation.name, what: 'is new' })
    else compareOperations({ former, operation, older, newer, changes, compareSchemas })
  }
  return changes
}

/** A change with what made it: the program, the files of the application, or both together. */
export interface CausedChange extends Change {
  readonly cause: 'program' | 'files' | 'both'
}

/** All changes with their causes; `between` is what the newer program makes of the older files. */
export function compareWithCauses(
  older: OpenApiDocument,
  between: OpenApiDocument,
  newer: OpenApiDocument,
): readonly CausedChange[] {
  const keyOf = ({ breaking, what, where }: Change): string => `${breaking} ${where} ${what}`
  const [ofProgram, ofFiles] = [compareDocuments(older, between), compareDocuments(between, newer)].map(
    (changes) => new Set(changes.map(keyOf)),
  )
  return compareDocuments(older, newer).map((change) => {
    const [program, files] = [ofProgram!.has(keyOf(change)), ofFiles!.has(keyOf(change))]
    return { ...change, cause: program === files ? 'both' : program ? 'program' : 'files' }
  })
}

/** The operations by method and path, without the names of the path's parameters. */
function operationsOf(document: OpenApiDocument): ReadonlyMap<string, Operation> {
  const found = new Map<string, Operation>()
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of METHODS) {
      const node = item[method]
      if (node === undefined) continue
      const verb = method.toUpperCase()
      const name = `${verb} ${path}`
      found.set(`${verb} ${nameless(path)}`, { name, node, parameters: parametersOf(document, item, node) })
    }
  }
  return found
}

function parametersOf(document: OpenApiDocument, item: PathItem, operation: Node): ReadonlyMap<string, Node> {
  const listed = [item.parameters, operation.parameters].flatMap((list) =>
    Array.isArray(list) ? (list as Node[]) : [],
  )
  const parameters = listed.map((one) => resolved(document, one))
  return new Map(parameters.filter(({ in: place }) => place !== 'path').map((one) => [`${one.in} ${one.name}`, one]))
}

interface Pair {
  readonly former: Operation
  readonly operation: Operation
  readonly older: OpenApiDocument
  readonly newer: OpenApiDocument
  readonly changes: Change[]
  readonly compareSchemas: ReturnType<typeof createSchemaComparison>
}

function compareOperations(pair: Pair): void {
  compareAccess(pair)
  compareParameters(pair)
  compareBodies(pair)
  compareAnswers(pair)
}

function compareAccess({ former, operation, changes }: Pair): void {
  const open = ({ node }: Operation): boolean =>
    Array.isArray(node.security) && node.security.some((one) => Object.keys(one as object).length === 0)
  const where = operation.name
  if (open(former) && !open(operation)) changes.push({ breaking: true, where, what: 'needs a token now' })
  if (!open(former) && open(operation)) changes.push({ breaking: false, where, what: 'needs no token any more' })
}

function compareParameters({ former, operation, changes, compareSchemas }: Pair): void {
  const where = operation.name
  for (const [key, parameter] of former.parameters) {
    const now = operation.parameters.get(key)
    const named = `the parameter "${parameter.name}"`
    if (now === undefined) changes.push({ breaking: true, where, what: `${named} is gone` })
    else {
      if (now.required === true && parameter.required !== true)
        changes.push({ breaking: true, where, what: `${named} is required now` })
      compareSchemas({ where, at: named, direction: 'sent' }, schemaOf(parameter), schemaOf(now))
    }
  }
  for (const [key, { name, required }] of operation.parameters) {
    if (!former.parameters.has(key))
      changes.push({
        breaking: required === true,
        where,
        what: `the parameter "${name}" is new${required === true ? ' and required' : ''}`,
      })
  }
}

function schemaOf({ schema }: Node): JsonSchema {
  return (schema ?? {}) as JsonSchema
}

function compareBodies({ former, operation, older, newer, changes, compareSchemas }: Pair): void {
  const where = operation.name
  const [before, now] = [resolved(older, former.node.requestBody), resolved(newer, operation.node.requestBody)]
  if (now.required === true && before.required !== true)
    changes.push({ breaking: true, where, what: 'a body is required now' })
  const [sent, taken] = [contentsOf(before), contentsOf(now)]
  for (const [type, schema] of sent) {
    const next = taken.get(type)
    if (next === undefined) changes.push({ breaking: true, where, what: `takes no ${type} any more` })
    else compareSchemas({ where, at: 'the body', direction: 'sent' }, schema, next)
  }
}

function compareAnswers({ former, operation, older, newer, changes, compareSchemas }: Pair): void {
  const where = operation.name
  const [before, now] = [former, operation].map(({ node }) => (node.responses ?? {}) as Node)
  for (const [status, answer] of Object.entries(before ?? {})) {
    if (!status.startsWith('2')) continue
    const next = now?.[status]
    if (next === undefined) {
      changes.push({ breaking: true, where, what: `is not answered with ${status} any more` })
      continue
    }
    const answered = contentsOf(resolved(newer, next))
    for (const [type, schema] of contentsOf(resolved(older, answer))) {
      const after = answered.get(type)
      if (after === undefined) changes.push({ breaking: true, where, what: `is not answered as ${type} any more` })
      else compareSchemas({ where, at: 'the answer', direction: 'answered' }, schema, after)
    }
  }
  for (const status of Object.keys(now ?? {})) {
    if (status.startsWith('2') && before?.[status] === undefined)
      changes.push({ breaking: true, where, what: `may be answered with ${status} now` })
  }
}

function contentsOf({ content }: Node): ReadonlyMap<string, JsonSchema> {
  return new Map(
    Object.entries((content ?? {}) as Readonly<Record<string, Node>>).map(([type, one]) => [type, schemaOf(one)]),
  )
}
