/** The words of a catalog in its languages: every text of it that people read, and the same catalog with other texts. */
import type { BlockDefinition, ConsoleDefinition, LayoutDefinition } from '../definition/screen-schema.ts'
import { textKey, type Words } from '../definition/words.ts'
import { memo } from '../memo.ts'
import type { Span } from '../text/source.ts'
import type { Catalog, Field, Relation, Resource, View } from './catalog.ts'
import { type Changes, changedCatalog } from './without.ts'

type Path = readonly string[]

/** Gives a text in another language. Its words may be at several places of a file; where they are asked for, it is the last. */
type Say = (text: string, ...places: readonly Path[]) => string

type Change = Readonly<Record<string, unknown>>

/** The catalog as it is read in a language; the same one where no file has words of it. */
export function inLanguage(catalog: Catalog, language: string | undefined): Catalog {
  return language !== undefined && catalog.words.has(language) ? translated(catalog, language) : catalog
}

const translated = memo((catalog: Catalog, language: string): Catalog => {
  const words = catalog.words.get(language)!
  return changedCatalog(
    catalog,
    changesBy(catalog, (text, ...places) => wordAt(words, places) ?? text),
  )
})

/** The sentences of rules and moves with what a language says in place of each. */
export const ruleSentences = memo(({ resources }: Catalog, words: Words): ReadonlyMap<string, string> => {
  const sentences = new Map<string, string>()
  const say: Say = (text, ...places) => {
    const word = wordAt(words, places)
    if (word !== undefined) sentences.set(text, word)
    return text
  }
  for (const resource of resources.values()) refusalsBy(resource, partnersOf({ resources }, resource), say, new Map())
  return sentences
})

/** A text of a resource that people read outside of answers, in a language; as it is written where that has no words of it. */
export function textIn(
  { words }: Pick<Catalog, 'words'>,
  language: string | undefined,
  resource: string,
  text: string,
) {
  const own = words.get(language ?? '')
  return own === undefined ? text : (wordAt(own, [['resources', resource, 'texts', textKey(text)]]) ?? text)
}

/** A text of a plugin in a language, by its name or the URL of its file; undefined where the language has no words of it. */
export function pluginTextIn(
  { texts, words }: Pick<Catalog, 'texts' | 'words'>,
  language: string | undefined,
  text: string | URL,
): string | undefined {
  const own = words.get(language ?? '')
  if (own === undefined) return undefined
  const [name] = text instanceof URL ? ([...texts.plugins].find(([, { url }]) => url === text.href) ?? []) : [text]
  return name === undefined ? undefined : wordAt(own, [placeOfPlugin(name)])
}

function placeOfPlugin(name: string): Path {
  const end = name.indexOf('.')
  return ['plugins', name.slice(0, end), name.slice(end + 1)]
}

/** A text that people read, and its place in a file of words. */
export interface PlacedText {
  readonly path: Path
  readonly text: string
}

/** Every text that people read, in the language of the YAML; of a name that several resources have, the place is that for all. */
export function textsOf(catalog: Catalog): readonly PlacedText[] {
  return placedTexts(catalog, () => false)
}

/** The texts for which no file has words of the language. */
export function missingWords(catalog: Catalog, language: string): readonly PlacedText[] {
  const words = catalog.words.get(language) ?? {}
  return placedTexts(catalog, (places) => wordAt(words, places) !== undefined)
}

function placedTexts(catalog: Catalog, isKnown: (places: readonly Path[]) => boolean): readonly PlacedText[] {
  const found = new Map<string, PlacedText & { readonly shared: Path | undefined }>()
  changesBy(catalog, (text, ...places) => {
    const path = places.at(-1)!
    if (!isKnown(places)) found.set(JSON.stringify(path), { path, text, shared: sharedPlace(path) })
    return text
  })
  const counts = new Map<string, number>()
  const keyOf = ({ shared, text }: { shared: Path | undefined; text: string }) => JSON.stringify([shared, text])
  for (const one of found.values()) counts.set(keyOf(one), (counts.get(keyOf(one)) ?? 0) + 1)
  const texts = [...found.values()].map((one): PlacedText => {
    const { path, shared, text } = one
    return { path: shared !== undefined && counts.get(keyOf(one))! > 1 ? shared : path, text }
  })
  return [...new Map(texts.map((one) => [JSON.stringify(one.path), one])).values()]
}

