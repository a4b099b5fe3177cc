/** ⇄ Why an answer has a field or a relation, or has it not, or has it empty. */

import { SYSTEM } from '../actor.ts'
import { readListQuery } from '../ask/list.ts'
import { readLookup } from '../ask/lookup.ts'
import { allowsOne, clausesFor, shown } from '../ask/policy.ts'
import { readRecordQuery } from '../ask/projection.ts'
import type { Access, Catalog, Field, Relation, Resource } from '../catalog/catalog.ts'
import { idSql, idType, targetOf } from '../catalog/stored.ts'
import { ApiError } from '../error.ts'
import { and, quoted, type Sql, slot, sql } from '../filter/sql.ts'
import type { Id } from '../id.ts'
import { type Mode, type Part, USUAL } from '../plan/read-plan.ts'
import { type Execution, runCompiled, scopeOf } from '../run/execution.ts'
import { storedRecord } from '../run/stored-record.ts'
import { type Compiled, compiled, type SelectScope } from '../statement/compiled.ts'
import { relatedCountSql, valueSql } from '../statement/select.ts'
import { nearest } from '../text/nearest.ts'
import { placeOf } from '../text/source.ts'
import { type Report, speaksWords } from './render.ts'
import type { Question } from './request-report.ts'

/** Who may read or write a part, by one of the alternatives of its guard. */
export interface GuardVerdict {
  readonly of: 'read' | 'write'
  readonly says: string
  readonly speaks: boolean
}

export interface FieldExplained {
  readonly name: string
  readonly place: string
  readonly guards: readonly GuardVerdict[]
  /** What becomes of it in the answer, and why. */
  readonly outcome: string
}

/** Explains one part of what a GET is answered; throws the sentence that says why there is nothing to explain. */
export async function explainField(around: Execution, question: Question, name: string): Promise<FieldExplained> {
  const { resource, action } = question
  if (action !== 'list' && action !== 'get') throw new Error('--field explains what a GET is answered.')
  const part = partNamed(around.catalog, resource, name)
  const guards = [...guardsOf(around, part, 'read'), ...guardsOf(around, part, 'write')]
  const outcome = hiddenBecause(around, question, part) ?? (await there(around, question, part))
  return { name, place: placeOf(part.span), guards, outcome }
}

/** What was explained of a field, as a part of the report on its request. */
export function fieldReport({ guards, name, outcome, place }: FieldExplained): Report {
  const parts = guards.map(({ of, says, speaks }) => ({ text: `${of}: ${says}`, verdicts: [speaksWords(speaks)] }))
  const findings = [{ text: `${place}  ${name}`, parts, verdicts: [outcome] }]
  return { head: [], sections: [{ title: 'the field', findings }] }
}

function partNamed({ resources }: Pick<Catalog, 'resources'>, resource: Resource, name: string): Field | Relation {
  const found = resource.relations.get(name) ?? resource.fields.get(name)
  if (found !== undefined) return found
  const near = nearest(name, [...resource.fields.keys(), ...resource.relations.keys()])
  const owner = [...resources.values()].find((one) => one.fields.has(name))
  const hint = near === undefined ? (owner === undefined ? '' : ` ${owner.name} has one.`) : ` Did you mean ${near}?`
  throw new Error(`${resource.name} has no field and no relation ${name}.${hint}`)
}

function accessText(access: Access): string {
  switch (access.kind) {
    case 'anyone':
    case 'signed_in':
      return `{ who: ${access.kind} }`
    case 'role':
      return `{ role: ${access.roles.length === 1 ? access.roles[0] : `[${access.roles.join(', ')}]`} }`
    case 'permission':
      return `{ permission: ${access.permission} }`
  }
}

function guardsOf({ actor }: Execution, part: Field | Relation, of: GuardVerdict['of']): readonly GuardVerdict[] {
  const alternatives = of === 'read' ? part.read : 'column' in part ? part.write : undefined
  return (alternatives ?? []).map((access) => ({
    of,
    says: accessText(access),
    speaks: allowsOne([access], actor),
  }))
}

/** Why no answer to this request has the part, whatever is stored; undefined where it has. */
function hiddenBecause(around: Execution, question: Question, part: Field | Relation): string | undefined {
  const { action, query, resource } = question
  const mode: Mode = action === 'list' ? 'list' : 'single'
  if ('column' in part && part.type.hidden === true) return 'no answer has it: it is a secret'
  const guards = guardsOf(around, part, 'read')
  if (guards.length > 0 && !guards.some(({ speaks }) => speaks))
    return 'left out: what it is read by is not for this caller'
  if (part.show === 'never') return 'no answer has it: show is never'
  if (!('column' in part) && part.embed === undefined) return 'no answer has it: the relation has no embed'
  const chosen = projected(around, resource, query, mode)
  if (chosen !== undefined) return chosen.includes(part.name) ? undefined : 'left out: the request asks for other parts'
  if (shown(part.show, mode)) return undefined
  const asks = 'column' in part ? `fields=${part.name}` : `include=${part.name}`
  return part.show === 'asked'
    ? `left out: it is answered to those who ask for it, by ${asks}`
    : `left out: it is part of ${part.show === 'list' ? 'lists' : 'single records'}; ${asks} asks for it here too`
}

/** The names of what the request asks for; undefined where it asks for the usual, or is refused. */
function projected(
  around: Execution,
  resource: Resource,
  query: URLSearchParams,
  mode: Mode,
): readonly string[] | undefined {
  const { actor, catalog } = around
  const nameOf = (part: Part): string => ('column' in part ? part.name : part.relation.name)
  try {
    const answer =
      mode === 'list'
        ? readListQuery(around, resource, query).plan.answer
        : readRecordQuery(catalog, resource, actor, query)
    return answer === undefined || answer.planId === USUAL ? undefined : answer.parts.map(nameOf)
  } catch (error) {
    if (error instanceof ApiError) return undefined
    throw error
  }
}

/** What there is of the part in the record that the request names. */
async function there(around: Execution, { resource, named }: Question, part: Field | Relation): Promise<string> {
  if (named === undefined) return 'answered with each record; name one to see what is stored'
  let id: Id
  try {
    const clauses = clausesFor(resource.policies.view, around.actor)
    id = (await storedRecord(around, resource, clauses, readLookup(resource, named, around.actor))).id
  } catch (error) {
    if (error instanceof ApiError) return 'left out: the record itself is not answered'
    throw error
  }
  const [row] = await runCompiled(around, compileAmounts(scopeOf(around, resource), resource, part), { id })
  const [all, seen] = [Number(row?.[0]), Number(row?.[1])]
  if ('column' in part || part.kind === 'belongs_to') return seen > 0 ? 'answered' : 'empty: nothing is stored there'
  const target = targetOf(around.catalog, part).name
  if (all === 0) return `empty: no record of ${target} belongs to it`
  return seen === all
    ? `answered, with all ${all} records of ${target}`
    : `answered, with ${seen} of ${all} records of ${target}: the policy view of ${target} keeps the others from this caller`
}

/**
 * Compiles how much there is of a part, and how much of it the actor sees: of related records their number, of anything
 * else 1 or 0. Slot: `id`.
 */
function compileAmounts(scope: SelectScope, resource: Resource, part: Field | Relation): Compiled {
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
