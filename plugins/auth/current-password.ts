/** The current password, asked for before one's own password or address changes: a session alone must not be enough. */
import { type HookContext, invalid } from '../../engine/index.ts'
import { noteFailure, refusePaused } from './failures.ts'
import { verifyPassword } from './password.ts'

/** Whether the write changes the password or the address of whoever makes it. */
function concernsOwn({ action, actor, extra, input, record }: HookContext): boolean {
  if (action !== 'update' || actor.kind !== 'user' || record?.id !== actor.id) return false
  return (extra.password ?? null) !== null || input.email !== undefined
}

/** Throws validation_failed when the write needs the current password and does not bring it. */
export async function requireCurrent(context: HookContext): Promise<void> {
  if (!concernsOwn(context)) return
  const given = context.extra.current_password
  if (typeof given !== 'string' || given === '') {
    throw invalid({ current_password: ['The current password is required to change the own password or e-mail'] })
  }
  const { password_hash: stored, email } = context.record ?? {}
  const account = String(email)
  await refusePaused(context, account)
  if (!(await verifyPassword(typeof stored === 'string' ? stored : null, given))) {
    // Beside the transaction, which this refusal rolls back.
    setImmediate(() => {
      noteFailure(context, account, account).catch((error: unknown) =>
        context.log.error({ err: error }, 'a wrong password could not be counted'),
      )
    })
    throw invalid({ current_password: ['The current password is wrong'] })
  }
}
