/** Guesses for the first days of a desk: the fit of a text with the names of the settings, with low confidence. */
import type { Choice } from './choices.ts'
import type { Target } from './model.ts'
import { tellingWords } from './words.ts'

/** Words that support desks use for the same thing; a setting belongs to a group when its name or description does. */
const CIRCLES: readonly (readonly string[])[] = [
  `bill billing invoice payment pay paid charge charged refund refunds price card subscription accounting vat receipt`,
  `account login sign signin password access locked profile permission permissions user users code verification`,
  `technical support bug error errors crash crashes fault faults broken fails failed failure integration api webhook slow
   blank stops printer export sync work working install`,
  `shipping delivery deliveries delivered parcel package tracking carrier return returns label order shipment damaged`,
  `sales offer offers contract contracts discount quote seats plan upgrade licence license buy purchase`,
  `feature request wish suggestion improvement add idea mode`,
  `incident outage down emergency suddenly morning locked twice`,
  `problem bug wrong error broken fails stops`,
  `question how where when ask wondering possible`,
  `task please create prepare set arrange onboarding colleague`,
].map((line) => line.split(/\s+/))

const URGENT =
  /\b(urgent|urgently|asap|immediately|critical|emergency|down|outage|breach|hacked|everyone|nobody can|all users|production|deadline|locked out|charged twice|data loss)\b/giu
const CALM =
  /\b(suggestion|feature|would be nice|whenever|no hurry|no rush|minor|cosmetic|wish|dark mode|curious|just wondering)\b/giu
const HIGH_NAMES = /urgent|critical|emergency|highest|blocker|p0|p1/i
const RAISED_NAMES = /high|important|p2/i
const LOW_NAMES = /low|minor|p4|p5|lowest/i

const MOST_SURE = 0.35

export interface Guess {
  readonly choice: Choice
  readonly confidence: number
  /** The words that decided. */
  readonly words: readonly string[]
}

/** The choice whose name fits a text best; null without any fit. */
export function guess(target: Target, choices: readonly Choice[], text: string): Guess | null {
  if (target === 'priority') return guessPriority(choices, text)
  const words = [...new Set(tellingWords(text))]
  const fits = choices.map((choice) => ({ choice, words: fitting(choice, words) }))
  const points = (one: { words: readonly string[] }) => one.words.length
  const [best, second] = fits.sort((a, b) => points(b) - points(a) || a.choice.id - b.choice.id)
  if (best === undefined || points(best) === 0) return null
  const lead = (points(best) - (second === undefined ? 0 : points(second))) / points(best)
  return { ...best, confidence: Math.min(MOST_SURE, 0.12 + 0.05 * points(best) + 0.1 * lead) }
}

function fitting({ description, name }: Choice, words: readonly string[]): readonly string[] {
  const own = tellingWords(`${name} ${description}`)
  const circles = CIRCLES.filter((circle) => tellingWords(name).some((word) => circle.includes(word)))
  const wide = circles.length > 0 ? circles : CIRCLES.filter((circle) => own.some((word) => circle.includes(word)))
  return words.filter(
    (word) => own.some((one) => stem(one) === stem(word)) || wide.some((circle) => circle.includes(word)),
  )
}

function stem(word: string): string {
  return word.replace(/(?:ings?|ed|es|s)$/u, '').slice(0, 7)
}

function guessPriority(choices: readonly Choice[], text: string): Guess | null {
  const urgent = found(URGENT, text)
  const calm = found(CALM, text)
  const named = (pattern: RegExp) => choices.find(({ name }) => pattern.test(name))
  const usual = choices.find(({ isDefault }) => isDefault) ?? choices[0]
  if (usual === undefined) return null
  if (urgent.length > calm.length) {
    const choice =
      (urgent.length > 1 ? named(HIGH_NAMES) : undefined) ?? named(RAISED_NAMES) ?? named(HIGH_NAMES) ?? usual
    return { choice, confidence: Math.min(MOST_SURE, 0.2 + 0.05 * urgent.length), words: urgent }
  }
  const low = named(LOW_NAMES)
  if (calm.length > urgent.length && low !== undefined) return { choice: low, confidence: 0.25, words: calm }
  return { choice: usual, confidence: 0.15, words: [] }
}

function found(pattern: RegExp, text: string): readonly string[] {
  return [...new Set([...text.toLowerCase().matchAll(pattern)].map(([word]) => word))]
}
