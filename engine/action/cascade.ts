/** ⇄ What is removed or cleared with a record that is removed for good: written like any other, where anything hears of such a write. */
import type { BelongsTo, Catalog, Resource, WriteAction } from '../catalog/catalog.ts'
import { idOf, idType } from '../catalog/key.ts'
import { idSql, meets } from '../catalog/stored.ts'
import { targetOf } from '../catalog/target.ts'
import { and, quoted, slot, sql } from '../filter/sql.ts'
import type { Id } from '../id.ts'
import type { Json } from '../json.ts'
import { memo } from '../memo.ts'
import { type Compiled, compiled } from '../query/compiled.ts'
import type { Lookup } from '../query/lookup.ts'
import { existenceSql, type SelectScope } from '../query/scope.ts'
import { clearKey } from './consequence.ts'
import { type Execution, runCompiled } from './execution.ts'

type Remove = (around: Execution, resource: Resource, lookup: Lookup) => Promise<void>

/** Records of another resource that lead to one that is removed. */
interface Followers {
  readonly resource: Resource
  readonly relation: BelongsTo
}

/**
 * Writes what goes with the record, and what stays without it, before it is removed; `remove` deletes one record for good.
 * The database itself does the rest: what nothing hears of, and what was deleted before. Throws conflict where one is refused.
 */
export async function writeFollowers(around: Execution, resource: Resource, id: Id, remove: Remove): Promise<void> {
  const followers = followersOf(around.catalog, resource)
  if (followers.length === 0) return
  const inner = { ...around, leaving: [...(around.leaving ?? []), { table: resource.table, id }] }
  for (const { relation, resource: other } of followers) {
    const found = around.statements.get(compileFollowers, around, resource, other, relation)
    for (const [text] of await runCompiled(inner, found, { id })) {
      const lookup = { field: other.key, value: idOf(other, text) }
      if (relation.onDelete === 'cascade') await remove(inner, other, lookup)
      else await clearKey(inner, other, lookup.value, relation.field)
    }
  }
}

function compileFollowers(scope: SelectScope, resource: Resource, other: Resource, relation: BelongsTo): Compiled {
  const id = idSql(other, 't')
  const key = sql`t.${quoted(relation.field.column)} = ${slot('id')}::${idType(resource)}`
  const where = and([key, ...existenceSql(scope, other, 't')])
  return compiled(sql`select ${id} from ${quoted(other.table)} t where ${where} order by ${id}`)
}

/** The keys by which a record belongs to records that are removed for good. */
export function leavingKeys(
  { catalog, leaving = [] }: Execution,
  { relations }: Resource,
  record: Readonly<Record<string, Json>>,
): ReadonlySet<string> {
  if (leaving.length === 0) return new Set()
  const keys = [...relations.values()].flatMap((relation) => {
    if (relation.kind !== 'belongs_to') return []
    const { table } = targetOf(catalog, relation)
    const goes = leaving.some((one) => one.table === table && one.id === record[relation.field.name])
    return goes ? [relation.field.column] : []
  })
  return new Set(keys)
}

/** Whether anything hears of what goes with a record of the resource. */
export function isFollowed(catalog: Catalog, resource: Resource): boolean {
  return followersOf(catalog, resource).length > 0
}

/** Those of which a write is heard. */
const followersOf = memo((catalog: Catalog, resource: Resource): readonly Followers[] =>
  pointingAt(catalog, resource).filter((one) => isHeard(catalog, one, [])),
)

function pointingAt(catalog: Catalog, { table }: Resource): readonly Followers[] {
  return [...catalog.resources.values()].flatMap((resource) =>
    resource.owner !== resource.name
      ? []
      : [...resource.relations.values()].flatMap((relation) =>
          relation.kind === 'belongs_to' &&
          relation.onDelete !== 'restrict' &&
          relation.earlier === undefined &&
          targetOf(catalog, relation).table === table
            ? [{ resource, relation }]
            : [],
        ),
  )
}

/** Whether anything is judged, follows or is told of a record of the resource that comes or goes. */
export function isPairHeard(resource: Resource): boolean {
  const { cached, counts, follows, foreignRules, hooks, logged, relatedFollows, rules, soles } = resource
  if (logged || cached || hooks.create.length + hooks.delete.length > 0) return true
  return [counts, follows, foreignRules, relatedFollows, rules, soles].some((some) => some.length > 0)
}

/** Whether anything is judged, follows or is told of what becomes of such records. */
function isHeard(catalog: Catalog, { relation, resource }: Followers, before: readonly Resource[]): boolean {
  const { cached, hooks, logged, updateSets } = resource
  const goes = relation.onDelete === 'cascade'
  const action = goes ? 'delete' : 'update'
  if (logged || cached || hooks[action].length > 0 || (!goes && updateSets.length > 0)) return true
  if (isJudged(resource, action, relation.field.column)) return true
  if (!goes || before.includes(resource)) return false
  return pointingAt(catalog, resource).some((one) => isHeard(catalog, one, [...before, resource]))
}

function isJudged(resource: Resource, action: WriteAction & ('delete' | 'update'), column: string): boolean {
  const columns = new Set([column])
  const { counts, follows, foreignRules, overlaps, relatedFollows, rules, soles } = resource
  if (relatedFollows.some(({ on }) => on.has(action)) || foreignRules.length > 0) return true
  if (action === 'delete')
    return rules.some(({ on }) => on.has(action)) || counts.some(({ least }) => least !== undefined)
  const reading = [...rules.filter(({ on }) => on.has(action)), ...counts, ...soles, ...overlaps]
  return follows.some(({ on }) => on.has(action)) || reading.some(({ reads }) => meets(reads, columns))
}
