/** The story of one ticket: a problem in a customer's words, with its settings and its end. */
import type { Person } from './fill-people.ts'
import { KINDS, type Kind } from './kinds.ts'
import { LEVELS, type Level, type Problem } from './problem.ts'
import type { Random } from './random.ts'
import { ASIDES, CLOSINGS, HASTE, LEISURE, OPENINGS, SLOTS } from './styles.ts'

export interface Story {
  readonly subject: string
  readonly details: string
  readonly category: string
  readonly sub: string | undefined
  readonly department: string
  readonly type: string
  readonly priority: Level
  readonly tags: readonly string[]
  /** The comments on the ticket in turns; the agent begins. */
  readonly turns: readonly string[]
  readonly internal: string | undefined
}

/** Out of a hundred tickets, this many have a label that somebody chose carelessly. */
const SLIPS = { priority: 7, category: 3, department: 4, type: 6 } as const
const TOTAL = KINDS.reduce((sum, { share }) => sum + share, 0)

/** A story of a customer; `number` replaces an order, an invoice or an amount in the wording. */
export function storyOf(random: Random, customer: Person, number: number): Story {
  const kind = kindOf(random)
  const problem = random.pick(kind.problems)
  const haste = random.below(100)
  const mood = haste < 14 ? 1 : haste > 85 ? -1 : 0
  const words = wordsOf(random, customer, number)
  const subject = filled(random.pick(problem.subjects), words)
  return {
    subject: random.chance(6) ? subject.toLowerCase() : subject,
    details: letterOf(random, customer, problem, mood, words),
    ...placeOf(random, kind, problem, mood),
    tags: kind.tags,
    turns: random.pick(kind.talks),
    internal: random.chance(60) ? kind.internal : undefined,
  }
}

function kindOf(random: Random): Kind {
  let at = random.below(TOTAL)
  return KINDS.find(({ share }) => {
    at -= share
    return at < 0
  })!
}

/** The whole text: each customer has one greeting and one ending, and some say more than others. */
function letterOf(
  random: Random,
  { id }: Person,
  problem: Problem,
  mood: number,
  words: ReadonlyMap<string, string>,
): string {
  const parts = [
    ...(id % 3 === 0 ? [] : [OPENINGS[id % OPENINGS.length]!]),
    random.pick(problem.details),
    ...(random.chance(35) ? [random.pick(ASIDES)] : []),
    ...(mood === 0 ? [] : [random.pick(mood > 0 ? HASTE : LEISURE)]),
  ]
  const text = filled(parts.join(' '), words)
  return id % 4 === 0 ? text : `${text}\n\n${filled(CLOSINGS[id % CLOSINGS.length]!, words)}`
}

function placeOf(random: Random, kind: Kind, problem: Problem, mood: number) {
  const weight = LEVELS.indexOf(problem.priority ?? kind.priority) + mood
  const priority = LEVELS[Math.max(0, Math.min(LEVELS.length - 1, weight))]!
  const strayed = random.chance(SLIPS.category)
  return {
    category: strayed ? 'General' : kind.category,
    sub: strayed || random.chance(10) ? undefined : kind.sub,
    department: random.chance(SLIPS.department) ? 'Customer Support' : kind.department,
    type: random.chance(SLIPS.type) ? random.pick(KINDS).type : (problem.type ?? kind.type),
    priority: random.chance(SLIPS.priority) ? random.pick(LEVELS) : priority,
  }
}

function wordsOf(random: Random, { company, first }: Person, number: number): ReadonlyMap<string, string> {
  return new Map([
    ...Object.entries(SLOTS).map(([slot, words]): [string, string] => [slot, random.pick(words)]),
    ['n', String(number)],
    ['few', String(2 + (number % 30))],
    ['amount', `${12 + (number % 480)}.${10 + (number % 90)}`],
    ['city', company?.city ?? 'town'],
    ['company', company?.name ?? 'our company'],
    ['first', first],
  ])
}

function filled(text: string, words: ReadonlyMap<string, string>): string {
  return text.replace(/\{(\w+)\}/g, (_, slot: string) => words.get(slot) ?? slot)
}
