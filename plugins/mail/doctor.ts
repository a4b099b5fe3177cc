/** ⇄ Looks at the mail server for `plinth doctor`: connects and signs in, and sends nothing. */
import type { CheckContext, Finding } from '../../engine/index.ts'
import { outboxOf, verifySmtp } from './transport.ts'

export async function checkMailServer({ settings }: CheckContext): Promise<readonly Finding[]> {
  const url = settings.env.SMTP_URL ?? ''
  if (url === '') {
    const message = `SMTP_URL is not set: mails become files in ${outboxOf(settings)}`
    if (!settings.production) return [{ level: 'ok', message }]
    return [{ level: 'warning', message, advice: 'set SMTP_URL, or nobody gets a mail' }]
  }
  if (!URL.canParse(url))
    return [{ level: 'problem', message: 'SMTP_URL is no URL', advice: 'write smtp://user:password@host:587' }]
  const { host } = new URL(url)
  try {
    await verifySmtp(url)
  } catch (error) {
    const { code, message } = error as { code?: string; message?: string }
    const advice =
      code === 'EAUTH' ? 'correct user and password in SMTP_URL' : 'correct SMTP_URL, or let this machine through to it'
    return [{ level: 'problem', message: `${host} takes no mail: ${message ?? code}`, advice }]
  }
  if ((settings.env.MAIL_FROM ?? '') === '') {
    const from = `no-reply@${new URL(settings.baseUrl).hostname}`
    return [
      {
        level: 'warning',
        message: `${host} takes mail, from ${from}`,
        advice: 'set MAIL_FROM to an address of your own',
      },
    ]
  }
  return [{ level: 'ok', message: `${host} takes mail` }]
}
