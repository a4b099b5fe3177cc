/**
 * Hook: somebody registered and waits for approval, or was approved. An automation could tell of it; this way the answer
 * of an approval and its notification are one.
 */
import type { HookContext, Next } from '../../../engine/index.ts'
import { notify } from './notify.ts'

/** `notifications.account`, around the creation and every change of a user. */
export async function account(context: HookContext, next: Next): Promise<void> {
  await next()
  const { action, record, result } = context
  if (result === undefined) return
  if (action === 'create' && result.status === 'pending') await tellApprovers(context, result)
  if (action === 'update' && record?.status === 'pending' && result.status === 'active') await tellApproved(context)
}

async function tellApprovers(context: HookContext, result: NonNullable<HookContext['result']>): Promise<void> {
  const name = `${result.first_name} ${result.last_name}`
  const sentence = `${name} (${result.email}) registered and waits for approval.`
  await notify(
    context,
    {
      type: 'user_pending',
      title: `${name} registered and waits for approval`,
      message: `${name} (${result.email}) registered.`,
      more: { user_id: Number(result.id) },
      words: { staff: sentence, customer: sentence },
    },
    { permission: 'users.approve', holders: true },
  )
}

async function tellApproved(context: HookContext): Promise<void> {
  const { catalog, result } = context
  const sentence = `Your account at ${catalog.name} has been approved.`
  await notify(
    context,
    {
      type: 'account_approved',
      title: `Your account at ${catalog.name} was approved`,
      message: sentence,
      more: { user_id: Number(result?.id) },
      words: { staff: sentence, customer: sentence },
    },
    { permission: 'notifications.own', customer: Number(result?.id) },
  )
}
