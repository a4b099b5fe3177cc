/** Sharing: equal parts of a document become one component, and a schema that extends another one refers to it. */
import { isDeepStrictEqual } from 'node:util'
import { singular } from '../catalog/name.ts'
import { isObject, type JsonSchema } from '../json.ts'
import type { Pieces } from '../turns.ts'
import type { Node, OpenApiDocument } from './openapi-document.ts'
import { isWorthReference, mapChildren, schemaRef, split } from './schema.ts'
import { pascal } from './type-name.ts'

/**
 * The most frequent of the parts with the same first name gets it, others the second; a number follows a taken name.
 */
export type Names = readonly [name: string, longer: string]

/**
 * Parameters, bodies and schemas of answers → the names for their components. Answers themselves stay in their
 * operations.
 */
export type PartNames = ReadonlyMap<unknown, Names>

type Kind = 'parameters' | 'requestBodies' | 'schemas'

/** Replaces a part; `inside` gives the part with its own parts replaced. */
type Replace = (kind: Kind, part: Node, names: Names, inside: () => Node) => Node

/**
 * The document with every part that occurs more than once among its components. No two components have the same name.
 */
export function* shared(document: OpenApiDocument, names: PartNames): Pieces<OpenApiDocument> {
  const parts = new Parts(Object.values(document.components).flatMap((kind) => Object.keys(Object(kind))))
  through(document, names, (...part) => parts.count(...part))
  yield
  parts.nameCommon()
  const { components, ...rest } = through(document, names, (...part) => parts.replaced(...part))
  yield
  const { parameters, requestBodies, schemas } = parts.made
  return {
    ...rest,
    components: {
      ...components,
      parameters: { ...Object(components.parameters), ...sorted(parameters) },
      requestBodies: { ...Object(components.requestBodies), ...sorted(requestBodies) },
      schemas: aliased({ ...components.schemas, ...schemas }),
    },
  } as OpenApiDocument
}

interface Counted {
  readonly names: Names
  times: number
  name?: string
}

/** The parts of a document, by their content. */
class Parts {
  readonly made: Record<Kind, Record<string, JsonSchema>> = { parameters: {}, requestBodies: {}, schemas: {} }
  readonly #counted = new Map<string, Counted>()
  readonly #keys = new Map<Node, string | undefined>()
  readonly #used: Set<string>

  constructor(taken: readonly string[]) {
    this.#used = new Set(taken)
  }

  /** The inside of a known part counts once, because it will be written once. */
  count(kind: Kind, part: Node, names: Names, inside: () => Node): Node {
    const key = this.#keyOf(kind, part)
    const known = key === undefined ? undefined : this.#counted.get(key)
    if (known !== undefined) known.times += 1
    else {
      if (key !== undefined) this.#counted.set(key, { names, times: 1 })
      inside()
    }
    return part
  }

