/** Keys of a whole file that are indented too far, so that they are inside another one: read where they belong. */
import { isObject, type Json, type JsonObject, type JsonSchema } from '../json.ts'
import type { Collected, Diagnostic } from '../text/diagnostic.ts'
import { branchesOf, resolveSchema } from './branch.ts'
import type { Document, Path } from './definition.ts'
import { judge } from './judge.ts'
import { isKind } from './sentence.ts'

/** How deep inside a file such a key is looked for: among the fields, or among the keys of one. */
const DEEPEST = 2

interface Misplaced {
  readonly key: string
  /** The map in which it is. */
  readonly within: Path
}

/** The document with such keys in their places, and a complaint for each map that had some. */
export function outdented(document: Document<unknown>, root: JsonSchema): Required<Collected<Document<unknown>>> {
  const value = document.value as Json
  if (!isObject(value)) return { value: document, diagnostics: [] }
  const found: Misplaced[] = []
  const properties = (root.properties ?? {}) as Readonly<Record<string, JsonSchema>>
  const free = (key: string): boolean => Object.hasOwn(properties, key) && !found.some((one) => one.key === key)
  /** Whether such a key may be in a map: in nearly all there is none, and the schemas of their values are not looked for. */
  const mayHold = (node: Json, depth: number): boolean =>
    isObject(node) &&
    depth <= DEEPEST &&
    Object.entries(node).some(([key, child]) => Object.hasOwn(properties, key) || mayHold(child, depth + 1))
  const look = (schemasOf: () => readonly JsonSchema[], node: Json, within: Path): Json => {
    if (!isObject(node) || !mayHold(node, within.length)) return node
    const schemas = schemasOf()
    if (schemas.length === 0) return node
    const kept = Object.entries(node).flatMap(([key, child]): (readonly [string, Json])[] => {
      const here = () => schemas.flatMap((schema) => schemasUnder(schema, key, root))
      if (free(key) && isMisplaced(child, here(), properties[key]!, root)) {
        found.push({ key, within })
        return []
      }
      return [[key, look(here, child, [...within, key])]]
    })
    return Object.fromEntries(kept)
  }
  const left = Object.fromEntries(
    Object.entries(value).map(([key, child]) => [key, look(() => schemasUnder(root, key, root), child, [key])]),
  )
  if (found.length === 0) return { value: document, diagnostics: [] }
  return { value: lifted(document, value, left, found), diagnostics: complaints(document, found) }
}

function lifted(document: Document<unknown>, value: JsonObject, left: JsonObject, found: readonly Misplaced[]) {
  const placed = found.map(({ key, within }) => [key, valueAt(value, [...within, key])] as const)
  const place: Document<unknown>['place'] = (path, part) => {
    const moved = found.find(({ key }) => key === path[0] && !Object.hasOwn(value, key))
    return document.place(moved === undefined ? path : [...moved.within, ...path], part)
  }
  return { value: { ...Object.fromEntries(placed), ...left }, place }
}

function valueAt(value: Json, path: Path): Json {
  return path.reduce((node: Json, step) => (node as JsonObject)[step] ?? null, value)
}

/** The schemas of the values that may be under a key; none where the key is unknown. */
function schemasUnder(schema: JsonSchema, key: string, root: JsonSchema): readonly JsonSchema[] {
  const properties = (schema.properties ?? {}) as Readonly<Record<string, JsonSchema>>
  const under: unknown = Object.hasOwn(properties, key) ? properties[key] : schema.additionalProperties
  if (!isObject(under as Json)) return []
  const resolved = resolveSchema(under as JsonSchema, root)
  return branchesOf(resolved, root) ?? [resolved]
}

/** Whether a value means more as that of the key of the file than as what may be where it is written. */
function isMisplaced(value: Json, here: readonly JsonSchema[], there: JsonSchema, root: JsonSchema): boolean {
  const schema = resolveSchema(there, root)
  if (value === null || !(branchesOf(schema, root) ?? [schema]).some((branch) => isKind(branch, value))) return false
  if (here.length === 0) return true
  const mistakes = (one: JsonSchema) => mistakesOf(one, value, root)
  return mistakes(there) < Math.min(...here.map((one) => (isOpen(one) && !isEmpty(value) ? 1 : mistakes(one))))
}

/** Whether a schema takes maps of every kind, as the options of a plugin are before it is loaded. */
function isOpen({ properties, additionalProperties, type }: JsonSchema): boolean {
  return properties === undefined && additionalProperties === undefined && [type].flat().includes('object')
}

function isEmpty(value: Json): boolean {
  return isObject(value) && Object.keys(value).length === 0
}

function mistakesOf(schema: JsonSchema, value: Json, root: JsonSchema): number {
  const nowhere = { source: { file: '', text: '' }, start: 0, end: 0 }
  const { diagnostics } = judge({ ...schema, definitions: root.definitions }, { value, place: () => nowhere })
  return diagnostics.length
}

function complaints(document: Document<unknown>, found: readonly Misplaced[]): readonly Diagnostic[] {
  const maps = new Map(found.map(({ within }) => [JSON.stringify(within), within]))
  return [...maps.values()].map((within): Diagnostic => {
    const keys = found.filter((one) => JSON.stringify(one.within) === JSON.stringify(within)).map(({ key }) => key)
    const [is, here, lines, belong] =
      keys.length === 1
        ? ['is', 'it is a key', 'its line', 'it belongs']
        : ['are', 'they are keys', 'their lines', 'they belong']
    const twice = keys.find((key) => Object.hasOwn(document.value as object, key))
    return {
      code: 'unknown_key',
      message: `${keys.map((key) => `"${key}"`).join(', ')} ${is} indented too far: here ${here} of "${within.at(-1)}"`,
      span: document.place([...within, keys[0]!], 'key'),
      hint:
        twice === undefined
          ? `begin ${lines} without blanks, because ${belong} to the whole file`
          : `the file has "${twice}" already: write the two as one`,
    }
  })
}
