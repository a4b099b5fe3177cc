/** Hooks that replace a password in a body by its hash, and invite accounts without one. */
import { fieldError, type HookContext, type HookContribution, invalid, type Next } from '../../engine/index.ts'
import { endConfirmationsOf } from './email-link.ts'
import { forgetFailures, noteFailure, refusePaused } from './failures.ts'
import { closeSessionsOf } from './opened-sessions.ts'
import { authOptions } from './options.ts'
import { CURRENT_INPUT, hashPassword, PASSWORD_INPUT, passwordErrors, verifyPassword } from './password.ts'
import { isService, noteLeft, refusePassword } from './program-accounts.ts'
import { addReset, endLinksOf, sendInvite } from './reset-link.ts'
import { authorOf } from './role-guards.ts'
import { sessionOf } from './session.ts'

async function setPassword(context: HookContext, next: Next): Promise<void> {
  const { extra, input, record } = context
  const given = extra.password ?? null
  if (given !== null || (extra.password_confirmation ?? null) !== null) {
    const errors = passwordErrors(given, extra.password_confirmation, String(input.email ?? record?.email ?? ''))
    if (errors !== undefined) throw invalid(errors)
    input.password_hash = await hashPassword(String(given))
  }
  await next()
}

/**
 * `auth.password`: a body may have a password; people who change their own password or address must give the current
 * one.
 */
export const password: HookContribution = {
  input: { ...PASSWORD_INPUT, ...CURRENT_INPUT },
  run: async (context, next) => {
    refusePassword(context)
    await requireCurrent(context)
    await setPassword(context, next)
  },
}

/** `auth.required_password`: a body must have a password. */
export const requiredPassword: HookContribution = {
  input: {
    password: { type: 'secret', required: true, description: PASSWORD_INPUT.password?.description ?? '' },
    password_confirmation: {
      type: 'secret',
      required: true,
      description: PASSWORD_INPUT.password_confirmation?.description ?? '',
    },
  },
  transaction: false,
  run: async (context, next) => {
    const given = [context.extra.password, context.extra.password_confirmation]
    if (given.every((value) => (value ?? null) === null))
      throw invalid({ password: [fieldError('required', 'The password is required')] })
    await setPassword(context, next)
  },
}

/**
 * `auth.invite`: a new account without a password gets a mail with a link to set one, unless the body says no; in a
 * bulk creation, such as an import, only if it says yes.
 */
export const invite: HookContribution = {
  input: {
    invite: {
      type: 'boolean',
      description:
        'Whether a person without a password is mailed a link to set one; if absent they are, but not by an import.',
    },
  },
  run: async (context, next) => {
    await next()
    if (context.input.password_hash !== undefined || context.result === undefined || isService(context)) return
    if (!(context.extra.invite ?? !context.bulk)) return
    const { inviteHours } = authOptions(context.options)
    const person = {
      id: Number(context.result.id),
      email: String(context.result.email),
      firstName: String(context.result.first_name ?? ''),
    }
    const token = await addReset(context, person, inviteHours * 60)
    await sendInvite(context, person, token, inviteHours, context.actor.id)
  },
}

/**
 * `auth.sign_out`: a password set by another person, a declined account and a deleted one end every session; one's own
 * new password ends every other session. A new password, a decline and a deletion also end the mailed links.
 */
export const signOut: HookContribution = {
  run: async (context, next) => {
    const { action, actor, input, record } = context
    await next()
    const id = Number(record?.id)
    const out = action === 'delete' || context.result?.status === 'declined'
    if (out || input.password_hash !== undefined) await endLinksOf(context, id)
    if (!out && input.password_hash !== undefined) await forgetFailures(context, String(record?.email))
    if (out) await endConfirmationsOf(context, id)
    if (out) await noteLeft(context, id, authorOf(context))
    if (!out && input.password_hash === undefined) return
    await closeSessionsOf(context, id, !out && id === actor.id ? sessionOf(actor) : undefined)
  },
}

/** Whether people change their own password or address. */
function concernsOwn({ action, actor, extra, input, record }: HookContext): boolean {
  if (action !== 'update' || actor.kind !== 'user' || record?.id !== actor.id) return false
  return (extra.password ?? null) !== null || input.email !== undefined
}

/** Throws validation_failed where the current password is needed and missing. */
async function requireCurrent(context: HookContext): Promise<void> {
  if (!concernsOwn(context)) return
  const given = context.extra.current_password
  if (typeof given !== 'string' || given === '') {
    throw invalid({ current_password: ['The current password is required to change the own password or e-mail'] })
  }
  const { password_hash: stored, email } = context.record ?? {}
  const account = String(email)
  await refusePaused(context, account)
  if (!(await verifyPassword(typeof stored === 'string' ? stored : null, given))) {
    // Outside the transaction, which this refusal rolls back.
    setImmediate(() => {
      noteFailure(context, account, account).catch((error: unknown) =>
        context.log.error({ err: error }, 'a wrong password could not be counted'),
      )
    })
    throw invalid({ current_password: ['The current password is wrong'] })
  }
}