  nameCommon(): void {
    const common = [...this.#counted.values()].filter(({ times }) => times > 1)
    for (const one of common.toSorted((a, b) => b.times - a.times)) {
      one.name = free(one.names, this.#used)
      this.#used.add(one.name)
    }
  }

  replaced(kind: Kind, part: Node, _: Names, inside: () => Node): Node {
    const name = this.#counted.get(this.#keyOf(kind, part) ?? '')?.name
    if (name === undefined) return inside()
    const [about] = kind === 'schemas' ? split(part) : [{}]
    if (!(name in this.made[kind])) this.made[kind][name] = kind === 'schemas' ? split(inside())[1] : inside()
    return { $ref: `#/components/${kind}/${name}`, ...about }
  }

  /** The content of a part, of a schema without its description; undefined where a reference would save nothing. */
  #keyOf(kind: Kind, part: Node): string | undefined {
    if (this.#keys.has(part)) return this.#keys.get(part)
    const text = JSON.stringify(kind === 'schemas' ? split(part)[1] : part)
    const key = kind === 'schemas' && !isWorthReference(text) ? undefined : `${kind} ${text}`
    this.#keys.set(part, key)
    return key
  }
}

function free(names: Names, used: ReadonlySet<string>): string {
  const plain = names.find((name) => !used.has(name))
  if (plain !== undefined) return plain
  let number = 2
  while (used.has(`${names[1]}${number}`)) number += 1
  return `${names[1]}${number}`
}

/**
 * Walks over the parts of a document: parameters, bodies, named schemas, and objects below a property; `replace` gives
 * each its new form.
 */
function through(document: OpenApiDocument, names: PartNames, replace: Replace): OpenApiDocument {
  const schema = (node: unknown, property: string): unknown => {
    if (Array.isArray(node)) return mapChildren(node, (item) => schema(item, property))
    if (!isObject(node)) return node
    const inside = (): Node =>
      mapChildren(node, (value, key) =>
        key === 'properties' && isObject(value)
          ? mapChildren(value, schema)
          : schema(value, key === 'items' ? property : ''),
      ) as Node
    const own =
      names.get(node) ?? (property === '' || !isObject(node.properties) ? undefined : placeNames(property, node))
    return own === undefined ? inside() : replace('schemas', node, own, inside)
  }
  const named = (kind: Kind, node: unknown): unknown => {
    const own = names.get(node)
    return own === undefined
      ? node
      : replace(kind, node as Node, own, () => mapChildren(node, (value) => schema(value, '')) as Node)
  }
  const parameters = (list: unknown): unknown => mapChildren(list, (one) => named('parameters', one))
  const operation = (node: unknown): unknown =>
    mapChildren(node, (value, key) => {
      if (key === 'parameters') return parameters(value)
      return key === 'requestBody' ? named('requestBodies', value) : key === 'responses' ? schema(value, '') : value
    })
  const item = (node: unknown): unknown =>
    mapChildren(node, (value, key) => (key === 'parameters' ? parameters(value) : operation(value)))
  const { components, paths } = document
  return {
    ...document,
    paths: mapChildren(paths, item),
    components: mapChildren(components, (node) => schema(node, '')),
  } as OpenApiDocument
}

/** A small object is named after its properties, `IdName`, a larger one after its place, `UserPart`. */
function placeNames(property: string, { type, properties }: Node): Names {
  const inside = Object.keys(Object(properties))
  const plain = inside.length <= 3 ? inside.map(pascal).join('') : `${pascal(singular(property))}Part`
  const name = `${plain}${Array.isArray(type) ? 'OrNull' : ''}`
  return [name, name]
}

/** The schemas by name. One that equals an earlier one becomes a reference to it, with its own description. */
function aliased(schemas: Readonly<Record<string, JsonSchema>>): Readonly<Record<string, JsonSchema>> {
  const first = new Map<string, string>()
  const short: Record<string, JsonSchema> = {}
  for (const [name, schema] of Object.entries(schemas)) {
    const [about, value] = split(schema)
    const text = JSON.stringify(value)
    // A schema without a description would be shown with that of the other.
    const key = `${'description' in about} ${text}`
    const known = isWorthReference(text) ? first.get(key) : undefined
    short[name] = known === undefined ? schema : { ...schemaRef(known), ...about }
    if (known === undefined) first.set(key, name)
  }
  return short
}

function sorted(parts: Readonly<Record<string, Node>>): Readonly<Record<string, Node>> {
  return Object.fromEntries(Object.entries(parts).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/**
 * `whole` as `allOf` of the schema `name` with the content `base`, and the differences; `whole` itself where that is
 * shorter, or lacks a property of `base`.
 */
export function folded(whole: JsonSchema, name: string, base: JsonSchema): JsonSchema {
  if (isDeepStrictEqual(whole, base)) return schemaRef(name)
  const [all, inherited] = [propertiesOf(whole), propertiesOf(base)]
  const required = requiredOf(whole)
  const lost = [...Object.keys(inherited), ...requiredOf(base)]
  if (!lost.every((key) => key in all) || !requiredOf(base).every((key) => required.includes(key))) return whole
  const { properties, required: _, ...about } = whole
  const own = Object.fromEntries(
    Object.entries(all).filter(([key, schema]) => !(key in inherited && isDeepStrictEqual(inherited[key], schema))),
  )
  const more = required.filter((key) => !requiredOf(base).includes(key))
  // Generators read `required` of the other schema's properties next to `allOf`, not inside it.
  const made = {
    ...about,
    allOf: [schemaRef(name)],
    ...(Object.keys(own).length === 0 ? {} : { properties: own }),
    ...(more.length === 0 ? {} : { required: more }),
  }
  return JSON.stringify(made).length < JSON.stringify(whole).length ? made : whole
}

function propertiesOf({ properties }: JsonSchema): Readonly<Record<string, unknown>> {
  return (properties ?? {}) as Readonly<Record<string, unknown>>
}

function requiredOf({ required }: JsonSchema): readonly string[] {
  return (required ?? []) as readonly string[]
}
