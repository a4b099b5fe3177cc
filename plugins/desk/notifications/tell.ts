/**
 * Listener: tells people of tickets, comments and messages, in the order in which they were written. Automations with
 * `notify` can't say it: each is a listener of its own, so a list would not have the order of the writes; they see the
 * record as it is by then, not the status it had before and after; they know neither who made the change by name nor who
 * took part before, and have no copies for a contact and the cc.
 */
import type { Change, ListenerContext } from '../../../engine/index.ts'
import { comment } from './comment.ts'
import { message } from './message.ts'
import { listRows } from './notify.ts'
import { presentIn, type Telling, type Told, tellingOf, valueIn } from './telling.ts'
import { ticket } from './ticket.ts'
import { type TicketFacts, ticketsOf } from './ticket-facts.ts'

/** What people are told of when a ticket changes; every new one has a status. */
const TOLD: ReadonlySet<string> = new Set(['assigned_to', 'status_id', 'priority_id', 'merged_into_id'])

/** `notifications.tell`: one listener for all, so that a person's list has the order of the writes. */
export async function tell(context: ListenerContext, changes: readonly Change[]): Promise<void> {
  // Who imports a desk of ten thousand tickets tells its people so, once.
  const single = changes.filter((change) => !change.bulk && isTold(change))
  if (single.length === 0 || !context.catalog.resources.has('tickets')) return
  const present = await presentIn(context, single)
  const tickets = await ticketsOf(
    context,
    single.flatMap((change) => ticketIdOf(change) ?? []),
  )
  const toldOf = async (change: Change): Promise<Told> => {
    const told: Told = { rows: [], jobs: [] }
    const telling = tellingOf(context, change, told)
    await tellOne(telling, change, tickets.get(ticketIdOf(change) ?? 0))
    return told
  }
  const told = await inOrder(single.filter(present), toldOf)
  await listRows(
    context,
    told.flatMap(({ rows }) => rows),
  )
  const jobs = told.flatMap((one) => one.jobs)
  for (const name of new Set(jobs.map((job) => job.name)))
    await context.enqueueEach(
      name,
      jobs.filter((job) => job.name === name),
    )
}

/** For `plinth explain`: who is told of a change as things are now, and who is not; nothing is written. */
export async function explainTelling(context: ListenerContext, change: Change): Promise<readonly string[]> {
  if (change.bulk) return ['an import tells nobody of each record']
  if (!isTold(change)) return [`tells nobody: nothing of ${[...TOLD].join(', ')} has changed`]
  const present = await presentIn(context, [change])
  if (!present(change)) return ['tells nobody: the record is gone']
  const lines: string[] = []
  const tickets = await ticketsOf(context, [ticketIdOf(change) ?? 0])
  const telling = {
    ...tellingOf(context, change, { rows: [], jobs: [] }),
    explained: (line: string) => void lines.push(line),
  }
  await tellOne(telling, change, tickets.get(ticketIdOf(change) ?? 0))
  if (lines.length === 0) lines.push('tells nobody: there is nobody whom it concerns')
  return [...lines, ...unassignedIn(context, change)]
}

/** Why of a ticket that nobody is assigned to any more is told elsewhere, or not at all. */
function unassignedIn({ catalog }: ListenerContext, change: Change): readonly string[] {
  if (change.action === 'create' || valueIn(change, 'assigned_to') !== null) return []
  const hook = 'notifications.unassigned'
  const { update = [] } = catalog.resources.get('users')?.hooks ?? {}
  if (!update.includes(hook)) return [`ticket_unassigned: not told, because the hooks of users do not name ${hook}`]
  return [
    `ticket_unassigned: told only when an account can not work on tickets any more, once for all its open tickets, by the hook ${hook} of users`,
  ]
}

async function tellOne(telling: Telling, change: Change, about: TicketFacts | undefined): Promise<void> {
  if (change.resource === 'messages') await message(telling, change)
  else if (about !== undefined) await (change.resource === 'tickets' ? ticket : comment)(telling, change, about)
}

/** What is told of each change, in their order. */
async function inOrder(
  changes: readonly Change[],
  toldOf: (change: Change) => Promise<Told>,
): Promise<readonly Told[]> {
  // Side by side, so that what they ask of the database is asked together.
  const begun = await Promise.allSettled(
    changes.map((change) => (change.resource === 'messages' ? undefined : toldOf(change))),
  )
  const told: Told[] = []
  for (const [i, one] of begun.entries()) {
    if (one.status === 'rejected') throw one.reason
    // Messages ask by Knex, which has one connection here and takes one statement at a time.
    told.push(one.value ?? (await toldOf(changes[i]!)))
  }
  return told
}

function isTold({ action, fields, resource }: Change): boolean {
  if (resource === 'tickets') return fields.some(({ field }) => TOLD.has(field))
  return action === 'create' && (resource === 'ticket_comments' || resource === 'messages')
}

/** The ticket that a change is about; that of a message is found by its conversation. */
function ticketIdOf(change: Change): number | undefined {
  if (change.resource === 'tickets') return Number(change.recordId)
  const id = valueIn(change, 'ticket_id')
  return typeof id === 'number' ? id : undefined
}
