/**
 * The action `survey` of automations: mails the customer of a ticket a link to rate its solution, once for each time it
 * was solved.
 */
import type {
  ActionContext,
  ActionContribution,
  ActionMistake,
  ActionPlace,
  JsonObject,
} from '../../../engine/index.ts'
import { newToken, tokenHash } from '../../keys/seal.ts'
import { checkMail, MAIL_OPTIONS, mailRecords, mailTexts, type Recipient } from '../../mail/index.ts'

/** Names for the texts in addition to the ticket. */
const LINK = 'link'
const DAY_MS = 86_400_000

function check(given: JsonObject, place: ActionPlace): readonly ActionMistake[] {
  const wrong = checkMail(given, place, [LINK])
  const { name } = place.resource
  const resource = name === 'tickets' ? [] : [{ message: `A survey asks about tickets, and "${name}" are none` }]
  const link = /\{\{-?\s*link\b/.test(String(given.text))
    ? []
    : [
        {
          message: 'The text does not name the link',
          at: ['text'],
          hint: 'add {{ link | button: "Rate our help" }}, in a paragraph of its own',
        },
      ]
  return [...resource, ...wrong, ...link]
}

/** Makes a rating for each ticket of the batch, with a link for the first person who may be mailed. */
async function linksFor(
  context: ActionContext,
  recipients: readonly Recipient[],
): Promise<readonly ({ readonly link: string } | undefined)[]> {
  const { now, records, settings, work } = context
  const days = Number(work.given.days ?? 14)
  const expires = new Date(now().getTime() + days * DAY_MS).toISOString()
  const first = new Map(recipients.map(({ record }, at) => [record, at] as const).reverse())
  const asked = [...first].map(([ticket, at]) => ({ at, ticket: Number(ticket), token: newToken() }))
  // Refused for a ticket that is no longer solved, or was asked about before; the others are mailed.
  const made = await records('satisfaction_ratings', 'system').createEach(
    asked.map(({ ticket, token }) => ({
      input: {},
      fixed: { ticket_id: ticket, token_hash: tokenHash(token), expires_at: expires },
    })),
  )
  const root = settings.baseUrl.replace(/\/+$/, '')
  const links = new Map(
    asked.flatMap(({ at, token }, index) =>
      made[index] !== undefined && 'record' in made[index]
        ? [[at, { link: `${root}/satisfaction/${token}` }] as const]
        : [],
    ),
  )
  return recipients.map((_, at) => links.get(at))
}

export const ask: ActionContribution = {
  description: 'Mails the customer a link to rate the solution of a ticket.',
  key: 'survey',
  texts: mailTexts,
  takes: {
    type: 'object',
    additionalProperties: false,
    required: ['to', 'subject', 'text'],
    properties: {
      ...MAIL_OPTIONS,
      days: {
        type: 'integer',
        minimum: 1,
        maximum: 365,
        default: 14,
        description: 'How many days the link works.',
        examples: [14],
      },
    },
  },
  check,
  run: (context) => mailRecords(context, { names: [LINK], valuesFor: (recipients) => linksFor(context, recipients) }),
}
