/** ⇄ Whether a rule holds of a record, as it is stored or as an update would make it, and which values decide. */

import { readLookup } from '../ask/lookup.ts'
import { clausesFor } from '../ask/policy.ts'
import type { Catalog, FieldPath, Filter, RecordRule, Resource, RulePart, WayPath } from '../catalog/catalog.ts'
import { meets, withFollowing } from '../catalog/stored.ts'
import { invalid } from '../error.ts'
import { join, type Sql, sql } from '../filter/sql.ts'
import { type Leaf, leaves } from '../filter/walk.ts'
import type { Id } from '../id.ts'
import type { JsonObject } from '../json.ts'
import { planNothing } from '../plan/write-plan.ts'
import type { WriteShape } from '../plan/write-shape.ts'
import { type Execution, runCompiled, scopeOf } from '../run/execution.ts'
import { storedRecord } from '../run/stored-record.ts'
import { type Compiled, compiled, type SelectScope, valueSlots } from '../statement/compiled.ts'
import { beforeSql, holdsSql, type Judged, pathValueSql, rowsSql } from '../statement/condition.ts'
import { draftRow } from '../statement/write.ts'
import { afterOf } from '../statement/write-check.ts'
import { nearest } from '../text/nearest.ts'
import { placeOf, writtenAt } from '../text/source.ts'
import { readInput, updatePlan } from '../write/input.ts'
import { changedValues } from '../write/update.ts'
import type { Finding, Report } from './render.ts'

/** One key of the rule's conditions, and what it comes to. */
export interface PartVerdict extends RulePart {
  readonly holds: boolean
  readonly values: readonly { readonly name: string; readonly value: string | null }[]
}

export interface RuleExplained {
  readonly id: Id
  readonly parts: readonly PartVerdict[]
  /** Whether the update is judged by the rule at all; true where there is none. */
  readonly concerned: boolean
  /** The record has to be so. */
  readonly applies: boolean
  readonly holds: boolean
}

/** Looks; nothing is written. `body` is an update as a request would send it. Throws ApiError where it could not be one. */
export async function explainRule(
  around: Execution,
  resource: Resource,
  rule: RecordRule,
  named: string,
  body: JsonObject | undefined,
): Promise<RuleExplained> {
  const clauses = clausesFor(resource.policies.update, around.actor)
  const current = await storedRecord(around, resource, clauses, readLookup(resource, named, around.actor), true)
  const { id } = current
  const update = body === undefined ? undefined : updateOf(around, resource, current.record, body)
  const plan = update?.plan ?? around.plans.get(planNothing, { resource })
  const compiled = compileParts(scopeOf(around, resource), rule, plan)
  const [row = []] = await runCompiled(around, compiled, { ...update?.slots, id }, true)
  let column = 0
  const parts = rule.parts.map((part, i): PartVerdict => {
    const holds = row[column++] === 't'
    const values = compiled.names[i]!.map((name) => ({ name, value: row[column++] ?? null }))
    return { ...part, holds, values }
  })
  const all = (of: RulePart['of']) => parts.every((part) => part.of !== of || part.holds)
  const concerned = update === undefined || (rule.on.has('update') && meets(rule.reads, update.columns))
  return { id, parts, concerned, applies: all('when'), holds: all('must') }
}

/** What an update writes, as it would be written without the hooks of plugins. */
function updateOf(around: Execution, resource: Resource, record: JsonObject, body: JsonObject) {
  const input = readInput(around, resource, [], body)
  if (Object.keys(input.errors).length > 0) throw invalid(input.errors)
  if (input.many.size > 0)
    throw new Error('What other links would make of the record cannot be told before they are written.')
  const values = changedValues(resource, input.values, record)
  const plan = updatePlan(around, { resource, clause: undefined, answer: 'draft' }, values)
  const written = [...plan.given, ...plan.assigned.map(({ field }) => field)].map(({ column }) => column)
  const columns = withFollowing(around.catalog, resource, 'update', written)
  return { plan, columns, slots: valueSlots(resource, values) }
}

/** The rule of a name such as `bookings.in_time`; throws the sentence that says why there is none. */
export function ruleNamed(name: string, catalog: Catalog): { readonly resource: Resource; readonly rule: RecordRule } {
  const [owner = '', ...rest] = name.split('.')
  const resource = catalog.resources.get(owner)
  const rule = resource?.rules.find((one) => one.name === rest.join('.') && one.parts.length > 0)
  if (resource !== undefined && rule !== undefined) return { resource, rule }
  const known = [...catalog.resources.values()].flatMap((one) =>
    one.rules.filter(({ parts }) => parts.length > 0).map((each) => `${one.name}.${each.name}`),
  )
  const near = nearest(name, known)
  const hint = near === undefined ? '' : ` Did you mean ${near}?`
  throw new Error(`There is no rule ${name} that says what must hold of one record; write <resource>.<name>.${hint}`)
}

