/** The words of an application in its languages: files laid over each other, and judged by what the catalog has. */
import type { Catalog } from '../catalog/catalog.ts'
import { wordsOf } from '../catalog/words.ts'
import type { Path, WordsFile } from '../definition/definition.ts'
import { type ResourceWords, textKey, type Words } from '../definition/words.ts'
import { isObject, type Json, type JsonObject } from '../json.ts'
import { memo } from '../memo.ts'
import { renameOf } from './document-part.ts'
import { type Details, type Draft, type Resolution, suggest, suggestResource } from './resolution.ts'

/** The words by language; what a file says takes the place of what files below it say. Words for nothing are left out. */
export function wordsByLanguage(resolution: Resolution): ReadonlyMap<string, Words> {
  const { app, words = [] } = resolution.definition
  const all = new Map<string, Words>()
  for (const language of app.value.languages ?? []) {
    const files = words.filter((file) => file.language === language)
    const known = files.map(({ value }) => {
      const words = underPresentNames(resolution, value)
      return without(words, straysOf(resolution, words))
    })
    if (known.length > 0) all.set(language, known.reduce(laidOver))
  }
  return all
}

function laidOver<T>(below: T, above: T): T {
  if (!isObject(below as Json) || !isObject(above as Json)) return above
  const merged: Record<string, unknown> = { ...(below as object) }
  for (const [key, value] of Object.entries(above as object))
    merged[key] = Object.hasOwn(merged, key) ? laidOver(merged[key], value) : value
  return merged as T
}

/** The same words with those of a renamed resource or field under its present name, unless there are some already. */
function underPresentNames({ drafts, written }: Resolution, words: Words): Words {
  const renames = [...written.values()].flatMap(({ document, name }) => {
    const before = renameOf(document.value.renamed_from)?.name
    return before === undefined || drafts.has(before) ? [] : [[before, name] as const]
  })
  const resources = moved(words.resources ?? {}, new Map(renames))
  const whole = Object.entries(resources).map(([name, one]) => {
    const fields = [...(drafts.get(name)?.fields.values() ?? [])]
    const earlier = fields.flatMap((field) =>
      field.renamedFrom === undefined ? [] : [[field.renamedFrom, field.name] as const],
    )
    return [name, one.fields === undefined ? one : { ...one, fields: moved(one.fields, new Map(earlier)) }]
  })
  return words.resources === undefined ? words : { ...words, resources: Object.fromEntries(whole) }
}

function moved<T>(
  entries: Readonly<Record<string, T>>,
  names: ReadonlyMap<string, string>,
): Readonly<Record<string, T>> {
  const old = Object.entries(entries).filter(([name]) => names.has(name))
  const others = Object.entries(entries).filter(([name]) => !names.has(name))
  return Object.fromEntries([...old.map(([name, one]) => [names.get(name)!, one] as const), ...others])
}

function without(words: Words, strays: readonly Stray[]): Words {
  const gone = new Set(strays.map(({ path }) => JSON.stringify(path)))
  const left = (value: Json, at: Path): Json =>
    isObject(value)
      ? Object.fromEntries(
          Object.entries(value).flatMap(([key, one]) =>
            gone.has(JSON.stringify([...at, key])) ? [] : [[key, left(one, [...at, key])]],
          ),
        )
      : value
  return left(words as JsonObject, []) as Words
}

/**
 * Complains about words of the application's own files that are written twice, and warns of those for nothing: a part that
 * is taken away in one file must not keep the application from starting because of another.
 */
export function judgeWords(resolution: Resolution): void {
  const said = new Map<string, WordsFile>()
  for (const file of (resolution.definition.words ?? []).filter(({ own }) => own)) {
    if (!judgeLanguage(resolution, file)) continue
    for (const path of leavesOf(file.value as JsonObject)) {
      const key = JSON.stringify([file.language, ...path])
      const other = said.get(key)
      if (other !== undefined)
        resolution.report(
          'wrong_words',
          `${other.place([]).source.file} has these words too`,
          file.place(path, 'key'),
          {
            hint: 'take one of them away',
          },
        )
      said.set(key, file)
    }
    for (const { details, message, path } of straysOf(resolution, file.value))
      resolution.report('wrong_words', message, file.place(path, 'key'), { ...details, severity: 'warning' })
  }
}

