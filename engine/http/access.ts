/** Who may call a route: whether it needs a token, and the refusal of those whom it does not admit. */

import { type Actor, holds } from '../actor.ts'
import { ApiError } from '../error.ts'
import { allowsOne } from '../query/policy.ts'
import type { Route } from './route.ts'

/** Whether a route refuses those who present no good token. */
export function needsToken(route: Pick<Route, 'access'>): boolean {
  return route.access !== 'public' && !route.access.some((access) => access.kind === 'anyone')
}

/** Refuses an actor that the route does not admit: its restriction first, then the missing permission by name. */
export function checkAccess(route: Pick<Route, 'access' | 'openToRestricted'>, actor: Actor): void {
  const { access } = route
  if (access === 'public') return
  if (actor.restriction !== undefined && route.openToRestricted !== true && needsToken(route)) {
    throw new ApiError('forbidden', { message: actor.restriction })
  }
  if (allowsOne(access, actor)) return
  for (const rule of access) {
    if (rule.kind === 'permission' && !holds(actor, rule.permission)) {
      throw new ApiError('forbidden', { message: `You need the permission ${rule.permission}` })
    }
  }
  throw new ApiError('forbidden', { message: 'Forbidden' })
}
