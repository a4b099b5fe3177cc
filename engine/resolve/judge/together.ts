/** Judges rules of one table together: conditions that no record fulfils at once, numbers that contradict each other, and times in a turned order. */
import type { Automation, CountRule, Field, Filter, OverlapRule, RecordRule, SoleRule } from '../../catalog/catalog.ts'
import { speaksOf } from '../../filter/walk.ts'
import { filterKey } from '../indexes.ts'
import type { Draft, Resolution } from '../resolution.ts'
import { hasOwnTable, judge, judgedResources, type Placed, table } from './judgement.ts'
import { neverHolds } from './satisfiable.ts'

/** Judges the rules of every table, each with those before it. */
export function judgeTogether(resolution: Resolution): void {
  for (const resource of judgedResources(resolution).filter(hasOwnTable)) {
    const { counts, overlaps, rules, soles } = resource.draft
    for (const rule of rules) judge(resolution, ALONE, { ...rule, place: () => rule.span })
    for (const automation of resource.draft.automations.values())
      judge(resolution, ACTS, { ...automation, place: () => automation.span })
    for (const [one, other] of pairs(rules)) judge(resolution, CONDITIONS, { one, other, place: () => other.span })
    for (const [one, other] of pairs([...soles.map(countOf), ...counts]))
      judge(resolution, NUMBERS, { one, other, place: () => other.span })
    for (const overlap of overlaps)
      judge(resolution, TIMES, { ...overlap, draft: resource.draft, place: () => overlap.span })
  }
}

function pairs<T>(all: readonly T[]): readonly (readonly [T, T])[] {
  return all.flatMap((other, index) => all.slice(0, index).map((one) => [one, other] as const))
}

interface Pair<T> extends Placed {
  readonly one: T
  readonly other: T
}

const CONDITIONS = table<Pair<RecordRule>>('wrong_rule', [
  {
    says: ({ one, other }) => {
      if (!isSame(one.when, other.when) || !meet(one, other)) return undefined
      if (neverHolds(one.must) !== undefined || neverHolds(other.must) !== undefined) return undefined
      const reason = neverHolds({ kind: 'and', of: [one.must, other.must] })
      return reason && `No record keeps both "${one.name}" and "${other.name}": ${reason}`
    },
    hint: 'correct one of the two, or say with "when" for which records each is',
  },
  {
    when: ({ one, other }) => isSame(one.when, other.when) && isSame(one.must, other.must) && isAbout(one, other),
    says: ({ one }) => `The rule "${one.name}" asks for this already`,
    hint: 'take this rule away, or correct its condition',
    details: () => ({ severity: 'warning' }),
  },
])

/** Whether a rule judges every write that the other one does. */
function isAbout(one: RecordRule, other: RecordRule): boolean {
  const reads = [...other.reads].every((column) => one.reads.has(column))
  return [...other.on].every((action) => one.on.has(action)) && (!one.narrow || (other.narrow && reads))
}

const ACTS = table<Automation & Placed>('wrong_automation', [
  {
    says: ({ when = [] }) => {
      const of = when.map(({ filter }) => filter)
      const reason = of.some((one) => neverHolds(one) !== undefined) ? undefined : neverHolds({ kind: 'and', of })
      return reason && `No record fulfils all that this automation asks for: ${reason}`
    },
    hint: 'correct one of the conditions under "when"',
    details: () => ({ severity: 'warning' }),
  },
])

const ALONE = table<RecordRule & Placed>('wrong_rule', [
  {
    // A rule about some changes alone forbids them so.
    when: ({ narrow, on }) => on.has('create') && !narrow,
    says: ({ must, name, when }) => {
      if (when === undefined || neverHolds(must) !== undefined || neverHolds(when) !== undefined) return undefined
      const reason = neverHolds({ kind: 'and', of: [when, must] })
      return reason && `No record that the rule "${name}" is about keeps it: ${reason}`
    },
    hint: 'correct one of the two conditions; "changed" says that it is about changes',
    details: () => ({ severity: 'warning' }),
  },
])

