/** Judges moves: words that no record reaches, entries that say nothing, and what sets a word that no move leads to. */
import type { Field, FieldPath, Given, Move, Moves } from '../../catalog/catalog.ts'
import type { Document, MovesDefinition } from '../../definition/definition.ts'
import type { Span } from '../../text/source.ts'
import { implies } from '../access.ts'
import { entries } from '../document-part.ts'
import { fieldOf } from '../link-path.ts'
import type { Draft, Resolution } from '../resolution.ts'
import { judge, judgedResources, listed, type Placed, table, type Word } from './judgement.ts'
import { whyFixed, whyUnwritten } from './rules.ts'
import { type Comparison, necessaryComparisons } from './satisfiable.ts'

/** Judges the moves of every resource, and what is set where they hold. */
export function judgeMoves(resolution: Resolution): void {
  for (const { draft, written } of judgedResources(resolution)) {
    const { document } = written
    for (const [name, moved] of entries(document, ['moves'], document.value.moves)) {
      const field = fieldOf(resolution, draft, name)
      const moves = draft.moves.find((one) => one.name === name)
      if (field !== undefined) judge(resolution, MOVES, { ...moved, name, field, draft, moves, resolution })
    }
    for (const set of setsIn(resolution, draft)) judge(resolution, SET, set)
  }
}

interface JudgedMoves extends Document<MovesDefinition> {
  readonly name: string
  readonly field: Field
  readonly draft: Draft
  readonly resolution: Resolution
  /** undefined: they cannot be linked. */
  readonly moves: Moves | undefined
}

const MOVES = table<JudgedMoves>('wrong_rule', [
  {
    key: [],
    says: ({ field, name }) => {
      const reason = whyUnwritten(field) ?? whyFixed(field) ?? (field.readOnly ? 'is read-only' : undefined)
      return reason && `"${name}" ${reason}, so nobody moves it`
    },
    hint: 'take the moves away, or let the field be written',
  },
  {
    words: ({ value }) =>
      value.allow.flatMap(({ from, to }, index): readonly Word[] =>
        typeof from === 'string' && from === to && from !== 'any' ? [[['allow', index], from]] : [],
      ),
    says: (_, word) => `Staying ${word} is no move`,
    hint: 'take the entry away: a record may always stay as it is',
  },
  {
    words: ({ field, value }) =>
      value.allow.flatMap((move, index): readonly Word[] => {
        const any = (['from', 'to'] as const).find((side) => move[side] === 'any')
        const { values } = field.options.own
        return any !== undefined && Array.isArray(values) && values.includes('any')
          ? [[['allow', index, any], any]]
          : []
      }),
    says: ({ name }) => `"any" is one of the words of "${name}", and means all of them here`,
    hint: 'write [any] for the word alone, or the words that are meant',
  },
  {
    // An enum knows its words, and complains of others.
    words: ({ moves, value }) => (moves?.words === undefined ? value.allow.flatMap(wordsOf) : []),
    when: (_, word) => /^\$[a-z]/.test(word),
    says: (_, word) => `"${word}" is a word like others here, which no record has: moves know no other values`,
    hint: 'write the words that are meant; what compares with another value is a rule',
  },
  {
    words: ({ field }) => wordsIn(field).map((word) => [['allow'], word]),
    when: ({ moves }) => moves?.path.relations.length === 0 && isKnown(moves),
    says: ({ draft, moves, name, resolution }, word) => {
      const [to, from] = (['to', 'from'] as const).map((side) => moves!.allow.some((one) => has(one[side], word)))
      const first = onlyBeginning(resolution, draft, moves!.field)
      if (!to && !from) return `No move reaches or leaves "${word}" of "${name}"`
      if (!to && first !== undefined && first !== word)
        return `Every new record begins with "${first}", and no move reaches "${word}"`
      return !from && first === word && `Every new record begins with "${word}", which no move leaves`
    },
    hint: 'add an entry with the word, or take it away',
    details: () => ({ severity: 'warning' }),
  },
  {
    words: ({ moves }) => (moves?.allow ?? []).map((_, index) => [['allow', index], String(index)]),
    says: ({ moves }, index) => {
      const own = moves!.allow[Number(index)]!
      const found = moves!.allow.findIndex(
        (other, at) => covers(other, own) && (at < Number(index) || !covers(own, other)),
      )
      return found >= 0 && `Entry ${found + 1} allows all of this already`
    },
    hint: 'take this entry away, or narrow the other one',
    details: () => ({ severity: 'warning' }),
  },
  {
    words: ({ moves }) => (moves?.allow ?? []).map((_, index) => [['allow', index], String(index)]),
    when: ({ moves }) => moves?.path.relations.length === 0 && isKnown(moves),
    says: ({ draft, moves, resolution }, index) =>
      isBlocked(resolution, draft, moves!, moves!.allow[Number(index)]!) &&
      'No clause of update lets a record go this way: its condition holds before and after the change',
    hint: 'let the condition of a clause admit both words, as where: { state: [draft, sent] }',
    details: () => ({ severity: 'warning' }),
  },
])

