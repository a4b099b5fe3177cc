/** Sends mails made from templates: through the queue of jobs where there is one, so that none is lost and none holds an answer. */
import type { JobContext, JsonObject, PluginContext } from '../../engine/index.ts'
import { seal, unseal } from '../keys/seal.ts'
import { renderMail } from './template.ts'
import { transportOf } from './transport.ts'

/** One mail: a Liquid file whose first line is `Subject: …`, whom it goes to, and what the template may name. */
export interface Mail {
  readonly template: URL
  readonly to: string
  readonly data: Readonly<Record<string, unknown>>
}

/** The part of a context that mail needs; with `enqueue` the mail goes through the queue. */
export type MailContext = Pick<PluginContext, 'settings' | 'catalog' | 'log' | 'now'> &
  Partial<Pick<PluginContext, 'enqueue'>>

/** Templates of shipped plugins are named from here, so that a mail outlives a move of the program to another folder. */
const PLUGINS = new URL('../', import.meta.url)

/**
 * Sends a mail. With a queue it resolves when the mail is a row there, of the open transaction where there is one: it
 * leaves when that has committed, and is tried again while the server does not take it. Without a queue it resolves when
 * the mail is handed over or has failed, which is logged.
 *
 *     await sendMail(context, { template: new URL('./mails/reset.liquid', import.meta.url), to, data })
 */
export async function sendMail(context: MailContext, mail: Mail): Promise<void> {
  if (context.enqueue !== undefined) {
    const { href } = mail.template
    const template = href.startsWith(PLUGINS.href) ? href.slice(PLUGINS.href.length) : href
    const sealed = await seal(context.settings, 'mail', JSON.stringify(mail.data))
    await context.enqueue('mail.send', { template, to: mail.to, sealed })
    return
  }
  try {
    await deliver(context, mail)
  } catch (error) {
    context.log.error(
      { mail: templateName(mail.template), error: error instanceof Error ? error.message : String(error) },
      'mail not sent',
    )
  }
}

/** The job that sends one mail; what goes wrong rejects, and the queue tries again. */
export async function sendQueued(context: JobContext, payload: JsonObject): Promise<undefined> {
  const template = new URL(String(payload.template), PLUGINS)
  const text = await unseal(context.settings, 'mail', String(payload.sealed))
  if (text === undefined)
    throw new Error('the mail was changed, or the secret that it was sealed with is not known any more')
  const data = JSON.parse(text) as Mail['data']
  await deliver(context, { template, to: String(payload.to), data })
}

/** Renders a mail and hands it over; rejects when it can't. */
async function deliver(context: Omit<MailContext, 'enqueue'>, mail: Mail): Promise<void> {
  const { catalog, log, now, settings } = context
  const { subject, text } = await renderMail(mail.template, {
    app: catalog.name,
    base_url: settings.baseUrl,
    ...mail.data,
  })
  const from =
    settings.env.MAIL_FROM ??
    `${catalog.name.replace(/["<>\r\n]/g, '')} <no-reply@${new URL(settings.baseUrl).hostname}>`
  const letter = { from, to: mail.to, subject, text, date: now() }
  const place = await transportOf(
    settings,
    now,
  )(letter).catch((error: unknown) => {
    throw withoutAddresses(error)
  })
  // Nobody's address, which is a person's, and neither subject nor text: they may hold a link that lets its bearer in.
  log.info({ mail: templateName(mail.template), place }, 'mail sent')
}

/** What a server says of a mail it refuses usually names whom it was for; the queue keeps and logs what went wrong. */
function withoutAddresses(error: unknown): Error {
  const message = error instanceof Error ? error.message : String(error)
  return new Error(message.replace(/[^\s<>"',;:]+@[^\s<>"',;:]+/g, '…'))
}

function templateName(template: URL): string {
  return template.pathname.split('/').at(-1) ?? template.pathname
}
