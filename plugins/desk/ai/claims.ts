/**
 * The filter of claims, in English and German: finds sentences that claim or promise a deed, which no machine may say
 * for another.
 */
import {
  ACTING,
  ADVERBS,
  ALLOWED,
  COLLEAGUES,
  CONDITIONS,
  DEEDS,
  GERMAN_ALLOWED,
  GERMAN_BECOMING,
  GERMAN_DEEDS,
  GERMAN_GETTING,
  GETTING,
  HELPLESS,
  MOVES,
  PARTICIPLES,
  PAST,
  PHRASES,
  WHEN,
} from './claim-words.ts'

/** Nobody checks a longer sentence; it counts as a claim. */
const MOST_WORDS = 200
const SHORT = 6

/**
 * Whether a sentence says that the company or its people did, do or will do something. `I` and `we` are refused with
 * every verb except a few harmless ones: an unknown verb is a claim.
 */
export function claims(sentence: string): boolean {
  const words = wordsOf(sentence)
  if (words.length > MOST_WORDS) return true
  const asks = /\?\s*$/.test(sentence)
  const text = ` ${words.join(' ')} `
  if (PHRASES.some((phrase) => text.includes(` ${phrase} `))) return true
  return (
    words.some((word, at) => firstPerson(words, at, word, asks) || colleague(words, at, word)) ||
    words.some((word, at) => future(words, at, word) || passive(words, at, word)) ||
    germanPassive(words) ||
    germanGetting(words) ||
    (words.some((word) => MOVES.has(word)) && words.some((word) => WHEN.has(word))) ||
    (!asks && clipped(words))
  )
}

