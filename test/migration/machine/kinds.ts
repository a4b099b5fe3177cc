/** The kinds of changes that a version can make to the one before, each by its name. */
import {
  addRelation,
  type Draw,
  type Edit,
  newField,
  newResource,
  ofRelation,
  ofResource,
  resourceName,
} from './edit.ts'
import { FIELD_EDITS, isInteger } from './field-kinds.ts'
import { JOINT_EDITS } from './joint-kinds.ts'
import { keyOf, type Resource, tableOf } from './shape.ts'

export const EDITS = {
  ...FIELD_EDITS,
  ...JOINT_EDITS,
  add_one: addRelation('one'),
  add_many: addRelation('many'),
  add_many_through: addRelation('many', ({ name }) => ({ through: `joined_${name}` })),
  remove_one: ofRelation(
    ({ kind }) => kind === 'one',
    () => undefined,
  ),
  remove_many: ofRelation(
    ({ kind }) => kind === 'many',
    () => undefined,
  ),
  rename_one: ofRelation(
    ({ kind }) => kind === 'one',
    (one, draw) => ({ ...one, name: `r${draw.fresh()}`, earlier: one.name }),
  ),
  rename_many: ofRelation(
    ({ kind }) => kind === 'many',
    (one, draw) => ({ ...one, name: `r${draw.fresh()}`, earlier: one.name }),
  ),
  retarget_one: ofRelation(
    ({ kind }, version) => kind === 'one' && version.length > 1,
    (one, draw, version) => {
      const others = version.filter(({ key }) => key !== one.target)
      return { ...one, target: others[draw.b % others.length]?.key ?? one.target }
    },
  ),
  require_one: ofRelation(
    ({ kind, required }) => kind === 'one' && required !== true,
    (one) => ({ ...one, required: true }),
  ),
  relax_one: ofRelation(
    ({ required }) => required === true,
    ({ required: _, ...one }) => one,
  ),
  other_key: ofRelation(
    ({ kind }) => kind === 'one',
    (one, draw) => ({ ...one, column: `c${draw.fresh()}_id` }),
  ),
  other_through: ofRelation(
    ({ kind }) => kind === 'many',
    (one, draw) => ({ ...one, through: `joined_${draw.fresh()}` }),
  ),
  keep_key: ofRelation(
    ({ kind }) => kind === 'one',
    (one, draw) => ({ ...one, column: keyOf(one), name: `r${draw.fresh()}`, earlier: one.name }),
  ),
  soft_delete: ofResource(
    ({ softDelete }) => !softDelete,
    () => ({ softDelete: true }),
  ),
  no_soft_delete: ofResource(
    ({ softDelete }) => softDelete,
    () => ({ softDelete: false }),
  ),
  add_timestamps: ofResource(
    ({ timestamps }) => !timestamps,
    () => ({ timestamps: true }),
  ),
  remove_timestamps: ofResource(
    ({ timestamps }) => timestamps,
    () => ({ timestamps: false }),
  ),
  add_rule: ofResource(
    ({ rule, fields }) => rule === undefined && fields.some(isInteger),
    ({ fields }, { b }) => ({ rule: { field: fields.find(isInteger)?.key ?? '', not: b % 13 } }),
  ),
  remove_rule: (version: Parameters<Edit>[0], draw: Draw) => {
    const able = version.filter(({ rule }) => rule !== undefined)
    const found = able[draw.a % Math.max(able.length, 1)]
    return found && version.map((one) => (one === found ? without(one) : one))
  },
  add_seed: ofResource(
    ({ fields }) => fields.some(({ type, required }) => type === 'string' && required !== true),
    ({ fields, seeds }, draw) => {
      const field = seeds?.field ?? fields.find(({ type }) => type === 'string')?.key ?? ''
      return { seeds: { field, rows: [...(seeds?.rows ?? []), { word: `seed ${draw.fresh()}` }] } }
    },
  ),
  add_resource: (version: Parameters<Edit>[0], draw: Draw) => {
    return version.length > 3 ? undefined : [...version, { ...newResource(draw), fields: [newField('string', draw)] }]
  },
  remove_resource: (version: Parameters<Edit>[0], draw: Draw) => {
    if (version.length < 2) return undefined
    const gone = version[draw.a % version.length]
    return version
      .filter((one) => one !== gone)
      .map((one) => ({ ...one, relations: one.relations.filter(({ target }) => target !== gone?.key) }))
  },
  rename_resource: ofResource(
    ({ key, seeds }, version) => !hasMany(version, key) && seeds === undefined,
    renamedResource,
  ),
  rename_seeded_resource: ofResource(
    ({ key, seeds }, version) => !hasMany(version, key) && seeds !== undefined,
    renamedResource,
  ),
  rename_linked_resource: ofResource(({ key }, version) => hasMany(version, key), renamedResource),
  other_table: ofResource(
    () => true,
    (resource, draw) => ({ table: `${tableOf(resource)}_${draw.fresh()}` }),
  ),
} satisfies Readonly<Record<string, Edit>>

export type Kind = keyof typeof EDITS

function without({ rule: _, ...resource }: Resource): Resource {
  return resource
}

function hasMany(version: readonly Resource[], key: string): boolean {
  return version.some((one) =>
    one.relations.some(({ kind, target }) => kind === 'many' && (target === key || one.key === key)),
  )
}

function renamedResource(resource: Resource, draw: Draw): Partial<Resource> {
  return { name: resourceName(draw.fresh()), earlier: resource.name }
}
