/** The end of a sign-in by a provider: a session by cookie, the second step before it, or a code for a program. */
import { createHash } from 'node:crypto'
import {
  ApiError,
  fieldError,
  invalid,
  type JsonObject,
  type Reply,
  type Route,
  type RouteContext,
} from '../../../engine/index.ts'
import { newToken, tokenHash } from '../../keys/seal.ts'
import { rootOf } from '../../pages/page.ts'
import { accountOfId } from '../account.ts'
import { givingCookie } from '../cookie.ts'
import { admitted, CHALLENGE, furtherStep } from '../factors/step.ts'
import { openSession, type WayIn } from '../opened-sessions.ts'
import { signedInSchema } from '../signed-in.ts'
import { leadOn } from './page.ts'
import type { Begun } from './state.ts'

const CODE_MS = 60_000

/** Gives the browser of an account its session, leads it to the second step, or gives a code to the program that asked. */
export async function end(
  context: RouteContext,
  { account: connecting, challenge, next }: Begun,
  account: number,
  wayIn: WayIn,
  cookies: readonly string[],
): Promise<Reply> {
  // A person who connects an identity is signed in already.
  if (connecting !== undefined) return leadOn(context, next, cookies)
  if (challenge !== undefined) {
    const code = await addCode(context, account, wayIn, challenge)
    return leadOn(context, `${next.replace(/#.*$/, '')}#code=${code}`, cookies)
  }
  const step = await furtherStep(context, account, wayIn)
  if (step !== undefined) {
    // In the fragment, which no server and no log gets.
    const text = Buffer.from(JSON.stringify(step)).toString('base64url')
    return leadOn(context, `${rootOf(context)}/sign-in?next=${encodeURIComponent(next)}#step=${text}`, cookies)
  }
  const token = await openSession(context, account, { ...wayIn, cookie: true })
  return leadOn(context, next, [...cookies, givingCookie(context, token)['set-cookie']])
}

async function addCode(
  { model, now }: RouteContext,
  account: number,
  { factors, provider, sid, tokens }: WayIn,
  challenge: string,
): Promise<string> {
  const code = newToken()
  const time = now()
  await model('provider_codes')
    .query()
    .insert({
      code_hash: tokenHash(code),
      challenge,
      provider,
      sid: sid ?? null,
      provider_tokens: tokens ?? null,
      factors,
      user_id: account,
      created_at: time,
      expires_at: new Date(time.getTime() + CODE_MS),
    })
  return code
}

interface StoredCode {
  readonly challenge: string
  readonly provider: string
  readonly sid: string | null
  readonly provider_tokens: string | null
  readonly factors: WayIn['factors']
  readonly user_id: number
  readonly expires_at: Date | string
}

/** Uses up a code, even with a wrong verifier: a program that does not know it did not begin. Throws invalid. */
async function usedCode({ body, model, now }: RouteContext): Promise<StoredCode> {
  const [found] = await model('provider_codes')
    .query()
    .where({ code_hash: tokenHash(String(body.code)) })
    .whereNotNull('challenge')
    .delete()
    .returning('*')
    .castTo<StoredCode[]>()
  const proof = createHash('sha256').update(String(body.verifier)).digest('base64url')
  if (found === undefined || found.challenge !== proof || new Date(found.expires_at) <= now())
    throw invalid({
      code: [fieldError('invalid', 'The code was used already, is older than a minute, or is not yours: begin again')],
    })
  return found
}

/** The route at which a program gets the session of a sign-in that it began. */
export const codeRoute = (options: JsonObject): Route => ({
  method: 'POST',
  path: '/auth/providers/code',
  summary: 'Get the session of a sign-in that a program began',
  description:
    '`code` is the one behind `#code=`, and `verifier` the secret whose SHA-256 was the `challenge`. Where the account has a second factor, the answer 202 says what `POST /auth/second-factor` takes.',
  tag: 'Authentication',
  access: 'public',
  bucket: 'auth',
  input: {
    code: { type: 'secret', required: true },
    verifier: { type: 'secret', required: true },
  },
  output: signedInSchema(options),
  accepted: CHALLENGE,
  handle: async (context) => {
    const { factors, provider, provider_tokens: tokens, sid, user_id } = await usedCode(context)
    const account = await accountOfId(context, user_id)
    if (account === undefined) throw new ApiError('forbidden', { message: 'Account is not active' })
    const further = { ...(sid !== null && { sid }), ...(tokens !== null && { tokens }) }
    return admitted(context, account, { factors, provider, ...further })
  },
})
