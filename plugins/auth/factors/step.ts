/** The second step of a sign-in, and the proof that is asked for once more before dangerous acts. */
import {
  ApiError,
  fieldError,
  invalid,
  type JsonObject,
  type JsonSchema,
  type Reply,
  type Route,
  type RouteContext,
} from '../../../engine/index.ts'
import { type Account, accountOfId } from '../account.ts'
import { countedAs, forgetFailures, noteFailure, refusePaused } from '../failures.ts'
import { note, noteRefused } from '../history/acts.ts'
import type { Factor, WayIn } from '../opened-sessions.ts'
import { verifyPassword } from '../password.ts'
import { sessionOf } from '../session.ts'
import { SESSION_INPUT, signedIn, signedInSchema } from '../signed-in.ts'
import { addChallenge, type Begun, endChallenge, tryChallenge } from './challenge.ts'
import { factorKinds, useCode } from './factor.ts'
import { tellFactor } from './mail.ts'
import { askPasskey, challengeIn, hasPasskeys, usePasskey } from './passkey.ts'

/** A wrong code counts as two wrong passwords: who sends one knows the password already. */
const WEIGHT = 2

export const CHALLENGE: JsonSchema = {
  type: 'object',
  properties: {
    challenge: { type: 'string' },
    factors: { type: 'array', items: { enum: ['totp', 'passkey', 'recovery_code'] } },
    passkey: { type: 'object', description: 'For `navigator.credentials.get`; only where the account has a passkey.' },
  },
  required: ['challenge', 'factors'],
}

/** What is proved besides, and by what. */
interface FurtherStep {
  readonly challenge: string
  readonly factors: readonly Factor[]
  readonly passkey?: Awaited<ReturnType<typeof askPasskey>>
}

/** What an account must prove after this way in, as the answer 202 has it; undefined where that is enough. */
export async function furtherStep(
  context: RouteContext,
  account: number,
  { factors: proved, provider, sid, tokens }: WayIn,
): Promise<FurtherStep | undefined> {
  const factors = proved.includes('provider_factor') ? [] : await factorKinds(context, account)
  if (factors.length === 0) return undefined
  const from = { provider: provider ?? null, sid: sid ?? null, provider_tokens: tokens ?? null }
  const begun = { user_id: account, factors: proved, ...from }
  const challenge = await addChallenge(context, 'second_factor', begun)
  const asks = factors.includes('passkey') && hasPasskeys(context)
  const passkey = asks ? await askPasskey(context, challenge, account) : undefined
  return { challenge, factors, ...(passkey && { passkey }) }
}

/** The way in of what was begun, with what was proved last. */
function wayOf({ factors, provider, provider_tokens: tokens, sid }: Begun, factor: Factor): WayIn {
  return {
    factors: [...factors, factor],
    ...(provider && { provider }),
    ...(sid && { sid }),
    ...(tokens && { tokens }),
  }
}

/**
 * Signs in an account that came in by `wayIn`; where it has a second factor, answers 202 with what must be proved
 * besides. Throws forbidden for an account that may not sign in.
 */
export async function admitted(context: RouteContext, account: Account, wayIn: WayIn): Promise<Reply> {
  if (account.status === 'declined' || account.role === null) {
    noteRefused(context, account.id, 'not_active')
    throw new ApiError('forbidden', { message: 'Account is not active' })
  }
  const step = await furtherStep(context, account.id, wayIn)
  if (step !== undefined) return { status: 202, data: step }
  // Only now: of an account with a second factor, the right password alone must not end the count of wrong codes.
  await forgetFailures(context, await countedAs(context, account.email, context.ip))
  return signedIn(context, account.id, wayIn)
}

/**
 * Proves that the account is the caller's, by the code or the credential of the body; throws invalid where it is wrong,
 * too_many_requests in a pause. `challenge` is what the credential answers.
 */
