/** What an admin decides about tickets: when a comment opens one again, and where the desk's days begin. */
import type { JsonSchema } from '../../../engine/index.ts'

export const OPTIONS: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    reopen_on_comment: {
      anyOf: [
        { type: 'boolean' },
        {
          type: 'object',
          additionalProperties: false,
          required: ['after'],
          properties: { after: { type: 'string', pattern: '^[1-9][0-9]{0,3} (minute|hour|day)s?$' } },
        },
      ],
      default: true,
      description:
        "Whether a customer's comment opens a solved or closed ticket again, unless it only says thanks; with `after: 1 day`, only when the work ended longer ago.",
    },
    time_zone: {
      type: 'string',
      default: 'UTC',
      description: 'Where the days and hours of dashboards and reports are counted, by its name: Europe/Berlin.',
    },
  },
}
