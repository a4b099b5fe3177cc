/**
 * Calibration: turns margins into honest confidences, by how often such suggestions were right on the desk's own
 * tickets, treated as unseen.
 */
import type { GiveWay } from '../../../engine/index.ts'
import { type Example, type Model, type Prediction, TARGETS, type Target } from './model.ts'

/** Weights of 1, the margin and the coverage in the odds of being right. */
type Weights = readonly [number, number, number]

export type Calibration = Readonly<Record<Target, Weights>>

/** The belief before any measurement, and the number of measurements that it counts as. */
const BELIEF: Weights = [-2, 0.7, 2]
const BELIEF_WEIGHT = 1
const MOST_SAMPLES = 120
/** The share of the examples that counts as new, and the most of them. */
const NEWEST = 0.3
const MOST_NEWEST = 300
/** A text with more copies than this is a form letter: leaving out this many is enough. */
const MOST_ALIKE = 1_000
const ROUNDS = 40

/** Nothing measured yet. */
export const UNMEASURED: Calibration = { priority: BELIEF, category: BELIEF, department: BELIEF, type: BELIEF }

/** The chance, 0 to 1, that the best of a prediction is right; low as long as there are few examples. */
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
 * Measures each target on the newest examples as the model met them: without any of the newest. Each is measured twice:
 * as a repeated question, and, without all nearly equal examples, as a new one. The order of the examples does not
 * matter.
 */
export async function calibrate(model: Model, giveWay: GiveWay): Promise<Calibration> {
  const byMark = await marked(model.examples.values(), giveWay)
  const all = [...model.examples.values()].sort((a, b) => b.id - a.id)
  // Chosen by time: knowledge from one week's problems looks surer within that week than in the next.
  const newest = all.slice(0, Math.min(MOST_NEWEST, Math.ceil(all.length * NEWEST)))
  const samples = [...newest].sort((a, b) => scatter(a.id) - scatter(b.id) || a.id - b.id).slice(0, MOST_SAMPLES)
  const measured: Record<Target, Measurement[]> = { priority: [], category: [], department: [], type: [] }
  for (const sample of samples) {
    for (const without of [newest, [...new Set([...newest, ...alike(byMark, sample)])]]) {
      for (const target of TARGETS) {
        const label = sample.labels[target]
        const prediction = label === null ? null : model.predict(target, sample.features, without)
        if (prediction === null) continue
        measured[target].push({ facts: factsOf(prediction), right: prediction.ranked[0]?.label === label })
        await giveWay()
      }
    }
  }
  const fitted = TARGETS.map((target) => [target, fit(measured[target])] as const)
  return Object.fromEntries(fitted) as Record<Target, Weights>
}

/** A fixed order that is independent of the order of ids. */
function scatter(id: number): number {
  return Math.imul(id ^ (id >>> 7), 0x9e3779b1) >>> 0
}

/** Examples by each of their marks. */
export async function marked(
  examples: Iterable<Example>,
  giveWay: GiveWay,
): Promise<ReadonlyMap<string, readonly Example[]>> {
  const byMark = new Map<string, Example[]>()
  for (const example of examples) {
    await giveWay()
    example.features.marks.forEach((mark, index) => {
      const key = `${index}:${mark}`
      const found = byMark.get(key)
      if (found === undefined) byMark.set(key, [example])
      else found.push(example)
    })
  }
  return byMark
}

/** The examples that share a mark with one, including itself. */
export function alike(byMark: ReadonlyMap<string, readonly Example[]>, one: Example): readonly Example[] {
  const found = one.features.marks.flatMap((mark, index) => byMark.get(`${index}:${mark}`) ?? [])
  return [...new Set(found)].slice(0, MOST_ALIKE)
}

/** Logistic regression with a prior; margin and coverage never count against. */
function fit(measurements: readonly Measurement[]): Weights {
  let free: readonly Place[] = PLACES
  for (;;) {
    const weights = fitted(measurements, free)
    const against = free.find((at) => at > 0 && weights[at] < 0)
    if (against === undefined) return weights
    free = free.filter((at) => at !== against)
  }
}

type Place = 0 | 1 | 2
const PLACES: readonly Place[] = [0, 1, 2]

/** Newton's method over the free weights, the others being 0: steps of a fixed length would overshoot and oscillate. */
function fitted(measurements: readonly Measurement[], free: readonly Place[]): Weights {
  let weights: readonly number[] = PLACES.map((at) => (free.includes(at) ? BELIEF[at] : 0))
  for (let round = 0; round < ROUNDS; round += 1) {
    const slope = free.map((at) => BELIEF_WEIGHT * (BELIEF[at] - weights[at]!))
    const bend = free.map((at) => free.map((other) => (at === other ? BELIEF_WEIGHT : 0)))
    for (const { facts, right } of measurements) {
      const chance = logistic(weights as Weights, facts)
      free.forEach((at, row) => {
        slope[row]! += ((right ? 1 : 0) - chance) * facts[at]
        free.forEach((other, column) => {
          bend[row]![column]! += chance * (1 - chance) * facts[at] * facts[other]
        })
      })
    }
    const step = solved(bend, slope)
    weights = weights.map((weight, at) => weight + bounded(step[free.indexOf(at as Place)] ?? 0))
    if (step.every((one) => Math.abs(one) < 1e-9)) break
  }
  return weights as Weights
}

function bounded(step: number): number {
  return Math.max(-1, Math.min(1, step))
}

/** The solution of a few linear equations with a positive definite matrix. */
function solved(matrix: readonly (readonly number[])[], right: readonly number[]): readonly number[] {
  const rows = matrix.map((row, at) => [...row, right[at]!])
  rows.forEach((pivot, at) => {
    for (const row of rows) {
      if (row === pivot) continue
      const factor = row[at]! / pivot[at]!
      for (let column = at; column < row.length; column += 1) row[column]! -= factor * pivot[column]!
    }
  })
  return rows.map((row, at) => row.at(-1)! / row[at]!)
}