/** A text without the sentences that claim or promise; the others stay in their lines. */
export function withoutClaims(text: string): string {
  return text
    .split('\n')
    .map((line) =>
      sentencesOf(line)
        .filter((sentence) => !claims(sentence))
        .join('')
        .trim(),
    )
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

/** The first sentence of a text that claims or promises. */
export function firstClaim(text: string): string | undefined {
  return text
    .split('\n')
    .flatMap(sentencesOf)
    .find((sentence) => claims(sentence))
    ?.trim()
}

/** The sentences of a line, each with the blanks after it. */
export function sentencesOf(line: string): readonly string[] {
  return line.match(/(?:[^.!?;:]|[.!?;:](?!\s|$))+(?:[.!?;:]+\s*|$)|[.!?;:]+\s*/g) ?? []
}

const ENDINGS: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^(.+)'ll$/, ['will']],
  [/^(.+)'ve$/, ['have']],
  [/^(.+)'m$/, ['am']],
  [/^(.+)'re$/, ['are']],
  [/^(.+)'d$/, ['would']],
  [/^(it|that|he|she|here|there|who|what)'s$/, ['is']],
]

/** Words in lower case with commas between them; contractions are written out. */
function wordsOf(sentence: string): readonly string[] {
  const plain = sentence
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .replace(/[’‘ʼ`´]/g, "'")
    .toLowerCase()
  return (plain.match(/[\p{L}\p{N}]+(?:'\p{L}+)?|,/gu) ?? []).flatMap((word) => {
    if (word === "won't") return ['will', 'not']
    if (word === "can't") return ['cannot']
    if (word.endsWith("n't")) return [word.slice(0, -3), 'not']
    for (const [ending, meant] of ENDINGS) {
      const found = ending.exec(word)
      if (found !== null) return [found[1]!, ...meant]
    }
    return [word]
  })
}

/** The words from a place on, without adverbs. */
function after(words: readonly string[], at: number): readonly string[] {
  return words.slice(at + 1, at + 12).filter((word) => !ADVERBS.has(word))
}

/** Whether the clause of a word begins with a condition: "if it was cancelled, …" says nothing of the present. */
function conditional(words: readonly string[], at: number): boolean {
  const comma = words.lastIndexOf(',', at)
  return words.slice(comma + 1, at).some((word) => CONDITIONS.has(word))
}

const QUESTION_VERBS = new Set('do does can could may should must am kann muss darf sollte können dürfen'.split(' '))

function firstPerson(words: readonly string[], at: number, word: string, asks: boolean): boolean {
  const before = words[at - 1] ?? ''
  if (asks && QUESTION_VERBS.has(before)) return false
  if (word === 'ich' || word === 'wir') return !germanHarmless(words, at)
  return (word === 'i' || word === 'we') && !harmless(after(words, at))
}

/** Harmless words after `I` or `we`: a need, a feeling, an offer to help or to listen. */
function harmless([verb = '', next = '', third = '']: readonly string[]): boolean {
  if (verb === 'need') return next !== 'to'
  if (ALLOWED.has(verb) || verb === 'cannot') return true
  if (verb === 'ask') return next === 'you' || next === 'for'
  if (verb === 'look') return next === 'forward'
  if (verb === 'do' || verb === 'can')
    return next === 'not' || (verb === 'can' && (next === 'help' || next === 'assist'))
  if (verb === 'would') return next === 'recommend' || (next === 'like' && third === 'to') || next === 'need'
  if (verb !== 'am' && verb !== 'are') return false
  if (next === 'happy' || next === 'glad') return third !== 'to'
  return ['sorry', 'afraid', 'here', 'open', 'closed', 'unsure'].includes(next)
}

function germanHarmless(words: readonly string[], at: number): boolean {
  const near = [words[at - 1] ?? '', ...after(words, at).slice(0, 1)]
  if (near.some((word) => GERMAN_ALLOWED.has(word))) return true
  const can = near.some((word) => ['können', 'kann', 'möchten', 'möchte'].includes(word))
  const harmlessVerb = words.some((word) => ['helfen', 'wissen', 'verstehen', 'weiterhelfen'].includes(word))
  return can && harmlessVerb && !words.some((word) => GERMAN_DEEDS.has(word))
}

function colleague(words: readonly string[], at: number, word: string): boolean {
  if (!COLLEAGUES.has(word)) return false
  const behind = words.slice(at + 1, at + 5)
  if (behind.slice(0, 3).some((one) => ACTING.has(one))) return true
  return behind.some((one) => DEEDS.has(one)) && !conditional(words, at)
}

function future(words: readonly string[], at: number, word: string): boolean {
  const going = word === 'going' && words[at + 1] === 'to'
  if (word !== 'will' && word !== 'shall' && !going) return false
  const subject = words[at - 1] ?? ''
  const [first = '', second = ''] = after(words, going ? at + 1 : at)
  if (subject === 'you' && GETTING.has(first)) return true
  if (first === 'be') return DEEDS.has(second)
  const described = ['this', 'that', 'it', 'which', 'you'].includes(subject)
  return !described && (DEEDS.has(first) || MOVES.has(first) || first === 'reach')
}

function passive(words: readonly string[], at: number, word: string): boolean {
  if (!PARTICIPLES.has(word) || conditional(words, at)) return false
  const before = words.slice(Math.max(0, at - 4), at)
  const near = before.filter((one) => !ADVERBS.has(one)).at(-1) ?? ''
  if (['been', 'being', 'gets', 'got', 'was', 'were', 'has', 'have', 'had'].includes(near)) return true
  if (near !== 'is' && near !== 'are') return false
  return before.some((one) => ['now', 'already', 'just'].includes(one)) || words.some((one) => WHEN.has(one))
}

function germanPassive(words: readonly string[]): boolean {
  return words.some((word, at) => {
    if (!GERMAN_DEEDS.has(word) || conditional(words, at)) return false
    return words.some((one) => GERMAN_BECOMING.has(one)) && !words.some((one) => HELPLESS.has(one))
  })
}

function germanGetting(words: readonly string[]): boolean {
  return words.some((word, at) => {
    if (!GERMAN_GETTING.has(word) || conditional(words, at)) return false
    return [words[at - 1], words[at + 1]].some((one) => one === 'sie' || one === 'du')
  })
}

/** "Refund issued.", "Done!", "Will call you.": deeds without a subject. */
function clipped(words: readonly string[]): boolean {
  const [first = '', second = ''] = words.filter((word) => !ADVERBS.has(word))
  if (PAST.has(first) || (first === 'have' && PAST.has(second)) || first === 'habe' || first === 'werde') return true
  const own = words.filter((word) => word !== ',')
  if (own.length > SHORT || own.some((word) => HELPLESS.has(word) || CONDITIONS.has(word))) return false
  const last = own.at(-1) ?? ''
  return PAST.has(last) || (GERMAN_DEEDS.has(first) && own.length <= 3) || (GERMAN_DEEDS.has(last) && /t$/.test(last))
}
