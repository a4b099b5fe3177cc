/** The second factors of an account: which it has, and whether a code is one of theirs. */
import { randomBytes } from 'node:crypto'
import type { PluginContext, Transaction } from '../../../engine/index.ts'
import { tokenHash, unseal } from '../../keys/seal.ts'
import { type Act, note } from '../history/acts.ts'
import type { Factor } from '../opened-sessions.ts'
import { addressFrom } from '../session.ts'
import { lettersOf, stepOf } from './totp.ts'

type Place = Pick<PluginContext, 'model' | 'now'>

/** A factor as its row has it. */
export interface StoredFactor {
  readonly id: number
  readonly kind: 'totp' | 'passkey'
  readonly name: string
  readonly secret: string | null
  readonly last_step: string
}

/** The factors of an account that count, by kind. */
export async function factorsOf({ model }: Place, userId: number): Promise<readonly StoredFactor[]> {
  return model('factors')
    .query()
    .where({ user_id: userId })
    .whereNotNull('confirmed_at')
    .orderBy('id')
    .select('id', 'kind', 'name', 'secret', 'last_step')
    .castTo<StoredFactor[]>()
}

/** What an account can be asked for after its password; empty for an account without a second factor. */
export async function factorKinds(context: Place, userId: number): Promise<readonly Factor[]> {
  const kinds = new Set((await factorsOf(context, userId)).map(({ kind }) => kind))
  return kinds.size === 0 ? [] : [...kinds, 'recovery_code']
}

/**
 * Uses up a code of an app or a recovery code; gives which one it was, undefined for a wrong one. Of simultaneous
 * requests with one code, one succeeds.
 */
export async function useCode(
  context: Place & Pick<PluginContext, 'settings'>,
  userId: number,
  code: string,
): Promise<Factor | undefined> {
  const typed = code.replace(/[\s-]/g, '')
  if (!/^\d{6}$/.test(typed)) return useRecoveryCode(context, userId, typed)
  for (const factor of await factorsOf(context, userId))
    if (factor.kind === 'totp' && (await useStep(context, factor, typed))) return 'totp'
  return undefined
}

/** Whether the code is the app's at present and was not used; it is used then. */
export async function useStep(
  { model, now, settings }: Place & Pick<PluginContext, 'settings'>,
  { id, secret }: Pick<StoredFactor, 'id' | 'secret'>,
  code: string,
): Promise<boolean> {
  const letters = await unseal(settings, 'factor', secret ?? '')
  const time = now()
  const step = letters === undefined ? undefined : stepOf(Buffer.from(letters, 'base64url'), code, time)
  if (step === undefined) return false
  // Compared and stored by one statement. A step before the last one was seen by somebody.
  const used = await model('factors')
    .query()
    .where({ id })
    .where('last_step', '<', step)
    .patch({ last_step: step, last_used_at: time })
  return used === 1
}

const CODES = 10

/** Makes ten recovery codes in the place of earlier ones, in a transaction; they are shown now and never again. */
export async function makeRecoveryCodes(
  { model, now }: Place & { readonly transaction: Transaction },
  userId: number,
): Promise<readonly string[]> {
  await model('recovery_codes').query().where({ user_id: userId }).delete()
  const codes = Array.from({ length: CODES }, () => lettersOf(randomBytes(10)).toLowerCase())
  const rows = codes.map((code) => ({ user_id: userId, code_hash: hashOf(userId, code), created_at: now() }))
  await model('recovery_codes').query().insert(rows)
  return codes.map((code) => code.replace(/(.{4})(?=.)/g, '$1-'))
}

/** How many recovery codes an account has left. */
export async function recoveryCodesLeft({ model }: Place, userId: number): Promise<number> {
  return model('recovery_codes').query().where({ user_id: userId }).whereNull('used_at').resultSize()
}

async function useRecoveryCode({ model, now }: Place, userId: number, code: string): Promise<Factor | undefined> {
  const used = await model('recovery_codes')
    .query()
    .where({ user_id: userId, code_hash: hashOf(userId, code.toLowerCase()) })
    .whereNull('used_at')
    .patch({ used_at: now() })
  return used === 1 ? 'recovery_code' : undefined
}

function hashOf(userId: number, code: string): string {
  return tokenHash(`${userId} ${code}`)
}

/** Writes what people did with the second factors of their own account. */
export async function noteFactor(
  { actor, model, now }: Place & Pick<PluginContext, 'actor'>,
  act: Act['act'],
  details: Act['details'] = {},
): Promise<void> {
  await note({ model, now }, { act, by: actor.id, user: actor.id, address: addressFrom(actor), details })
}

/** Takes every second factor of an account, with its recovery codes and what was begun. */
export async function removeFactors({ model }: Place, userId: number): Promise<number> {
  await model('recovery_codes').query().where({ user_id: userId }).delete()
  await model('sign_in_challenges').query().where({ user_id: userId }).delete()
  return model('factors').query().where({ user_id: userId }).delete()
}
