/** A plan as lines for people, each `<word>: <what>`, without the words for which there is nothing to say. */
import type { Assignment, Field } from '../catalog/catalog.ts'
import { placeOf, writtenAt } from '../text/source.ts'
import { pathName, shapeOf } from './plan.ts'
import { type ListPlan, partName, type RecordPlan, type SearchShape, USUAL } from './read-plan.ts'
import type { Check, Lock, WritePlan } from './write-shape.ts'

type Line = readonly [word: string, what: readonly string[]]

/** The lines of a read's plan: which records, in which order, and what is answered of each. */
export function describeRead(plan: ListPlan | RecordPlan): readonly string[] {
  const { action, answer, resource, within } = plan
  const reached = within.kind === 'matching' ? shapeOf(within.filter) : within.kind
  const shows = answer.planId === USUAL ? 'the usual' : answer.parts.map(partName).join()
  const lines: readonly Line[] =
    action === 'get'
      ? [
          ['found by', [plan.finds.name]],
          ['within', [reached]],
        ]
      : listLines(plan, reached)
  return [`${action} ${resource.name}`, ...lines.flatMap(([word, what]) => saidOf(word, what)), `  shows: ${shows}`]
}

function listLines(
  { below, deep, filters, numbered, perPage, ranked, search, sort, total }: ListPlan,
  reached: string,
) {
  const order = (ranked ?? sort).map(({ direction, path }) => `${direction === 'desc' ? '-' : ''}${pathName(path)}`)
  const lines: readonly Line[] = [
    ['below', below === undefined ? [] : [`the ${below.resource.name} of ${below.relation.name}`]],
    ['within', [reached]],
    ['where', filters.length === 0 ? [] : [filters.map(shapeOf).join('; ')]],
    ['searched for', search === undefined ? [] : [searchedFor(search)]],
    ['sorted by', [order.join(', ')]],
    ['page', [`by ${numbered ? 'number' : 'cursor'}, ${perPage} at most${deep ? ', ids before rows' : ''}`]],
    ['total', [TOTALS[total.by]]],
  ]
  return lines
}

function searchedFor({ unwanted, wanted }: SearchShape): string {
  const words = `${wanted} word${wanted === 1 ? '' : 's'}`
  return unwanted === 0 ? words : `${words}, without ${unwanted} other${unwanted === 1 ? '' : 's'}`
}

const TOTALS = {
  nothing: 'not counted',
  page: 'counted by the same statement',
  count: 'counted by a statement of its own',
  estimate: 'as PostgreSQL expects it',
} as const

/** The lines of a write's plan: what it gives, what follows, what must hold, and what is answered. */
export function describeWrite(plan: WritePlan): readonly string[] {
  const { assigned, checks, clause, finds, follows, following, given, locks, resource } = plan
  const lines: readonly Line[] = [
    ['found by', finds === undefined ? [] : [finds.name]],
    ['under', clause === undefined ? [] : [`${writtenAt(clause.span)} (${placeOf(clause.span)})`]],
    ['given', given.map(nameOf)],
    ['set', assigned.map(assignedAs)],
    [
      'follows',
      follows.flat().map(({ set, span }) => `${set.map(({ field }) => field.name).join(', ')} (${placeOf(span)})`),
    ],
    ['computed', [...resource.fields.values()].filter(isComputed(following)).map(nameOf)],
    ['must hold', checks.map(checkedAs)],
    ['locks', locks.map(lockedAs)],
    ['logged', resource.logged ? ['what changed, in the log of changes'] : []],
    ['runs', [plan.alone ? 'as one statement' : 'in a transaction']],
    ['answers', plan.action === 'delete' ? ['nothing'] : [ANSWERS[plan.answer]]],
  ]
  return [`${plan.action} ${resource.name}`, ...lines.flatMap(([word, what]) => saidOf(word, what))]
}

/** What is short on one line, everything else line by line. */
function saidOf(word: string, what: readonly string[]): readonly string[] {
  if (what.length === 0) return []
  const line = `  ${word}: ${what.join(', ')}`
  return what.length === 1 || line.length <= WIDTH ? [line] : [`  ${word}:`, ...what.map((one) => `    ${one}`)]
}

/** Characters of a line. */
const WIDTH = 100

const ANSWERS = {
  record: 'the record as the caller sees it',
  stored: 'the record, read again when all is done',
  draft: 'the record as it would be; nothing is written',
  checks: 'what is wrong; nothing is written',
} as const

function nameOf({ name }: Field): string {
  return name
}

function isComputed(columns: ReadonlySet<string>): (field: Field) => boolean {
  return ({ column, stored }) => stored !== undefined && columns.has(column)
}

function assignedAs({ field, ...by }: Assignment): string {
  if ('selection' in by)
    return `${field.name} = the first of ${by.selection.resource} where ${shapeOf(by.selection.where)}`
  const { operand } = by
  if (operand.kind === 'literal') return `${field.name} = ${JSON.stringify(operand.value)}`
  if (operand.kind !== 'actor') return `${field.name} = $${operand.kind}`
  return `${field.name} = ${operand.attribute === undefined ? '$actor' : `$actor.${operand.attribute}`}`
}

/** The table and the rule that a lock is named after, and the fields whose groups are locked by themselves. */
function lockedAs({ name, per }: Lock): string {
  const rule = name.slice(name.lastIndexOf(' ') + 1)
  return per.length === 0 ? rule : `${rule} of each ${per.map(nameOf).join(' and ')}`
}

/** What a check asks, in a few words. */
function checkedAs(check: Check): string {
  switch (check.kind) {
    case 'reference':
      return `${check.relation.field.name} names a record that the caller may choose`
    case 'missing':
      return `${check.field.name} has a value`
    case 'unique':
      return `no other record has this ${check.field.name}`
    case 'scope':
      return `${check.field.name} leaves it a record of this resource`
    case 'policy':
      return 'the clause, of what is written'
    case 'fits':
      return `${check.field.name} can be computed`
    case 'move':
      return `${pathName(check.moves.path)} may go there`
    case 'rule':
    case 'count':
      return `"${check.says}" (${placeOf(check.rule.span)})`
    case 'foreign':
      return `"${check.says}" (${placeOf(check.rule.rule.span)})`
    case 'turn':
      return `"${check.rule.says}", told by the database (${placeOf(check.rule.span)})`
  }
}
