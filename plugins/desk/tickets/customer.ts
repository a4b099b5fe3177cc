/**
 * The hook `tickets.claim`: the tickets of an address become those of its account once the owner of the address is
 * known. YAML cannot say it: no relation leads from the account to these tickets, and there may be any number. Also the
 * role of customers.
 */
import type { Catalog, HookContext, JobContext, Json, JsonObject, Next, Transaction } from '../../../engine/index.ts'

/** Tickets that one change of an account takes over in its own transaction; a job does the rest. */
const AT_ONCE = 50

/**
 * The condition that an account `u` is named by its e-mail: active, a customer, and with a confirmed address, since
 * anybody can register with anybody's.
 */
function isNameable(catalog: Catalog): string {
  const roles = catalog.resources.get('roles')!.table
  return `u.status = 'active' and u.email_verified and u.deleted_at is null
    and exists (select 1 from "${roles}" r where r.id = u.role_id and r.slug = ?)`
}

/** Gives the owner of an address the tickets that were opened for its contact. */
export async function claim(context: HookContext, next: Next): Promise<void> {
  await next()
  const { record, result } = context
  const value = (of: Readonly<Record<string, Json>> | undefined, field: string): Json => of?.[field] ?? null
  const moved = ['email', 'email_verified', 'status', 'role_id'].some(
    (one) => value(record, one) !== value(result, one),
  )
  if (result !== undefined && moved) await takeOver(context, Number(result.id))
}

/** The job for the rest of many tickets. */
export async function claimLeft(context: JobContext, payload: JsonObject): Promise<undefined> {
  await context.transaction((inner) => takeOver(inner, Number(payload.user)))
}

type Claiming = Pick<HookContext, 'catalog' | 'records' | 'enqueue'> & { readonly transaction: Transaction }

async function takeOver({ catalog, enqueue, records, transaction }: Claiming, userId: number): Promise<void> {
  const table = (name: string): string => catalog.resources.get(name)!.table
  const found: { id: number }[] = await transaction
    .knex(`${table('tickets')} as t`)
    .join(`${table('contacts')} as c`, 'c.id', 't.contact_id')
    .join(`${table('users')} as u`, 'u.email', 'c.email')
    .where('u.id', userId)
    .whereRaw(isNameable(catalog), [customerRole(catalog)])
    .whereNull('t.user_id')
    .whereNull('t.deleted_at')
    .whereNull('c.deleted_at')
    .orderBy('t.id', 'desc')
    .limit(AT_ONCE + 1)
    .select('t.id')
  for (const { id } of found.slice(0, AT_ONCE)) await records('tickets', 'system').update(id, { user_id: userId })
  if (found.length > AT_ONCE) await enqueue('tickets.claim', { user: userId }, { dedupe: `user ${userId}` })
}

export function customerRole({ pluginOptions }: Catalog): string {
  const roles = pluginOptions.get('auth')?.roles
  return Array.isArray(roles) ? String(roles.at(-1)) : 'customer'
}
