/** Judges what automations, entries of `follows` and clauses set by themselves, where a rule of the record refuses it each time. */
import type { Assignment, Field, Filter, Given, RecordRule, Value } from '../../catalog/catalog.ts'
import type { Json } from '../../json.ts'
import type { Span } from '../../text/source.ts'
import type { Draft, Resolution } from '../resolution.ts'
import { judge, judgedResources, type Placed, table } from './judgement.ts'
import { necessaryComparisons } from './satisfiable.ts'
import { type Known, truthOf } from './truth.ts'

/** Judges what every resource sets by itself. */
export function judgeRefusedSets(resolution: Resolution): void {
  for (const { draft } of judgedResources(resolution))
    for (const one of [...ofAutomations(resolution, draft), ...ofFollows(draft), ...ofClauses(draft)])
      for (const rule of one.target.rules) judge(resolution, SET, { ...one, rule, place: () => one.span })
}

/** Values that a write of the program has, with what is known of the record besides. */
interface SetBy {
  readonly target: Draft
  /** The writes of the record that get them. */
  readonly on: readonly ('create' | 'update')[]
  readonly set: readonly (Assignment | Given | { readonly field: Field; readonly value: Value })[]
  /** Conditions that hold of the record. */
  readonly when: readonly (Filter | undefined)[]
  readonly span: Span
}

const SET = table<SetBy & Placed & { readonly rule: RecordRule }>('wrong_rule', [
  {
    says: (one) => isRefused(one) && `The rule "${one.rule.name}" refuses this each time: ${one.rule.says}`,
    hint: 'set a value that the rule admits, or say with "when" for which records the rule is',
    details: () => ({ severity: 'warning' }),
  },
])

/** Whether a rule surely speaks of the record after the write, and is surely broken by it. */
function isRefused({ on, rule, set, when }: SetBy & { readonly rule: RecordRule }): boolean {
  if (!on.every((action) => rule.on.has(action))) return false
  // A rule about some changes alone is not asked where the value was there before.
  if (rule.narrow && !on.every((action) => action === 'create')) return false
  const known = knownBy(set, when)
  const speaks = rule.when === undefined || truthOf(rule.when, known) === true
  return speaks && set.length > 0 && truthOf(rule.must, known) === false
}

/** The values that are written out: those that are set, then those that a condition compares with. */
function knownBy(set: SetBy['set'], when: SetBy['when']): Known {
  const values = new Map<string, Json | undefined>()
  for (const { operand, operator, path } of when.flatMap((one) => (one === undefined ? [] : necessaryComparisons(one))))
    if (operator === 'eq' && path.relations.length === 0 && operand.kind === 'literal')
      values.set(path.field.column, operand.value)
  for (const one of set) values.set(one.field.column, literalIn(one))
  return ({ column }) => values.get(column)
}

function literalIn(one: SetBy['set'][number]): Json | undefined {
  const operand =
    'operand' in one ? one.operand : 'value' in one && one.value.kind === 'operand' ? one.value.operand : undefined
  return operand?.kind === 'literal' ? operand.value : undefined
}

function ofAutomations({ drafts }: Resolution, draft: Draft): readonly SetBy[] {
  return [...draft.automations.values()].flatMap(({ actions, when = [] }) =>
    actions.flatMap((act): readonly SetBy[] => {
      if (act.kind === 'run') return []
      const { set, span } = act
      if (act.kind === 'set')
        return [{ target: draft, on: ['update'], set, when: when.map(({ filter }) => filter), span }]
      const target = drafts.get(act.resource)
      return target === undefined ? [] : [{ target, on: ['create'], set, when: [], span }]
    }),
  )
}

function ofFollows(draft: Draft): readonly SetBy[] {
  return draft.follows.map(({ on, set, span, when }) => ({
    target: draft,
    on: (['create', 'update'] as const).filter((action) => on.has(action)),
    set,
    when: [when],
    span,
  }))
}

function ofClauses(draft: Draft): readonly SetBy[] {
  return (['create', 'update'] as const).flatMap((action) =>
    draft.policies[action].map(({ set, span, where }) => ({ target: draft, on: [action], set, when: [where], span })),
  )
}
