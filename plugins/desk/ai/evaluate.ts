/**
 * The command `ai-evaluate`: how often the local classifier is right on settled tickets that it has not seen, compared
 * with always saying the most common label. ⇄
 */
import { type PluginContext, turns } from '../../../engine/index.ts'
import { alike, type Calibration, calibrate, confidenceOf, marked } from './calibration.ts'
import { learned } from './learner.ts'
import { createModel, type Example, TARGETS, type Target } from './model.ts'

/** The share of the newest tickets that is held out. */
const HELD_OUT = 0.3
const FEWEST = 20
/** Texts that share more of their words and pairs than this are nearly equal. */
const NEARLY = 0.6

/** The default confidence above which a field is applied automatically. */
const SURE = 0.8

/** A row of the table: for the tickets with a label, how often the classifier and the most common label were right. */
export interface Measured {
  readonly target: Target
  readonly tickets: number
  readonly accuracy: number
  readonly majority: number
  /** The classifier's own confidence, on average. */
  readonly confidence: number
  /** The share that it would have applied, and how much of that was right. */
  readonly sure: number
  readonly sureRight: number
}

/** Measures and prints; returns 0, or 1 with too few settled tickets. */
export async function evaluate(context: PluginContext): Promise<number> {
  const { model } = await learned(context)
  const examples = [...model.examples.values()].sort((a, b) => a.id - b.id)
  if (examples.length < FEWEST) {
    process.stdout.write(`Only ${examples.length} tickets are settled; ${FEWEST} are needed to measure anything.\n`)
    return 1
  }
  const cut = Math.floor(examples.length * (1 - HELD_OUT))
  const [before, after] = [examples.slice(0, cut), examples.slice(cut)]
  const byTime = await measure(before, after, false)
  const unlike = await measure(before, after, true)
  process.stdout.write(
    `${before.length} older settled tickets are learned, ${after.length} newer ones are predicted.\n\n`,
  )
  process.stdout.write(
    `A column of confidence near the one of what is right says that the classifier knows how much it knows; “sure” are\nthose of at least ${SURE * 100} %, which is when a field is applied by itself.\n\n`,
  )
  print('As they came:', byTime)
  print('Without any learned ticket that resembles it (new questions only):', unlike)
  const repeated = after.filter((one) => before.some((other) => overlap(one, other) > NEARLY)).length
  const share = Math.round((repeated / after.length) * 100)
  process.stdout.write(`${share} % of the newer tickets say nearly the same as an older one.\n`)
  if (share > 80) {
    process.stdout.write('With so many repetitions the first table is no measure of understanding; go by the second.\n')
  }
  return 0
}

/** The shared features of two texts, as a share of all their features. */
function overlap({ features: { strong: one } }: Example, { features: { strong: other } }: Example): number {
  let [shared, at] = [0, 0]
  for (const feature of one) {
    while (at < other.length && other[at]! < feature) at += 1
    if (other[at] === feature) shared += 1
  }
  const either = one.length + other.length - shared
  return either === 0 ? 1 : shared / either
}

/** Learns `before` and predicts `after`; with `unlike`, each without the learned tickets that are nearly equal. */
export async function measure(
  before: readonly Example[],
  after: readonly Example[],
  unlike: boolean,
): Promise<readonly Measured[]> {
  const giveWay = turns()
  const model = createModel()
  for (const example of before) model.learn(example)
  const calibration = await calibrate(model, giveWay)
  const byMark = await marked(before, giveWay)
  const rows: Measured[] = []
  for (const target of TARGETS) {
    const commonest = commonestOf(before, target)
    const sum = { tickets: 0, right: 0, usual: 0, confidence: 0, sure: 0, sureRight: 0 }
    for (const example of after.filter((one) => one.labels[target] !== null)) {
      const without = unlike ? alike(byMark, example) : []
      const { confidence, label } = predicted(model, calibration, target, example, without)
      sum.tickets += 1
      const right = label === example.labels[target] ? 1 : 0
      sum.right += right
      sum.usual += commonest === example.labels[target] ? 1 : 0
      sum.confidence += confidence
      sum.sure += confidence >= SURE ? 1 : 0
      sum.sureRight += confidence >= SURE ? right : 0
      await giveWay()
    }
    const share = (value: number): number => (sum.tickets === 0 ? 0 : value / sum.tickets)
    const { confidence, right, sure, sureRight, tickets, usual } = sum
    const measured = { accuracy: share(right), majority: share(usual), confidence: share(confidence) }
    rows.push({ target, tickets, ...measured, sure: share(sure), sureRight: sure === 0 ? 0 : sureRight / sure })
  }
  return rows
}

function predicted(
  model: ReturnType<typeof createModel>,
  calibration: Calibration,
  target: Target,
  example: Example,
  without: readonly Example[],
): { readonly label: number | null; readonly confidence: number } {
  const prediction = model.predict(target, example.features, without)
  if (prediction === null) return { label: null, confidence: 0 }
  return { label: prediction.ranked[0]?.label ?? null, confidence: confidenceOf(calibration, target, prediction) }
}

function commonestOf(examples: readonly Example[], target: Target): number | null {
  const counts = new Map<number, number>()
  for (const { labels } of examples) {
    const label = labels[target]
    if (label !== null) counts.set(label, (counts.get(label) ?? 0) + 1)
  }
  return [...counts].sort(([a, x], [b, y]) => y - x || a - b)[0]?.[0] ?? null
}

function print(title: string, rows: readonly Measured[]): void {
  const percent = (value: number): string => `${(value * 100).toFixed(1)} %`.padStart(12)
  const head = ['field', 'tickets', 'right', 'commonest', 'confidence', 'sure', 'of it right'].map((name, at) =>
    at === 0 ? name.padEnd(12) : name.padStart(12),
  )
  const lines = rows.map(
    ({ accuracy, confidence, majority, sure, sureRight, target, tickets }) =>
      `${target.padEnd(12)}${String(tickets).padStart(12)}${percent(accuracy)}${percent(majority)}${percent(confidence)}${percent(sure)}${sure === 0 ? '–'.padStart(12) : percent(sureRight)}`,
  )
  process.stdout.write(`${title}\n${head.join('')}\n${lines.join('\n')}\n\n`)
}
