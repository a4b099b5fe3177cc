/** The tickets plugin: rules about tickets, comments and settings that YAML cannot say. */
import { definePlugin, type JsonSchema } from '../../../engine/index.ts'
import { unassign, unassignLeft } from './assignee.ts'
import { claim, claimLeft } from './customer.ts'
import { OPEN } from './figures.ts'
import { thanks } from './thanks.ts'
import { checkZone, knownZone } from './zone.ts'

const OPTIONS: JsonSchema = {
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

export default definePlugin({
  name: 'tickets',
  description: 'Tickets: queues, comments that only say thanks, whose tickets they are.',
  after: ['auth'],
  reliesOn: { statuses: ['category'] },
  options: OPTIONS,
  console: new URL('./console.tsx', import.meta.url),
  rules: [knownZone],
  start: checkZone,
  specials: {
    queue: {
      description: 'The desk’s queues: nobody assigned, still open, or created today (UTC).',
      values: {
        un_assigned: { assignedTo: null },
        open: { with_deleted: { 'status.category': [...OPEN] } },
        new: { created_at: { gte: '$today' } },
      },
    },
  },
  hooks: {
    claim,
    unassign,
    thanks,
  },
  jobs: {
    claim: { description: 'Gives a customer the rest of the tickets of their address.', run: claimLeft },
    unassign: { description: 'Unassigns the rest of the open tickets of somebody who left.', run: unassignLeft },
  },
})
