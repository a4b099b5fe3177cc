/** Routes: approve or decline somebody who registered. */
import { ApiError, type Reply, type Route, type RouteContext } from '../../engine/index.ts'
import { authOptions } from './options.ts'
import { refuseAbove, roleOf } from './role-guards.ts'

const MESSAGES = { active: 'User approved', declined: 'User declined' } as const

function decide(context: RouteContext, status: 'active' | 'declined'): Promise<Reply> {
  return context.once(async (inner) => {
    const { actor, model, options, params, records } = inner
    const found = await records('pending_users').get(params.id ?? '')
    const id = Number(found.id)
    // Locked and read again: if two people decide at once, the second gets 404.
    const row = await model('users').query().findById(id).forUpdate().select('status')
    if (row?.status !== 'pending') throw new ApiError('record_not_found', { label: 'Pending user' })
    const role = await roleOf(inner, found.role_id)
    refuseAbove(role, actor, authOptions(options).roles, 'You cannot decide about a user whose role is above your own')
    await records('users', 'system').update(id, { status })
    return { data: await records('users').shown(id), message: MESSAGES[status] }
  })
}

function decision(verb: 'approve' | 'decline', status: 'active' | 'declined'): Route {
  return {
    method: 'POST',
    path: `/users/pending/{id}/${verb}`,
    summary: `${verb === 'approve' ? 'Approve' : 'Decline'} a user who registered`,
    tag: 'Users',
    access: [{ kind: 'permission', permission: 'users.approve' }],
    body: 'none',
    once: true,
    output: { $ref: '#/resources/users' },
    handle: (context) => decide(context, status),
  }
}

export const approvalRoutes: readonly Route[] = [decision('approve', 'active'), decision('decline', 'declined')]
