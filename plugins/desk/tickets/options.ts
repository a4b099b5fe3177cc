/** What an admin decides about tickets beside the YAML: where the desk's days begin. */
import type { JsonSchema } from '../../../engine/index.ts'

export const OPTIONS: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    time_zone: {
      type: 'string',
      default: 'UTC',
      description: 'Where the days and hours of dashboards and reports are counted, by its name: Europe/Berlin.',
    },
  },
}
