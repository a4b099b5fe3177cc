/** Judges rules, automations and what follows from writes: parts that no write could set off, or that every write keeps. */
import type { Field, Filter, Follow } from '../../catalog/catalog.ts'
import type { AutomationDefinition, Document, FollowDefinition, RuleDefinition } from '../../definition/definition.ts'
import { isNames } from '../automation-trigger.ts'
import { entries, inside } from '../document-part.ts'
import { columnsOf } from '../filter-dependencies.ts'
import { fieldOf } from '../link-path.ts'
import type { Json } from '../../json.ts'
import type { Draft, Resolution } from '../resolution.ts'
import { pathsRead } from '../values.ts'
import { judge, judgedResources, keysOf, listed, type Placed, type Row, table, type Word } from './judgement.ts'
import { alwaysHolds, asksNothing, necessaryComparisons, neverHolds } from './satisfiable.ts'

/** Judges what every resource says of its writes, where it is written. */
export function judgeRules(resolution: Resolution): void {
  for (const { draft, written } of judgedResources(resolution)) {
    const { document } = written
    const { automations, follows = [], rules } = document.value
    for (const [name, rule] of entries(document, ['rules'], rules)) {
      const must = draft.rules.find((one) => one.name === name)?.must
      judge(resolution, RULE, { ...rule, resolution, draft, name, must })
      if (rule.value.holds !== 'always') judge(resolution, EVENTS, { ...rule, resolution, draft, usual: USUAL })
    }
    if (draft.owner === draft.name)
      for (const follow of draft.follows) judge(resolution, ORDER, { follow, draft, place: () => follow.span })
    for (const [index, value] of follows.entries()) {
      const follow = { ...inside(document, ['follows', index], value), resolution, draft, usual: USUAL }
      judge(resolution, EVENTS, follow)
      judge(resolution, FOLLOW, follow)
    }
    for (const [, automation] of entries<Events['value']>(document, ['automations'], automations))
      judge(resolution, EVENTS, { ...automation, resolution, draft, usual: [] })
  }
}

const USUAL = ['create', 'update'] as const

interface About {
  readonly resolution: Resolution
  readonly draft: Draft
}

interface JudgedRule extends Document<RuleDefinition>, About {
  readonly name: string
  readonly must: Filter | undefined
}

const RULE = table<JudgedRule>('wrong_rule', [
  {
    at: ['must'],
    says: ({ must, name }) => must !== undefined && alwaysHolds(must) && `The rule "${name}" asks for nothing`,
    hint: 'write a condition that the record must fulfil',
  },
  {
    at: ['must'],
    when: ({ must }) => must !== undefined && !alwaysHolds(must),
    says: ({ must, name }) =>
      must !== undefined && asksNothing(must) && `Every record keeps the rule "${name}" already`,
    hint: 'write a condition that a record can break, or take the rule away',
    details: () => ({ severity: 'warning' }),
  },
  {
    words: (one) =>
      fieldsIn(one, ({ operand, operator, path }) => {
        return operator === 'null' && operand.kind === 'literal' && operand.value === true && path.field.required
      }),
    says: ({ name }, field) => `"${field}" is required, so no record keeps the rule "${name}"`,
    hint: 'take "required" away from the field, or correct the rule',
  },
  {
    words: (one) =>
      fieldsIn(one, ({ operand, path }) => {
        return operand.kind === 'record' && operand.path.relations.length === 0 && operand.path.field === path.field
      }),
    says: ({ name }, field) => `The rule "${name}" compares "${field}" with itself`,
    hint: 'name another field, or $before for the value that is stored',
  },
  {
    at: ['at_most'],
    when: ({ value: { at_least: least = 0, at_most: most = least } }) => least > most,
    says: ({ value }) => `There cannot be ${value.at_least} records at least and ${value.at_most} at most`,
    hint: 'write a greater "at_most", or a lower "at_least"',
  },
  {
    words: ({ value }) => named('per', value.per),
    when: ({ draft, resolution }, name) => fieldOf(resolution, draft, name)?.unique === true,
    says: (_, name) => `"${name}" is unique, so there is one record for each value`,
    hint: 'name a field or relation that several records share',
  },
  {
    words: ({ value }) => named('per', value.per),
    when: ({ draft, resolution, value }, name) =>
      name === value.only_one && fieldOf(resolution, draft, name)?.unique === false,
    says: (_, name) => `"${name}" is what one record alone has, not what several share`,
    hint: 'name another field or relation, or take "per" away',
  },
])

/** The fields of the record itself that a rule compares so that `isWrong`. */
function fieldsIn(
  { must }: JudgedRule,
  isWrong: (part: ReturnType<typeof necessaryComparisons>[number]) => boolean,
): readonly Word[] {
  const parts = must === undefined ? [] : necessaryComparisons(must)
  const wrong = parts.filter((part) => part.path.relations.length === 0 && isWrong(part))
  return wrong.map(({ path }) => [['must'], path.field.name])
}

/** A name or a list of names, with their places. */
function named(key: string, names: string | readonly string[] = []): readonly Word[] {
  return typeof names === 'string' ? [[[key], names]] : listed([key], names)
}

