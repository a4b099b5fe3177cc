/** Wordings: the texts of an entry of `to`, filled with the values that a recipient may see. */
import {
  type ActionContext,
  type ActionMistake,
  type ActionPlace,
  inLanguage,
  isObject,
  type Json,
  type JsonObject,
  textIn,
} from '../../../engine/index.ts'
import { fillWords, languageMistakes, readWords, wordsBudget, wordsData } from '../../mail/index.ts'
import type { Budget } from '../../templates/budget.ts'

/** Four texts in Liquid. */
export interface Wording {
  readonly title: string
  readonly message: string
  /** The texts of a mail; undefined: the title and the message. */
  readonly sentence: string | undefined
  readonly text: string | undefined
}

/** A wording filled for one recipient. */
export interface Filled {
  readonly title: string
  readonly message: string
  readonly sentence: string
  readonly text: string
  /** Whether it names any value of the record. */
  readonly speaks: boolean
}

/** The number of texts of a wording. */
const TEXTS = 4
const TITLE_LENGTH = 255
const MESSAGE_LENGTH = 5_000

/** The wording of an entry of `to`: its own texts, and those around it for the rest. */
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

/** What texts may name in addition to the record: the name of the person who made the change. */
export const EXTRA_NAMES = ['actor.name']
/** What texts may put in front of a path, for the record before the change. */
export const STATES = ['before']

type Place = Pick<ActionPlace, 'catalog' | 'resource'>

/** Mistakes in the texts of `words` (an entry of `to`, or all options). With `ofChange` the texts may name values from before. */
export function wordMistakes(place: Place, words: JsonObject, ofChange: boolean): readonly ActionMistake[] {
  const mail = isObject(words.in_mail) ? words.in_mail : {}
  const texts = [
    ...(['title', 'message'] as const).map((key) => ({ at: [key], text: words[key] })),
    ...(['sentence', 'text'] as const).map((key) => ({ at: ['in_mail', key], text: mail[key] })),
  ]
  return texts.flatMap(({ at, text }) => {
    if (typeof text !== 'string') return []
    const { mistakes } = readWords(place, text, EXTRA_NAMES, ofChange ? STATES : [])
    return [...mistakes, ...(mistakes.length > 0 ? [] : languageMistakes(place, text))].map((one) => ({ ...one, at }))
  })
}

/** The paths of the record that a wording names, each once; those with `before.` mean the record before the change. */
export function pathsOf(place: Place, { message, sentence = '', text = '', title }: Wording): readonly string[] {
  const texts = [title, message, sentence, text]
  return [...new Set(texts.flatMap((one) => readWords(place, one, EXTRA_NAMES, STATES).paths))]
}

/** Values for the paths of a wording, and the name of the person who made the change. */
export interface WordingValues {
  readonly paths: readonly string[]
  readonly values: readonly Json[]
  readonly actor: string
}

/** Fills wordings. Most recipients of an event see the same values in one language, and share the filled text. */
export function filler({ catalog, settings }: Pick<ActionContext, 'catalog' | 'settings'>) {
  const known = new Map<Wording, Map<string, Filled>>()
  return (wording: Wording, values: WordingValues, { language, resource, speaks }: Reading): Filled => {
    const of = known.get(wording) ?? new Map<string, Filled>()
    known.set(wording, of)
    const key = JSON.stringify([language, values.actor, values.values])
    const context = { catalog: inLanguage(catalog, language), settings }
    const said = (text: string): string => textIn(catalog, language, resource, text)
    const found =
      of.get(key) ?? filled(inWords(wording, said), dataOf(context, values), budgetOf(context, values), speaks)
    of.set(key, found)
    return found
  }
}

/** Who reads a wording. */
interface Reading {
  readonly resource: string
  readonly language: string | undefined
  /** Whether it names any value of the record. */
  readonly speaks: boolean
}

function inWords({ message, sentence, text, title }: Wording, said: (text: string) => string): Wording {
  return {
    title: said(title),
    message: said(message),
    sentence: sentence === undefined ? undefined : said(sentence),
    text: text === undefined ? undefined : said(text),
  }
}

/** The texts of the options of `notify`, with those of the entries of `to`. */
export function textsOf(given: JsonObject): readonly string[] {
  return [given, ...[given.to].flat().filter(isObject)].flatMap(({ in_mail, message, title }) =>
    [title, message, ...(isObject(in_mail) ? [in_mail.sentence, in_mail.text] : [])].filter(
      (text): text is string => typeof text === 'string',
    ),
  )
}

function dataOf(context: Pick<ActionContext, 'catalog' | 'settings'>, { actor, paths, values }: WordingValues) {
  // The values stay whole; the filled text is cut.
  return { ...wordsData(context, paths, values, Number.POSITIVE_INFINITY), actor: { name: actor } }
}

function budgetOf({ catalog }: Pick<ActionContext, 'catalog'>, { values }: WordingValues): Budget {
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
