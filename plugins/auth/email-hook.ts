/** The hook `auth.email`: an address counts once it is confirmed, by its owner or by staff. */
import {
  ApiError,
  fieldError,
  type HookContext,
  type HookContribution,
  invalid,
  type Next,
} from '../../engine/index.ts'
import { accountOf } from './account.ts'
import {
  addConfirmation,
  endConfirmationsOf,
  recentConfirmations,
  sendConfirmation,
  tellAddress,
  waitForNext,
} from './email-link.ts'
import { closeSessionsOf } from './opened-sessions.ts'
import { authOptions } from './options.ts'
import { isService } from './program-accounts.ts'
import { endLinksOf } from './reset-link.ts'
import { sessionOf } from './session.ts'

/** Runs around every creation and change of an account. */
export const email: HookContribution = {
  run: async (context, next) => {
    const { action, actor, record } = context
    if (action === 'create') await created(context, next)
    else if (record?.id === actor.id) await changedByOwner(context, next)
    else await changedByOther(context, next)
  },
}

/** The maker of an account for another person vouches for its address; a registration has nobody to vouch. */
async function created(context: HookContext, next: Next): Promise<void> {
  const { input, options } = context
  input.email_verified ??= !isService(context)
  await next()
  // Without a password there is an invitation, which confirms the address too.
  if (input.email_verified !== false || input.password_hash === undefined || context.result === undefined) return
  const { verifyHours: hours } = authOptions(options)
  const to = String(context.result.email)
  const token = await addConfirmation(context, Number(context.result.id), to, hours)
  await sendConfirmation(context, { email: to, token, hours, taken: true })
}

/** Addresses written by staff and the program count as confirmed unless they say otherwise; earlier links end. */
async function changedByOther(context: HookContext, next: Next): Promise<void> {
  const { input, record } = context
  const id = Number(record?.id)
  const moved = input.email !== undefined
  if (moved) input.email_verified ??= !isService(context)
  if (moved || dropsPending(context)) input.pending_email = null
  await next()
  if (moved) await endLinksOf(context, id)
  if (moved || input.pending_email === null || input.email_verified !== undefined) {
    await endConfirmationsOf(context, id)
  }
}

/**
 * Nobody confirms their own address. A new one waits in pending_email until its link is opened, and the old address
 * gets a mail.
 */
async function changedByOwner(context: HookContext, next: Next): Promise<void> {
  const { input, options, record } = context
  const { verify, verifyHours: hours } = authOptions(options)
  if (input.email_verified !== undefined) {
    throw new ApiError('forbidden', { message: 'You cannot confirm your own address: open the link in the mail' })
  }
  if (input.email === undefined) {
    if (dropsPending(context)) input.pending_email = null
    await next()
    if (input.pending_email === null) await endConfirmationsOf(context, Number(record?.id))
    return
  }
  const account = ownAccount(context)
  const wanted = String(input.email)
  if (!verify) return changedAtOnce(context, next, wanted)
  if ((await accountOf(context, wanted)) !== undefined) {
    throw invalid({ email: [fieldError('taken', 'The email has already been taken')] })
  }
  await refuseTooMany(context, account)
  delete input.email
  input.pending_email = wanted
  await next()
  const token = await addConfirmation(context, Number(record?.id), wanted, hours)
  await closeOthers(context)
  await sendConfirmation(context, { email: wanted, token, hours, taken: false, reader: account.email })
  await tellAddress(context, account, wanted, false)
}

/** A new password ends a pending change of address: its author may have known the old password. */
function dropsPending({ input, record }: HookContext): boolean {
  return input.password_hash !== undefined && (record?.pending_email ?? null) !== null
}

async function changedAtOnce(context: HookContext, next: Next, wanted: string): Promise<void> {
  const { input, record } = context
  Object.assign(input, { email_verified: true, pending_email: null })
  await next()
  await endLinksOf(context, Number(record?.id))
  await endConfirmationsOf(context, Number(record?.id))
  await closeOthers(context)
  await tellAddress(context, ownAccount(context), wanted, true)
}

function closeOthers(context: HookContext): Promise<void> {
  return closeSessionsOf(context, Number(context.record?.id), sessionOf(context.actor))
}

function ownAccount({ record }: HookContext) {
  return {
    id: Number(record?.id),
    email: String(record?.email),
    first_name: String(record?.first_name ?? ''),
    email_verified: record?.email_verified === true,
  }
}

async function refuseTooMany(context: HookContext, account: ReturnType<typeof ownAccount>): Promise<void> {
  const all = await recentConfirmations(context, account.id)
  // The link of the registration is no change: its author may correct a mistyped address at once.
  const changes = all.filter(({ email: to }) => to !== account.email)
  const wait = waitForNext(changes, context.now().getTime())
  if (wait > 0) throw new ApiError('too_many_requests', { retryAfter: Math.ceil(wait / 1000) })
}
