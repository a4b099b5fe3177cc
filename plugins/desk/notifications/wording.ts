/** In which words people are told: those of the entry of `to` by which somebody is reached, filled with what they may see. */
import {
  type ActionContext,
  type ActionMistake,
  type ActionPlace,
  isObject,
  type Json,
  type JsonObject,
} from '../../../engine/index.ts'
import { fillWords, readWords, wordsBudget, wordsData } from '../../mail/index.ts'
import type { Budget } from '../../templates/budget.ts'

/** Texts in Liquid. */
export interface Wording {
  readonly title: string
  readonly message: string
  /** What a mail says; undefined: the title, the message. */
  readonly sentence: string | undefined
  readonly text: string | undefined
}

/** A wording with the values that one reader sees. */
export interface Filled {
  readonly title: string
  readonly message: string
  readonly sentence: string
  readonly text: string
  /** Whether it says anything of the record. */
  readonly speaks: boolean
}

/** Texts of one wording. */
const TEXTS = 4
const TITLE_LENGTH = 255
const MESSAGE_LENGTH = 5_000

/** The wording of an entry of `to`: what it says itself, and the rest of the automation's own. */
export function wordingOf(given: JsonObject, entry: Json): Wording {
  const own = isObject(entry) ? entry : {}
  const mail = isObject(own.in_mail) ? own.in_mail : isObject(given.in_mail) ? given.in_mail : {}
  return {
    title: String(own.title ?? given.title ?? ''),
    message: String(own.message ?? given.message ?? ''),
    sentence: typeof mail.sentence === 'string' ? mail.sentence : undefined,
    text: typeof mail.text === 'string' ? mail.text : undefined,
  }
}

/** What words may name beside the record: the name of whoever did it. */
export const BESIDE = ['actor.name']
/** The record before the change. */
export const STATES = ['before']

type Place = Pick<ActionPlace, 'catalog' | 'resource'>

/** What cannot be read in the words below `words`, an entry of `to` or all options; `ofChange`: the record has values of before. */
export function wordMistakes(place: Place, words: JsonObject, ofChange: boolean): readonly ActionMistake[] {
  const mail = isObject(words.in_mail) ? words.in_mail : {}
  const texts = [
    ...(['title', 'message'] as const).map((key) => ({ at: [key], text: words[key] })),
    ...(['sentence', 'text'] as const).map((key) => ({ at: ['in_mail', key], text: mail[key] })),
  ]
  return texts.flatMap(({ at, text }) =>
    readWords(place, typeof text === 'string' ? text : '', BESIDE, ofChange ? STATES : []).mistakes.map((mistake) => ({
      ...mistake,
      at,
    })),
  )
}

/** What a wording names of the record, each once; `before.` stands in front of what it was. */
export function pathsOf(place: Place, { message, sentence = '', text = '', title }: Wording): readonly string[] {
  const texts = [title, message, sentence, text]
  return [...new Set(texts.flatMap((one) => readWords(place, one, BESIDE, STATES).paths))]
}

/** Values of a record for words, and who did what they tell of. */
export interface Said {
  readonly paths: readonly string[]
  readonly values: readonly Json[]
  readonly actor: string
}

/** Fills wordings; readers of one record mostly see the same values, and share what was filled. */
export function filler(context: Pick<ActionContext, 'catalog' | 'settings'>) {
  const known = new Map<Wording, Map<string, Filled>>()
  return (wording: Wording, said: Said, speaks: boolean): Filled => {
    const of = known.get(wording) ?? new Map<string, Filled>()
    known.set(wording, of)
    const key = JSON.stringify([said.actor, said.values])
    const found = of.get(key) ?? filled(wording, dataOf(context, said), budgetOf(context, said), speaks)
    of.set(key, found)
    return found
  }
}

function dataOf(context: Pick<ActionContext, 'catalog' | 'settings'>, { actor, paths, values }: Said) {
  // What somebody wrote is told whole; the words themselves are cut.
  return { ...wordsData(context, paths, values, Number.POSITIVE_INFINITY), actor: { name: actor } }
}

function budgetOf({ catalog }: Pick<ActionContext, 'catalog'>, { values }: Said): Budget {
  return wordsBudget(catalog.limits, values, TEXTS)
}

function filled(wording: Wording, data: Readonly<Record<string, unknown>>, budget: Budget, speaks: boolean): Filled {
  const fill = (text: string): string => fillWords(text, data, budget)
  const title = cut(oneLine(fill(wording.title)), TITLE_LENGTH)
  const message = cut(fill(wording.message), MESSAGE_LENGTH)
  const sentence = wording.sentence === undefined ? title : oneLine(fill(wording.sentence))
  const text = wording.text === undefined ? message : fill(wording.text)
  return { title, message, sentence: /[.!?…:]$/.test(sentence) ? sentence : `${sentence}.`, text, speaks }
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ')
}

function cut(text: string, length: number): string {
  const characters = [...text]
  return characters.length <= length ? text : `${characters.slice(0, length - 1).join('')}…`
}
