/** Who a request acts for: what policies, hooks and logs know of the caller. */
import type { Json } from './json.ts'

/**
 * The caller of one request.
 * `anonymous` presented no token; `system` is the program itself and passes every policy.
 * `attributes` are the values a policy may name as `$actor.<attribute>`.
 * `quota`, when set, is the most that the account may store.
 * `bucket`, when set, is the limit of requests that counts the caller instead of the general one: `session` is that of
 * browsers.
 * `limit`, when set, is a limit of requests a minute that counts the caller besides that of its account.
 * `used`, when set, is told each permission by which a request was let in.
 * `scope`, when set, says that the caller is less than the account: with `permissions`, rules that name no permission
 * (`role`, `signed_in`) do not speak of it; with `own` they do. Neither leaves work for later that would run as the
 * account.
 * `restriction`, when set, is the 403 sentence that answers every route not open to restricted actors, with the code
 * `restrictionCode`, or `forbidden`.
 */
export interface Actor {
  readonly kind: 'anonymous' | 'user' | 'system'
  readonly id: number | null
  readonly role: string | null
  readonly permissions: ReadonlySet<string>
  readonly attributes: Readonly<Record<string, Json>>
  readonly quota?: { readonly records: number; readonly bytes: number }
  readonly bucket?: 'session'
  readonly limit?: { readonly name: string; readonly most: number }
  readonly used?: (permission: string) => void
  readonly scope?: 'permissions' | 'own'
  readonly restriction?: string
  readonly restrictionCode?: 'second_factor_required'
}

export const ANONYMOUS: Actor = Object.freeze({
  kind: 'anonymous',
  id: null,
  role: null,
  permissions: new Set<string>(),
  attributes: Object.freeze({}),
})

export const SYSTEM: Actor = Object.freeze({
  kind: 'system',
  id: null,
  role: null,
  permissions: new Set<string>(),
  attributes: Object.freeze({}),
})
