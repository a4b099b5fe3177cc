/** The mail plugin: outgoing mail by SMTP, or as files without a configured server. */
import { definePlugin } from '../../engine/index.ts'
import { mailAction } from './automation.ts'
import { BUDGETS } from './budget.ts'
import { SEVERAL } from './digest.ts'
import { pluginTextMistakes } from './language.ts'
import { sentMails, tidy } from './outbox.ts'
import { sendQueued } from './send.ts'
import { CONNECTIONS, checkMailServer, SMTP } from './transport.ts'

export { type Beside, checkMail, MAIL_OPTIONS, mailRecords, mailTexts } from './automation.ts'
export { languageMistakes } from './language.ts'
export type { Recipient } from './recipients.ts'
export { strangersAmong } from './recipients.ts'
export { type Mail, type MailQueue, type NamedMail, sendMail, sendMails } from './send.ts'
export { fillWords, readWords, wordsBudget, wordsData } from './words.ts'

/** More than an hour in total: for servers that restart, and those that ask to come back later. */
const ATTEMPTS = 14

/** Taking a mail from the queue costs about as much as writing it. */
const PREFETCH = 28

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
      keep_files_days: {
        type: 'integer',
        minimum: 1,
        maximum: 36_500,
        description: 'Mails in the outbox that are older are removed; without it they stay.',
      },
      budgets: BUDGETS,
    },
  },
  resources: ['mail_budgets', 'de.words'].map((name) => new URL(`./resources/${name}.yaml`, import.meta.url)),
  actions: { send: mailAction },
  rules: [pluginTextMistakes],
  texts: { several: SEVERAL },
  check: checkMailServer,
  mails: sentMails,
  jobs: {
    send: {
      description: 'Sends one mail.',
      attempts: ATTEMPTS,
      concurrency: CONNECTIONS,
      prefetch: PREFETCH,
      server: SMTP,
      run: sendQueued,
    },
    tidy: {
      description: 'Removes mails of the outbox that are older than they are kept.',
      every: '1 hour',
      eachInstance: true,
      run: tidy,
    },
  },
})