/** The parts of a rule, an entry of `follows` or an automation that name the writes for which it waits. */
interface Events extends Document<Pick<AutomationDefinition, 'on' | 'changed'>>, About {
  /** The writes where `on` names none; empty for an automation. */
  readonly usual: readonly string[]
}

const EVENTS = table<Events>('wrong_rule', [
  {
    code: 'missing_live',
    at: ['on', 0],
    when: ({ draft, value }) => value.on?.join() === 'restore' && draft.restoreSets === undefined,
    says: ({ draft }) => `Nothing restores "${draft.name}"`,
    hint: 'add "soft_delete: true" and "restore: true", or leave restore out',
  },
  {
    key: ['changed'],
    when: (one) => one.value.changed !== undefined && !eventsOf(one).includes('update') && one.usual.length > 0,
    says: 'Only an update changes something',
    hint: 'leave it out, or name update under on',
  },
  {
    words: staying,
    says: (_, word) => `Staying ${word} is no change, so no write sets this off`,
    hint: 'name another word on one side, or leave one of them out',
  },
  ...[namesChanged, keysChanged].map(
    (words): Row<Events> => ({
      words: (one) => (eventsOf(one).includes('update') ? words(one) : []),
      ...(words === keysChanged ? { key: [] } : {}),
      says: (one, name) => {
        const field = fieldOf(one.resolution, one.draft, name)
        const reason = whyUnwritten(field) ?? (eventsOf(one).includes('create') ? undefined : whyFixed(field))
        return reason && `"${name}" ${reason}, so no write changes it`
      },
      hint: 'name the fields that it comes from, or leave it out',
    }),
  ),
])

/** Fields that are to change from a word to the same one. */
function staying({ value: { changed } }: Events): readonly Word[] {
  if (typeof changed !== 'object' || isNames(changed)) return []
  return Object.entries(changed).flatMap(([name, turn]): readonly Word[] => {
    const { from, to } = (turn ?? {}) as { readonly from?: Json; readonly to?: Json }
    const [before, after] = [from, to].map((side) => (side === undefined ? [] : [side].flat()))
    return before!.length === 1 && after!.length === 1 && before![0] === after![0]
      ? [[['changed', name], String(before![0])]]
      : []
  })
}

function eventsOf({ usual, value }: Events): readonly string[] {
  return value.on ?? usual
}

function namesChanged({ value: { changed } }: Events): readonly Word[] {
  return typeof changed === 'string' || (changed !== undefined && isNames(changed)) ? named('changed', changed) : []
}

function keysChanged({ value: { changed } }: Events): readonly Word[] {
  return typeof changed === 'object' && !isNames(changed) ? keysOf(['changed'], changed) : []
}

export function whyUnwritten(field: Field | undefined): string | undefined {
  return field?.computed === undefined && field?.count === undefined ? undefined : 'is computed when it is read'
}

export function whyFixed(field: Field | undefined): string | undefined {
  return field?.immutable === true ? 'is set on create and stays' : undefined
}

const FOLLOW = table<Document<FollowDefinition> & About>('wrong_rule', [
  {
    words: ({ value }) => (value.of === undefined && value.on?.join() === 'update' ? keysOf(['set'], value.set) : []),
    key: [],
    says: ({ draft, resolution }, name) => {
      const reason = whyFixed(fieldOf(resolution, draft, name))
      return reason && `"${name}" ${reason}, so nothing can follow for it from an update`
    },
    hint: 'name create under on, or take "immutable" away from the field',
  },
])

interface JudgedOrder extends Placed {
  readonly follow: Follow
  readonly draft: Draft
}

const ORDER = table<JudgedOrder>('wrong_rule', [
  {
    says: (one) => {
      const field = setLater(one)
      const name = field?.relation ?? field?.name
      return field && `This reads "${name}", which a later entry sets: it sees the value from before that`
    },
    hint: 'move the entry behind the one that sets it; $before says that the stored value is meant',
    details: () => ({ severity: 'warning' }),
  },
])

/** A field that an entry reads and a later one sets in the same writes. */
function setLater({ draft, follow }: JudgedOrder): Field | undefined {
  const { on, set, when } = follow
  const own = new Set(set.map(({ field }) => field.column))
  const paths = set.flatMap(({ value }) => pathsRead(value))
  const read = new Set(paths.flatMap(columnsOf).filter((column) => !own.has(column)))
  const later = draft.follows.slice(draft.follows.indexOf(follow) + 1).filter((other) => {
    const both = [when, other.when].filter((one) => one !== undefined)
    return [...other.on].some((action) => on.has(action)) && neverHolds({ kind: 'and', of: both }) === undefined
  })
  // What is read may be reset behind that: paused_at: null.
  const isReset = ({ value }: Follow['set'][number]): boolean =>
    value.kind === 'operand' && value.operand.kind === 'literal'
  const isRead = ({ field }: Follow['set'][number]): boolean => read.has(field.column)
  return later.flatMap((other) => other.set).find((one) => isRead(one) && !isReset(one))?.field
}
