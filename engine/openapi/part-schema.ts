/** Objects inside schemas that are equal become one schema with references to it. */
import { singular } from '../catalog/name.ts'
import { isObject, type JsonSchema } from '../json.ts'
import type { Pieces } from '../turns.ts'
import { isWorthReference, mapChildren, schemaRef, split } from './schema.ts'
import { pascal } from './type-name.ts'

/** `node` with references, and the schemas that they refer to by name; `taken` are names of other schemas. */
export function* withParts<T>(
  node: T,
  taken: readonly string[],
): Pieces<{ readonly node: T; readonly parts: Readonly<Record<string, JsonSchema>> }> {
  const keys = new Map<JsonSchema, string | undefined>()
  const times = new Map<string, number>()
  look(node, '', (schema) => {
    const key = keyOf(schema)
    keys.set(schema, key)
    if (key !== undefined) times.set(key, (times.get(key) ?? 0) + 1)
  })
  yield
  const names = new Map<string, string>()
  const parts: Record<string, JsonSchema> = {}
  const used = new Set(taken)
  const changed = visit(node, '', (property, schema, inside) => {
    const key = keys.get(schema)
    if (key === undefined || (times.get(key) ?? 0) < 2) return undefined
    const name = names.get(key) ?? freeName(property, schema, used)
    names.set(key, name)
    used.add(name)
    const [about, value] = split(inside())
    parts[name] = value
    return { ...schemaRef(name), ...about }
  })
  return { node: changed as T, parts }
}

/** Tells every object with properties that stands under a name. */
function look(node: unknown, property: string, tell: (schema: JsonSchema) => void): void {
  if (Array.isArray(node)) for (const item of node) look(item, property, tell)
  if (!isObject(node)) return
  if (property !== '' && isObject(node.properties)) tell(node)
  for (const [key, value] of Object.entries(node)) {
    if (key !== 'properties' || !isObject(value)) look(value, key === 'items' ? property : '', tell)
    else for (const [name, one] of Object.entries(value)) look(one, name, tell)
  }
}

/** Is called with each object that has properties and with the name of its key; gives the node to put in its place, or undefined to leave it. */
type Change = (property: string, schema: JsonSchema, inside: () => JsonSchema) => JsonSchema | undefined

function visit(node: unknown, property: string, change: Change): unknown {
  if (Array.isArray(node)) return mapChildren(node, (item) => visit(item, property, change))
  if (!isObject(node)) return node
  const inside = (): JsonSchema =>
    mapChildren(node, (value, key) =>
      key === 'properties' && isObject(value)
        ? mapChildren(value, (one, name) => visit(one, name, change))
        : visit(value, key === 'items' ? property : '', change),
    ) as JsonSchema
  const shared = property !== '' && isObject(node.properties) ? change(property, node, inside) : undefined
  return shared ?? inside()
}

function keyOf(schema: JsonSchema): string | undefined {
  const text = JSON.stringify(split(schema)[1])
  return isWorthReference(text) ? text : undefined
}

/** A small object is called by its properties, `IdName`, a larger one by its place, `UserPart`; with a number where that is taken. */
function freeName(property: string, { type, properties }: JsonSchema, used: ReadonlySet<string>): string {
  const inside = Object.keys(Object(properties))
  const plain = inside.length <= 3 ? inside.map(pascal).join('') : `${pascal(singular(property))}Part`
  const name = `${plain}${Array.isArray(type) ? 'OrNull' : ''}`
  let free = name
  for (let number = 2; used.has(free); number += 1) free = `${name}${number}`
  return free
}
