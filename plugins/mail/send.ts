/** Sends one mail made from a template; what goes wrong is logged and never reaches the caller. */
import type { PluginContext } from '../../engine/index.ts'
import { renderMail } from './template.ts'
import { transportOf } from './transport.ts'

/** One mail: a Liquid file whose first line is `Subject: …`, whom it goes to, and what the template may name. */
export interface Mail {
  readonly template: URL
  readonly to: string
  readonly data: Readonly<Record<string, unknown>>
}

/** The part of a context that mail needs. */
export type MailContext = Pick<PluginContext, 'settings' | 'catalog' | 'log' | 'now'>

/**
 * Renders and sends a mail; resolves when it is handed over or has failed. Call it after commit.
 *
 *     context.afterCommit(() => sendMail(context, { template: new URL('./mails/reset.liquid', import.meta.url), to, data }))
 */
export async function sendMail(context: MailContext, mail: Mail): Promise<void> {
  const { catalog, log, now, settings } = context
  try {
    const { subject, text } = await renderMail(mail.template, {
      app: catalog.name,
      base_url: settings.baseUrl,
      ...mail.data,
    })
    const from =
      settings.env.MAIL_FROM ??
      `${catalog.name.replace(/["<>\r\n]/g, '')} <no-reply@${new URL(settings.baseUrl).hostname}>`
    const place = await transportOf(settings, now)({ from, to: mail.to, subject, text, date: now() })
    // Neither subject nor text: they may hold a link that lets its bearer in.
    log.info({ mail: templateName(mail.template), to: mail.to, place }, 'mail sent')
  } catch (error) {
    log.error(
      { mail: templateName(mail.template), to: mail.to, error: error instanceof Error ? error.message : String(error) },
      'mail not sent',
    )
  }
}

function templateName(template: URL): string {
  return template.pathname.split('/').at(-1) ?? template.pathname
}
