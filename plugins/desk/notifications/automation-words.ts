/** In which words an automation tells: those of the entry of `to` by which somebody is reached, filled with what they may see. */
import {
  type ActionContext,
  type ActionMistake,
  type ActionPlace,
  isObject,
  type Json,
  type JsonObject,
} from '../../../engine/index.ts'
import { fillWords, readWords, wordsData } from '../../mail/index.ts'

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

/** What can't be read in the words below `words`, an entry of `to` or all options. */
export function wordMistakes(place: ActionPlace, words: JsonObject): readonly ActionMistake[] {
  const mail = isObject(words.in_mail) ? words.in_mail : {}
  const texts = [
    ...(['title', 'message'] as const).map((key) => ({ at: [key], text: words[key] })),
    ...(['sentence', 'text'] as const).map((key) => ({ at: ['in_mail', key], text: mail[key] })),
  ]
  return texts.flatMap(({ at, text }) =>
    readWords(place, typeof text === 'string' ? text : '').mistakes.map((mistake) => ({ ...mistake, at })),
  )
}

/** What these wordings name of the record, each once. */
export function pathsIn(place: Pick<ActionPlace, 'catalog' | 'resource'>, wordings: readonly Wording[]) {
  return [...new Set(wordings.flatMap((wording) => pathsOf(place, wording)))]
}

function pathsOf(place: Pick<ActionPlace, 'catalog' | 'resource'>, wording: Wording): readonly string[] {
  const { message, sentence = '', text = '', title } = wording
  return [title, message, sentence, text].flatMap((one) => readWords(place, one).paths)
}

/** Fills wordings; readers of one record mostly see the same values, and share what was filled. */
export function filler(context: ActionContext, wordings: readonly Wording[], paths: readonly string[]) {
  const place = { catalog: context.catalog, resource: context.work.resource }
  const speaking = wordings.map((wording) => pathsOf(place, wording).length > 0)
  const known = new Map<string, Filled>()
  return (at: number, values: readonly Json[]): Filled => {
    const key = JSON.stringify([at, values])
    const found = known.get(key) ?? filled(wordings[at]!, wordsData(context, paths, values), speaking[at] === true)
    known.set(key, found)
    return found
  }
}

function filled(wording: Wording, data: Readonly<Record<string, unknown>>, speaks: boolean): Filled {
  const title = cut(oneLine(fillWords(wording.title, data)), TITLE_LENGTH)
  const message = cut(fillWords(wording.message, data), MESSAGE_LENGTH)
  const sentence = wording.sentence === undefined ? title : oneLine(fillWords(wording.sentence, data))
  const text = wording.text === undefined ? message : fillWords(wording.text, data)
  return { title, message, sentence: /[.!?…:]$/.test(sentence) ? sentence : `${sentence}.`, text, speaks }
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ')
}

function cut(text: string, length: number): string {
  const characters = [...text]
  return characters.length <= length ? text : `${characters.slice(0, length - 1).join('')}…`
}
