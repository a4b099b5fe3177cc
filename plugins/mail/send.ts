/** Sends mails from templates through the queue of jobs, so that none is lost and none delays an answer. */
import {
  BreakerOpen,
  type Entry,
  inLanguage,
  isObject,
  type JobContext,
  JobGivenUp,
  type Json,
  type JsonObject,
  type PluginContext,
  pluginTextIn,
  type RunName,
} from '../../engine/index.ts'
import { seal, unseal } from '../keys/seal.ts'
import { OverBudget, templateBudget } from '../templates/budget.ts'
import { isLiquidError } from '../templates/liquid.ts'
import { heldUntil } from './budget.ts'
import { languageOf } from './language.ts'
import { type Content, type MailWords, renderMail, renderWords } from './template.ts'
import { type Sending, transportOf } from './transport.ts'

/**
 * A mail: a Liquid file whose first line is `Subject: …`, or words in Liquid; with a recipient, and data for the words.
 */
export interface Mail {
  readonly template: URL | MailWords
  readonly to: string
  readonly data: Readonly<Record<string, unknown>>
  /** The subject of the conversation, `ticket-3000000001`: mail programs show mails with the same word together. */
  readonly thread?: string
  /** The account whose act causes a mail to somebody else: it counts in the budget of that person. */
  readonly by?: number | null
  /** Whether it is a copy to an address that belongs to nobody whom the application knows. */
  readonly stranger?: boolean
  /** Whether it invites to a new account, which counts in a budget of its own. */
  readonly invites?: boolean
  /** The present address of the account whose person reads it; `to` if absent. It says which language that is. */
  readonly reader?: string
  /** Whether its reader asked for it and waits: it needs no budget. */
  readonly urgent?: boolean
  /** The runs of automations that it is for: where it cannot be sent, they have failed. */
  readonly runs?: readonly RunName[]
}

/** A mail with its own id, a UUID: it is sent once, however often it is asked for. */
export interface NamedMail extends Mail {
  readonly id?: string
}

/** The part of a context that sending a mail needs. */
export type MailQueue = Pick<PluginContext, 'enqueue' | 'settings'>

/** The part of a context that the job needs. */
export type MailContext = Pick<PluginContext, 'settings' | 'catalog' | 'database' | 'log' | 'now'>

/**
 * Templates of shipped plugins are named from here, so that a mail survives a move of the program to another folder.
 */
const PLUGINS = new URL('../', import.meta.url)

/**
 * Sends a mail: resolves when it is a row of the queue, in the open transaction if there is one. It leaves after the
 * commit, and is tried again while the server does not take it: `await sendMail(context, { template: new
 * URL('./mails/reset.liquid', import.meta.url), to, data })`.
 */
export async function sendMail({ enqueue, settings }: MailQueue, mail: Mail): Promise<void> {
  await enqueue('mail.send', await payloadOf(settings, mail))
}

/** Sends many mails like `sendMail`, by one statement. */
export async function sendMails(
  { enqueueEach, settings }: Pick<PluginContext, 'enqueueEach' | 'settings'>,
  mails: readonly NamedMail[],
): Promise<void> {
  const entries = mails.map(async (mail): Promise<Entry> => {
    const payload = await payloadOf(settings, mail)
    return mail.id === undefined ? { payload } : { payload, id: mail.id }
  })
  await enqueueEach('mail.send', await Promise.all(entries))
}

async function payloadOf(settings: PluginContext['settings'], mail: Mail): Promise<JsonObject> {
  const sealed = await seal(settings, 'mail', JSON.stringify(mail.data))
  const about = {
    ...(mail.thread === undefined ? {} : { thread: mail.thread }),
    ...(mail.reader === undefined ? {} : { reader: mail.reader }),
  }
  const runs = mail.runs === undefined ? {} : { runs: mail.runs.map((run): Json => [...run]) }
  const cause = {
    ...(mail.by && { by: mail.by }),
    ...(mail.stranger && { stranger: true }),
    ...(mail.invites && { invites: true }),
  }
  return {
    template: nameOf(mail.template),
    to: mail.to,
    sealed,
    ...about,
    ...runs,
    ...(mail.urgent ? { urgent: true } : cause),
  }
}

function nameOf(template: URL | MailWords): Json {
  if (!(template instanceof URL)) return { subject: template.subject, text: template.text }
  const { href } = template
  return href.startsWith(PLUGINS.href) ? href.slice(PLUGINS.href.length) : href
}

