/** An earlier description of access by the names of today, so that what only has another name is no change of access. */
import type { Access, Catalog, Resource } from '../catalog/catalog.ts'
import { nameChanges, renamedPermissions } from '../migration/names/name-change.ts'
import type { Caller } from './compare.ts'
import type { DescribedAccess, DescribedClause, DescribedPart, DescribedResource } from './description.ts'
import { type KeptFilter, renamedFilter } from './kept-filter.ts'

interface Renaming {
  readonly catalog: Catalog
  /** Earlier name → present name. */
  readonly resources: ReadonlyMap<string, string>
  readonly permissions: ReadonlyMap<string, string>
}

function renamingOf(catalog: Catalog): Renaming {
  const changes = nameChanges(catalog)
  const renamed = changes.flatMap((one) => (one.kind === 'resource' ? [one] : []))
  return {
    catalog,
    resources: new Map(renamed.map(({ from, to }) => [from, to])),
    permissions: new Map(renamed.flatMap((one) => renamedPermissions(catalog, one))),
  }
}

/** The description with the resources, fields, relations and permissions that the YAML renames under their present names. */
export function inPresentNames(catalog: Catalog, before: DescribedAccess): DescribedAccess {
  const renaming = renamingOf(catalog)
  const nameOf = (name: string): string => {
    const now = renaming.resources.get(name) ?? name
    return Object.hasOwn(before.resources, now) ? name : now
  }
  return {
    resources: entries(before.resources, (name, one) => {
      const now = nameOf(name)
      const resource = catalog.resources.get(now)
      return [now, resource === undefined ? one : described(renaming, resource, one)]
    }),
    routes: entries(before.routes, (route, access) => [
      route,
      access === 'public' ? access : access.map((one) => ruled(renaming, one)),
    ]),
    ...(before.roles === undefined
      ? {}
      : {
          roles: entries(before.roles, (role, held) => [role, held.map((one) => renaming.permissions.get(one) ?? one)]),
        }),
  }
}

/** Callers with the permissions as a migration to the catalog carries them. */
export function withPresentPermissions(catalog: Catalog, callers: readonly Caller[]): readonly Caller[] {
  const { permissions } = renamingOf(catalog)
  if (permissions.size === 0) return callers
  return callers.map(({ actor, name }) => {
    const held = [...actor.permissions].map((one) => permissions.get(one) ?? one)
    return { name, actor: { ...actor, permissions: new Set(held) } }
  })
}

function entries<V, W>(
  values: Readonly<Record<string, V>>,
  change: (key: string, value: V) => readonly [string, W],
): Readonly<Record<string, W>> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => change(key, value)))
}

function described(
  renaming: Renaming,
  resource: Resource,
  { live, liveFields, parts, policies, scope, views }: DescribedResource,
): DescribedResource {
  const filter = (one: KeptFilter): KeptFilter => renamedFilter(renaming.catalog, resource, one)
  const clauses = (all: readonly DescribedClause[]) => all.map((one) => clauseOf(renaming, resource, one))
  const known = Object.entries(parts).filter(([name]) => {
    const now = partName(resource, name)
    return now === name || !Object.hasOwn(parts, now)
  })
  return {
    policies: {
      view: clauses(policies.view),
      create: clauses(policies.create),
      update: clauses(policies.update),
      delete: clauses(policies.delete),
      restore: clauses(policies.restore),
    },
    parts: Object.fromEntries(known.map(([name, part]) => [partName(resource, name), partOf(renaming, part)])),
    ...(views === undefined
      ? {}
      : {
          views: entries(views, (name, access) => [
            name,
            access === null ? null : access.map((one) => one.map((rule) => ruled(renaming, rule))),
          ]),
        }),
    ...(scope === undefined ? {} : { scope: filter(scope) }),
    ...(live === undefined ? {} : { live: live && filter(live) }),
    ...(liveFields === undefined
      ? {}
      : { liveFields: entries(liveFields, (name, where) => [partName(resource, name), where]) }),
  }
}

function partName({ earlier }: Resource, name: string): string {
  return earlier?.names.get(name)?.instead ?? name
}

function partOf(renaming: Renaming, { read, write, sent }: DescribedPart): DescribedPart {
  const all = (rules: readonly Access[]) => rules.map((one) => ruled(renaming, one))
  return {
    ...(read === undefined ? {} : { read: all(read) }),
    ...(write === undefined ? {} : { write: all(write) }),
    ...(sent === undefined ? {} : { sent }),
  }
}

function clauseOf(renaming: Renaming, resource: Resource, clause: DescribedClause): DescribedClause {
  const { access, where, fields, set } = clause
  return {
    ...clause,
    access: access.map((one) => ruled(renaming, one)),
    ...(where === undefined ? {} : { where: renamedFilter(renaming.catalog, resource, where) }),
    ...(fields === undefined ? {} : { fields: [...new Set(fields.map((name) => partName(resource, name)))] }),
    ...(set === undefined
      ? {}
      : { set: entries(set, (name, value) => [partName(resource, name), selected(renaming, value)]) }),
  }
}

/** What a clause sets, where that is a record that a condition finds. */
function selected({ catalog, resources }: Renaming, value: unknown): unknown {
  if (!isSelection(value)) return value
  const name = resources.get(value.resource) ?? value.resource
  const resource = catalog.resources.get(name)
  return { resource: name, where: resource === undefined ? value.where : renamedFilter(catalog, resource, value.where) }
}

function isSelection(value: unknown): value is { readonly resource: string; readonly where: KeptFilter } {
  return typeof value === 'object' && value !== null && 'resource' in value && 'where' in value
}

function ruled({ permissions }: Renaming, access: Access): Access {
  if (access.kind !== 'permission') return access
  return { ...access, permission: permissions.get(access.permission) ?? access.permission }
}