/** What was explained of a rule as a report; `body` is the update that it was explained for. */
export function ruleReport(rule: RecordRule, body: JsonObject | undefined, explained: RuleExplained): Report {
  const { id, parts } = explained
  const as = body === undefined ? 'as it is stored' : `as ${JSON.stringify(body)} would make it`
  const findings = (of: PartVerdict['of']) => parts.filter((part) => part.of === of).map(partFinding)
  return {
    head: [`rule ${rule.name}, ${placeOf(rule.span)}`, `  ${rule.says}`],
    sections: [
      { title: `when, of record ${id} ${as}`, findings: findings('when') },
      { title: `must, of record ${id} ${as}`, findings: findings('must') },
    ],
    outcome: outcomeOf(rule, body, explained),
  }
}

function partFinding({ holds, span, values }: PartVerdict): Finding {
  const known = values.map(({ name, value }) => `${name} is ${value === null ? 'absent' : JSON.stringify(value)}`)
  const verdict = [holds ? 'holds' : 'does not hold', ...known].join('; ')
  return { text: `${placeOf(span)}  ${writtenAt(span)}`, verdicts: [verdict] }
}

function outcomeOf({ at, on }: RecordRule, body: JsonObject | undefined, told: RuleExplained): string {
  const judged = `the rule is judged on ${[...on].join(', ')}`
  if (body !== undefined && !told.concerned) return `the update changes nothing that the rule is judged for; ${judged}`
  if (!told.applies) return 'the rule does not speak of such a record'
  if (told.holds) return body === undefined ? 'the rule holds' : 'the rule lets the update pass'
  if (body === undefined) return `what is stored breaks the rule; ${judged}`
  return `the update would be refused, ${at === undefined ? '409' : `422 at ${at.name}`}`
}

/** A value that a condition compares, as its author calls it. */
interface Compared {
  readonly name: string
  readonly value: Sql
}

interface CompiledParts extends Compiled {
  /** For each part of the rule: how its values are called. Its columns are whether it holds, then the values. */
  readonly names: readonly (readonly string[])[]
}

/** Compiles what decides of the row that a write would make. Slots: `id`, `f_<field>`. */
function compileParts(scope: SelectScope, rule: RecordRule, plan: WriteShape): CompiledParts {
  const { catalog } = scope
  const { resource } = plan
  const judged: Judged = { record: 'v', before: resource.table, after: afterOf(scope, resource, 'update', undefined) }
  const definitions = draftRow(scope, plan)
  const parts = rule.parts.map(({ filter }) => ({
    filter,
    compared: unique(leaves(filter).flatMap((leaf) => comparedIn(catalog, leaf, judged))),
  }))
  const columns = parts.flatMap(({ compared, filter }) => [
    holdsSql(catalog, filter, 'v', judged),
    ...compared.map(({ value }) => sql`(${value})::text`),
  ])
  const text = sql`with ${definitions} select ${join(columns)} from plinth_v v`
  return { ...compiled(text), names: parts.map(({ compared }) => compared.map(({ name }) => name)) }
}

function unique(all: readonly Compared[]): readonly Compared[] {
  return all.filter(({ name }, i) => all.findIndex((one) => one.name === name) === i)
}

function comparedIn(catalog: Catalog, filter: Leaf<FieldPath, WayPath>, judged: Judged): readonly Compared[] {
  if (filter.kind === 'related') {
    const { many, relations } = filter.path
    if (relations.length > 0) return []
    const name = `how many of "${many.name}" it asks for`
    return [{ name, value: sql`(select count(*) ${rowsSql(catalog, filter, 'v', judged)})` }]
  }
  const { operand, path } = filter
  const withDeleted = filter.withDeleted === true
  // A secret is never shown, not even to operators.
  if (path.field.type.hidden === true) return []
  const own = { name: writtenName(path), value: pathValueSql(catalog, path, 'v', judged, withDeleted) }
  if (operand.kind === 'record')
    return [
      own,
      {
        name: `$record.${writtenName(operand.path)}`,
        value: pathValueSql(catalog, operand.path, 'v', judged, withDeleted),
      },
    ]
  if (operand.kind === 'before')
    return [
      own,
      {
        name: `$before.${writtenName(operand.path)}`,
        value: beforeSql(catalog, operand.path, judged, 'text', withDeleted),
      },
    ]
  return [own]
}

function writtenName({ field, relations }: Extract<Filter, { kind: 'compare' }>['path']): string {
  const end = field.relation ?? field.name
  return [...relations.map(({ name }) => name), end].join('.')
}
