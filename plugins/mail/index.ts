/** The mail plugin: outgoing mail by SMTP, or as files while no server is configured. */
import { definePlugin } from '../../engine/index.ts'

export { type Mail, type MailContext, sendMail } from './send.ts'

export default definePlugin({
  name: 'mail',
  description: 'Sends mail through SMTP_URL; without it, mails become .eml files in the outbox of the data directory.',
})
