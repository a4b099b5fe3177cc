/** Conditions by the names in them, so that they outlive their catalog, and linked again to the catalog of another day. */
import type { BelongsTo, Catalog, Field, FieldPath, Filter, Resource, WayPath } from '../catalog/catalog.ts'
import { targetOf } from '../catalog/stored.ts'
import type { FilterOf } from '../filter/filter.ts'
import { type Linker, linkWith, mapLeaves } from '../filter/walk.ts'

/** A condition whose paths are names: `['user', 'role', 'slug']`. */
export type KeptFilter = FilterOf<readonly string[]>

/** The condition by its names. */
export function kept(filter: Filter): KeptFilter {
  return mapLeaves(filter, (leaf): KeptFilter => {
    if (leaf.kind === 'compare') {
      const { operand } = leaf
      const about = operand.kind === 'record' || operand.kind === 'before'
      return { ...leaf, path: names(leaf.path), operand: about ? { ...operand, path: names(operand.path) } : operand }
    }
    const { path, of, seen, ...rest } = leaf
    const way = [...path.relations, path.many].map(({ name }) => name)
    return { ...rest, path: way, of: kept(of), ...(seen === undefined ? {} : { seen: kept(seen) }) }
  })!
}

function names({ relations, field }: FieldPath): readonly string[] {
  return [...relations.map(({ name }) => name), field.name]
}

/** The condition on records of a resource with the present names of what the catalog renames. */
export function renamedFilter(catalog: Catalog, resource: Resource, filter: KeptFilter): KeptFilter {
  const renamed = (about: Resource | undefined, part: KeptFilter): KeptFilter =>
    mapLeaves(part, (leaf): KeptFilter => {
      const { at, path } = presentPath(catalog, about, leaf.path)
      if (leaf.kind === 'compare') {
        const { operand } = leaf
        const about = operand.kind === 'record' || operand.kind === 'before'
        const other = about ? { ...operand, path: presentPath(catalog, resource, operand.path).path } : operand
        return { ...leaf, path, operand: other }
      }
      const { of, seen } = leaf
      return { ...leaf, path, of: renamed(at, of), ...(seen === undefined ? {} : { seen: renamed(at, seen) }) }
    })!
  return renamed(resource, filter)
}

/** A path with present names, and the resource that it leads to where it ends at a relation. */
function presentPath(catalog: Catalog, from: Resource | undefined, path: readonly string[]) {
  let at = from
  const names = path.map((name): string => {
    const now = at?.earlier?.names.get(name)?.instead ?? name
    const relation = at?.relations.get(now)
    at = relation && targetOf(catalog, relation)
    return now
  })
  return { at, path: names }
}

/** The condition on records of a resource as the catalog knows it; undefined where a name of it leads nowhere any more. */
export function linkedAgain(catalog: Catalog, resource: Resource, filter: KeptFilter): Filter | undefined {
  const linker: Linker<readonly string[], FieldPath, WayPath, Resource> = {
    compare: (part, about) => {
      const path = fieldPath(catalog, about, part.path)
      const { operand } = part
      if (path === undefined) return undefined
      if (operand.kind !== 'record' && operand.kind !== 'before') return { ...part, path, operand }
      const other = fieldPath(catalog, resource, operand.path)
      return other && { ...part, path, operand: { ...operand, path: other } }
    },
    related: (part, about, inner) => {
      const way = wayPath(catalog, about, part.path)
      const of = way && inner(targetOf(catalog, way.many))
      return of && { ...part, path: way, of, seen: undefined }
    },
  }
  return linkWith(linker, filter, resource)
}

/** A part of a resource on another's table may leave out what the whole table has. */
function either(catalog: Catalog, resource: Resource): readonly Resource[] {
  const owner = catalog.resources.get(resource.owner)
  return owner === undefined ? [resource] : [resource, owner]
}

function fieldPath(catalog: Catalog, from: Resource, path: readonly string[]): FieldPath | undefined {
  const led = follow(catalog, from, path.slice(0, -1))
  const name = path.at(-1) ?? ''
  const field = led && firstOf<Field>(either(catalog, led.at).map(({ fields }) => fields.get(name)))
  return led && field && { relations: led.relations, field }
}

function wayPath(catalog: Catalog, from: Resource, path: readonly string[]): WayPath | undefined {
  const led = follow(catalog, from, path.slice(0, -1))
  const name = path.at(-1) ?? ''
  const many = led && firstOf(either(catalog, led.at).map(({ relations }) => relations.get(name)))
  return led && many && { relations: led.relations, many }
}

function follow(catalog: Catalog, from: Resource, path: readonly string[]) {
  const relations: BelongsTo[] = []
  let at = from
  for (const name of path) {
    const relation = firstOf(either(catalog, at).map((one) => one.relations.get(name)))
    if (relation?.kind !== 'belongs_to') return undefined
    relations.push(relation)
    at = targetOf(catalog, relation)
  }
  return { at, relations }
}

function firstOf<T>(found: readonly (T | undefined)[]): T | undefined {
  return found.find((one) => one !== undefined)
}
