/** The local engine's judgement of a ticket: from what it learned, else from the names of the settings. */
import { confidenceOf } from './calibration.ts'
import type { Choice, Choices } from './choices.ts'
import { guess } from './guess.ts'
import type { Verdict, Verdicts } from './judgement.ts'
import { fourDigits } from './judgement.ts'
import type { Learned } from './learner.ts'
import { TARGETS, type Target } from './model.ts'
import { featureOf, featuresOf, tellingWords } from './words.ts'

/** Fewer labelled tickets than this say less than the names of the settings. */
const FEWEST = 6
const WORDS_NAMED = 3

/** Judges a text; deterministic for the same knowledge and text. */
export function judgeLocally({ calibration, model }: Learned, choices: Choices, text: string): Verdicts {
  const features = featuresOf(text)
  const verdicts = TARGETS.map((target): Verdict => {
    const byName = guess(target, choices[target], text)
    const prediction = model.predict(target, features)
    const best = prediction?.ranked.find(({ label }) => choices[target].some(({ id }) => id === label))
    if (prediction === null || best === undefined || prediction.examples < FEWEST || prediction.coverage === 0) {
      return byName === null
        ? { target, id: null, confidence: 0, reason: `${target}: nothing in the text speaks for any` }
        : { target, id: byName.choice.id, confidence: fourDigits(byName.confidence), reason: named(target, byName) }
    }
    const confidence = fourDigits(confidenceOf(calibration, target, prediction))
    const choice = choices[target].find(({ id }) => id === best.label)!
    const words = deciding(model, target, best.label, text)
    return { target, id: choice.id, confidence, reason: learnedReason(target, choice, confidence, words) }
  })
  const said = verdicts.filter(({ id }) => id !== null)
  const confidence =
    said.length === 0 ? 0 : fourDigits(said.reduce((sum, one) => sum + one.confidence, 0) / said.length)
  const basis =
    model.examples.size < FEWEST
      ? 'Few tickets are settled yet, so this goes by the names of the settings.'
      : `Learned from ${model.examples.size} settled tickets.`
  return { verdicts, confidence, reasoning: [...verdicts.map(({ reason }) => reason), basis].join('\n') }
}

/** The words of the text with the most evidence for a label. */
function deciding(model: Learned['model'], target: Target, label: number, text: string): readonly string[] {
  return [...new Set(tellingWords(text))]
    .map((word) => ({ word, weight: model.evidence(target, label, featureOf('word', word)) }))
    .filter(({ weight }) => weight > 0.3)
    .sort((a, b) => b.weight - a.weight || (a.word < b.word ? -1 : 1))
    .slice(0, WORDS_NAMED)
    .map(({ word }) => word)
}

function learnedReason(target: Target, choice: Choice, confidence: number, words: readonly string[]): string {
  const why = words.length === 0 ? 'most tickets like this are' : words.map((word) => `“${word}”`).join(', ')
  return `${target} ${choice.name} (${Math.round(confidence * 100)} %): ${why}`
}

function named(
  target: Target,
  { choice, confidence, words }: { choice: Choice; confidence: number; words: readonly string[] },
) {
  const why =
    words.length === 0
      ? 'it is the usual one'
      : words
          .slice(0, WORDS_NAMED)
          .map((word) => `“${word}”`)
          .join(', ')
  return `${target} ${choice.name} (${Math.round(confidence * 100)} %, a guess by name): ${why}`
}