/** Whether people are named who make a move, and every clause that lets them write the field admits one side alone. */
function isBlocked({ drafts }: Resolution, { owner }: Draft, { field, path }: Moves, move: Move): boolean {
  const clauses = [...drafts.values()]
    .filter((one) => one.owner === owner)
    .flatMap(({ policies }) => policies.update)
    .filter(({ fields }) => fields?.has(field.name) !== false)
  if (move.access.length === 0 || clauses.length === 0) return false
  return clauses.every(({ where }) => {
    const words = where === undefined ? undefined : wordsBefore(path, necessaryComparisons(where))
    if (words === undefined) return false
    const [from, to] = [move.from, move.to].map((side) => words.filter((word) => has(side, word)))
    return !to!.some((word) => from!.some((left) => left !== word))
  })
}

/** The words of one entry, with their places. */
function wordsOf(move: MovesDefinition['allow'][number], index: number): readonly Word[] {
  return (['from', 'to'] as const).flatMap((side): readonly Word[] => {
    const written = move[side]
    const path = ['allow', index, side]
    return typeof written === 'string' ? [[path, written]] : listed(path, written)
  })
}

function wordsIn({ options: { own } }: Field): readonly string[] {
  return Array.isArray(own.values) ? own.values.map(String) : []
}

/** Whether the moves name words of the field alone; one that is misspelt is another one missing. */
function isKnown({ allow, words = [] }: Moves): boolean {
  return allow.flatMap(({ from, to }) => [...(from ?? []), ...(to ?? [])]).every((word) => words.includes(word))
}

/** Whether a side of a move has a word; undefined words mean every one. */
function has(words: ReadonlySet<string> | undefined, word: string): boolean {
  return words === undefined || words.has(word)
}

/** The default of the field, where nothing else gives a new record a value in it. */
function onlyBeginning({ drafts }: Resolution, { owner }: Draft, field: Field): string | undefined {
  const same = [...drafts.values()].filter((one) => one.owner === owner)
  const made = [...drafts.values()].flatMap(({ automations }) =>
    [...automations.values()].flatMap(({ actions }) =>
      actions.flatMap((act) => (act.kind === 'create' ? act.set : [])),
    ),
  )
  const given = same.flatMap(({ follows, policies, scopeSets, seeds }) => [
    ...[...policies.create, ...follows].flatMap(({ set }): readonly { readonly field: Field }[] => set),
    ...(seeds?.rows ?? []).flatMap(({ assignments }) => assignments),
    ...scopeSets,
  ])
  const isSent = same.some(
    ({ hooks, policies }) =>
      hooks.create.length > 0 || policies.create.some(({ fields }) => fields?.has(field.name) !== false),
  )
  const isGiven = [...given, ...made].some((one) => one.field.column === field.column)
  const { default: word } = field
  return typeof word === 'string' && !isGiven && (field.readOnly || !isSent) ? word : undefined
}

/** Whether one move allows all that the other does, to everybody to whom that does. */
function covers(one: Move, other: Move): boolean {
  return isWithin(other.from, one.from) && isWithin(other.to, one.to) && implies(other.access, one.access)
}

