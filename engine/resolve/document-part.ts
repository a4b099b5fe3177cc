/** Parts of a document that keep their places, also when one layer is written over another. */
import type { Document, Path, RenameDefinition } from '../definition/definition.ts'
import type { Span } from '../text/source.ts'

/** Gives the place of a part of a document. */
export type Place = (path: Path, part?: 'key' | 'value') => Span

/** Places relative to a path. */
export function under(place: Place, ...above: Path): Place {
  return (path, part) => place([...above, ...path], part)
}

/** The part of a document at a path, as a document of its own. */
export function inside<T>(document: Document<unknown>, path: Path, value: T): Document<T> {
  return { value, place: under(document.place, ...path) }
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

/** The earlier name with its days; undefined where there is none. */
export function renameOf(value: string | RenameDefinition | undefined): RenameDefinition | undefined {
  return typeof value === 'string' ? { name: value } : value
}
