/** What an admin decides about notifications: who hears of tickets that are nobody's, and what goes by mail. */
import type { JsonObject, JsonSchema } from '../../../engine/index.ts'

export const TYPES = [
  'ticket_created',
  'ticket_assigned',
  'ticket_status_changed',
  'ticket_priority_changed',
  'ticket_commented',
  'ticket_internal_comment',
  'conversation_message',
  'user_pending',
] as const

export type NotificationType = (typeof TYPES)[number]

/** Types that have a mail of their own. */
export const MAILED = ['ticket_created', 'ticket_assigned', 'ticket_status_changed', 'ticket_commented'] as const

export const OPTIONS: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    unassigned: {
      type: 'array',
      items: { type: 'string' },
      default: ['admin', 'manager'],
      description: 'Roles that hear of a new ticket which nobody is assigned to.',
    },
    mail: {
      type: 'array',
      items: { type: 'string', enum: MAILED },
      uniqueItems: true,
      default: MAILED,
      description: 'Which notifications are mailed as well.',
    },
  },
}

/** The checked options. */
export function optionsOf(options: JsonObject): {
  readonly unassigned: readonly string[]
  readonly mail: ReadonlySet<string>
} {
  const list = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : [])
  return { unassigned: list(options.unassigned), mail: new Set(list(options.mail)) }
}
