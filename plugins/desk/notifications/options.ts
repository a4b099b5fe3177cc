/** The options of the plugin, and the built-in kinds of notifications. */
import type { JsonObject, JsonSchema } from '../../../engine/index.ts'

/** The built-in kinds with their descriptions; resources/DESK.md has the same as a table. */
export const KINDS = {
  ticket_created: 'A ticket is new: yours, assigned to you, watched by you, or nobody’s where you hear of those.',
  ticket_assigned: 'A ticket was assigned to you, or one that you watch to somebody.',
  ticket_unassigned: 'Nobody is assigned to tickets any more, because an account can’t work on them.',
  ticket_status_changed: 'A ticket of yours, or one that you watch, has another status.',
  ticket_priority_changed: 'A ticket of yours, or one that you watch, has another priority.',
  ticket_merged: 'A ticket of yours, or one that you watch, was merged into another one.',
  ticket_commented: 'Somebody commented on a ticket of yours, or on one that you watch.',
  ticket_internal_comment: 'Somebody of the staff commented internally on a ticket that you work on or watch.',
  mentioned: 'Somebody mentioned you in a comment, which is not told as a comment then.',
  conversation_message: 'Somebody wrote in a conversation that you take part in, or about a ticket that you watch.',
  user_pending: 'Somebody registered and waits for your approval.',
  account_approved: 'Your account was approved.',
} as const satisfies Readonly<Record<string, string>>

export type NotificationType = keyof typeof KINDS

export const TYPES = Object.keys(KINDS) as readonly NotificationType[]

/** Kinds that go by mail to people who made no choice. */
const MAILED: readonly NotificationType[] = [
  'ticket_created',
  'ticket_assigned',
  'ticket_unassigned',
  'ticket_status_changed',
  'ticket_merged',
  'ticket_commented',
  'mentioned',
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
        'Roles that hear of tickets which nobody is assigned to: `roles: unassigned` under `notify`, and the hook `unassigned`.',
    },
    mail: {
      type: 'array',
      items: { type: 'string', enum: TYPES },
      uniqueItems: true,
      default: MAILED,
      description:
        'Which notifications are mailed to whom they concern, and to contacts, unless a person decides otherwise.',
    },
    program_name: {
      type: 'string',
      minLength: 1,
      maxLength: 255,
      default: 'The desk',
      description: 'Who did it, in words, where the program itself did, or nobody signed in.',
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
  readonly programName: string
  readonly ticketPage: string
} {
  const list = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : [])
  return {
    unassigned: list(options.unassigned),
    mail: new Set(list(options.mail)),
    programName: String(options.program_name ?? ''),
    ticketPage: String(options.ticket_page ?? ''),
  }
}
