/** One record compiled to SQL: one statement, whatever is embedded. */

import { reach } from '../ask/policy.ts'
import type { Field, Resource } from '../catalog/catalog.ts'
import { idSql } from '../catalog/stored.ts'
import type { Serializer } from '../field/wire.ts'
import { and, join, quoted, slot, sql } from '../filter/sql.ts'
import { isName, lookSql, lookText, nameSql, nameText } from '../filter/text-forms.ts'
import type { RecordShape } from '../plan/read-plan.ts'
import { type Compiled, compiled, type KeptEmbed, type SelectScope } from './compiled.ts'
import { conditionSql, existenceSql, fieldSql, reachSql } from './condition.ts'
import { canColumns, selectList } from './select.ts'

/** The statement of one record: column 0 says whether the actor may see it. */
export interface CompiledGet extends Compiled {
  readonly serialize: Serializer
  readonly kept: readonly KeptEmbed[]
  /** Whether requests may share the statement, which then reads any number of ids; column 1 is the id. */
  readonly shared: boolean
  /** The first column of what is asked of the record, and the one behind the last. */
  readonly can: readonly [from: number, to: number]
}

/** Compiles reading one record; the slot `lookup` carries the value that names it, or a list of ids where the plan is gathered. */
export function compileGet(scope: SelectScope, plan: RecordShape): CompiledGet {
  const { answer, can, dead, finds, gathered, resource, within } = plan
  const visible = reachSql(scope, within, 't')
  const own = gathered ? [visible, idSql(resource, 't')] : [visible]
  const asked = canColumns(scope, can, 't')
  const before = [...own, ...asked]
  const select = selectList(scope, resource, 't', 'single', before, answer.parts)
  const type = finds.sqlType
  const named = gathered ? sql`any(${slot('lookup')}::${type}[])` : sql`${slot('lookup')}::${type}`
  const where = [sql`t.${quoted(finds.column)} = ${named}`, ...existenceSql(scope, resource, 't', dead)]
  const read = compiled(
    sql`select ${join(select.columns)} from ${quoted(resource.table)} t ${select.joins} where ${and(where)}`,
  )
  // What depends on the caller beyond its class would give one caller's answer to another.
  const shared = gathered && read.parameters.every(({ kind }) => kind === 'slot' || kind === 'literal')
  return { ...read, serialize: select.serialize, kept: select.kept, shared, can: [own.length, before.length] }
}

/** Compiles which records have a text in a field: rows of the text as it is compared and the id, lowest id first. Slot: `texts`. */
export function compileIdsOf(scope: SelectScope, resource: Resource, field: Field): Compiled {
  const stored = sql`(${fieldSql(field, 't')})::text`
  // A table of others may hold what this type would not store.
  const lowered = resource.existing ? sql`lower(${stored})` : stored
  const text = field.type.lowered === true ? lowered : nameSql(stored)
  const where = [
    ...existenceSql(scope, resource, 't'),
    reachSql(scope, reach(resource.policies.view, scope.actor), 't'),
  ]
  const id = idSql(resource, 't')
  // Joined, because a list is compared with each row word by word.
  const words = sql`(select distinct word from unnest(${slot('texts')}::text[]) word) n`
  return compiled(
    sql`select n.word, ${id} from ${words} join ${quoted(resource.table)} t on ${text} = n.word where ${and(where)} order by ${id}`,
  )
}

/**
 * Compiles which of several values of a stored field a record has, a deleted one too; of names, as they are compared.
 * Those that live have an index of their own where the field is unique. Slots: `texts`.
 */
export function compileValuesTaken({ catalog }: SelectScope, resource: Resource, field: Field): Compiled {
  const stored = sql`t.${quoted(field.column)}`
  const compared = comparedAs(resource, field)
  const column = compared === 'name' ? nameSql(stored) : compared === 'look' ? lookSql(stored) : stored
  const type = compared === undefined ? field.sqlType : sql`text`
  const values = sql`(select distinct value::${type} from unnest(${slot('texts')}::text[]) value) n`
  const found = sql`select ${column}::text from ${values} join ${quoted(resource.table)} t on ${column} = n.value`
  if (resource.live === undefined) return compiled(found)
  const live = conditionSql(catalog, resource.live, 't')
  return compiled(sql`${found} where ${live} union all ${found} where not ${live}`)
}

/**
 * How imports look for a value of the field: by how it looks where that is unique, as a name where nothing is; sign by
 * sign (undefined) in the tables of others, and where every sign counts.
 */
function comparedAs({ existing, key }: Resource, field: Field): 'look' | 'name' | undefined {
  if (existing || field === key || !isName(field.type)) return undefined
  if (field.alike === true) return 'look'
  return field.unique ? undefined : 'name'
}

/** A value of the field as imports compare it. */
export function comparedText(resource: Resource, field: Field, text: string): string {
  const compared = comparedAs(resource, field)
  return compared === 'look' ? lookText(text) : compared === 'name' ? nameText(text) : text
}

/** Compiles which live records have a value that may conflict with a new slug. Slots: `base`, `pattern`. */
export function compileTakenSlugs({ catalog }: SelectScope, resource: Resource, field: Field): Compiled {
  const column = sql`t.${quoted(field.column)}`
  const where = [sql`(${column} = ${slot('base')}::text or ${column} like ${slot('pattern')}::text)`]
  if (resource.live !== undefined) where.push(conditionSql(catalog, resource.live, 't'))
  return compiled(sql`select ${column} from ${quoted(resource.table)} t where ${and(where)}`)
}
