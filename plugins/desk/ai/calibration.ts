/** From margins to honest numbers: how often such a suggestion was right on the desk's own tickets, taken as unseen. */
import { type Example, type Model, type Prediction, TARGETS, type Target } from './model.ts'

/** Weights of 1, the margin and the coverage in the odds of being right. */
type Weights = readonly [number, number, number]

export type Calibration = Readonly<Record<Target, Weights>>

/** What is believed before anything was measured, and how many measurements it weighs. */
const BELIEF: Weights = [-2, 0.7, 2]
const BELIEF_WEIGHT = 4
const MOST_SAMPLES = 120
/** More copies of one text than this are a form that is sent in: leaving these out is enough. */
const MOST_ALIKE = 1_000
const ROUNDS = 200

/** Nothing measured yet. */
export const UNMEASURED: Calibration = { priority: BELIEF, category: BELIEF, department: BELIEF, type: BELIEF }

/** The chance, 0 to 1, that the best of a prediction is right; little as long as there are few examples. */
export function confidenceOf(calibration: Calibration, target: Target, prediction: Prediction): number {
  const chance = logistic(calibration[target], factsOf(prediction))
  return chance * (prediction.examples / (prediction.examples + 5))
}

function factsOf({ margin, coverage }: Prediction): Weights {
  return [1, margin, coverage]
}

function logistic(weights: Weights, facts: Weights): number {
  return 1 / (1 + Math.exp(-(weights[0] * facts[0] + weights[1] * facts[1] + weights[2] * facts[2])))
}

interface Measurement {
  readonly facts: Weights
  readonly right: boolean
}

/**
 * Measures each target on the examples, twice for every sample: without the sample itself, which is how a recurring
 * question meets the model, and without everything nearly the same, which is how a new one does. `pause` is awaited
 * between samples. The same examples give the same calibration whatever their order.
 */
export async function calibrate(model: Model, pause: () => Promise<void>): Promise<Calibration> {
  const byMark = marked(model.examples.values())
  const samples = [...model.examples.values()]
    .sort((a, b) => scatter(a.id) - scatter(b.id) || a.id - b.id)
    .slice(0, MOST_SAMPLES)
  const measured: Record<Target, Measurement[]> = { priority: [], category: [], department: [], type: [] }
  for (const sample of samples) {
    for (const without of [[sample], alike(byMark, sample)]) {
      for (const target of TARGETS) {
        const label = sample.labels[target]
        const prediction = label === null ? null : model.predict(target, sample.features, without)
        if (prediction === null) continue
        measured[target].push({ facts: factsOf(prediction), right: prediction.ranked[0]?.label === label })
      }
      await pause()
    }
  }
  const fitted = TARGETS.map((target) => [target, fit(measured[target])] as const)
  return Object.fromEntries(fitted) as Record<Target, Weights>
}

/** A fixed order that has nothing to do with the order of ids. */
function scatter(id: number): number {
  return Math.imul(id ^ (id >>> 7), 0x9e3779b1) >>> 0
}

/** Examples by each of their marks. */
export function marked(examples: Iterable<Example>): ReadonlyMap<string, readonly Example[]> {
  const byMark = new Map<string, Example[]>()
  for (const example of examples) {
    example.features.marks.forEach((mark, index) => {
      const key = `${index}:${mark}`
      const found = byMark.get(key)
      if (found === undefined) byMark.set(key, [example])
      else found.push(example)
    })
  }
  return byMark
}

/** The examples that share a mark with one, itself among them. */
export function alike(byMark: ReadonlyMap<string, readonly Example[]>, one: Example): readonly Example[] {
  const found = one.features.marks.flatMap((mark, index) => byMark.get(`${index}:${mark}`) ?? [])
  return [...new Set(found)].slice(0, MOST_ALIKE)
}

/** Logistic regression by gradient ascent, drawn towards the belief; margin and coverage never count against. */
function fit(measurements: readonly Measurement[]): Weights {
  const weights: [number, number, number] = [...BELIEF]
  const spread = measurements.length + BELIEF_WEIGHT
  for (let round = 0; round < ROUNDS; round += 1) {
    const slope: [number, number, number] = [0, 0, 0]
    for (const { facts, right } of measurements) {
      const off = (right ? 1 : 0) - logistic(weights, facts)
      for (const at of [0, 1, 2] as const) slope[at] += off * facts[at]
    }
    for (const at of [0, 1, 2] as const) {
      const drawn = slope[at] + (BELIEF_WEIGHT / 4) * (BELIEF[at] - weights[at])
      weights[at] += drawn / spread
      if (at > 0) weights[at] = Math.max(0, weights[at])
    }
  }
  return weights
}