function isWithin(inner: ReadonlySet<string> | undefined, outer: ReadonlySet<string> | undefined): boolean {
  return outer === undefined || (inner !== undefined && [...inner].every((word) => outer.has(word)))
}

/** A value that is set by itself where moves hold. */
interface JudgedSet extends Placed {
  readonly moves: Moves
  readonly to: string
  /** The words that the record can have before; undefined: any. */
  readonly from: readonly string[] | undefined
  /** Whether a new record gets the word too, which may have any. */
  readonly isNewToo: boolean
}

const SET = table<JudgedSet>('wrong_rule', [
  {
    says: ({ from, isNewToo, moves, to }) => {
      const other = from?.filter((word) => word !== to)
      const leads = ({ from: left, to: reached }: Move): boolean =>
        has(reached, to) && (other === undefined || other.some((word) => has(left, word)))
      if (other?.length === 0 || moves.allow.some(leads)) return undefined
      const way = other === undefined ? '' : ` from ${other.map((word) => `"${word}"`).join(' or ')}`
      return `No move of "${moves.name}" leads${way} to "${to}", so ${isNewToo ? 'an update' : 'this'} is refused each time`
    },
    hint: ({ isNewToo }) =>
      `add the move to "allow", or set a word that can follow${isNewToo ? '; on: [create] is about new records alone' : ''}`,
    details: ({ isNewToo }) => (isNewToo ? { severity: 'warning' } : {}),
  },
])

/** What automations set, and what follows from updates. */
function setsIn({ drafts }: Resolution, draft: Draft): readonly JudgedSet[] {
  const acts = [...draft.automations.values()].flatMap(({ actions, when = [] }) => {
    const conditions = when.flatMap(({ filter }) => necessaryComparisons(filter))
    return actions.flatMap((act) => (act.kind === 'set' ? judgedSets(draft, act, conditions) : []))
  })
  if (draft.owner !== draft.name) return acts
  const own = draft.follows.filter(({ on }) => on.has('update'))
  const follows = own.flatMap((follow) =>
    judgedSets(draft, follow).map((one) => ({ ...one, isNewToo: follow.on.size > 1 })),
  )
  return [...acts, ...follows, ...draft.relatedFollows.flatMap((one) => judgedSets(drafts.get(one.target), one))]
}

function judgedSets(
  draft: Draft | undefined,
  { set, span }: { readonly set: readonly Given[]; readonly span: Span },
  conditions: readonly Comparison[] = [],
): readonly JudgedSet[] {
  return set.flatMap((given) =>
    (draft?.moves ?? []).flatMap((moves): readonly JudgedSet[] => {
      const to = moves.field.column === given.field.column ? wordSet(moves, given) : undefined
      return to === undefined
        ? []
        : [{ moves, to, from: wordsBefore(moves.path, conditions), isNewToo: false, place: () => span }]
    }),
  )
}

/** The word that a value has, where it is written out: by itself, or as what a record is found by. */
function wordSet({ path }: Moves, given: Given): string | undefined {
  const value = 'value' in given ? given.value : undefined
  if (value?.kind === 'operand' && value.operand.kind === 'literal' && path.relations.length === 0)
    return typeof value.operand.value === 'string' ? value.operand.value : undefined
  if (value?.kind !== 'selection' || path.relations.length === 0) return undefined
  const found = necessaryComparisons(value.selection.where).find(
    (part) => part.operator === 'eq' && part.path.relations.length === 0 && part.path.field === path.field,
  )
  return found?.operand.kind === 'literal' ? String(found.operand.value) : undefined
}

function wordsBefore(path: FieldPath, conditions: readonly Comparison[]): readonly string[] | undefined {
  const about = conditions.find(
    ({ operand, operator, path: { field, relations } }) =>
      operand.kind === 'literal' &&
      (operator === 'eq' || operator === 'in') &&
      field === path.field &&
      relations.map(({ name }) => name).join() === path.relations.map(({ name }) => name).join(),
  )
  if (about?.operand.kind !== 'literal') return undefined
  return [about.operand.value].flat().map(String)
}
