/**
 * The action `mail` of automations: each recipient gets what they may see of the record, and nobody else gets anything.
 */
import { createHash } from 'node:crypto'
import {
  type ActionContext,
  type ActionContribution,
  type ActionMistake,
  type ActionPlace,
  inLanguage,
  type Json,
  type JsonObject,
  type JsonSchema,
  SYSTEM,
  textIn,
} from '../../engine/index.ts'
import { gathered, type Letter } from './digest.ts'
import { languageMistakes } from './language.ts'
import { type Recipient, readTo, recipientsOf, strangersAmong, type To } from './recipients.ts'
import { sendMails } from './send.ts'
import { fillWords, readWords, wordsBudget, wordsData } from './words.ts'

/** The engine puts the text of the file in its place. */
const TEXT_FILE: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['file'],
  properties: {
    file: { type: 'string', pattern: '\\.liquid$', description: 'The file, from the folder of this one.' },
  },
}

/** The options of a mail, by name. */
export const MAIL_OPTIONS: Readonly<Record<string, JsonSchema>> = {
  to: {
    description: 'Whom: relations to people, fields of type email, addresses.',
    examples: [['user', 'boss@example.com']],
    oneOf: [
      { type: 'string', minLength: 1, maxLength: 255 },
      {
        type: 'array',
        items: { type: 'string', minLength: 1, maxLength: 255 },
        minItems: 1,
        maxItems: 50,
        uniqueItems: true,
      },
    ],
  },
  subject: {
    type: 'string',
    minLength: 1,
    maxLength: 255,
    description: 'The subject, in Liquid over the record.',
    examples: ['[#{{ uid }}] {{ subject }}'],
  },
  text: {
    oneOf: [{ type: 'string', minLength: 1, maxLength: 20_000 }, TEXT_FILE],
    description:
      'The text, in Liquid over the record: paragraphs with empty lines between them. It may be in a file of its own.',
    examples: ['Hello,\n\n{{ details | quote }}', { file: 'mails/reminder.liquid' }],
  },
  shows: {
    type: 'array',
    items: { type: 'string', minLength: 1, maxLength: 255 },
    uniqueItems: true,
    maxItems: 100,
    description: 'What recipients without an account may read of the record.',
    examples: [['uid', 'subject', 'status.name']],
  },
}

const TAKES: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['to', 'subject', 'text'],
  properties: MAIL_OPTIONS,
}

/** The texts of a mail that people read. */
export function mailTexts({ subject, text }: JsonObject): readonly string[] {
  return [String(subject), String(text)]
}

/** The options as given. */
interface Given {
  readonly to: readonly string[]
  readonly subject: string
  readonly text: string
  readonly shows: readonly string[]
}

function givenIn({ shows, subject, text, to }: JsonObject): Given {
  const list = (value: Json | undefined): readonly string[] => (Array.isArray(value) ? value.map(String) : [])
  return {
    to: typeof to === 'string' ? [to] : list(to),
    subject: String(subject),
    text: String(text),
    shows: list(shows),
  }
}

/**
 * Finds unknown recipients and paths, and values that a recipient without an account would have to read and may not.
 * `beside` are names that texts may use in addition to those of the record.
 */
export function checkMail(
  written: JsonObject,
  place: ActionPlace,
  beside: readonly string[] = [],
): readonly ActionMistake[] {
  const given = givenIn(written)
  const read = given.to.map((entry, index) => ({
    to: readTo(place, entry),
    at: typeof written.to === 'string' ? ['to'] : ['to', index],
  }))
  const lost = read.flatMap(({ to, at }) => ('kind' in to ? [] : [{ ...to, at }]))
  const shown = given.shows.flatMap((path, index) =>
    readWords(place, `{{ ${path} }}`).mistakes.map((mistake) => ({ ...mistake, at: ['shows', index] })),
  )
  const strangers = read.some(({ to }) => 'kind' in to && to.kind !== 'accounts')
  const texts = (['subject', 'text'] as const).flatMap((key) => textMistakes(place, given, key, strangers, beside))
  return [...lost, ...shown, ...texts]
}

function textMistakes(
  place: ActionPlace,
  given: Given,
  key: 'subject' | 'text',
  strangers: boolean,
  beside: readonly string[],
): readonly ActionMistake[] {
  const { mistakes, paths } = readWords(place, given[key], beside)
  const inLanguages = mistakes.length > 0 ? [] : languageMistakes(place, given[key])
  const kept = strangers ? paths.filter((path) => !given.shows.includes(path)) : []
  const unshown = kept.map((path) => ({
    message: `A recipient without an account may not read "${path}"`,
    hint: `name it under shows: [${[...given.shows, path].join(', ')}]`,
  }))
  return [...mistakes, ...unshown, ...inLanguages].map((mistake) => ({ ...mistake, at: [key] }))
}

/** Values for the additional names of a batch, for each recipient; undefined where none is mailed. */
export interface Beside {
  readonly names: readonly string[]
  readonly valuesFor: (
    recipients: readonly Recipient[],
  ) => Promise<readonly (Readonly<Record<string, unknown>> | undefined)[]>
}

const NOTHING: Beside = { names: [], valuesFor: async (recipients) => recipients.map(() => ({})) }

