/** The tickets plugin: what the desk's rules say about tickets, comments and settings beyond what YAML can. */
import { definePlugin } from '../../../engine/index.ts'
import { unassign, unassignLeft } from './assignee.ts'
import { subCategory } from './consistency.ts'
import { claim, claimLeft, customerOfContact } from './customer.ts'
import { customerMoves } from './customer-moves.ts'
import { OPEN } from './figures.ts'
import { firstResponse } from './first-response.ts'
import { OPTIONS } from './options.ts'
import { reopen } from './reopen.ts'
import { keepClosed, keepDefault, oneDefault, oneLevel } from './settings.ts'
import { stamp } from './stamp.ts'
import { checkZone, knownZone } from './zone.ts'

export default definePlugin({
  name: 'tickets',
  description: 'Tickets: queues, stamps of first response and resolution, what customers may do, guards on settings.',
  after: ['auth'],
  options: OPTIONS,
  rules: [knownZone],
  start: checkZone,
  specials: {
    queue: {
      description: 'The desk’s queues: nobody assigned, still open, or created today (UTC).',
      values: {
        un_assigned: { assignedTo: null },
        open: { 'status.category': [...OPEN] },
        new: { created_at: { gte: '$today' } },
      },
    },
  },
  hooks: {
    sub_category: subCategory,
    customer_of_contact: customerOfContact,
    claim,
    unassign,
    customer_moves: customerMoves,
    stamp,
    first_response: firstResponse,
    reopen,
    one_default: oneDefault,
    keep_default: keepDefault,
    keep_closed: keepClosed,
    one_level: oneLevel,
  },
  jobs: {
    claim: { description: 'Gives a customer the rest of the tickets of their address.', run: claimLeft },
    unassign: { description: 'Unassigns the rest of the open tickets of somebody who left.', run: unassignLeft },
  },
})
