/** ⇄ Why an answer is what it is: the rules that speak of the caller, whether they reach the record, and the SQL that ran. */

import { readLookup } from '../ask/lookup.ts'
import { clausesFor, requireClause } from '../ask/policy.ts'
import type { Catalog, Clause, Filter, RecordRule, Resource, WriteAction } from '../catalog/catalog.ts'
import { targetOf } from '../catalog/stored.ts'
import type { Runner, Statement } from '../database/database.ts'
import type { ActionName, PolicyName } from '../definition/definition.ts'
import { ApiError } from '../error.ts'
import { leaves } from '../filter/walk.ts'
import type { Id } from '../id.ts'
import { applicableRules } from '../plan/write-checks.ts'
import { type Execution, runCompiled } from '../run/execution.ts'
import type { Parent } from '../run/parent.ts'
import { getRecord, listRecords } from '../run/read.ts'
import { storedRecord } from '../run/stored-record.ts'
import { speaksOf } from '../statement/moves.ts'
import { followsFrom } from '../statement/related-follow.ts'
import { compileBreaks, judgesStored } from '../statement/rule-violations.ts'
import { placeOf, writtenAt } from '../text/source.ts'
import { type Finding, type Report, refusalWords, speaksWords } from './render.ts'

/** What is to be explained: an action as its request names it. */
export interface Question {
  readonly resource: Resource
  readonly action: ActionName
  /** The text of `{id}`, where the path has one. */
  readonly named?: string
  readonly query: URLSearchParams
  readonly parent?: Parent
}

/** One clause of the policy in question; `reaches` is undefined where no record was looked at. */
export interface Verdict {
  readonly clause: string
  readonly place: string
  readonly speaks: boolean
  readonly reaches: boolean | undefined
  /** The relations that its condition follows to records that must not be deleted: `conversation.ticket`. */
  readonly follows: readonly string[]
}

/** One rule that a write is held to; `holds` is undefined where no record was looked at, or the rule speaks of the change itself. */
export interface RuleVerdict {
  readonly name: string
  readonly place: string
  readonly says: string
  readonly holds: boolean | undefined
}

/** One way in which a field may change, and whether it is for the caller. */
export interface MoveVerdict {
  readonly field: string
  readonly move: string
  readonly place: string
  readonly speaks: boolean
}

/** One entry of what follows in other records, and whether it follows from writes of the caller. */
export interface FollowVerdict {
  readonly entry: string
  readonly place: string
  readonly speaks: boolean
}

export interface Explanation {
  readonly policy: PolicyName
  readonly verdicts: readonly Verdict[]
  /** What must hold of the record, by the rules that this action is held to. */
  readonly rules: readonly RuleVerdict[]
  /** Which values of a field may follow which, where the action is an update. */
  readonly moves: readonly MoveVerdict[]
  /** What the write sets in other records. */
  readonly elsewhere: readonly FollowVerdict[]
  readonly statements: readonly { readonly text: string; readonly values: readonly unknown[] }[]
  /** The status a read gives, or the refusal; undefined for writes that would be allowed, since nothing is written. */
  readonly outcome: string | undefined
}

/** Explains a request to its caller. Reads are carried out; of writes only what they would start from is read. */
export async function explainRequest(around: Execution, question: Question): Promise<Explanation> {
  const { resource, action, named } = question
  const policy = policyOf(action)
  const statements: { text: string; values: readonly unknown[] }[] = []
  const recorded = (runner: Runner): Runner => ({
    run(statement: Statement, values) {
      statements.push({ text: statement.text, values })
      return runner.run(statement, values)
    },
  })
  const watched: Execution = { ...around, runner: recorded(around.runner), adhoc: recorded(around.adhoc) }
  const outcome = await outcomeOf(() => carryOut(watched, question, policy))
  const speaking = clausesFor(resource.policies[policy], around.actor)
  const reaching = named === undefined ? undefined : await clausesReaching(around, resource, speaking, named)
  const verdicts = resource.policies[policy].map((clause) => ({
    clause: writtenAt(clause.span),
    place: placeOf(clause.span),
    speaks: speaking.includes(clause),
    reaches: speaking.includes(clause) ? reaching?.includes(clause) : undefined,
    follows: clause.where === undefined ? [] : [...new Set(followed(around.catalog, clause.where))],
  }))
  const rules = await rulesOf(around, question)
  const [moves, elsewhere] = [movesOf(around, question), elsewhereOf(around, question)]
  return { policy, verdicts, rules, moves, elsewhere, statements, outcome }
}

/** An explanation as a report, to which a command adds what it says of the request. */
export function requestReport(explanation: Explanation): Omit<Report, 'head'> {
  const { elsewhere, moves, outcome, policy, rules, statements, verdicts } = explanation
  const clauses = verdicts.length === 0 ? [{ text: 'there is none, so nobody may' }] : verdicts.map(clauseFinding)
  return {
    sections: [
      { title: `rules of ${policy}`, findings: clauses },
      { title: 'what must hold of the record', findings: rules.map(ruleFinding) },
      { title: 'moves', findings: moves.map(moveFinding) },
      { title: 'what follows in other records', findings: elsewhere.map(followFinding) },
      { title: 'statements', findings: statements.map(statementFinding) },
    ],
    outcome: outcome ?? 'the rules allow it; nothing was written',
  }
}

function clauseFinding({ clause, follows, place, reaches, speaks }: Verdict): Finding {
  const verdict = !speaks
    ? 'not about this caller'
    : reaches === undefined
      ? 'applies'
      : reaches
        ? 'applies, and holds'
        : 'applies, but its condition is false'
  const kept = follows.length === 0 ? '' : `; what it follows must not be deleted: ${follows.join(', ')}`
  return { text: `${place}  ${clause}`, verdicts: [`${verdict}${kept}`] }
}