function templateOf(name: Json | undefined): URL | MailWords {
  if (!isObject(name)) return new URL(String(name), PLUGINS)
  return { subject: String(name.subject), text: String(name.text) }
}

/**
 * The job that sends one mail, or puts it off while its budgets are spent; rejects on failures, and the queue tries
 * again.
 */
export async function sendQueued(context: JobContext, payload: JsonObject): Promise<undefined> {
  // A repeated mail was counted before.
  if (payload.urgent !== true && context.attempt === 1) {
    const by = typeof payload.by === 'number' ? payload.by : undefined
    const until = await heldUntil(context, {
      by,
      stranger: payload.stranger === true,
      invites: payload.invites === true,
    })
    if (until !== undefined) {
      await context.enqueue('mail.send', payload, { runAt: until })
      return
    }
  }
  const template = templateOf(payload.template)
  const text = await unseal(context.settings, 'mail', String(payload.sealed))
  if (text === undefined)
    throw new Error('the mail was changed, or the secret that it was sealed with is not known any more')
  const data = JSON.parse(text) as Mail['data']
  const about = {
    ...(typeof payload.thread === 'string' ? { thread: payload.thread } : {}),
    ...(typeof payload.reader === 'string' ? { reader: payload.reader } : {}),
  }
  await deliver(context, { template, to: String(payload.to), data, ...about }, context)
}

/** Renders a mail and hands it over, with the same id when it is tried again; rejects where it cannot. */
export async function deliver(context: MailContext, mail: Mail, sending: Sending): Promise<void> {
  const { catalog, log, now, settings } = context
  const replyTo = String(catalog.pluginOptions.get('mail')?.reply_to ?? '')
  const language = await languageOf(context, mail.reader ?? mail.to)
  const { name } = inLanguage(catalog, language)
  const known = { app: name, base_url: settings.baseUrl, reply_to: replyTo, ...mail.data }
  const content =
    mail.template instanceof URL
      ? await renderMail(mail.template, known, pluginTextIn(catalog, language, mail.template))
      : wordsOf(mail.template, known, catalog.limits)
  const host = new URL(settings.baseUrl).hostname
  const letter = {
    ...content,
    ...idsOf(host, sending.id, mail.thread),
    from: settings.env.MAIL_FROM ?? { name, address: `no-reply@${host}` },
    to: mail.to,
    ...(replyTo === '' ? {} : { replyTo }),
    date: now(),
  }
  const place = await transportOf(settings)(letter, sending).catch((error: unknown) => {
    throw withoutAddresses(error)
  })
  // Without subject and text, which may hold a link that signs its bearer in, and without the recipient.
  log.info({ mail: templateName(mail.template), id: sending.id, place }, 'mail sent')
}

/** The words of an automation; a text that cannot be filled in, or is above the budget, will be so next time too. */
function wordsOf(words: MailWords, data: Mail['data'], limits: Readonly<Record<string, number>>): Content {
  try {
    const given = Buffer.byteLength(JSON.stringify(data))
    return renderWords(words, data, templateBudget(limits, given * 2))
  } catch (error) {
    if (error instanceof OverBudget) throw new JobGivenUp(`A text of the mail ${error.message}`)
    throw isLiquidError(error) ? new JobGivenUp(`A text of the mail cannot be filled in: ${error.message}`) : error
  }
}

/** The id of a mail, kept when it is sent again, and its thread; no mail has the id of the thread itself. */
function idsOf(host: string, id: string, thread: string | undefined) {
  if (thread === undefined) return { messageId: `<${id}@${host}>` }
  const name = thread.replace(/[^\w.-]/g, '')
  const root = `<${name}@${host}>`
  return { messageId: `<${name}.${id}@${host}>`, inReplyTo: root, references: root }
}

/** Servers repeat the recipient in refusals, and errors are logged. */
function withoutAddresses(error: unknown): Error {
  if (error instanceof BreakerOpen) return error
  const message = (error instanceof Error ? error.message : String(error)).slice(0, 1000)
  const told = message.replace(/[^\s<>"'(),;:]+@[^\s<>"'(),;:]+/g, '(an address)')
  return error instanceof JobGivenUp ? new JobGivenUp(told) : new Error(told)
}

function templateName(template: URL | MailWords): string {
  if (!(template instanceof URL)) return 'automation'
  return template.pathname.split('/').at(-1) ?? template.pathname
}