/** Whether app.yaml lists the language of a file. */
function judgeLanguage({ definition: { app }, report }: Resolution, { language, place }: WordsFile): boolean {
  const { languages = [] } = app.value
  if (languages.includes(language)) return true
  const span = { source: place([]).source, start: 0, end: 0 }
  const listed = languages.length === 0 ? 'en' : languages.join(', ')
  report('wrong_words', `The languages of app.yaml have no "${language}"`, span, {
    ...(languages.length === 0 ? {} : { expected: languages }),
    hint: `write languages: [${listed}, ${language}] in app.yaml, with the language of the YAML first`,
  })
  return false
}

function leavesOf(value: JsonObject, at: Path = []): readonly Path[] {
  return Object.entries(value).flatMap(([key, one]): readonly Path[] =>
    isObject(one) ? leavesOf(one, [...at, key]) : [[...at, key]],
  )
}

/** Words for something that is not there. */
interface Stray {
  readonly path: Path
  readonly message: string
  readonly details: Details
}

function straysOf(resolution: Resolution, words: Words): readonly Stray[] {
  const { drafts, unusable } = resolution
  const all = [...drafts.values()]
  const strays = (names: object | undefined, at: Path, known: Iterable<string>, what: string): readonly Stray[] => {
    const there = new Set(known)
    return Object.keys(names ?? {}).flatMap((name): readonly Stray[] =>
      there.has(name) || unusable.has(`${at[1]}.${name}`)
        ? []
        : [{ path: [...at, name], message: `${what} "${name}"`, details: suggest(name, there) }],
    )
  }
  const fields = all.flatMap((one) => [...ownFields(one), ...one.relations.keys()])
  const texts = [...textsOfApp(resolution), ...all.flatMap((one) => textsIn(resolution, one))]
  return [
    ...strays(words.fields, ['fields'], fields, 'No resource has a field or relation'),
    ...strays(words.texts, ['texts'], texts.map(textKey), 'No text of the application is'),
    ...strays(words.sentences, ['sentences'], knownSentences(resolution.definition), 'No answer says'),
    ...straysOfPlugins(resolution, strays, words),
    ...Object.entries(words.resources ?? {}).flatMap(([name, own]): readonly Stray[] => {
      const resource = drafts.get(name)
      if (resource !== undefined) return straysIn({ resolution, resource, strays }, own)
      if (unusable.has(name)) return []
      const details = suggestResource(resolution, name)
      return [{ path: ['resources', name], message: `There is no resource "${name}"`, details }]
    }),
  ]
}

function straysOfPlugins(
  { extensions: { texts } }: Resolution,
  strays: Judged['strays'],
  { plugins = {} }: Words,
): readonly Stray[] {
  const known = [...(texts?.keys() ?? [])].map((name) => name.split('.') as [string, string])
  return Object.entries(plugins).flatMap(([plugin, own]) => {
    const names = known.flatMap(([of, name]) => (of === plugin ? [name] : []))
    return strays(own, ['plugins', plugin], names, `The plugin "${plugin}" has no text`)
  })
}

interface Judged {
  readonly resolution: Resolution
  readonly resource: Draft
  readonly strays: (names: object | undefined, at: Path, known: Iterable<string>, what: string) => readonly Stray[]
}

