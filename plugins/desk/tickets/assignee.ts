/**
 * The assignees of tickets: who can be one, and what happens to the open tickets of an account that no longer can. YAML
 * cannot say it: a consequence there is about the record itself or the one that it belongs to, and these are any number
 * of others.
 */
import type { HookContext, JobContext, JsonObject, Next } from '../../../engine/index.ts'
import { customerRole } from './customer.ts'
import { OPEN } from './figures.ts'

/** Tickets that a change of an account releases in its own transaction; a job does the rest. */
const AT_ONCE = 50

type Surroundings = Pick<HookContext, 'catalog' | 'model'>

/** Whether an account exists, is active, and no customer: the condition of `assignedTo` in tickets.yaml. */
export async function worksOn({ catalog, model }: Surroundings, userId: number): Promise<boolean> {
  const found = await model('users')
    .query()
    .alias('u')
    .modify('live')
    .joinRelated('role')
    .where({ 'u.id': userId, 'u.status': 'active' })
    .whereNot('role.slug', customerRole(catalog))
    .select('u.id')
  return found.length > 0
}

/** The open tickets of an assignee, oldest first. */
export async function openTicketsOf(
  { model }: Pick<Surroundings, 'model'>,
  userId: number,
): Promise<readonly { readonly id: number; readonly uid: string }[]> {
  const found = await model('tickets')
    .query()
    .alias('t')
    .modify('live')
    .joinRelated('status')
    .where('t.assigned_to', userId)
    .whereIn('status.category', [...OPEN])
    .orderBy('t.id')
    .select('t.id', 't.uid')
  return found.map(({ id, uid }) => ({ id: Number(id), uid: String(uid) }))
}

/** Whether a write may end somebody's work: it deletes the account, or changes its state or role. */
export async function mayLoseTickets({ action, draft, record }: HookContext): Promise<boolean> {
  if (action === 'delete') return true
  if (action !== 'update') return false
  const { role_id, status } = await draft()
  return status !== record?.status || role_id !== record?.role_id
}

/** `tickets.unassign`, around every change and deletion of a user: takes the assignee off their open tickets. */
export async function unassign(context: HookContext, next: Next): Promise<void> {
  const concerned = await mayLoseTickets(context)
  await next()
  if (concerned) await letGo(context, Number(context.record?.id))
}

/** The job for the rest of many tickets. */
export async function unassignLeft(context: JobContext, payload: JsonObject): Promise<undefined> {
  await context.transaction((inner) => letGo(inner, Number(payload.user)))
}

type Leaving = Surroundings & Pick<HookContext, 'records' | 'enqueue'>

async function letGo(context: Leaving, userId: number): Promise<void> {
  if (await worksOn(context, userId)) return
  const tickets = await openTicketsOf(context, userId)
  for (const { id } of tickets.slice(0, AT_ONCE)) {
    await context.records('tickets', 'system').update(id, { assigned_to: null })
  }
  if (tickets.length > AT_ONCE) await context.enqueue('tickets.unassign', { user: userId })
}