/** `mail.send`: for all records of a batch, with one read for all recipients and one statement for all mails. */
export async function mailRecords(context: ActionContext, beside: Beside = NOTHING): Promise<void> {
  const { catalog, work } = context
  const given = givenIn(work.given)
  const place = { catalog, resource: work.resource }
  const texts = [given.subject, given.text]
  const paths = [...new Set(texts.flatMap((text) => readWords(place, text, beside.names).paths))]
  const to = given.to.map((entry) => readTo(place, entry)).filter((one): one is To => 'kind' in one)
  const recipients = await recipientsOf(context, to)
  const values = await valuesFor(context, paths, given.shows, recipients)
  const reading = recipients.flatMap((recipient, at) => {
    const seen = values[at]
    return seen === undefined ? [] : [{ recipient, seen }]
  })
  const more = await beside.valuesFor(reading.map(({ recipient }) => recipient))
  const written = reading.flatMap(({ recipient }) => (recipient.written === true ? [recipient.address] : []))
  const strangers = written.length === 0 ? undefined : await strangersAmong(context, written)
  const letters = new Map<string, Letter>()
  for (const [at, { recipient, seen }] of reading.entries()) {
    const { address, record, written } = recipient
    if (more[at] === undefined) continue
    const { language } = recipient
    const said = (written: string): string => textIn(catalog, language, work.resource.name, written)
    const words = { subject: said(given.subject), text: said(given.text) }
    const here = { catalog: inLanguage(catalog, language), settings: context.settings }
    const data = { ...wordsData(here, paths, seen), ...more[at] }
    // A text that cannot be filled in fails the run here, where its author looks, and not the job that sends it.
    const budget = wordsBudget(catalog.limits, seen, texts.length)
    const [subject = '', text = ''] = [words.subject, words.text].map((one) => fillWords(one, data, budget))
    const by = doneBy(context, record)
    // Mails that the program causes were wanted by the author.
    const stranger = by !== null && written === true && strangers?.has(address.toLowerCase()) === true
    for (const { cause, request, run } of causesOf(context, record)) {
      const id = idOf([context.instance, work.automation, record ?? 0, cause, address, given.subject, given.text])
      const thread = record === undefined ? {} : { thread: `${work.resource.name}-${record}` }
      // Accounts come first: a person named twice gets one mail, with what the account may see.
      if (letters.has(id)) continue
      const runs = work.runs.filter(([, id, of]) => id === (record ?? 0) && (run === undefined || of === run))
      const mail = { id, template: words, to: address, data, by, stranger, runs, ...thread }
      letters.set(id, { id, mail, record, request, subject, text })
    }
  }
  const named = (ids: readonly string[]): string => idOf([context.instance, work.automation, ...ids])
  await sendMails(context, gathered([...letters.values()], named))
}

/** The recipients that a mail would go to, and those that it would not. */
async function explainMail(context: ActionContext): Promise<readonly string[]> {
  const given = givenIn(context.work.given)
  const place = { catalog: context.catalog, resource: context.work.resource }
  const to = given.to.map((entry) => readTo(place, entry)).filter((one): one is To => 'kind' in one)
  const recipients = await recipientsOf(context, to)
  const values = await valuesFor(context, [], given.shows, recipients)
  const lines = recipients.map(({ address }, at) =>
    values[at] === undefined ? `${address} may not see the record, and is not mailed` : `${address} is mailed`,
  )
  return [...new Set(lines)]
}

/** The values that each recipient may see of its record; undefined: not the record at all. */
async function valuesFor(
  { sightings, work }: ActionContext,
  paths: readonly string[],
  shows: readonly string[],
  recipients: readonly Recipient[],
): Promise<readonly (readonly Json[] | undefined)[]> {
  const pairs = recipients.map(({ actor = SYSTEM, record = 0 }) => ({ record, reader: actor }))
  const seen = await sightings(work.resource.name, paths, pairs)
  return recipients.map(({ actor, record }, at) => {
    if (record === undefined) return paths.map(() => null)
    if (actor !== undefined) return seen[at]
    return seen[at]?.map((value, n) => (shows.includes(paths[n] ?? '') ? value : null))
  })
}

/** What set the automation off for a record, each the same however often it is worked; of a schedule the present moment. */
function causesOf({ now, work }: ActionContext, record: number | undefined): readonly Cause[] {
  if (record === undefined) return [{ cause: now().toISOString(), request: null }]
  return work.records
    .filter(({ id }) => id === record)
    .map(({ change, moment }) =>
      change === undefined
        ? { cause: moment ?? now().toISOString(), request: null, run: moment }
        : { cause: `change ${change.id}`, request: change.requestId, run: String(change.id) },
    )
}

interface Cause {
  readonly cause: string
  /** The request that wrote the change; null without one. */
  readonly request: string | null
  /** The run, where the cause names it. */
  readonly run?: string | undefined
}

/** The account whose act caused the run for a record. */
function doneBy({ work }: ActionContext, record: number | undefined): number | null {
  return work.records.find(({ id }) => id === record)?.change?.actorId ?? null
}

/** A UUID made from the content of a mail (RFC 9562, version 8), so that the same mail has the same id. */
function idOf(parts: readonly (string | number)[]): string {
  const hash = createHash('sha256').update(JSON.stringify(parts)).digest('hex')
  const variant = ((Number.parseInt(hash[16] ?? '0', 16) & 3) | 8).toString(16)
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-${variant}${hash.slice(17, 20)}-${hash.slice(20, 32)}`
}

export const mailAction: ActionContribution = {
  description: 'Mails people what they may see of the record.',
  key: 'mail',
  takes: TAKES,
  texts: mailTexts,
  check: (given, place) => checkMail(given, place),
  run: (context) => mailRecords(context),
  explain: explainMail,
}
