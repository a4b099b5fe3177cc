/** What somebody has begun and must still prove: a row for five minutes, and five tries. */
import { invalid, type PluginContext } from '../../../engine/index.ts'
import { newToken, tokenHash } from '../../keys/seal.ts'
import type { Factor } from '../opened-sessions.ts'

/** What becomes of a proof. */
export type Purpose = 'second_factor' | 'passkey' | 'set_up'

const LASTS_MS = 300_000
const TRIES = 5

type Place = Pick<PluginContext, 'model' | 'now'>

export interface Begun {
  /** Null for a sign-in by a passkey, which itself says whose it is. */
  readonly user_id: number | null
  readonly factors: readonly Factor[]
  readonly provider?: string | null
  readonly sid?: string | null
  readonly provider_tokens?: string | null
}

/** Begins a proof; gives its token, which a passkey signs too. */
export async function addChallenge({ model, now }: Place, purpose: Purpose, begun: Begun): Promise<string> {
  const token = newToken()
  const created = now()
  await model('sign_in_challenges')
    .query()
    .insert({
      ...begun,
      token_hash: tokenHash(token),
      purpose,
      expires_at: new Date(created.getTime() + LASTS_MS),
      created_at: created,
    })
  return token
}

/** Counts a try by one statement, so that simultaneous ones are all counted; throws invalid where there is none left. */
export async function tryChallenge({ model, now }: Place, token: string, purpose: Purpose): Promise<Begun> {
  const [begun] = await model('sign_in_challenges')
    .query()
    .where({ token_hash: tokenHash(token), purpose })
    .where('expires_at', '>', now())
    .where('tries', '<', TRIES)
    .increment('tries', 1)
    .returning(['user_id', 'factors', 'provider', 'sid', 'provider_tokens'])
    .castTo<Begun[]>()
  if (begun === undefined) throw over()
  return begun
}

/** Ends what was begun, for the one of simultaneous requests that comes first; throws invalid for the others. */
export async function endChallenge({ model }: Place, token: string): Promise<void> {
  const ended = await model('sign_in_challenges')
    .query()
    .where({ token_hash: tokenHash(token) })
    .delete()
  if (ended === 0) throw over()
}

function over() {
  return invalid({ challenge: ['This has taken too long or had too many wrong answers: begin again'] })
}
