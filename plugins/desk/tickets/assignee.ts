/**
 * Who can work on tickets, and what becomes of the open tickets of somebody who can't any more. YAML can't say it: what
 * follows from a write is set in the record itself or in the one that it belongs to, and these are any number of others.
 */
import type { HookContext, JobContext, JsonObject, Next, Transaction } from '../../../engine/index.ts'
import { customerRole } from './customer-role.ts'
import { OPEN } from './figures.ts'

/** Tickets that a change of an account lets go of in its own transaction; a job goes on with the others. */
const AT_ONCE = 50

type Surroundings = Pick<HookContext, 'catalog'> & { readonly transaction: Transaction }

/** Whether an account is there, active, and no customer: what `assignedTo` in tickets.yaml asks. */
export async function worksOn({ catalog, transaction }: Surroundings, userId: number): Promise<boolean> {
  const [users, roles] = [catalog.resources.get('users')!, catalog.resources.get('roles')!]
  const query = transaction
    .knex(`${users.table} as u`)
    .join(`${roles.table} as r`, 'r.id', 'u.role_id')
    .where({ 'u.id': userId, 'u.status': 'active' })
    .whereNot('r.slug', customerRole(catalog))
  if (users.fields.has('deleted_at')) query.whereNull('u.deleted_at')
  return (await query.first('u.id')) !== undefined
}

/** The open tickets that somebody is assigned to, oldest first. */
export async function openTicketsOf(
  { catalog, transaction }: Surroundings,
  userId: number,
): Promise<readonly { readonly id: number; readonly uid: string }[]> {
  const [tickets, statuses] = [catalog.resources.get('tickets')!, catalog.resources.get('statuses')!]
  return transaction
    .knex(`${tickets.table} as t`)
    .join(`${statuses.table} as s`, 's.id', 't.status_id')
    .where('t.assigned_to', userId)
    .whereIn('s.category', [...OPEN])
    .whereNull('t.deleted_at')
    .orderBy('t.id')
    .select('t.id', 't.uid')
}

/** Whether a write may end somebody's work: it deletes the account, or gives it another state or role. */
export async function mayLoseTickets({ action, draft, record }: HookContext): Promise<boolean> {
  if (action === 'delete') return true
  if (action !== 'update') return false
  const { role_id, status } = await draft()
  return status !== record?.status || role_id !== record?.role_id
}

/** `tickets.unassign`, around every change and deletion of a user: nobody is assigned to what they leave behind. */
export async function unassign(context: HookContext, next: Next): Promise<void> {
  const concerned = await mayLoseTickets(context)
  await next()
  if (concerned) await letGo(context, Number(context.record?.id))
}

/** The job that goes on with many tickets. */
export async function unassignLeft(context: JobContext, payload: JsonObject): Promise<undefined> {
  await context.transaction((inner) => letGo(inner, Number(payload.user)))
}

type Leaving = Pick<HookContext, 'catalog' | 'records' | 'enqueue'> & { readonly transaction: Transaction }

async function letGo(context: Leaving, userId: number): Promise<void> {
  if (await worksOn(context, userId)) return
  const tickets = await openTicketsOf(context, userId)
  for (const { id } of tickets.slice(0, AT_ONCE)) {
    await context.records('tickets', 'system').update(id, { assigned_to: null })
  }
  if (tickets.length > AT_ONCE) await context.enqueue('tickets.unassign', { user: userId })
}
