/** Options for operators: the networks that webhooks may reach, and the longest time for a receiver. */
import type { JsonObject, JsonSchema } from '../../engine/index.ts'

export const OPTIONS: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    http: {
      type: 'boolean',
      default: false,
      description: 'Whether addresses may be http too, where anybody on the way can read what is sent.',
    },
    networks: {
      type: 'array',
      items: { type: 'string', pattern: '^[0-9a-fA-F.:]+/[0-9]{1,3}$' },
      default: [],
      description:
        'Own networks that addresses may lead into all the same, such as 10.1.0.0/16 or fd00:1::/64: for development, and for receivers in the same network as this program.',
    },
    timeout_ms: {
      type: 'integer',
      minimum: 100,
      maximum: 30_000,
      default: 15_000,
      description: 'How long a receiver may take to answer, in milliseconds.',
    },
  },
}

export interface WebhookOptions {
  readonly http: boolean
  readonly networks: readonly string[]
  readonly timeoutMs: number
}

/** The checked options. */
export function optionsOf({ http, networks, timeout_ms }: JsonObject): WebhookOptions {
  return {
    http: http === true,
    networks: Array.isArray(networks) ? networks.map(String) : [],
    timeoutMs: Number(timeout_ms),
  }
}
