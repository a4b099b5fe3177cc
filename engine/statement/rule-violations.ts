/** The stored records that break a rule, compiled to SQL. */

import type { Field, FieldPath, Filter, RecordRule, Resource, WayPath } from '../catalog/catalog.ts'
import { idSql, idType } from '../catalog/stored.ts'
import { and, join, quoted, type Sql, slot, sql } from '../filter/sql.ts'
import { comparisons, fold } from '../filter/walk.ts'
import { LIMITS } from '../limits.ts'
import { type Compiled, compiled, type SelectScope } from './compiled.ts'
import { conditionSql, holdsSql } from './condition.ts'

/** Whether a rule judges stored records: one about a change, or about the actor of a change, says nothing of what is stored. */
export function judgesStored({ on, must, when }: RecordRule): boolean {
  const speaksOfWrite = (filter: Filter | undefined): boolean =>
    filter !== undefined && comparisons(filter).some(({ operand: { kind } }) => kind === 'before' || kind === 'actor')
  return on.has('update') && !speaksOfWrite(must) && !speaksOfWrite(when)
}

/**
 * Whether a stored record that breaks a rule was written against it. A rule about updates alone, or about some fields whose
 * change it waits for, lets other records be as they are, and time passes for all of them.
 */
export function bindsStored(rule: RecordRule): boolean {
  const { must, narrow, on, when } = rule
  const outlasts = fails(must) && (when === undefined || holds(when))
  return judgesStored(rule) && on.has('create') && !narrow && outlasts
}

/** Which comparisons with the present moment a condition has: by later values, by earlier ones, or by others. */
type Times = ReadonlySet<'later' | 'earlier' | 'other'>

/** Whether the passing of time alone never makes the condition hold. */
function holds(filter: Filter): boolean {
  return [...timesIn(filter)].every((one) => one === 'later')
}

/** Whether the passing of time alone never makes the condition fail. */
function fails(filter: Filter): boolean {
  return [...timesIn(filter)].every((one) => one === 'earlier')
}

function timesIn(filter: Filter): Times {
  const all = (parts: readonly Times[]): Times => new Set(parts.flatMap((part) => [...part]))
  return fold<FieldPath, WayPath, Times>(filter, {
    compare: ({ operand, operator }) => {
      if (operand.kind !== 'now' && operand.kind !== 'today') return new Set()
      const isLater = operator === 'gt' || operator === 'gte'
      return new Set([isLater ? 'later' : operator === 'lt' || operator === 'lte' ? 'earlier' : 'other'])
    },
    related: ({ of }) => new Set(timesIn(of).size === 0 ? [] : ['other']),
    not: (of) => new Set([...of].map((one) => (one === 'later' ? 'earlier' : one === 'earlier' ? 'later' : one))),
    and: all,
    or: all,
  })
}

/** Compiles whether a stored record breaks a rule. Slot: `id`. */
export function compileBreaks({ catalog }: SelectScope, resource: Resource, rule: RecordRule): Compiled {
  const broken = brokenSql(catalog, rule)
  return compiled(
    sql`select ${broken} from ${quoted(resource.table)} t where ${idSql(resource, 't')} = ${slot('id')}::${idType(resource)}`,
  )
}

function brokenSql(catalog: SelectScope['catalog'], { when, must }: RecordRule): Sql {
  const asked = when === undefined ? [] : [holdsSql(catalog, when, 't')]
  return and([...asked, sql`not ${holdsSql(catalog, must, 't')}`])
}

/** Compiles how many live records break a rule, and the first ids of them as a JSON list. */
export function compileViolations({ catalog }: SelectScope, resource: Resource, rule: RecordRule): Compiled {
  const live = resource.live === undefined ? [] : [conditionSql(catalog, resource.live, 't')]
  const where = and([...live, brokenSql(catalog, rule)])
  return compiled(
    sql`select count(*), coalesce(json_agg(${shownId(resource)}) filter (where o.place <= ${LIMITS.offendersShown}), '[]') from
      (select ${idSql(resource, 't')}, row_number() over (order by ${idSql(resource, 't')}) as place from ${quoted(resource.table)} t where ${where}) o`,
  )
}

/** Live records in groups that are larger than a rule allows. */
export interface OversizedGroups {
  readonly per: readonly Field[]
  readonly most: number
  readonly where: readonly Sql[]
}

/** Compiles how many live records are in groups that are too large, and their first ids as a JSON list. */
export function compileOversized(
  { catalog }: SelectScope,
  resource: Resource,
  { per, most, where }: OversizedGroups,
): Compiled {
  const live = resource.live === undefined ? [] : [conditionSql(catalog, resource.live, 't')]
  const group = per.length === 0 ? sql`` : sql`partition by ${join(per.map(({ column }) => `t.${quoted(column)}`))}`
  const counted = sql`select ${idSql(resource, 't')}, count(*) over (${group}) as n from ${quoted(resource.table)} t where ${and([...live, ...where])}`
  return compiled(
    sql`select count(*), coalesce(json_agg(${shownId(resource)}) filter (where o.place <= ${LIMITS.offendersShown}), '[]') from
      (select ${idSql(resource, 'g')}, row_number() over (order by ${idSql(resource, 'g')}) as place from (${counted}) g where g.n > ${most}) o`,
  )
}

/** Compiles how many live records a condition admits. */
export function compileCounted({ catalog }: SelectScope, resource: Resource, where: Filter | undefined): Compiled {
  const filters = [resource.live, where].flatMap((filter) =>
    filter === undefined ? [] : [conditionSql(catalog, filter, 't')],
  )
  return compiled(sql`select count(*) from ${quoted(resource.table)} t where ${and(filters)}`)
}

/** An id as JSON says it: digits beyond JavaScript's numbers are a text. */
function shownId(resource: Resource): string {
  const id = idSql(resource, 'o')
  return resource.key.type.wire === 'number' ? id : `${id}::text`
}
