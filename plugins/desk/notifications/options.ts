/** What an admin decides about notifications: who hears of tickets that are nobody's, what goes by mail, where a ticket's page is. */
import type { JsonObject, JsonSchema } from '../../../engine/index.ts'

export const TYPES = [
  'ticket_created',
  'ticket_assigned',
  'ticket_unassigned',
  'ticket_status_changed',
  'ticket_priority_changed',
  'ticket_commented',
  'ticket_internal_comment',
  'conversation_message',
  'user_pending',
  'account_approved',
] as const

export type NotificationType = (typeof TYPES)[number]

/** Types that are mailed to those who did not decide otherwise. */
const MAILED: readonly NotificationType[] = [
  'ticket_created',
  'ticket_assigned',
  'ticket_unassigned',
  'ticket_status_changed',
  'ticket_commented',
  'conversation_message',
  'account_approved',
]

export const OPTIONS: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    unassigned: {
      type: 'array',
      items: { type: 'string' },
      default: ['admin', 'manager'],
      description:
        'Roles that hear of tickets which nobody is assigned to: new ones, and what customers write on them.',
    },
    mail: {
      type: 'array',
      items: { type: 'string', enum: TYPES },
      uniqueItems: true,
      default: MAILED,
      description:
        'Which notifications are mailed to whom they concern, and to contacts, unless a person decides otherwise.',
    },
    ticket_page: {
      type: 'string',
      pattern: '^https?://',
      description:
        'The page of a ticket, {uid} or {id} standing for which: mails link to it. Without it, mails have no link.',
    },
  },
}

/** The checked options. */
export function optionsOf(options: JsonObject): {
  readonly unassigned: readonly string[]
  readonly mail: ReadonlySet<string>
  readonly ticketPage: string
} {
  const list = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : [])
  return {
    unassigned: list(options.unassigned),
    mail: new Set(list(options.mail)),
    ticketPage: String(options.ticket_page ?? ''),
  }
}
