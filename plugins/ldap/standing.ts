/** What becomes of the account of somebody whom the directory does not know any more, or knows again. */
import { ApiError, type PluginContext } from '../../engine/index.ts'
import { note } from '../auth/history/acts.ts'
import { closeSessionsOf } from '../auth/opened-sessions.ts'
import { isLastAdmin } from '../auth/roles.ts'
import { type Directory, NAME } from './options.ts'

/** An identity of the directory. */
export interface Known {
  readonly id: number
  readonly user_id: number
  readonly subject: string
  readonly ended_at: Date | string | null
}

/**
 * Ends what somebody can do who is disabled or gone: the account is declined, which ends its sessions and keys. The last
 * admin stays one, and signs in by a password alone.
 */
export async function goes(context: PluginContext, { id, user_id: account }: Known): Promise<'ended' | 'kept'> {
  const { model, now, records } = context
  await closeSessionsOf(context, account)
  const found = await model('users').query().modify('live').findById(account).select('status')
  // Somebody whom people declined does not come back by the directory.
  if (found === undefined || found.status === 'declined') return 'ended'
  try {
    await records('users', 'system').update(account, { status: 'declined' })
  } catch (error) {
    if (!isLastAdmin(error)) throw error
    context.log.warn(
      { user: account, provider: NAME },
      'the last active admin stays one, though the directory has no such person',
    )
    await note(context, { act: 'role_kept', by: null, user: account, provider: NAME, details: { instead: null } })
    return 'kept'
  }
  await model('identities').query().findById(id).patch({ ended_at: now() })
  return 'ended'
}

/** Makes an account active again that was declined because its person was disabled or gone. */
export async function comesBack(context: PluginContext, { provider }: Directory, subject: string): Promise<void> {
  const { model, records } = context
  const found = await model('identities')
    .query()
    .findOne({ provider: NAME, issuer: provider.issuer, subject })
    .whereNotNull('ended_at')
    .select('id', 'user_id')
    .castTo<Pick<Known, 'id' | 'user_id'> | undefined>()
  if (found === undefined) return
  await model('identities').query().findById(found.id).patch({ ended_at: null })
  const account = await model('users').query().modify('live').findById(found.user_id).select('status')
  if (account?.status !== 'declined') return
  try {
    await records('users', 'system').update(found.user_id, { status: 'active' })
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    context.log.warn({ err: error, user: found.user_id }, 'an account could not be made active again')
  }
}