async function prove(context: RouteContext, account: Account, challenge: string): Promise<Factor> {
  const { code, credential } = context.body
  const counted = await countedAs(context, account.email, context.ip)
  await refusePaused(context, counted)
  const factor =
    credential === undefined || credential === null
      ? await useCode(context, account.id, String(code ?? ''))
      : (await usePasskey(context, challenge, credential)) === account.id
        ? 'passkey'
        : undefined
  if (factor === undefined) {
    await noteFailure(context, account.email, counted, WEIGHT)
    noteRefused(context, account.id, 'wrong_factor')
    throw invalid({ code: [fieldError('invalid', 'The code is wrong, or was used already')] })
  }
  // Checked again: of many simultaneous guesses, those after the last free one must not learn that they are right.
  await refusePaused(context, counted)
  await forgetFailures(context, counted)
  if (factor === 'recovery_code') {
    await note(context, { act: 'recovery_code_used', by: account.id, user: account.id, address: context.ip })
    await tellFactor(context, account.id, 'recovery_code')
  }
  return factor
}

/** The account of what was begun; throws invalid where it is gone by now. */
async function accountIn(context: RouteContext, id: number | null): Promise<Account> {
  const account = await accountOfId(context, id ?? 0)
  if (account === undefined || account.status === 'declined' || account.role === null)
    throw new ApiError('invalid_credentials')
  return account
}

/** What proves a second factor: a code, or what a browser makes of a passkey. */
const PROOF = { code: { type: 'string', max: 40 }, credential: { type: 'json' } } as const

/** The route of the second step. */
export function secondStep(options: JsonObject): Route {
  return {
    method: 'POST',
    path: '/auth/second-factor',
    summary: 'Prove the second factor of a sign-in',
    description:
      'After a sign-in that was answered with 202: its `challenge`, and the `code` of an app, a recovery code, or the `credential` that a browser makes of its `passkey`. A challenge lasts five minutes and takes five tries; a wrong code counts as two wrong passwords.',
    tag: 'Authentication',
    access: 'public',
    bucket: 'auth',
    input: {
      challenge: { type: 'string', required: true, max: 100 },
      ...PROOF,
      session: SESSION_INPUT,
    },
    output: signedInSchema(options),
    handle: async (context) => {
      const token = String(context.body.challenge)
      const begun = await tryChallenge(context, token, 'second_factor')
      const account = await accountIn(context, begun.user_id)
      const factor = await prove(context, account, token)
      await endChallenge(context, token)
      return signedIn(context, account.id, wayOf(begun, factor))
    },
  }
}

/** Proves once more who it is, for routes that ask for a fresh proof. */
export const again: Route = {
  method: 'POST',
  path: '/auth/again',
  summary: 'Prove once more who is signed in',
  description:
    'Some acts are answered with 403 and the code `proof_required` where the last proof is too old. An account with a second factor proves it by a `code`, or by a `credential` that answers `POST /auth/passkey/options`; another one by its `password`.',
  tag: 'Authentication',
  access: [{ kind: 'signed_in' }],
  openToRestricted: true,
  bucket: 'auth',
  input: { password: { type: 'secret' }, ...PROOF },
  handle: async (context) => {
    const { actor, body, model, now } = context
    const jti = sessionOf(actor)
    if (jti === undefined || actor.scope !== undefined)
      throw new ApiError('forbidden', { message: 'Only a session can be proved again: sign in for it' })
    const account = await accountIn(context, actor.id)
    const kinds = await factorKinds(context, account.id)
    const credential = body.credential ?? null
    if (credential !== null) await tryChallenge(context, challengeIn(credential), 'passkey')
    if (kinds.length > 0) await prove(context, account, challengeIn(credential))
    else await proveByPassword(context, account, String(body.password ?? ''))
    await model('access_tokens').query().where({ jti }).patch({ fresh_at: now() })
    return { message: 'Proved' }
  },
}

async function proveByPassword(context: RouteContext, account: Account, password: string): Promise<void> {
  const counted = await countedAs(context, account.email, context.ip)
  await refusePaused(context, counted)
  if (!(await verifyPassword(account.password_hash, password))) {
    await noteFailure(context, account.email, counted)
    noteRefused(context, account.id, 'wrong_password')
    throw invalid({ password: [fieldError('invalid', 'The password is wrong')] })
  }
  await refusePaused(context, counted)
}
