/** The tickets plugin: what the desk's rules say about tickets, comments and settings beyond what YAML can. */
import { definePlugin } from '../../../engine/index.ts'
import { unassign, unassignLeft } from './assignee.ts'
import { claim, claimLeft } from './customer.ts'
import { OPEN } from './figures.ts'
import { OPTIONS } from './options.ts'
import { thanks } from './thanks.ts'
import { checkZone, knownZone } from './zone.ts'

export default definePlugin({
  name: 'tickets',
  description: 'Tickets: queues, comments that only say thanks, whose tickets they are.',
  after: ['auth'],
  options: OPTIONS,
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
