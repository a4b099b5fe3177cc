/** Nodes of documents whose parts may come from several files: each keeps the place at which it was written. */
import { isObject, type JsonObject } from '../json.ts'
import type { Document, Path } from './definition.ts'

/** A document, or a node of one. */
export interface DocumentNode extends Document<unknown> {
  /** The keys that lead to it; absent for a whole document. */
  readonly at?: Path
}

/** The node below a key or index. */
export function within(whole: DocumentNode, key: string | number): DocumentNode {
  const { value, at = [] } = whole
  const below = Array.isArray(value) ? value[Number(key)] : isObject(value) ? value[key] : undefined
  return { value: below, place: (path, side) => whole.place([key, ...path], side), at: [...at, key] }
}

/** The nodes of a list; none where the node is no list. */
export function itemsOf(list: DocumentNode): readonly DocumentNode[] {
  return Array.isArray(list.value) ? list.value.map((_item, index) => within(list, index)) : []
}

/** The nodes of a map, by key; none where the node is no map. */
export function entriesOf(map: DocumentNode): ReadonlyMap<string, DocumentNode> {
  return new Map(isMapNode(map) ? Object.keys(map.value).map((key) => [key, within(map, key)]) : [])
}

export function isMapNode(one: DocumentNode): one is DocumentNode & { readonly value: JsonObject } {
  return isObject(one.value)
}

/** A map of nodes; a path that leads nowhere has the place of `own`. */
export function mapOf(children: ReadonlyMap<string, DocumentNode>, own: DocumentNode): DocumentNode {
  const value = Object.fromEntries([...children].map(([key, child]) => [key, child.value]))
  return placed(value, (key) => children.get(String(key)), own)
}

/** A list of nodes; a path that leads nowhere has the place of `own`. */
export function listOf(items: readonly DocumentNode[], own: DocumentNode): DocumentNode {
  return placed(
    items.map((item) => item.value),
    (key) => items[Number(key)],
    own,
  )
}

function placed(
  value: unknown,
  child: (key: string | number) => DocumentNode | undefined,
  own: DocumentNode,
): DocumentNode {
  const place: DocumentNode['place'] = (path, side) => {
    const [first, ...rest] = path
    const found = first === undefined ? undefined : child(first)
    return found === undefined ? own.place(path, side) : found.place(rest, side)
  }
  return { value, place, ...(own.at === undefined ? {} : { at: own.at }) }
}
