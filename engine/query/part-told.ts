/** What there is of one part of a record, compiled to SQL: for telling why an answer has it, or has it not. */
import { SYSTEM } from '../actor.ts'
import type { Field, Relation, Resource } from '../catalog/catalog.ts'
import { idType } from '../catalog/key.ts'
import { idSql } from '../catalog/stored.ts'
import { and, quoted, type Sql, slot, sql } from '../filter/sql.ts'
import { relatedCountSql } from './collection.ts'
import { type Compiled, compiled } from './compiled.ts'
import type { SelectScope } from './scope.ts'
import { valueSql } from './select.ts'

/**
 * Compiles how much there is of a part, and how much of it the actor sees: of related records their number, of anything
 * else 1 or 0. Slot: `id`.
 */
export function compilePartTold(scope: SelectScope, resource: Resource, part: Field | Relation): Compiled {
  const [all, seen] = amounts(scope, resource, part)
  const where = and([sql`${idSql(resource, 't')} = ${slot('id')}::${idType(resource)}`])
  return compiled(sql`select ${all}, ${seen} from ${quoted(resource.table)} t where ${where}`)
}

function amounts(scope: SelectScope, resource: Resource, part: Field | Relation): readonly [all: Sql, seen: Sql] {
  const whole: SelectScope = { ...scope, actor: SYSTEM }
  if ('column' in part || part.kind === 'belongs_to') {
    const field = 'column' in part ? part : part.field
    const there = (within: SelectScope): Sql => sql`(${valueSql(within, resource, field, 't')} is not null)::int`
    return [there(whole), there(scope)]
  }
  return [relatedCountSql(whole, part, 't'), relatedCountSql(scope, part, 't')]
}
