/** Parts of a document that keep their places, also when one layer is written over another. */
import type { Document, Path } from '../definition/definition.ts'
import type { Span } from '../text/source.ts'

/** The part of a document at a path, as a document of its own. */
export function inside<T>(document: Document<unknown>, path: Path, value: T): Document<T> {
  return { value, place: (deeper, part) => document.place([...path, ...deeper], part) }
}

/** Two maps as one: keys of `over` win, and every key keeps the place it was written at. */
export function layered<T extends object>(over: Document<T | null>, under: Document<T>): Document<T> {
  const own = over.value ?? {}
  return {
    value: { ...under.value, ...own },
    place: (path: Path, part?: 'key' | 'value'): Span => {
      const key = path[0]
      return key === undefined || Object.hasOwn(own, String(key)) ? over.place(path, part) : under.place(path, part)
    },
  }
}

/** The entries of a map inside a document, each as a document. */
export function entries<T>(
  document: Document<unknown>,
  path: Path,
  map: { readonly [name: string]: T } | undefined,
): readonly (readonly [string, Document<T>])[] {
  return Object.entries(map ?? {}).map(([name, value]) => [name, inside(document, [...path, name], value)] as const)
}