/** Whether one write is judged by both rules: a new record is, whatever its fields. */
function meet(one: RecordRule, other: RecordRule): boolean {
  const both = [...one.on].filter((action) => other.on.has(action))
  return both.some((action) => action === 'create' || (!one.narrow && !other.narrow))
}

/** Whether two conditions are surely the same. */
export function isSame(one: Filter | undefined, other: Filter | undefined): boolean {
  if (one === other) return true
  if (one === undefined || other === undefined) return false
  return !isLinked(one) && !isLinked(other) && filterKey(one) === filterKey(other)
}

/** Whether a condition compares values of the record, whose paths may form circles. */
function isLinked(filter: Filter): boolean {
  return speaksOf('record', filter) || speaksOf('before', filter)
}

type Count = Pick<CountRule, 'least' | 'most' | 'name' | 'per' | 'span' | 'where'>

/** What the only one comes to: at most one record with a yes. */
function countOf({ field, name, per, span, where }: SoleRule): Count {
  const yes: Filter = {
    kind: 'compare',
    path: { relations: [], field },
    operator: 'eq',
    operand: { kind: 'literal', value: true },
  }
  return {
    name,
    per,
    span,
    least: undefined,
    most: 1,
    where: where === undefined ? yes : { kind: 'and', of: [where, yes] },
  }
}

const NUMBERS = table<Pair<Count>>('wrong_rule', [
  {
    says: ({ one, other }) => {
      const columns = ({ per }: Count): string =>
        per
          .map(({ column }) => column)
          .sort()
          .join()
      if (!isSame(one.where, other.where) || columns(one) !== columns(other)) return undefined
      const least = Math.max(one.least ?? 0, other.least ?? 0)
      const most = Math.min(one.most ?? least, other.most ?? least)
      return (
        least > most &&
        `There cannot be ${least} records at least and ${most} at most, as "${one.name}" and "${other.name}" say`
      )
    },
    hint: 'write a greater "at_most", or a lower "at_least"',
  },
])

interface JudgedOverlap extends OverlapRule, Placed {
  readonly draft: Draft
}

const TIMES = table<JudgedOverlap>('wrong_rule', [
  {
    says: (one) => {
      const rule = turnedBy(one)
      return rule && `By the rule "${rule.name}" "${one.to.name}" comes first, and here "${one.from.name}" does`
    },
    hint: ({ from, to }) => `write no_overlap: [${to.name}, ${from.name}]`,
  },
  {
    when: (one) => turnedBy(one) === undefined && isAt(one.from, ENDS, STARTS) && isAt(one.to, STARTS, ENDS),
    says: ({ from, to }) =>
      `"${from.name}" looks like the end, and "${to.name}" like the start, which comes first here`,
    hint: ({ from, to }) => `write no_overlap: [${to.name}, ${from.name}]`,
    details: () => ({ severity: 'warning' }),
  },
])

/** A rule about all records by which the second time comes before the first. */
function turnedBy({ draft, from, to }: JudgedOverlap): RecordRule | undefined {
  return draft.rules.find(({ must, on, when }) => {
    if (when !== undefined || !on.has('create') || must.kind !== 'compare' || must.operand.kind !== 'record')
      return false
    const { operand, operator, path } = must
    if (path.relations.length > 0 || operand.path.relations.length > 0) return false
    const [low, high] = /^gte?$/.test(operator) ? [operand.path.field, path.field] : [path.field, operand.path.field]
    return /^[lg]te?$/.test(operator) && low === to && high === from
  })
}

/** Whether the name of a time has a word of one list, and none of the other. */
function isAt({ name }: Field, words: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  const parts = name.toLowerCase().split('_')
  return parts.some((part) => words.has(part)) && !parts.some((part) => others.has(part))
}

const STARTS: ReadonlySet<string> = new Set('start starts started begin begins began from since first'.split(' '))
const ENDS: ReadonlySet<string> = new Set('end ends ended until till to finish finishes finished last'.split(' '))