/** The place of words that count for every resource: those of a label by its name, and those of a text. */
function sharedPlace([first, , part, name = '', ofPart]: Path): Path | undefined {
  if (first !== 'resources') return undefined
  if (part === 'texts') return ['texts', name]
  return (part === 'fields' || part === 'relations') && ofPart === 'label' ? ['fields', name] : undefined
}

/** The words at the first of the places that has some, or those that count for every resource. */
function wordAt(words: Words, places: readonly Path[]): string | undefined {
  const shared = places.flatMap((path) => {
    const place = sharedPlace(path)
    return place === undefined ? [] : [place]
  })
  for (const path of [...places, ...shared]) {
    let found: unknown = words
    for (const key of path)
      found =
        typeof found === 'object' && found !== null && Object.hasOwn(found, key) ? Reflect.get(found, key) : undefined
    if (typeof found === 'string') return found
  }
  return undefined
}

/** What becomes of the parts of a catalog that have texts. */
function changesBy(catalog: Catalog, say: Say): Changes {
  const changes = new Map<object, Change>()
  changes.set(catalog, {
    name: say(catalog.name, ['name']),
    ...maybe('description', catalog.description, (text) => say(text, ['description'])),
    console: consoleBy(catalog.console, (text) => say(text, ['texts', textKey(text)])),
  })
  for (const { pages } of catalog.additions.values())
    for (const page of pages) changes.set(page, { label: say(page.label, ['texts', textKey(page.label)]) })
  for (const sentence of catalog.texts.sentences) say(sentence, ['sentences', sentence])
  for (const [name, { text }] of catalog.texts.plugins) say(text, placeOfPlugin(name))
  for (const [name, texts] of catalog.texts.resources)
    for (const text of texts) say(text, ['resources', name, 'texts', textKey(text)])
  for (const resource of catalog.resources.values())
    if (isMet(resource)) changesOf(resource, partnersOf(catalog, resource), say, changes)
  return changes
}

/** Whether anybody ever meets a record of the resource. */
function isMet({ actions, nested, policies }: Resource): boolean {
  return actions.size + nested.length > 0 && Object.values(policies).some((clauses) => clauses.length > 0)
}

/** The resources on the same table, the one whose table it is first. */
function partnersOf({ resources }: Pick<Catalog, 'resources'>, { name, owner }: Resource): readonly Resource[] {
  const others = [...resources.values()].filter((one) => one.owner === owner && one.name !== name)
  return others.sort((one, other) => Number(other.name === owner) - Number(one.name === owner))
}

function changesOf(resource: Resource, partners: readonly Resource[], say: Say, changes: Map<object, Change>): void {
  const own: Own = (text, ...path) => say(text, ['resources', resource.name, ...path])
  const text = (said: string): string => own(said, 'texts', textKey(said))
  changes.set(resource, {
    label: own(resource.label, 'label', 'one'),
    plural: own(resource.plural, 'label', 'many'),
    ...maybe('description', resource.description, (said) => own(said, 'description')),
  })
  partsBy(resource, partners, say, changes)
  for (const view of resource.screens.views.values())
    changes.set(view, { label: own(view.label, 'views', view.name), said: tilesBy(view.said, text) })
  for (const button of resource.screens.buttons.values())
    changes.set(button, { label: own(button.label, 'buttons', button.name) })
  const { layout } = resource.screens
  if (layout !== undefined) changes.set(layout, layoutBy(layout, text))
  refusalsBy(resource, partners, say, changes)
}

/** The sentences of rules and moves. */
function refusalsBy(resource: Resource, partners: readonly Resource[], say: Say, changes: Map<object, Change>): void {
  for (const rule of sentencedRules(resource)) {
    // A rule is that of every resource on the table, and its words are asked for where it is written.
    const written = [resource, ...partners].sort((one, other) => nearness(rule, one) - nearness(rule, other))
    const says = say(rule.says, ...written.map(({ name }) => ['resources', name, 'rules', rule.name]))
    changes.set(rule, { says })
  }
  for (const moves of resource.moves)
    if (moves.says !== undefined)
      changes.set(moves, { says: say(moves.says, ['resources', resource.name, 'moves', moves.name]) })
}

type Own = (text: string, ...path: Path) => string

type SentencedRule = { readonly name: string; readonly says: string; readonly span: Span }

