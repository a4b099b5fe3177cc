/** Who may do what, as a value that outlives the catalog it was made from. */

import type { Access, Catalog, Clause, Field, Filter, Relation, Resource } from '../catalog/catalog.ts'
import type { PolicyName } from '../definition/definition.ts'
import { leaves } from '../filter/walk.ts'
import type { BoundRoute } from '../http/bound-route.ts'
import { pathFromRoot } from '../http/table.ts'
import { type SeededRoles, seededRoles } from '../run/kept-roles.ts'
import { placeOf } from '../text/source.ts'
import { type KeptFilter, kept } from './kept-filter.ts'

/** One clause of a policy. */
export interface DescribedClause {
  readonly access: readonly Access[]
  readonly where?: KeptFilter
  /** Absent: every field. */
  readonly fields?: readonly string[]
  /** Field → what it is set to. */
  readonly set?: Readonly<Record<string, unknown>>
  /** `tickets.yaml:283:7`; absent in what is written down, which stays the same when lines move. */
  readonly place?: string
}

/** Who may read and write a part of a record; absent: everybody who may read or write the record. */
export interface DescribedPart {
  readonly read?: readonly Access[]
  readonly write?: readonly Access[]
  /** Whether a body may have it. */
  readonly sent?: true
}

export interface DescribedResource {
  readonly policies: Readonly<Record<PolicyName, readonly DescribedClause[]>>
  readonly parts: Readonly<Record<string, DescribedPart>>
  /** Views → who has them, as alternatives; null: everybody who sees the resource. Absent where there are none. */
  readonly views?: Readonly<Record<string, readonly (readonly Access[])[] | null>>
  /** Which records of its table are its own. */
  readonly scope?: KeptFilter
  /** Which of them exist for callers; null: all. Absent in what an earlier version of Plinth wrote down. */
  readonly live?: KeptFilter | null
  /** The fields that `live` speaks of, by which it is understood when they are gone. */
  readonly liveFields?: Readonly<Record<string, { readonly column: string; readonly type: string }>>
}

/** Who may do what in an application. */
export interface DescribedAccess {
  readonly resources: Readonly<Record<string, DescribedResource>>
  /** Routes of plugins, `POST /tickets/import` → who may call it. */
  readonly routes: Readonly<Record<string, 'public' | readonly Access[]>>
  /** The seeded roles with their permissions; absent where no plugin knows roles, and in what an earlier version wrote down. */
  readonly roles?: SeededRoles
}

/** The access that the catalog and the routes of plugins give; with places, if asked for. */
export function describeAccess(catalog: Catalog, routes: readonly BoundRoute[], places = false): DescribedAccess {
  const roles = seededRoles(catalog)
  return {
    ...(roles === undefined ? {} : { roles }),
    resources: Object.fromEntries(
      [...catalog.resources].map(([name, resource]) => [name, described(resource, places)]),
    ),
    routes: Object.fromEntries(
      // Who may call a resource's own is said by its policies.
      routes
        .filter(({ developing, plugin }) => plugin !== 'engine' && developing !== true)
        .map((route) => [`${route.method} ${pathFromRoot(route, catalog.prefix)}`, route.access]),
    ),
  }
}

function described(
  { policies, fields, relations, scope, live, screens }: Resource,
  places: boolean,
): DescribedResource {
  const clause = (one: Clause): DescribedClause =>
    places ? { ...clauseOf(one), place: placeOf(one.span) } : clauseOf(one)
  // An earlier name is answered as the present one is.
  const present = <T extends Field | Relation>(all: ReadonlyMap<string, T>): readonly T[] =>
    [...all.values()].filter(({ earlier }) => earlier === undefined)
  const parts = [...present(fields).map(fieldPart), ...present(relations).flatMap(relationParts)]
  return {
    policies: {
      view: policies.view.map(clause),
      create: policies.create.map(clause),
      update: policies.update.map(clause),
      delete: policies.delete.map(clause),
      restore: policies.restore.map(clause),
    },
    parts: Object.fromEntries(parts),
    ...(screens.views.size === 0
      ? {}
      : { views: Object.fromEntries([...screens.views].map(([name, { access }]) => [name, access ?? null])) }),
    ...(scope === undefined ? {} : { scope: kept(scope) }),
    live: live === undefined ? null : kept(live),
    ...(live === undefined ? {} : { liveFields: Object.fromEntries(ownFields(live)) }),
  }
}

type OwnField = readonly [name: string, where: { readonly column: string; readonly type: string }]

function ownFields(filter: Filter): readonly OwnField[] {
  return leaves(filter).flatMap((leaf) => {
    if (leaf.kind === 'related' || leaf.path.relations.length > 0) return []
    const { field } = leaf.path
    return [[field.name, { column: field.column, type: field.type.name }] as const]
  })
}

function clauseOf({ access, where, fields, set }: Clause): DescribedClause {
  return {
    access,
    ...(where === undefined ? {} : { where: kept(where) }),
    ...(fields === undefined ? {} : { fields: [...fields] }),
    ...(set.length === 0 ? {} : { set: Object.fromEntries(set.map((one) => [one.field.name, assigned(one)])) }),
  }
}

function assigned(assignment: Clause['set'][number]): unknown {
  if ('operand' in assignment) return assignment.operand
  const { resource, where } = assignment.selection
  return { resource, where: kept(where) }
}

type Named = readonly [name: string, part: DescribedPart]

function fieldPart({ name, type, read, write, readOnly, show }: Field): Named {
  const hidden = type.hidden === true || show === 'never'
  return [name, { ...guard('read', hidden ? [] : read), ...guard('write', write), ...(readOnly ? {} : { sent: true }) }]
}

function relationParts(relation: Relation): readonly Named[] {
  const own: Named = [relation.name, guard('read', relation.read)]
  return relation.kind === 'many_to_many'
    ? [own, [relation.writeAs, { ...guard('read', []), ...guard('write', relation.write), sent: true }]]
    : [own]
}

function guard(key: 'read' | 'write', access: readonly Access[] | undefined): DescribedPart {
  return access === undefined ? {} : { [key]: access }
}
