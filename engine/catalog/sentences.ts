/** The sentences of answers in another language: those of rules and moves by their places, all others by their patterns. */
import type { Words } from '../definition/words.ts'
import { memo } from '../memo.ts'
import type { Catalog, Resource } from './catalog.ts'
import { inLanguage, ruleSentences } from './words.ts'

/** Gives a sentence in the language; one without words stays as it is. */
export type Translate = (sentence: string) => string

/** What translates sentences of a request whose path matches a pattern; undefined: the language has none. */
export function sentencesIn(catalog: Catalog, language: string | undefined, pattern = ''): Translate | undefined {
  const words = language === undefined ? undefined : catalog.words.get(language)
  if (words === undefined || language === undefined) return undefined
  const own = ruleSentences(catalog, words)
  const forms = formsOf(words)
  if (own.size === 0 && forms.length === 0) return undefined
  const labels = labelsIn(catalog, language)
  const translation: Translation = {
    own,
    forms,
    label: (word) => {
      const known = labels.get(word.toLowerCase())
      return known === undefined ? word : (known.get(resourceIn(catalog, pattern) ?? '') ?? [...known.values()][0]!)
    },
  }
  return (sentence) => translated(translation, sentence) ?? sentence
}

/** The resource that a path is about, the last one that it names. */
function resourceIn({ resources }: Catalog, pattern: string): string | undefined {
  const places = [...resources.values()].map(({ name, path }) => ({ name, at: `${pattern}/`.lastIndexOf(`/${path}/`) }))
  const [last] = places.filter(({ at }) => at >= 0).sort((one, other) => other.at - one.at)
  return last?.name
}

interface Translation {
  readonly own: ReadonlyMap<string, string>
  readonly forms: readonly Form[]
  readonly label: (word: string) => string
}

const POSSIBLE = '; possible: '

function translated(translation: Translation, sentence: string): string | undefined {
  const { forms, own } = translation
  const exact = own.get(sentence)
  if (exact !== undefined) return exact
  // The sentence of moves is followed by the words that may follow.
  const [said = '', ...possible] = sentence.split(POSSIBLE)
  if (possible.length > 0 && own.has(said)) return [own.get(said), ...possible].join(': ')
  for (const form of forms) {
    const found = filledBy(translation, form, sentence)
    if (found !== undefined) return found
  }
  return undefined
}

/** A pattern: the texts between its slots, the names of these, and what the language says. */
interface Form {
  readonly texts: readonly string[]
  readonly slots: readonly string[]
  readonly said: string
}

const SLOT = /\{(\w+)\}/

/** The patterns of a language; those that say most come first. */
const formsOf = memo(({ sentences = {} }: Words): readonly Form[] => {
  const forms = Object.entries(sentences).map(([pattern, said]): Form => {
    const parts = pattern.split(SLOT)
    return { texts: parts.filter((_, at) => at % 2 === 0), slots: parts.filter((_, at) => at % 2 === 1), said }
  })
  const length = ({ texts }: Form): number => texts.join('').length
  return forms.sort((one, other) => length(other) - length(one))
})

/** What the language says of a sentence of this form; undefined: it has another form, or a part that the language has no words of. */
function filledBy(translation: Translation, { said, slots, texts }: Form, sentence: string): string | undefined {
  const values = valuesIn(texts, sentence)
  if (values === undefined) return undefined
  const filled = new Map<string, string>()
  for (const [at, slot] of slots.entries()) {
    const value = values[at]!
    const own = slot === 'says' ? translated(translation, value) : undefined
    if (slot === 'says' && own === undefined) return undefined
    filled.set(slot, own ?? (slot === 'label' ? translation.label(value) : value))
  }
  return said.replace(/\{(\w+)\}/g, (whole, slot: string) => filled.get(slot) ?? whole)
}

/** What a sentence has between the texts of a form, each as short as can be but the last. */
function valuesIn(texts: readonly string[], sentence: string): readonly string[] | undefined {
  const [first = '', ...others] = texts
  const last = others.pop()
  if (last === undefined) return sentence === first ? [] : undefined
  if (!sentence.startsWith(first) || !sentence.endsWith(last) || sentence.length < first.length + last.length)
    return undefined
  const end = sentence.length - last.length
  const values: string[] = []
  let at = first.length
  for (const text of others) {
    const next = sentence.indexOf(text, at)
    if (next < 0 || next + text.length > end) return undefined
    values.push(sentence.slice(at, next))
    at = next + text.length
  }
  return [...values, sentence.slice(at, end)]
}

/** By a name or label in small letters, what the language calls it, by resource. */
const labelsIn = memo((catalog: Catalog, language: string): ReadonlyMap<string, ReadonlyMap<string, string>> => {
  const labels = new Map<string, Map<string, string>>()
  const put = (word: string, resource: string, label: string): void => {
    const known = labels.get(word.toLowerCase()) ?? new Map<string, string>()
    labels.set(word.toLowerCase(), known.set(resource, label))
  }
  const other = inLanguage(catalog, language)
  for (const resource of catalog.resources.values()) putParts(put, resource, other.resources.get(resource.name)!)
  for (const resource of catalog.resources.values())
    put(resource.label, resource.name, other.resources.get(resource.name)!.label)
  return labels
})

function putParts(
  put: (word: string, resource: string, label: string) => void,
  { fields, name: resource, relations }: Resource,
  other: Resource,
): void {
  for (const [parts, translatedParts] of [
    [relations, other.relations],
    [fields, other.fields],
  ] as const)
    for (const [name, { label }] of parts) {
      const said = translatedParts.get(name)!.label
      for (const word of [label, name.replaceAll('_', ' '), name]) put(word, resource, said)
    }
}
