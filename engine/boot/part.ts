/** Pieces of YAML documents put together to new documents: each piece goes on knowing where it stands. */
import type { Document, Path } from '../definition/definition.ts'
import { isObject } from '../json.ts'

/** A document, or a node of one. */
export type Part = Document<unknown>

/** The node below a key or index. */
export function within(whole: Part, key: string | number): Part {
  const { value } = whole
  const below = Array.isArray(value) ? value[Number(key)] : isObject(value) ? value[key] : undefined
  return { value: below, place: (path, side) => whole.place([key, ...path], side) }
}

/** A map of nodes; what stands nowhere in it is shown at `own`. */
export function mapOf(children: ReadonlyMap<string, Part>, own: Part): Part {
  const value = Object.fromEntries([...children].map(([key, child]) => [key, child.value]))
  return { value, place: placeIn((key) => children.get(String(key)), own) }
}

/** A list of nodes; what stands nowhere in it is shown at `own`. */
export function listOf(items: readonly Part[], own: Part): Part {
  return { value: items.map((item) => item.value), place: placeIn((key) => items[Number(key)], own) }
}

function placeIn(child: (key: string | number) => Part | undefined, own: Part): Part['place'] {
  return (path: Path, side) => {
    const [first, ...rest] = path
    const found = first === undefined ? undefined : child(first)
    return found === undefined ? own.place(path, side) : found.place(rest, side)
  }
}
