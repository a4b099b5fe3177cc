/** Edits of a version that kinds of changes are made of. */
import type { Field, Relation, Resource, TypeName, Version } from './shape.ts'
import { certainValue, WORDS } from './values.ts'

/** What a change is made with: two drawn numbers, and numbers that no name has had yet. */
export interface Draw {
  readonly a: number
  readonly b: number
  fresh(): number
}

export type Edit = (version: Version, draw: Draw) => Version | undefined

/** Resources as they are called one after the other. */
const NAMES = ['apples', 'boats', 'cups', 'drums', 'eggs', 'forks', 'goats', 'hats', 'inks', 'jars', 'kites', 'lamps']

export function resourceName(number: number): string {
  return `${NAMES[number % NAMES.length]}${number < NAMES.length ? '' : number}`
}

export function replaced(version: Version, resource: Resource, changed: Partial<Resource>): Version {
  return version.map((one) => (one === resource ? { ...one, ...changed } : one))
}

export interface Place<T> {
  readonly resource: Resource
  readonly item: T
}

function chosen<T>(version: Version, items: (resource: Resource) => readonly T[], at: number): Place<T> | undefined {
  const all = version.flatMap((resource) => items(resource).map((item) => ({ resource, item })))
  return all[at % Math.max(all.length, 1)]
}

/** Changes one of the resources that `fits`. */
export function ofResource(
  fits: (resource: Resource, version: Version) => boolean,
  change: (resource: Resource, draw: Draw, version: Version) => Partial<Resource>,
): Edit {
  return (version, draw) => {
    const able = version.filter((one) => fits(one, version))
    const resource = able[draw.a % Math.max(able.length, 1)]
    return resource && replaced(version, resource, change(resource, draw, version))
  }
}

/** Whether something of the resource is made of the field, so that it cannot go alone. */
export function isUsed({ apart, fields, partial, rule, seeds }: Resource, { key }: Field): boolean {
  if (rule?.field === key || seeds?.field === key || apart?.includes(key) === true) return true
  if (partial?.field === key || partial?.where.field === key) return true
  if (seeds?.rows.some(({ also }) => also?.field === key) === true) return true
  return fields.some((one) => {
    const of = one.backfill !== undefined && 'of' in one.backfill ? one.backfill.of : undefined
    return one.sum?.includes(key) || one.follows === key || of === key
  })
}

/** Whether people write the field. */
export function isWritten({ type, sum, follows, total }: Field): boolean {
  return type !== 'sequence' && sum === undefined && follows === undefined && total === undefined
}

/** Changes one of the fields that `fits`; no field takes its place where `change` gives none. */
export function ofField(
  fits: (field: Field, resource: Resource) => boolean,
  change: (field: Field, draw: Draw, resource: Resource) => Field | undefined,
): Edit {
  return (version, draw) => {
    const place = chosen(version, (one) => one.fields.filter((field) => fits(field, one)), draw.a)
    if (place === undefined) return undefined
    const { resource, item } = place
    const now = change(item, draw, resource)
    const fields = resource.fields.flatMap((one) => (one === item ? (now ?? []) : [one]))
    return replaced(version, resource, { fields })
  }
}

export function ofRelation(
  fits: (relation: Relation, version: Version) => boolean,
  change: (relation: Relation, draw: Draw, version: Version, resource: Resource) => Relation | undefined,
): Edit {
  return (version, draw) => {
    const place = chosen(version, (one) => one.relations.filter((relation) => fits(relation, version)), draw.a)
    if (place === undefined) return undefined
    const { resource, item } = place
    const now = change(item, draw, version, resource)
    const relations = resource.relations.flatMap((one) => (one === item ? (now ?? []) : [one]))
    return replaced(version, resource, { relations })
  }
}

/** A field of its own name and key. */
export function newField(type: TypeName, draw: Draw, more: Partial<Field> = {}): Field {
  const name = `f${draw.fresh()}`
  return { key: name, name, type, ...(type === 'enum' ? { values: WORDS.slice(0, 3) } : {}), ...more }
}

export function addField(make: (draw: Draw, resource: Resource) => Field | undefined): Edit {
  return (version, draw) => {
    const resource = version[draw.a % Math.max(version.length, 1)]
    const field = resource && make(draw, resource)
    return field && replaced(version, resource, { fields: [...resource.fields, field] })
  }
}

export function newRelation(kind: Relation['kind'], target: Resource, draw: Draw): Relation {
  const name = `r${draw.fresh()}`
  return { key: name, name, kind, target: target.key }
}

const NOTHING = (): Partial<Relation> => ({})

/** Whether their own joining table is in use already: the pairs of both sides are the same. */
function isLinked(one: Resource, other: Resource): boolean {
  const leads = (from: Resource, to: Resource): boolean =>
    from.relations.some(({ kind, target, through }) => kind === 'many' && target === to.key && through === undefined)
  return leads(one, other) || leads(other, one)
}

export function addRelation(kind: Relation['kind'], more: (relation: Relation) => Partial<Relation> = NOTHING): Edit {
  return (version, draw) => {
    const resource = version[draw.a % Math.max(version.length, 1)]
    const target = version[draw.b % Math.max(version.length, 1)]
    if (resource === undefined || target === undefined) return undefined
    if (kind === 'many' && more === NOTHING && isLinked(resource, target)) return undefined
    const relation = newRelation(kind, target, draw)
    return replaced(version, resource, { relations: [...resource.relations, { ...relation, ...more(relation) }] })
  }
}

export function newResource(draw: Draw): Resource {
  const number = draw.fresh()
  const key = `R${number}`
  return { key, name: resourceName(number), softDelete: false, timestamps: false, fields: [], relations: [] }
}

/** What null becomes in a field of this type. */
export function backfilled(field: Field, drawn: number): Field {
  return { ...field, backfill: { value: certainValue(field, drawn) } }
}
