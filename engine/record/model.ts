/** Objection models derived from the catalog, for what plugins read and write without policies: rows, relations, JSON columns. */
import { createRequire } from 'node:module'
import type { Model, ModelClass, QueryBuilder, RelationMappings } from 'objection'
import type { Catalog, Filter, Resource } from '../catalog/catalog.ts'
import { storedFields, targetOf } from '../catalog/stored.ts'
import { comparand, compareSql, print, toSql } from '../filter/sql.ts'
import type { Json } from '../json.ts'
import { memo } from '../memo.ts'

/** A row as it is stored, by column. */
export interface StoredRow extends Model {
  readonly [column: string]: unknown
}

const load = createRequire(import.meta.url)

/**
 * The model of a resource: its table with its JSON columns, its relations, and the modifier `live`, which leaves out
 * deleted rows. It knows nothing of policies, scopes and hooks, and validates nothing. Query it with a connection,
 * `modelOf(…).query(knex)`: bound copies are kept by Objection for as long as the connection lives. Objection itself is
 * loaded with the first model, because an application whose plugins ask for none starts without it.
 */
export const modelOf = memo((catalog: Catalog, resource: Resource): ModelClass<StoredRow> => {
  const objection: typeof import('objection') = load('objection')
  class Row extends objection.Model {
    static override tableName = resource.table
    static override idColumn = resource.key.column
    static override useLimitInFirst = true
    static override jsonAttributes = storedFields(resource)
      .filter((field) => field.type.wire === 'json')
      .map((field) => field.column)
    static override modifiers = {
      live: (query: QueryBuilder<StoredRow>) => {
        if (resource.live === undefined) return
        const { text, values } = ownCondition(resource.live, query.tableRefFor(Row))
        query.whereRaw(text, values)
      },
    }
    static override get relationMappings(): RelationMappings {
      return relationMappings(objection, catalog, resource)
    }
  }
  // Objection caches by class name and table; a name of its own keeps catalogs apart.
  Object.defineProperty(Row, 'name', { value: `${resource.name}_${++made}` })
  // Its own properties are the columns of its table.
  return Row as ModelClass<Model> as ModelClass<StoredRow>
})

let made = 0

/** A condition on a row's own columns with fixed values, in Knex's words; throws for any other. */
function ownCondition(filter: Filter, table: string): { readonly text: string; readonly values: Json[] } {
  const values: Json[] = []
  const condition = toSql(filter, ({ path: { field, relations }, operator, operand }, negated) => {
    if (relations.length > 0 || operand.kind !== 'literal') {
      throw new Error(`a model can compare "${field.name}" only by a fixed value of the row itself`)
    }
    const stored = field.type.wire === 'json' ? 'json' : 'scalar'
    const parts = operator === 'between' && Array.isArray(operand.value) ? operand.value : [operand.value]
    const value = (part: 0 | 1): string => {
      values.push(comparand(operator, parts[part] ?? null, stored))
      return '?'
    }
    return compareSql(`"${table}"."${field.column}"`, operator, value, negated, stored)
  })
  return { text: print(condition).text, values }
}

function relationMappings(
  { Model }: typeof import('objection'),
  catalog: Catalog,
  resource: Resource,
): RelationMappings {
  const mappings: RelationMappings = {}
  for (const relation of resource.relations.values()) {
    const target = targetOf(catalog, relation)
    const modelClass = (): ModelClass<StoredRow> => modelOf(catalog, target)
    if (relation.kind === 'belongs_to') {
      const join = { from: `${resource.table}.${relation.field.column}`, to: `${target.table}.${target.key.column}` }
      mappings[relation.name] = { relation: Model.BelongsToOneRelation, modelClass, join }
    } else if (relation.kind === 'many_to_many') {
      const { table, from, to } = relation.through
      const join = {
        from: `${resource.table}.${resource.key.column}`,
        through: { from: `${table}.${from}`, to: `${table}.${to}` },
        to: `${target.table}.${target.key.column}`,
      }
      mappings[relation.name] = { relation: Model.ManyToManyRelation, modelClass, join }
    } else if (relation.by.length === 1) {
      const join = {
        from: `${resource.table}.${resource.key.column}`,
        to: `${target.table}.${relation.by[0]!.field.column}`,
      }
      mappings[relation.name] = { relation: Model.HasManyRelation, modelClass, join }
    }
  }
  return mappings
}