function straysIn({ resolution, resource, strays }: Judged, words: ResourceWords): readonly Stray[] {
  const { buttons, views } = resource.screens
  const at = (key: string): Path => ['resources', resource.name, key]
  const has = `"${resource.name}" has no`
  const rules = [...resource.rules, ...resource.counts, ...resource.overlaps].map(({ name }) => name)
  const moves = resource.moves.filter(({ says }) => says !== undefined).map(({ name }) => name)
  const values = Object.entries(words.fields ?? {}).flatMap(([name, part]) => {
    const field = resource.fields.get(name)
    if (field === undefined) return []
    return strays(part.values, [...at('fields'), name, 'values'], wordsOf(field), `"${name}" has no value`)
  })
  return [
    ...strays(words.fields, at('fields'), ownFields(resource), `${has} field`).map((one) => renamed(resource, one)),
    ...strays(words.relations, at('relations'), resource.relations.keys(), `${has} relation`),
    ...strays(words.views, at('views'), views.keys(), `${has} view`),
    ...strays(words.buttons, at('buttons'), buttons.keys(), `${has} button`),
    ...strays(words.rules, at('rules'), rules, `${has} rule with a sentence`),
    ...strays(words.moves, at('moves'), moves, `${has} moves with a sentence for`),
    ...strays(words.texts, at('texts'), textsIn(resolution, resource).map(textKey), `${has} text`),
    ...values,
  ]
}

/** The same with the present name of a field that had this one. */
function renamed({ fields }: Draft, stray: Stray): Stray {
  const field = [...fields.values()].find(({ renamedFrom }) => renamedFrom === stray.path.at(-1))
  if (field === undefined) return stray
  return { ...stray, details: { ...stray.details, hint: `it is called "${field.name}" now` } }
}

/** The fields that are written as such; the key of a relation has the words of the relation. */
function ownFields({ fields }: Draft): readonly string[] {
  return [...fields.values()].flatMap(({ earlier, name, relation }) =>
    relation === undefined && earlier === undefined ? [name] : [],
  )
}

/** The texts of the application as a whole that have no name: headings of the menu, and titles of pages of plugins. */
function textsOfApp({ definition: { app }, extensions: { additions } }: Resolution): readonly string[] {
  const pages = [...(additions?.values() ?? [])].flatMap((one) => one.pages)
  return [...Object.keys(app.value.console?.menu ?? {}), ...pages.map(({ label }) => label)]
}

/** The sentences of answers that the program and its plugins have words for. */
export const knownSentences = memo(({ words = [] }: Resolution['definition']): readonly string[] => [
  ...new Set(words.flatMap(({ own, value }) => (own ? [] : Object.keys(value.sentences ?? {})))),
])

/** By resource, what plugins say to people outside of answers, as far as there is anything to translate. */
export function saidTexts({ drafts, extensions }: Resolution): Catalog['texts']['resources'] {
  const textsOf = ({ automations, keys }: Draft): readonly string[] => [
    ...Object.entries(keys).flatMap(([key, value]) => extensions.keys.get(key)?.texts(value ?? null) ?? []),
    ...[...automations.values()].flatMap(({ actions }) =>
      actions.flatMap((act) =>
        act.kind === 'run' ? (extensions.actionTexts?.get(act.action)?.(act.given) ?? []) : [],
      ),
    ),
  ]
  const said = [...drafts.values()].map((draft) => [draft.name, textsOf(draft).filter(hasWords)] as const)
  return new Map(said.filter(([, texts]) => texts.length > 0))
}

/** Whether a text has words besides the values that fill it. */
function hasWords(text: string): boolean {
  return /\p{L}/u.test(text.replace(/\{\{.*?\}\}|\{%.*?%\}/gs, ''))
}

/** The texts of a resource that have no name: of its screens, and those that keys and actions of plugins have. */
function textsIn({ written }: Resolution, resource: Draft): readonly string[] {
  const { layout, views } = resource.screens
  const headings = Object.values(layout?.record ?? {}).flatMap((blocks) =>
    blocks.flatMap((block) => (typeof block === 'object' && 'label' in block ? (block.label ?? []) : [])),
  )
  const tiles = [...views.values()].flatMap(({ said }) => (said.tiles ?? []).flatMap(({ label }) => label ?? []))
  const automations = written.get(resource.name)?.document.value.automations ?? {}
  return [...headings, ...tiles, ...stringsIn(resource.keys), ...stringsIn(automations as JsonObject)]
}

function stringsIn(value: Json): readonly string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return (value as readonly Json[]).flatMap(stringsIn)
  return isObject(value) ? Object.values(value).flatMap(stringsIn) : []
}
