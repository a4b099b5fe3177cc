/**
 * A classifier that counts: which words came with which label. It learns and forgets one text at a time.
 *
 * Our own, because it forgets what is deleted and says why it chose: the classifiers of natural do neither, and install
 * 78 MB in 51 packages.
 */
import { FEATURES, type Features } from './words.ts'

/** The targets of suggestions, in this order everywhere. */
export const TARGETS = ['priority', 'category', 'department', 'type'] as const
export type Target = (typeof TARGETS)[number]

/** A text with its labels, which are ids of settings, or null without a choice. */
export interface Example {
  readonly id: number
  readonly features: Features
  readonly labels: Readonly<Record<Target, number | null>>
}

interface Counts {
  examples: number
  readonly strong: Uint16Array
  readonly weak: Uint16Array
}

export interface Scored {
  readonly label: number
  /** Evidence for the label against all others, in natural logarithms. */
  readonly score: number
}

export interface Prediction {
  /** Best first, without labels that were never used. */
  readonly ranked: readonly Scored[]
  /** Lead of the best over the second, relative to the length of the text. */
  readonly margin: number
  /** Share of the text's words and pairs that were seen before. */
  readonly coverage: number
  /** Examples with a label. */
  readonly examples: number
}

/** The most labels of one target; later ones are not learned, so that memory is limited. */
const MOST_LABELS = 100
/** Smoothing of a rare word's evidence: as if it had been seen in this many more average texts. */
const DOUBT = 2
const MOST_EVIDENCE = 3.5
const WEAK = 0.25

export interface Model {
  readonly examples: ReadonlyMap<number, Example>
  /** Adds an example, in place of the one with its id. */
  learn(example: Example): void
  forget(id: number): void
  /** The prediction of the examples except those of `without`; null while no example has a label. */
  predict(target: Target, features: Features, without?: readonly Example[]): Prediction | null
  /** The evidence of one feature for a label against all others. */
  evidence(target: Target, label: number, feature: number): number
}

/** A model without examples. */
export function createModel(): Model {
  const examples = new Map<number, Example>()
  const counts: Readonly<Record<Target, Map<number, Counts>>> = {
    priority: new Map(),
    category: new Map(),
    department: new Map(),
    type: new Map(),
  }

  function count(example: Example, by: 1 | -1): void {
    for (const target of TARGETS) {
      const label = example.labels[target]
      if (label === null) continue
      const found = counts[target].get(label) ?? begin(counts[target], label)
      if (found === undefined) continue
      found.examples += by
      for (const feature of example.features.strong) found.strong[feature] = (found.strong[feature] ?? 0) + by
      for (const feature of example.features.weak) found.weak[feature] = (found.weak[feature] ?? 0) + by
      if (found.examples === 0) counts[target].delete(label)
    }
  }

  function forget(id: number): void {
    const known = examples.get(id)
    if (known === undefined) return
    examples.delete(id)
    count(known, -1)
  }

  return {
    examples,
    forget,
    learn(example) {
      forget(example.id)
      examples.set(example.id, example)
      count(example, 1)
    },
    predict: (target, features, without = []) => predict(counts[target], target, features, without),
    evidence(target, label, feature) {
      const all = [...counts[target].values()]
      const found = counts[target].get(label)
      if (found === undefined) return 0
      const total = all.reduce((sum, one) => sum + one.examples, 0)
      const seen = all.reduce((sum, one) => sum + (one.strong[feature] ?? 0), 0)
      return evidence(found.strong[feature] ?? 0, found.examples, seen, total)
    },
  }
}

function begin(counts: Map<number, Counts>, label: number): Counts | undefined {
  if (counts.size >= MOST_LABELS) return undefined
  const made = { examples: 0, strong: new Uint16Array(FEATURES), weak: new Uint16Array(FEATURES) }
  counts.set(label, made)
  return made
}

/** How much likelier a feature is in texts of the label than in the others, both smoothed. */
function evidence(inLabel: number, ofLabel: number, seen: number, total: number): number {
  if (seen === 0 || total === 0) return 0
  const usual = seen / total
  const here = (inLabel + DOUBT * usual) / (ofLabel + DOUBT)
  const there = (seen - inLabel + DOUBT * usual) / (total - ofLabel + DOUBT)
  return Math.max(-MOST_EVIDENCE, Math.min(MOST_EVIDENCE, Math.log(here / there)))
}

/** Counts of a text's own features among the excluded examples, by label. */
function setAside(target: Target, features: Features, without: readonly Example[]) {
  const place = new Map<number, number>()
  features.strong.forEach((feature, index) => void place.set(feature, index))
  features.weak.forEach((feature, index) => void place.set(feature + FEATURES, features.strong.length + index))
  const aside = new Map<number, { examples: number; seen: Uint32Array }>()
  for (const example of without) {
    const label = example.labels[target]
    if (label === null) continue
    const found = aside.get(label) ?? { examples: 0, seen: new Uint32Array(place.size) }
    aside.set(label, found)
    found.examples += 1
    const mark = (key: number) => {
      const at = place.get(key)
      if (at !== undefined) found.seen[at] = (found.seen[at] ?? 0) + 1
    }
    for (const feature of example.features.strong) mark(feature)
    for (const feature of example.features.weak) mark(feature + FEATURES)
  }
  return aside
}

function predict(
  counts: ReadonlyMap<number, Counts>,
  target: Target,
  features: Features,
  without: readonly Example[],
): Prediction | null {
  const aside = setAside(target, features, without)
  const labels = [...counts]
    .map(([label, known]) => ({ label, known, less: aside.get(label), score: 0 }))
    .map((one) => ({ ...one, examples: one.known.examples - (one.less?.examples ?? 0) }))
    .filter(({ examples }) => examples > 0)
    .sort((a, b) => a.label - b.label)
  const total = labels.reduce((sum, { examples }) => sum + examples, 0)
  if (labels.length === 0) return null
  for (const one of labels) one.score = Math.log((one.examples + 1) / (total + labels.length)) / 2
  let known = 0
  const add = (feature: number, at: number, kind: 'strong' | 'weak', weight: number) => {
    const seen = labels.map(({ known: of, less }) => (of[kind][feature] ?? 0) - (less?.seen[at] ?? 0))
    const all = seen.reduce((sum, one) => sum + one, 0)
    if (all === 0) return
    if (kind === 'strong') known += 1
    labels.forEach((one, index) => {
      one.score += weight * evidence(seen[index] ?? 0, one.examples, all, total)
    })
  }
  features.strong.forEach((feature, at) => void add(feature, at, 'strong', 1))
  features.weak.forEach((feature, at) => void add(feature, features.strong.length + at, 'weak', WEAK))
  const ranked = labels
    .map(({ label, score }) => ({ label, score }))
    .sort((a, b) => b.score - a.score || a.label - b.label)
  const lead = (ranked[0]?.score ?? 0) - (ranked[1]?.score ?? (ranked[0]?.score ?? 0) - 1)
  return {
    ranked,
    margin: Math.min(6, lead / Math.sqrt(known + 4)),
    coverage: features.strong.length === 0 ? 0 : known / features.strong.length,
    examples: total,
  }
}
