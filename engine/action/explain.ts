/** ⇄ Why an answer is what it is: the rules that speak of the caller, whether they reach the record, and the SQL that ran. */
import type { Catalog, Clause, Filter, Resource } from '../catalog/catalog.ts'
import type { Runner, Statement } from '../database/database.ts'
import type { ActionName, PolicyName } from '../definition/definition.ts'
import { ApiError } from '../error.ts'
import { readLookup } from '../query/lookup.ts'
import { clausesFor, requireClause } from '../query/policy.ts'
import { position } from '../text/source.ts'
import { currentRecord } from './current.ts'
import type { Execution } from './execution.ts'
import type { Parent } from './parent.ts'
import { getRecord, listRecords } from './read.ts'

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

export interface Explanation {
  readonly policy: PolicyName
  readonly verdicts: readonly Verdict[]
  readonly statements: readonly { readonly text: string; readonly values: readonly unknown[] }[]
  /** The status a read gives, or the refusal; undefined for writes that would be allowed, since nothing is written. */
  readonly outcome: string | undefined
}

/** Explains an action to its caller. Reads are carried out; of writes only what they would start from is read. */
export async function explain(around: Execution, question: Question): Promise<Explanation> {
  const { resource, action, named } = question
  const policy: PolicyName = action === 'list' || action === 'get' ? 'view' : action
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
    clause: clause.span.source.text.slice(clause.span.start, clause.span.end).replace(/\s+/g, ' '),
    place: placeOf(clause),
    speaks: speaking.includes(clause),
    reaches: speaking.includes(clause) ? reaching?.includes(clause) : undefined,
    follows: clause.where === undefined ? [] : [...new Set(followed(around.catalog, clause.where))],
  }))
  return { policy, verdicts, statements, outcome }
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
    await getRecord(around, resource, readLookup(resource, named))
    return '200'
  }
  if (action !== 'create') {
    const clauses = clausesFor(resource.policies[policy], around.actor)
    await currentRecord(around, resource, clauses, readLookup(resource, named), action === 'restore')
  }
  return undefined
}

async function outcomeOf(work: () => Promise<string | undefined>): Promise<string | undefined> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const fields = Object.entries(error.params.errors ?? {}).map(
      ([name, sentences]) => `${name}: ${sentences.join('; ')}`,
    )
    return [`${error.status} ${error.message}`, ...fields].join(', ')
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
    return (await currentRecord(around, resource, clauses, readLookup(resource, named), true)).clauses
  } catch (error) {
    if (error instanceof ApiError) return []
    throw error
  }
}

function followed(catalog: Catalog, filter: Filter): readonly string[] {
  if (filter.kind === 'not') return followed(catalog, filter.of)
  if (filter.kind !== 'compare') return filter.of.flatMap((part) => followed(catalog, part))
  if (filter.withDeleted === true) return []
  const { relations } = filter.path
  return relations.flatMap(({ target }, index) => {
    const names = relations.slice(0, index + 1).map((relation) => relation.name)
    return catalog.resources.get(target)?.live === undefined ? [] : [names.join('.')]
  })
}

function placeOf({ span }: Clause): string {
  const { line, column } = position(span.source, span.start)
  return `${span.source.file}:${line}:${column}`
}
