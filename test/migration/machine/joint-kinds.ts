/** The kinds of changes in which several fields, records or resources meet, each by its name. */
import { addField, type Draw, type Edit, isWritten, newField, ofField, ofResource, replaced } from './edit.ts'
import { isInteger, UNIQUE } from './field-kinds.ts'
import type { Field, Relation, Resource, SeedRow, Version } from './shape.ts'
import { certainValue } from './values.ts'

const CONDITIONS: ReadonlySet<string> = new Set(['boolean', 'enum', 'string', 'integer'])

/** The fields of a unique index and of its condition. */
function partialOf({ fields }: Resource, drawn: number): readonly [Field, Field] | undefined {
  const pairs = fields
    .filter(isWritten)
    .flatMap((field, _, all) =>
      all.flatMap((other): (readonly [Field, Field])[] =>
        field !== other && UNIQUE.has(field.type) && CONDITIONS.has(other.type) ? [[field, other]] : [],
      ),
    )
  return pairs[drawn % Math.max(pairs.length, 1)]
}

function daysOf(resource: Resource): readonly [string, string] | undefined {
  const [from, to] = resource.fields.filter((field) => field.type === 'date' && isWritten(field))
  return from && to && [from.key, to.key]
}

/** The field by which a resource knows its seeds, or could. */
function seedKey({ fields, seeds }: Resource): string | undefined {
  return seeds?.field ?? fields.find(({ type, required }) => type === 'string' && required !== true)?.key
}

function seeded({ seeds }: Resource, field: string, row: SeedRow): Partial<Resource> {
  return { seeds: { field, rows: [...(seeds?.rows ?? []), row] } }
}

/** A field that a seed may have a value in beside its key: one that must be unique before others. */
function besideKey(resource: Resource): Field | undefined {
  const key = seedKey(resource)
  const able = resource.fields.filter((field) => isWritten(field) && field.key !== key && field.type !== 'list')
  const isTaken = (field: Field) => field.unique === true || resource.partial?.field === field.key
  return able.find(isTaken) ?? able.find(({ key: one }) => resource.apart?.includes(one)) ?? able[0]
}

interface Reference {
  readonly relation: Relation
  readonly word: string
}

function referenceOf(resource: Resource, version: Version, drawn: number): Reference | undefined {
  const all = resource.relations.flatMap((relation) => {
    const target = version.find(({ key }) => key === relation.target)
    return relation.kind === 'one' ? (target?.seeds?.rows ?? []).map(({ word }) => ({ relation, word })) : []
  })
  return all[drawn % Math.max(all.length, 1)]
}

/** Adds a number to the resource that a relation leads to. */
function addTotal(more: (draw: Draw) => Partial<Field>): Edit {
  return (version, draw) => {
    const ways = version.flatMap((from) =>
      from.relations.flatMap((relation) => {
        const target = version.find(({ key }) => key === relation.target)
        return relation.kind === 'one' && target !== undefined && target !== from ? [{ from, relation, target }] : []
      }),
    )
    const way = ways[draw.a % Math.max(ways.length, 1)]
    if (way === undefined) return undefined
    const of = draw.b % 3 === 0 ? undefined : way.from.fields.find(isInteger)?.key
    const total = { from: way.from.key, by: way.relation.key, of }
    const field = newField('integer', draw, { default: 0, total, ...more(draw) })
    return replaced(version, way.target, { fields: [...way.target.fields, field] })
  }
}

export const JOINT_EDITS = {
  add_total: addTotal(() => ({})),
  add_total_begun: addTotal(({ b }) => ({ required: true, backfill: { value: b % 5 } })),
  end_total: ofField(
    ({ total }) => total !== undefined,
    ({ total: _, ...field }) => field,
  ),
  remove_total: ofField(
    ({ total }) => total !== undefined,
    () => undefined,
  ),
  add_days: addField((draw) => newField('date', draw)),
  add_apart: ofResource(
    (resource) => resource.apart === undefined && daysOf(resource) !== undefined,
    (resource) => ({ apart: daysOf(resource) ?? ['', ''] }),
  ),
  remove_apart: ofResource(
    ({ apart }) => apart !== undefined,
    () => ({ apart: undefined }),
  ),
  add_partial: ofResource(
    (resource) => resource.partial === undefined && partialOf(resource, 0) !== undefined,
    (resource, { b }) => {
      const [field, where] = partialOf(resource, b) ?? []
      if (field === undefined || where === undefined) return {}
      return { partial: { field: field.key, where: { field: where.key, value: certainValue(where, b) } } }
    },
  ),
  remove_partial: ofResource(
    ({ partial }) => partial !== undefined,
    () => ({ partial: undefined }),
  ),
  rename_condition: ofField(
    (field, { partial }) => partial?.where.field === field.key || partial?.field === field.key,
    (field, draw) => ({ ...field, name: `f${draw.fresh()}`, earlier: field.name }),
  ),
  add_seed_beside: ofResource(
    (resource) => seedKey(resource) !== undefined && besideKey(resource) !== undefined,
    (resource, draw) => {
      const beside = besideKey(resource)
      const also = beside && { field: beside.key, value: certainValue(beside, draw.b) }
      return seeded(resource, seedKey(resource) ?? '', { word: `seed ${draw.fresh()}`, ...(also && { also }) })
    },
  ),
  add_seed_naming: ofResource(
    (resource, version) => seedKey(resource) !== undefined && referenceOf(resource, version, 0) !== undefined,
    (resource, draw, version) => {
      const found = referenceOf(resource, version, draw.b)
      const names = found && { relation: found.relation.key, word: found.word }
      return seeded(resource, seedKey(resource) ?? '', { word: `seed ${draw.fresh()}`, ...(names && { names }) })
    },
  ),
} satisfies Readonly<Record<string, Edit>>

/** A number of which nothing that makes it is left is written by people. */
function withTotals(version: Version, field: Field, resource: Resource): Field {
  const { total, ...rest } = field
  if (total === undefined) return field
  const from = version.find(({ key }) => key === total.from)
  const relation = from?.relations.find(({ key }) => key === total.by)
  if (from === resource || relation?.kind !== 'one' || relation.target !== resource.key) return rest
  const of = from?.fields.find((one) => one.key === total.of && isInteger(one))?.key
  return { ...field, total: { ...total, of } }
}

/** Rows whose values and relations are left. */
function withSeeds(version: Version, { fields, relations, seeds }: Resource): Resource['seeds'] {
  if (seeds === undefined) return undefined
  const rows = seeds.rows.filter(({ also, names }) => {
    if (also !== undefined && !fields.some((field) => field.key === also.field && isWritten(field))) return false
    if (names === undefined) return true
    const relation = relations.find(({ key }) => key === names.relation)
    const target = version.find(({ key }) => key === relation?.target)
    return target?.seeds?.rows.some(({ word }) => word === names.word) === true
  })
  return rows.length === 0 ? undefined : { ...seeds, rows }
}

/** The version without what leads nowhere because its other side is gone. */
export function fitting(version: Version): Version {
  return version.map((resource) => {
    const fields = resource.fields.map((field) => withTotals(version, field, resource))
    return { ...resource, fields, seeds: withSeeds(version, resource) }
  })
}
