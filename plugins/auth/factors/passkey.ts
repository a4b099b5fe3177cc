/** Passkeys: making one for an account, and signing in by one alone (WebAuthn, by a library). */
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import {
  ApiError,
  isObject,
  type Json,
  type JsonObject,
  type PluginContext,
  type Settings,
} from '../../../engine/index.ts'
import { addChallenge, endChallenge, tryChallenge } from './challenge.ts'

type Place = Pick<PluginContext, 'model' | 'now' | 'settings' | 'catalog'>

type Based = { readonly settings: Pick<Settings, 'baseUrl'> }

/** Why browsers have no passkeys for the host of this application; undefined where they have. */
function withoutPasskeys({ settings }: Based): string | undefined {
  const { hostname, protocol } = new URL(settings.baseUrl)
  return /^[\d.]+$|:/.test(hostname)
    ? `Passkeys need the name of a host, and BASE_URL has the address ${hostname}`
    : protocol !== 'https:' && hostname !== 'localhost'
      ? 'Passkeys need https, and BASE_URL begins with http'
      : undefined
}

/** Whether browsers have passkeys for the host of this application. */
export function hasPasskeys(place: Based): boolean {
  return withoutPasskeys(place) === undefined
}

/** The host for which passkeys are made, and the pages that may use them; throws conflict where browsers have none. */
function partyOf({ settings }: Based) {
  const { hostname, origin } = new URL(settings.baseUrl)
  const why = withoutPasskeys({ settings })
  if (why !== undefined) throw new ApiError('conflict', { message: why })
  return { id: hostname, origin }
}

/** What a browser needs to make a passkey; its challenge is the token of what was begun. */
export async function beginPasskey(context: Place, user: { readonly id: number; readonly email: string }) {
  const { generateRegistrationOptions } = await import('@simplewebauthn/server')
  const challenge = await addChallenge(context, 'set_up', { user_id: user.id, factors: [] })
  const present = await passkeysOf(context, user.id)
  const { id } = partyOf(context)
  return generateRegistrationOptions({
    rpName: context.catalog.name,
    rpID: id,
    userName: user.email,
    userDisplayName: user.email,
    userID: new Uint8Array(Buffer.from(String(user.id))),
    challenge: new Uint8Array(Buffer.from(challenge, 'base64url')),
    attestationType: 'none',
    // One host has one passkey of each device.
    excludeCredentials: present.filter(({ rp_id }) => rp_id === id).map(({ credential_id }) => ({ id: credential_id })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
}

interface Passkey {
  readonly id: number
  readonly user_id: number
  readonly credential_id: string
  readonly public_key: string
  readonly counter: string
  readonly rp_id: string
  readonly confirmed_at: unknown
}

async function passkeysOf({ model }: Pick<Place, 'model'>, userId: number): Promise<readonly Passkey[]> {
  return model('factors').query().where({ user_id: userId, kind: 'passkey' }).castTo<Passkey[]>()
}

/** The columns of a new passkey by what a browser made; undefined where it is not what was asked for. */
export async function madePasskey(context: Place, userId: number, credential: Json): Promise<JsonObject | undefined> {
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
  const token = challengeIn(credential)
  const begun = await tryChallenge(context, token, 'set_up')
  const { id, origin } = partyOf(context)
  if (!isCreated(credential)) return undefined
  const verified = await settled(() =>
    verifyRegistrationResponse({
      response: credential,
      expectedChallenge: token,
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification: true,
    }),
  )
  if (begun.user_id !== userId || verified?.verified !== true) return undefined
  await endChallenge(context, token)
  const { counter, id: credentialId, publicKey, transports = [] } = verified.registrationInfo.credential
  return {
    kind: 'passkey',
    credential_id: credentialId,
    public_key: Buffer.from(publicKey).toString('base64url'),
    counter,
    transports: transports.slice(0, 10),
    rp_id: id,
  }
}

/**
 * What a browser needs to sign in: by any passkey of this host where nobody is known yet, else by one of the account.
 * `challenge` is the token of what was begun.
 */
export async function askPasskey(context: Place, challenge: string, userId?: number) {
  const { generateAuthenticationOptions } = await import('@simplewebauthn/server')
  const { id } = partyOf(context)
  const known = userId === undefined ? [] : await passkeysOf(context, userId)
  const own = known.filter(({ confirmed_at, rp_id }) => rp_id === id && confirmed_at !== null)
  return generateAuthenticationOptions({
    rpID: id,
    challenge: new Uint8Array(Buffer.from(challenge, 'base64url')),
    userVerification: 'required',
    ...(own.length > 0 && { allowCredentials: own.map(({ credential_id }) => ({ id: credential_id })) }),
  })
}

/**
 * The account whose passkey answered the challenge; undefined for any other answer. The passkey is used then: of two
 * requests with one answer, one succeeds.
 */
export async function usePasskey(context: Place, challenge: string, credential: Json): Promise<number | undefined> {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
  const { id, origin } = partyOf(context)
  if (!isAnswer(credential)) return undefined
  const passkey = await context
    .model('factors')
    .query()
    .findOne({ credential_id: credential.id, kind: 'passkey', rp_id: id })
    .whereNotNull('confirmed_at')
    .castTo<Passkey | undefined>()
  if (passkey === undefined) return undefined
  const verified = await settled(() =>
    verifyAuthenticationResponse({
      response: credential,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: id,
      credential: {
        id: passkey.credential_id,
        publicKey: new Uint8Array(Buffer.from(passkey.public_key, 'base64url')),
        counter: Number(passkey.counter),
      },
      requireUserVerification: true,
    }),
  )
  if (verified?.verified !== true) return undefined
  const { newCounter } = verified.authenticationInfo
  const used = await context
    .model('factors')
    .query()
    .where({ id: passkey.id, counter: passkey.counter })
    .patch({ counter: newCounter, last_used_at: context.now() })
  return used === 1 ? passkey.user_id : undefined
}

/** Whether it has the parts that the library looks into; it judges all that is in them. */
function isCredential(value: unknown): boolean {
  return isObject(value) && typeof value.id === 'string' && isObject(value.response)
}

function isCreated(value: unknown): value is RegistrationResponseJSON {
  return isCredential(value)
}

function isAnswer(value: unknown): value is AuthenticationResponseJSON {
  return isCredential(value)
}

/** The result of the library; undefined where it throws, as it does for whatever is wrong with an answer. */
async function settled<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ApiError) throw error
    return undefined
  }
}

/** The challenge that a browser says it answered; empty where it says none. */
export function challengeIn(credential: Json): string {
  const { clientDataJSON } = isObject(credential) && isObject(credential.response) ? credential.response : {}
  try {
    const data: unknown = JSON.parse(Buffer.from(String(clientDataJSON), 'base64url').toString('utf8'))
    return isObject(data) && typeof data.challenge === 'string' ? data.challenge : ''
  } catch {
    return ''
  }
}
