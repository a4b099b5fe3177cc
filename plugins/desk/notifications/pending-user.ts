/** Hook: somebody registered and waits for approval. */
import type { HookContext, Next } from '../../../engine/index.ts'
import { notify } from './notify.ts'

/** `notifications.pending_user`, around the creation of a user. */
export async function pendingUser(context: HookContext, next: Next): Promise<void> {
  await next()
  const { result } = context
  if (result?.status !== 'pending') return
  const name = `${result.first_name} ${result.last_name}`
  await notify(
    context,
    {
      type: 'user_pending',
      title: `${name} registered and waits for approval`,
      message: `${name} (${result.email}) registered.`,
      more: { user_id: Number(result.id) },
    },
    { permission: 'users.approve', holders: true },
  )
}
