/** The mail plugin: outgoing mail by SMTP, or as files while no server is configured. */
import { definePlugin } from '../../engine/index.ts'
import { sendQueued } from './send.ts'

export { type Mail, type MailQueue, sendMail } from './send.ts'

/** Over an hour altogether: servers that are restarted, and those that ask to come back later. */
const ATTEMPTS = 14

export default definePlugin({
  name: 'mail',
  description: 'Sends mail through SMTP_URL; without it, mails become .eml files in the outbox of the data directory.',
  options: {
    type: 'object',
    additionalProperties: false,
    properties: {
      reply_to: {
        type: 'string',
        pattern: '^[^\\s@<>,;]+@[^\\s@<>,;]+$',
        description: 'The address that answers to mails go to; without it, mails do not ask for answers.',
      },
    },
  },
  jobs: { send: { description: 'Sends one mail.', attempts: ATTEMPTS, run: sendQueued } },
})
