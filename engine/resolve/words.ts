/** The words of an application in its languages: files laid over each other, and judged by what the catalog has. */
import type { Catalog, Resource } from '../catalog/catalog.ts'
import { textsOf, wordsOf } from '../catalog/words.ts'
import type { Path, WordsFile } from '../definition/definition.ts'
import type { PartWords, ResourceWords, Words } from '../definition/words.ts'
import { isObject, type Json, type JsonObject } from '../json.ts'
import { isUnread, type Resolution, suggest, suggestResource } from './resolution.ts'

/** The words by language; what a file says takes the place of what files below it say. */
export function wordsByLanguage({ app, words = [] }: Resolution['definition']): ReadonlyMap<string, Words> {
  const all = new Map<string, Words>()
  for (const language of app.value.languages ?? []) {
    const files = words.filter((file) => file.language === language)
    if (files.length > 0) all.set(language, files.map(({ value }) => value).reduce(laidOver))
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

/** Complains about words of the application's own files that are for nothing, or written twice. */
export function judgeWords(resolution: Resolution, catalog: Catalog): void {
  const own = (resolution.definition.words ?? []).filter((file) => file.own)
  const said = new Map<string, WordsFile>()
  for (const file of own) {
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
    judgeShared(resolution, catalog, file)
    for (const [name, words] of Object.entries(file.value.resources ?? {})) {
      const resource = catalog.resources.get(name)
      if (resource !== undefined) judgeResource({ resolution, file, resource }, words)
      else if (!resolution.unusable.has(name))
        resolution.report(
          'wrong_words',
          `There is no resource "${name}"`,
          file.place(['resources', name], 'key'),
          suggestResource(resolution, name),
        )
    }
  }
}

/** Whether app.yaml lists the language of a file. */
function judgeLanguage({ definition: { app }, report }: Resolution, { language, place }: WordsFile): boolean {
  const { languages = [] } = app.value
  if (languages.includes(language)) return true
  const { source } = place([])
  const listed = languages.length === 0 ? 'en' : languages.join(', ')
  report(
    'wrong_words',
    `The languages of app.yaml have no "${language}"`,
    { source, start: 0, end: 0 },
    {
      ...(languages.length === 0 ? {} : { expected: languages }),
      hint: `write languages: [${listed}, ${language}] in app.yaml, with the language of the YAML first`,
    },
  )
  return false
}

function leavesOf(value: JsonObject, at: Path = []): readonly Path[] {
  return Object.entries(value).flatMap(([key, one]): readonly Path[] =>
    isObject(one) ? leavesOf(one, [...at, key]) : [[...at, key]],
  )
}

interface Judged {
  readonly resolution: Resolution
  readonly file: WordsFile
  readonly resource: Resource
}

function judgeShared(resolution: Resolution, catalog: Catalog, file: WordsFile): void {
  const resources = [...catalog.resources.values()]
  const fields = new Set(resources.flatMap((one) => [...one.fields.keys(), ...one.relations.keys()]))
  judgeNames(resolution, file, ['fields'], fields, 'No resource has a field or relation')
  if (file.value.texts === undefined) return
  const texts = textsOf(catalog).flatMap(({ path }) => (path.at(-2) === 'texts' ? path.slice(-1) : []))
  const known = new Set([...texts, ...resources.flatMap((one) => textsIn(resolution, one))])
  judgeNames(resolution, file, ['texts'], known, 'No text of the application is')
}

function judgeResource(judged: Judged, words: ResourceWords): void {
  const { file, resolution, resource } = judged
  const { buttons, views } = resource.screens
  const at = (key: string): Path => ['resources', resource.name, key]
  const has = `"${resource.name}" has no`
  const fields = [...resource.fields.values()].filter(({ relation }) => relation === undefined)
  judgeNames(
    resolution,
    file,
    at('fields'),
    fields.map(({ name }) => name),
    `${has} field`,
  )
  judgeNames(resolution, file, at('relations'), resource.relations.keys(), `${has} relation`)
  judgeNames(resolution, file, at('views'), views.keys(), `${has} view`)
  judgeNames(resolution, file, at('buttons'), buttons.keys(), `${has} button`)
  const rules = [...resource.rules, ...resource.counts, ...resource.overlaps].map(({ name }) => name)
  judgeNames(resolution, file, at('rules'), rules, `${has} rule with a sentence`)
  const moves = resource.moves.filter(({ says }) => says !== undefined).map(({ name }) => name)
  judgeNames(resolution, file, at('moves'), moves, `${has} moves with a sentence for`)
  judgeNames(resolution, file, at('texts'), textsIn(resolution, resource), `${has} text`)
  for (const [name, part] of Object.entries(words.fields ?? {})) judgePart(judged, name, part)
}

function judgePart({ file, resolution, resource }: Judged, name: string, { values }: PartWords): void {
  const field = resource.fields.get(name)
  if (field === undefined || values === undefined) return
  const at = ['resources', resource.name, 'fields', name, 'values']
  judgeNames(resolution, file, at, wordsOf(field), `"${name}" has no value`)
}

/** Complains about the keys at a place that are none of the names. */
function judgeNames(resolution: Resolution, file: WordsFile, at: Path, names: Iterable<string>, what: string): void {
  let found: unknown = file.value
  for (const key of at) found = isObject(found as Json) ? Reflect.get(found as object, key) : undefined
  if (!isObject(found as Json)) return
  const known = new Set(names)
  for (const name of Object.keys(found as object)) {
    const isLost = known.has(name) || isUnread(resolution, String(at[1])) || isBroken(resolution, at, name)
    if (!isLost)
      resolution.report('wrong_words', `${what} "${name}"`, file.place([...at, name], 'key'), suggest(name, known))
  }
}

function isBroken({ unusable }: Resolution, [, resource]: Path, name: string): boolean {
  return unusable.has(`${resource}.${name}`)
}

/** The texts of a resource that have no name: of its screens, and those that keys and actions of plugins have. */
function textsIn({ written }: Resolution, resource: Resource): readonly string[] {
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
