/** Objection models derived from the catalog, for plugin code; the only home of Objection. */

import { Model, type ModelClass, type RelationMappings } from 'objection'
import type { Catalog, Resource } from '../catalog/catalog.ts'
import { storedFields } from '../catalog/stored.ts'

const known = new WeakMap<Resource, ModelClass<Model>>()

/**
 * The model of a resource: its table, its JSON columns, and its belongs_to and many_to_many relations.
 * It validates nothing: what enters through actions is validated once, there.
 */
export function modelOf(catalog: Catalog, resource: Resource): ModelClass<Model> {
  const found = known.get(resource)
  if (found !== undefined) return found
  const stored = storedFields(resource)
  class Row extends Model {
    static override tableName = resource.table
    static override idColumn = 'id'
    static override jsonAttributes = stored.filter((field) => field.type.wire === 'json').map((field) => field.column)
    static override get relationMappings(): RelationMappings {
      return relationMappings(catalog, resource)
    }
  }
  // Objection caches bound models by class name and table; a name of its own keeps catalogs apart.
  Object.defineProperty(Row, 'name', { value: `${resource.name}_${++made}` })
  known.set(resource, Row)
  return Row
}

let made = 0

function relationMappings(catalog: Catalog, resource: Resource): RelationMappings {
  const mappings: RelationMappings = {}
  for (const relation of resource.relations.values()) {
    const target = catalog.resources.get(relation.target)!
    const modelClass = (): ModelClass<Model> => modelOf(catalog, target)
    if (relation.kind === 'belongs_to') {
      const join = { from: `${resource.table}.${relation.field.column}`, to: `${target.table}.id` }
      mappings[relation.name] = { relation: Model.BelongsToOneRelation, modelClass, join }
    } else if (relation.kind === 'many_to_many') {
      const { table, from, to } = relation.through
      const join = {
        from: `${resource.table}.id`,
        through: { from: `${table}.${from}`, to: `${table}.${to}` },
        to: `${target.table}.id`,
      }
      mappings[relation.name] = { relation: Model.ManyToManyRelation, modelClass, join }
    } else if (relation.by.length === 1) {
      const join = { from: `${resource.table}.id`, to: `${target.table}.${relation.by[0]!.field.column}` }
      mappings[relation.name] = { relation: Model.HasManyRelation, modelClass, join }
    }
  }
  return mappings
}
