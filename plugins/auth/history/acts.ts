/** The history of rights: what is written into it, and the counts of sign-ins for `/metrics`. */
import {
  countAct,
  type Json,
  type JsonObject,
  type PluginContext,
  type ResourceDefinition,
} from '../../../engine/index.ts'

/** Something that concerns the rights of somebody. */
export interface Act {
  readonly act:
    | 'signed_in'
    | 'sign_in_refused'
    | 'signed_out'
    | 'account_made'
    | 'role_given'
    | 'status_changed'
    | 'responsible_changed'
    | 'responsible_left'
    | 'account_removed'
    | 'role_made'
    | 'role_changed'
    | 'role_removed'
    | 'key_made'
    | 'key_used'
    | 'key_ended'
    | 'factor_set_up'
    | 'factor_ended'
    | 'recovery_codes_made'
    | 'recovery_code_used'
    | 'group_changed'
    | 'identity_connected'
    | 'identity_ended'
    | 'role_kept'
    | 'provider_changed'
    | 'provider_refused'
  /** Who did it; null: the program. */
  readonly by: number | null
  /** Whom it concerns. */
  readonly user?: number | null
  readonly role?: string | null
  readonly provider?: string | null
  readonly address?: string | null
  readonly details?: Readonly<Record<string, Json>>
}

/** Keeps the history as long as the option says, where no file of the application says otherwise. */
export function keptHistory(resource: ResourceDefinition, options: JsonObject): ResourceDefinition {
  if (resource.resource !== 'rights_history' || resource.keep !== undefined) return resource
  return { ...resource, keep: { for: `${Number(options.history_days ?? 400)} days`, by: 'created_at' } }
}

type Writing = Pick<PluginContext, 'model' | 'now'>

/** Writes an act, in the open transaction where there is one. */
export async function note(
  { model, now }: Writing,
  { act, user, by, role, provider, address, details }: Act,
): Promise<void> {
  await model('rights_history')
    .query()
    .insert({
      act,
      by_id: by,
      user_id: user ?? null,
      role: role ?? null,
      provider: provider ?? null,
      address: address?.slice(0, 45) ?? null,
      details: details ?? {},
      created_at: now(),
    })
}

/**
 * Counts a sign-in that was refused, and writes it for an account that there is: after the answer, whose time must not
 * show whether there is one.
 */
export function noteRefused(
  context: PluginContext & { readonly ip?: string },
  account: number | undefined,
  reason: string,
): void {
  countAct(context.settings, 'sign_in', reason)
  if (account === undefined) return
  const model: PluginContext['model'] = (resource) => context.model(resource, context.database)
  const refused: Act = {
    act: 'sign_in_refused',
    by: null,
    user: account,
    address: context.ip ?? null,
    details: { reason },
  }
  setImmediate(() => {
    note({ model, now: context.now }, refused).catch((error: unknown) =>
      context.log.error({ err: error }, 'a refused sign-in could not be written into the history'),
    )
  })
}

/** Writes that a key was used from an address, once a day. No request waits for it. */
export function noteKeyUse(
  { catalog, database, ip, now }: Pick<PluginContext, 'catalog' | 'database' | 'now'> & { readonly ip: string },
  hash: string,
): void {
  const [keys, history] = ['access_keys', 'rights_history'].map((name) => catalog.resources.get(name)!.table)
  const text = `insert into "${history}" (act, by_id, user_id, address, details, created_at)
    select 'key_used', k.user_id, k.user_id, $2::varchar, jsonb_build_object('start', k.start, 'name', k.name), $3::timestamptz
    from "${keys}" k where k.key_hash = $1 and not exists (select from "${history}" h
      where h.user_id = k.user_id and h.act = 'key_used' and h.address = $2::varchar
        and h.details ->> 'start' = k.start and h.created_at > $3::timestamptz - interval '1 day')`
  database.adhoc.run({ text }, [hash, ip.slice(0, 45), now()]).catch(() => undefined)
}

/** What one list of permissions has beyond another. */
export function beyond(one: readonly string[], other: readonly string[]): readonly string[] {
  return one.filter((permission) => !other.includes(permission)).sort()
}

/** The details of an act on permissions: those gained and lost. */
export function gainedAndLost(before: readonly string[], after: readonly string[]): JsonObject {
  return { gained: beyond(after, before), lost: beyond(before, after) }
}
