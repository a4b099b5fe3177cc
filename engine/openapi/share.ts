/** Parts of operations that are equal become one component each, with references to it. */
import type { Node, PathItem } from './openapi-document.ts'

/** A parameter, body or answer of an operation, and what its component is called where it occurs more than once. */
export interface Part {
  readonly node: Node
  /** The most frequent of the parts that want the first name gets it, others the second; a number follows where that is taken. */
  readonly names: readonly [name: string, longer: string]
}

/** An operation whose parts are still in their places; references stay references. */
export interface OperationDraft {
  readonly head: Node
  readonly parameters: readonly Part[]
  readonly requestBody: Part | undefined
  /** Status → answer. */
  readonly responses: Readonly<Record<string, Part>>
}

/** The component kinds that operations share, each name → part. */
export interface Shared {
  readonly parameters: Readonly<Record<string, Node>>
  readonly requestBodies: Readonly<Record<string, Node>>
  readonly responses: Readonly<Record<string, Node>>
}

/** A reference to a component that every document has. */
export function referred(kind: keyof Shared, name: string): Part {
  return { node: { $ref: `#/components/${kind}/${name}` }, names: [name, name] }
}

/** The operations by path and method, and the components that they refer to; `own` are names that are taken already. */
export function share(
  drafts: Readonly<Record<string, Readonly<Record<string, OperationDraft>>>>,
  own: Readonly<Record<keyof Shared, object>>,
): { readonly paths: Readonly<Record<string, PathItem>>; readonly components: Shared } {
  const all = Object.values(drafts).flatMap((methods) => Object.values(methods))
  const parameters = shelf('parameters', Object.keys(own.parameters))
  const requestBodies = shelf('requestBodies', Object.keys(own.requestBodies))
  const responses = shelf('responses', Object.keys(own.responses))
  for (const draft of all) {
    for (const part of draft.parameters) parameters.count(part)
    if (draft.requestBody !== undefined) requestBodies.count(draft.requestBody)
    for (const part of Object.values(draft.responses)) responses.count(part)
  }
  const components = { parameters: parameters.name(), requestBodies: requestBodies.name(), responses: responses.name() }
  const placed = (parts: readonly Part[]): Node =>
    parts.length === 0 ? {} : { parameters: parts.map(parameters.place) }
  const operation = (draft: OperationDraft): Node => ({
    ...draft.head,
    ...placed(draft.parameters),
    ...(draft.requestBody === undefined ? {} : { requestBody: requestBodies.place(draft.requestBody) }),
    responses: mapValues(draft.responses, responses.place),
  })
  const path = (methods: Readonly<Record<string, OperationDraft>>): PathItem => {
    // The parameters of the path are written once for all its methods.
    const [{ parameters: inPath = [] } = {}] = Object.values(methods)
    const above = inPath.filter(({ node }) => node.in === 'path')
    const own = (draft: OperationDraft): OperationDraft => ({
      ...draft,
      parameters: draft.parameters.filter(({ node }) => node.in !== 'path'),
    })
    const inPathItem = placed(above) as PathItem
    return { ...inPathItem, ...mapValues(methods, (draft) => operation(own(draft))) }
  }
  return { paths: mapValues(drafts, path), components }
}

interface Shelf {
  count(part: Part): void
  /** Names what was counted more than once. */
  name(): Readonly<Record<string, Node>>
  /** The part itself, or a reference to its component. */
  place(this: void, part: Part): Node
}

interface Counted {
  readonly part: Part
  times: number
  name?: string
}

function shelf(kind: keyof Shared, taken: readonly string[]): Shelf {
  const byText = new Map<string, Counted>()
  // Many lists have the same node, of which the text is long to make.
  const texts = new Map<Node, string>()
  const textOf = ({ node }: Part): string => {
    const text = texts.get(node) ?? JSON.stringify(node)
    texts.set(node, text)
    return text
  }
  return {
    count(part) {
      if ('$ref' in part.node) return
      const known = byText.get(textOf(part))
      if (known === undefined) byText.set(textOf(part), { part, times: 1 })
      else known.times += 1
    },
    name() {
      const common = [...byText.values()].filter(({ times }) => times > 1)
      const used = new Set(taken)
      for (const one of common.toSorted((a, b) => b.times - a.times)) {
        one.name = free(one.part.names, used)
        used.add(one.name)
      }
      return Object.fromEntries(common.map(({ name, part }) => [name, part.node]).sort(byName))
    },
    place(part) {
      const name = '$ref' in part.node ? undefined : byText.get(textOf(part))?.name
      return name === undefined ? part.node : { $ref: `#/components/${kind}/${name}` }
    },
  }
}

function free(names: readonly string[], used: ReadonlySet<string>): string {
  const plain = names.find((name) => !used.has(name))
  if (plain !== undefined) return plain
  let number = 2
  while (used.has(`${names.at(-1)}${number}`)) number += 1
  return `${names.at(-1)}${number}`
}

function byName([a]: readonly unknown[], [b]: readonly unknown[]): number {
  return String(a) < String(b) ? -1 : 1
}

function mapValues<T, U>(object: Readonly<Record<string, T>>, change: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]))
}
