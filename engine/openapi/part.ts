/** A part of the document: the routes of some resources or groups alone, with the components that these refer to. */
import type { Catalog } from '../catalog/catalog.ts'
import { fieldLabel } from '../catalog/name.ts'
import type { FieldDefinition } from '../definition/definition.ts'
import { invalid } from '../error.ts'
import { FIELD_TYPES } from '../field/index.ts'
import { type FieldError, fieldError } from '../field-error.ts'
import type { BoundRoute } from '../http/bound-route.ts'
import { isResourceRoute } from '../http/resource-routes.ts'
import type { Json } from '../json.ts'
import { LIMITS } from '../limits.ts'
import { resolveFields } from '../resolve/fields.ts'
import { nearest } from '../text/nearest.ts'

const NAMES: FieldDefinition = { type: 'list', of: 'string', max_items: LIMITS.documentGroups }

/** The parameters that choose a part. */
export const PART_QUERY =
  resolveFields(
    {
      resource: { ...NAMES, description: 'Only the routes of these resources, with what they refer to.' },
      group: { ...NAMES, description: 'Only the routes of these groups; `info.x-groups` of a part names them all.' },
    },
    new Map(FIELD_TYPES.map((type) => [type.name, type])),
  ).value ?? []

interface Describing {
  readonly catalog: Pick<Catalog, 'resources'>
  readonly routes: readonly BoundRoute[]
}

/** The groups of the document that a query asks for. */
export interface WantedPart {
  readonly resource?: readonly string[]
  readonly group?: readonly string[]
}

/** What the parameters ask for; undefined: the whole document. */
export function wantedPart({ resource, group }: Readonly<Record<string, Json>>): WantedPart | undefined {
  const wanted = { ...(isNamed(resource) ? { resource } : {}), ...(isNamed(group) ? { group } : {}) }
  return Object.keys(wanted).length === 0 ? undefined : wanted
}

function isNamed(value: Json | undefined): value is string[] {
  return Array.isArray(value) && value.length > 0
}

/** The group of a route: the label of its resource, or of the one that its path begins with. */
export function tagOf(route: BoundRoute): string {
  if (isResourceRoute(route)) return fieldLabel((route.parent ?? route.resource).name)
  const tag = route.tag ?? route.plugin
  return /^[a-z]/.test(tag) ? fieldLabel(tag) : tag
}

/**
 * What a part describes, of what a whole document would. Throws validation_failed for a name that the whole document has
 * not, with the nearest one that it has.
 */
export function partOf<Whole extends Describing>(described: Whole, { resource = [], group = [] }: WantedPart) {
  const groups = [...new Set(described.routes.map(tagOf))].sort()
  const known = new Set(groups)
  const resources = [...described.catalog.resources.keys()].filter((name) => known.has(fieldLabel(name)))
  const errors: Record<string, readonly FieldError[]> = {
    ...unknown('resource', resource, resources),
    ...unknown('group', group, groups),
  }
  if (Object.keys(errors).length > 0) throw invalid(errors)
  const wanted = new Set([...resource.map(fieldLabel), ...group])
  return { ...described, routes: described.routes.filter((route) => wanted.has(tagOf(route))), groups }
}

function unknown(
  parameter: string,
  given: readonly string[],
  known: readonly string[],
): Readonly<Record<string, readonly FieldError[]>> {
  const others = given.filter((name) => !known.includes(name)).slice(0, LIMITS.queryErrors)
  if (others.length === 0) return {}
  const errors = others.map((name) => {
    const meant = nearest(name, known)
    const hint = meant === undefined ? '' : `; did you mean "${meant}"?`
    return fieldError('invalid', `There is no ${parameter} "${name.slice(0, 64)}" in this document${hint}`)
  })
  return { [parameter]: errors }
}