function ruleFinding({ holds, name, place, says }: RuleVerdict): Finding {
  const verdict =
    holds === undefined ? 'judged by the write' : holds ? 'holds of what is stored' : 'what is stored breaks it'
  return { text: `${place}  ${name}: ${says}`, verdicts: [verdict] }
}

function moveFinding({ field, move, place, speaks }: MoveVerdict): Finding {
  return { text: `${place}  ${field}: ${move}`, verdicts: [speaksWords(speaks)] }
}

function followFinding({ entry, place, speaks }: FollowVerdict): Finding {
  const verdict = speaks
    ? 'follows from a write of this caller, where its condition holds'
    : 'does not follow from a write of this caller'
  return { text: `${place}  ${entry}`, verdicts: [verdict] }
}

function statementFinding({ text, values }: Explanation['statements'][number]): Finding {
  return { text: text.trim().replace(/\n\s*/g, '\n    '), verdicts: [JSON.stringify(values)] }
}

/** The clauses of the policy in question that speak of the caller and, where a record is named, reach it. */
export async function clausesAsked(
  around: Execution,
  { resource, action, named }: Question,
): Promise<readonly Clause[]> {
  const speaking = clausesFor(resource.policies[policyOf(action)], around.actor)
  return named === undefined ? speaking : clausesReaching(around, resource, speaking, named)
}

/** The policy that an action is held to. */
export function policyOf(action: ActionName): PolicyName {
  return action === 'list' || action === 'get' ? 'view' : action
}

async function carryOut(
  around: Execution,
  { resource, action, named = '', query, parent }: Question,
  policy: PolicyName,
): Promise<string | undefined> {
  if (action === 'list') {
    const { items, pagination } = await listRecords(around, resource, query, parent)
    return `200, ${items.length} of ${pagination.total ?? 'uncounted'} records`
  }
  if (action === 'get') {
    requireClause(resource.policies.view, around.actor)
    await getRecord(around, resource, readLookup(resource, named, around.actor))
    return '200'
  }
  if (action !== 'create') {
    const clauses = clausesFor(resource.policies[policy], around.actor)
    await storedRecord(around, resource, clauses, readLookup(resource, named, around.actor), action === 'restore')
  }
  return undefined
}

async function outcomeOf(work: () => Promise<string | undefined>): Promise<string | undefined> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return `${error.status} ${refusalWords(error)}`
  }
}

/** Which of the speaking clauses reach the record; none when there is no such record. */
async function clausesReaching(
  around: Execution,
  resource: Resource,
  clauses: readonly Clause[],
  named: string,
): Promise<readonly Clause[]> {
  try {
    return (await storedRecord(around, resource, clauses, readLookup(resource, named, around.actor), true)).clauses
  } catch (error) {
    if (error instanceof ApiError) return []
    throw error
  }
}

function followed(catalog: Catalog, filter: Filter): readonly string[] {
  return leaves(filter).flatMap(({ path: { relations }, withDeleted }) =>
    relations.flatMap((relation, index) => {
      const names = relations.slice(0, index + 1).map(({ name }) => name)
      return withDeleted === true || targetOf(catalog, relation).live === undefined ? [] : [names.join('.')]
    }),
  )
}

/** The rules of an action, and whether the record that it names fulfils them as it is stored. */
async function rulesOf(around: Execution, { resource, action, named }: Question): Promise<readonly RuleVerdict[]> {
  if (action === 'list' || action === 'get') return []
  const rules = resource.rules.filter(({ on }) => on.has(action))
  const broken = new Set<RecordRule>()
  const id = named === undefined ? undefined : await idOf(around, resource, action, named)
  for (const rule of id === undefined ? [] : rules.filter(judgesStored)) {
    const [row] = await runCompiled(around, compileBreaks(around, resource, rule), { id })
    if (row?.[0] === 't') broken.add(rule)
  }
  const asked = new Map<unknown, boolean>(rules.filter(judgesStored).map((rule) => [rule, !broken.has(rule)]))
  return applicableRules(resource, action).map((rule) => ({
    name: rule.name,
    place: placeOf(rule.span),
    says: rule.says,
    holds: id === undefined ? undefined : asked.get(rule),
  }))
}

function movesOf({ actor }: Execution, { resource, action }: Question): readonly MoveVerdict[] {
  if (action !== 'update') return []
  return resource.moves.flatMap(({ name, allow }) =>
    allow.map((move) => ({
      field: name,
      move: writtenAt(move.span),
      place: placeOf(move.span),
      speaks: speaksOf(move, actor),
    })),
  )
}

function elsewhereOf({ actor }: Execution, { resource, action }: Question): readonly FollowVerdict[] {
  if (action === 'list' || action === 'get') return []
  return resource.relatedFollows
    .filter(({ on }) => on.has(action))
    .map((follow) => ({
      entry: writtenAt(follow.span),
      place: placeOf(follow.span),
      speaks: followsFrom(follow, actor),
    }))
}

async function idOf(
  around: Execution,
  resource: Resource,
  action: WriteAction,
  named: string,
): Promise<Id | undefined> {
  try {
    const clauses = clausesFor(resource.policies[action], around.actor)
    return (await storedRecord(around, resource, clauses, readLookup(resource, named, around.actor), true)).id
  } catch (error) {
    if (error instanceof ApiError) return undefined
    throw error
  }
}