/** The rules with a sentence of their author. */
function sentencedRules({ counts, overlaps, rules }: Resource): readonly SentencedRule[] {
  // What an overlap comes with is a rule of its name whose sentence is made.
  const own = rules.filter(({ name }) => !overlaps.some((one) => one.name === name))
  return [...own, ...counts, ...overlaps].filter(({ says }) => says !== '')
}

/** How surely a rule is written in the file of a resource; one that a plugin adds is its table's. */
function nearness({ span }: SentencedRule, { name, owner, span: own }: Resource): number {
  if (span.source === own.source) return 2
  return name === owner ? 1 : 0
}

/** The texts of fields and relations; a part of a table may say them in words of its own. */
function partsBy(resource: Resource, partners: readonly Resource[], say: Say, changes: Map<object, Change>): void {
  const base = partners.find(({ name }) => name === resource.owner)
  const sayPart = (kind: 'fields' | 'relations', name: string): Own => {
    const holders = base?.[kind].has(name) === true ? [resource, base] : [resource]
    return (text, ...path) => say(text, ...holders.map((one) => ['resources', one.name, kind, name, ...path]))
  }
  const isRead = (part: Field | Relation): boolean => part.earlier === undefined && !isHidden(part, resource)
  for (const [name, relation] of resource.relations)
    if (isRead(relation)) changes.set(relation, partBy(relation, sayPart('relations', name)))
  for (const [name, field] of resource.fields) {
    if (!isRead(field)) continue
    const relation = resource.relations.get(field.relation ?? '')
    const own = sayPart('fields', name)
    if (relation !== undefined) changes.set(field, { label: changes.get(relation)?.label ?? field.label })
    else changes.set(field, { ...partBy(field, own), ...valuesBy(field, own) })
  }
}

function maybe(key: string, text: string | undefined, say: (text: string) => string): Change {
  return text === undefined ? {} : { [key]: say(text) }
}

/** Label, description and help. */
function partBy(part: Field | Relation, own: Own): Change {
  const { asked, description, label } = part
  return {
    label: own(label, 'label'),
    ...maybe('description', description, (text) => own(text, 'description')),
    ...(asked?.help === undefined ? {} : { asked: { ...asked, help: own(asked.help, 'help') } }),
  }
}

/** Whether no answer has it, no body, and no list takes it. */
function isHidden(part: Field | Relation, { actions, nested }: Resource): boolean {
  if (part.show !== 'never') return false
  const isWritten =
    actions.has('create') || actions.has('update') || nested.some((one) => one.actions.includes('create'))
  if ('kind' in part) return part.kind !== 'belongs_to' || !isWritten
  if (part.searched === true) return false
  return !isWritten || part.readOnly || part.computed !== undefined || part.stored !== undefined
}

/** What people read in place of the words of an enum, or of a list of them. */
function valuesBy(field: Field, own: Own): Change {
  const words = wordsOf(field)
  if (words.length === 0) return {}
  return { values: Object.fromEntries(words.map((word) => [word, own(word, 'values', word)])) }
}

/** The words of an enum, or of a list of them. */
export function wordsOf({ options, type }: Field): readonly string[] {
  const { enum: own, items } = type.schema(options) as {
    readonly enum?: unknown
    readonly items?: { readonly enum?: unknown }
  }
  const words = own ?? items?.enum
  return Array.isArray(words) ? words.filter((word): word is string => typeof word === 'string') : []
}

function tilesBy(said: View['said'], text: (said: string) => string): View['said'] {
  if (said.tiles === undefined) return said
  return { ...said, tiles: said.tiles.map((tile) => ({ ...tile, ...maybe('label', tile.label, text) })) }
}

function layoutBy({ record = {} }: LayoutDefinition, text: (said: string) => string): Change {
  const blockBy = (block: BlockDefinition): BlockDefinition =>
    typeof block === 'string' || !('label' in block) ? block : { ...block, ...maybe('label', block.label, text) }
  const columns = Object.entries(record).map(([column, blocks]) => [column, blocks.map(blockBy)])
  return { record: Object.fromEntries(columns) }
}

function consoleBy(
  whole: ConsoleDefinition | undefined,
  text: (said: string) => string,
): ConsoleDefinition | undefined {
  if (whole?.menu === undefined) return whole
  return {
    ...whole,
    menu: Object.fromEntries(Object.entries(whole.menu).map(([group, screens]) => [text(group), screens])),
  }
}
