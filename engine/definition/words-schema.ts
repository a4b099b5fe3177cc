/** The schema of a file of words, `<language>.words.yaml`, from which editors complete it, and its check. */
import { isObject, type JsonObject, type JsonSchema } from '../json.ts'
import type { Collected } from '../text/diagnostic.ts'
import type { Document, WordsFile } from './definition.ts'
import { judge } from './judge.ts'
import { key, list, map, named, TEXT } from './word-schema.ts'
import { languageIn, type PartWords, textKey, type Words } from './words.ts'

/** The key `languages` of app.yaml. */
export const LANGUAGES: JsonSchema = key(
  'The languages of its words: first that in which the YAML is written, then those of files `<language>.words.yaml`.',
  ['en', 'de'],
  {
    ...list({
      type: 'string',
      pattern: '^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$',
      maxLength: 35,
      'x-expects': 'a language such as de or pt-BR',
    }),
    minItems: 1,
    maxItems: 50,
  },
)

const PART: Readonly<Record<string, JsonSchema>> = {
  label: key('The name for people.', 'Fällig am', TEXT),
  help: key('What people read next to it in a form.', 'Bis wann es gelöst sein muss', TEXT),
  description: key('What it means.', 'Der Tag, bis zu dem es gelöst sein muss.', TEXT),
}

const VALUES = key('The words of an enum.', { open: 'Offen' }, named(TEXT, TEXT))
const TEXTS = key(
  'Texts that have no name: headings, labels of figures, texts of mails and notifications, each by how it is written.',
  { Work: 'Arbeit' },
  named(TEXT, TEXT),
)

function part(keys: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { anyOf: [TEXT, { ...map(keys), minProperties: 1 }] }
}

const RESOURCE = map({
  label: key(
    'The name of one record, and of many.',
    { one: 'Ticket', many: 'Tickets' },
    map(
      {
        one: key('The name of one record.', 'Person', TEXT),
        many: key('The name of many.', 'Personen', TEXT),
      },
      ['one', 'many'],
    ),
  ),
  description: key('What the resource is.', 'Was ein Kunde möchte.', TEXT),
  fields: key(
    'Its fields: the label alone, or what it has besides.',
    { subject: 'Betreff' },
    named(part({ ...PART, values: VALUES })),
  ),
  relations: key('Its relations, in the same way.', { assignedTo: 'Zugewiesen an' }, named(part(PART))),
  views: key('The labels of its views.', { queue: 'Warteschlange' }, named(TEXT)),
  buttons: key('The labels of its buttons.', { take: 'Übernehmen' }, named(TEXT)),
  rules: key('The sentences of its rules.', { ends_after_start: 'Das Ende liegt vor dem Anfang' }, named(TEXT)),
  moves: key('The sentences of its moves.', { status: 'Kunden dürfen Tickets nur schließen' }, named(TEXT)),
  texts: TEXTS,
})

/** The keys of a file of words, in the order of the reference. */
export const WORDS_KEYS: Readonly<Record<string, JsonSchema>> = {
  name: key('The name of the application.', 'Kundendienst', TEXT),
  description: key('What the application is.', 'Ein Kundendienst.', TEXT),
  fields: key(
    'The labels of fields and relations of these names, wherever a resource has no words of its own for them.',
    { created_at: 'Angelegt' },
    named(TEXT),
  ),
  texts: key(
    'Texts of the whole application by how they are written: headings of the menu, and those that several resources have.',
    { Work: 'Arbeit' },
    named(TEXT, TEXT),
  ),
  sentences: key(
    'Sentences of answers by how the program says them, with names in braces for what differs; `{label}` is the name of a field or record, and `{says}` a sentence that has words of its own.',
    { 'The {label} field {says}': '„{label}“ {says}' },
    named(TEXT, TEXT),
  ),
  plugins: key(
    'Texts of plugins, by their names: a mail with its subject in the first line, `Subject: …`, and its text below.',
    { auth: { reset: 'Subject: Neues Passwort\n\nHallo, …' } },
    named(named(TEXT)),
  ),
  resources: key('The words of each resource.', { tickets: { fields: { subject: 'Betreff' } } }, named(RESOURCE)),
}

/** The schema of a file of words. */
export const WORDS_SCHEMA: JsonSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'Words of an application of Plinth in another language',
  ...map(WORDS_KEYS),
}

/** Checks a file of words; there is a value only without mistakes. */
export function checkWords(document: Document<unknown>, own: boolean): Collected<WordsFile> {
  const { diagnostics, usable, place } = judge(WORDS_SCHEMA, document)
  if (diagnostics.length > 0 || !isObject(usable)) return { diagnostics }
  const language = languageIn(place([]).source.file) ?? ''
  return { value: Object.freeze({ value: whole(usable), place, language, own }), diagnostics }
}

/** The words with each field and relation as a map, and texts by their keys. */
function whole({ texts, ...written }: JsonObject & Words): Words {
  const said = (some: Words['texts']) =>
    some === undefined
      ? {}
      : { texts: Object.fromEntries(Object.entries(some).map(([text, words]) => [textKey(text), words])) }
  const own = { ...written, ...said(texts) }
  if (written.resources === undefined) return own
  const parts = (some: Readonly<Record<string, PartWords | string>> = {}) =>
    Object.fromEntries(
      Object.entries(some).map(([name, one]) => [name, typeof one === 'string' ? { label: one } : one]),
    )
  const resources = Object.entries(written.resources).map(([name, one]) => [
    name,
    { ...one, fields: parts(one.fields), relations: parts(one.relations), ...said(one.texts) },
  ])
  return { ...own, resources: Object.fromEntries(resources) }
}
