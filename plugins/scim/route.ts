/** What all routes of SCIM have in common. */
import type { Route } from '../../engine/index.ts'
import { refuse, SCIM_TYPE } from './error.ts'

export const PERMISSION = 'scim.use'

export const common = {
  absolute: true,
  tag: 'SCIM',
  access: [{ kind: 'permission', permission: PERMISSION }],
  produces: [SCIM_TYPE],
  refusals: [400, 401, 403, 404, 409, 412, 413, 429, 500, 503],
  refuse,
} as const satisfies Partial<Route>
