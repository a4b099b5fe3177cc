/** Routes: approve or decline somebody who registered. */
import { ApiError, type Route, type RouteContext } from '../../engine/index.ts'
import { authOptions } from './options.ts'
import { refuseAbove, roleOf } from './rank.ts'

const MESSAGES = { active: 'User approved', declined: 'User declined' } as const

async function decide(context: RouteContext, status: 'active' | 'declined') {
  const data = await context.transaction(async ({ actor, catalog, options, params, records, transaction }) => {
    const found = await records('pending_users').get(params.id ?? '')
    const id = Number(found.id)
    // Locked and looked at again: of two people who decide at once, the second is told that it is done.
    const row = await transaction.knex(catalog.resources.get('users')!.table).where({ id }).forUpdate().first('status')
    if (row?.status !== 'pending') throw new ApiError('record_not_found', { label: 'Pending user' })
    const role = await roleOf(catalog, transaction, found.role_id)
    refuseAbove(role, actor, authOptions(options).roles, 'You cannot decide about a user whose role is above your own')
    return records('users', 'system').update(id, { status })
  })
  return { data, message: MESSAGES[status] }
}

const approve: Route = {
  method: 'POST',
  path: '/users/pending/{id}/approve',
  summary: 'Approve a user who registered',
  tag: 'Users',
  access: [{ kind: 'permission', permission: 'users.approve' }],
  body: 'none',
  output: { $ref: '#/resources/users' },
  handle: (context) => decide(context, 'active'),
}

const decline: Route = {
  method: 'POST',
  path: '/users/pending/{id}/decline',
  summary: 'Decline a user who registered',
  tag: 'Users',
  access: [{ kind: 'permission', permission: 'users.approve' }],
  body: 'none',
  output: { $ref: '#/resources/users' },
  handle: (context) => decide(context, 'declined'),
}

export const approvalRoutes: readonly Route[] = [approve, decline]
