/** Routes of passkeys: setting one up, and signing in by one alone. */
import { ApiError, fieldError, invalid, type JsonObject, type Route } from '../../../engine/index.ts'
import { accountOfId } from '../account.ts'
import { requireCookies } from '../cookie.ts'
import { refuseKeys } from '../key.ts'
import { SESSION_INPUT, SESSION_KINDS, signedIn, signedInSchema } from '../signed-in.ts'
import { addChallenge, endChallenge, tryChallenge } from './challenge.ts'
import { requireFresh } from './fresh.ts'
import { askPasskey, beginPasskey, challengeIn, madePasskey, usePasskey } from './passkey.ts'
import { ADDED, added, CHANGE_FACTORS, NO_STORE, OWN, refuseMany, shownFactor } from './routes.ts'

const OPTIONS = {
  type: 'object',
  description: 'What `PublicKeyCredential.parseCreationOptionsFromJSON` and its like take.',
} as const

/** What `credential.toJSON()` of a browser gives. */
const CREDENTIAL = { type: 'json', required: true } as const

const begin: Route = {
  ...OWN,
  method: 'POST',
  path: '/auth/factors/passkey/options',
  summary: 'Begin to set up a passkey',
  description: 'The answer is for `navigator.credentials.create`, and lasts five minutes.',
  bucket: 'auth',
  body: 'none',
  output: OPTIONS,
  handle: async (context) => {
    refuseKeys(context.actor, CHANGE_FACTORS)
    await requireFresh(context, 'auth.second_factor')
    const account = await accountOfId(context, Number(context.actor.id))
    if (account === undefined) throw new ApiError('unauthenticated')
    return { data: await beginPasskey(context, account), headers: NO_STORE }
  },
}

const set: Route = {
  ...OWN,
  method: 'POST',
  path: '/auth/factors/passkey',
  summary: 'Set up a passkey',
  description: 'With the first factor the answer has ten recovery codes, which are never shown again.',
  bucket: 'auth',
  status: 201,
  input: { name: { type: 'string', max: 100, default: 'Passkey', nullable: false }, credential: CREDENTIAL },
  output: ADDED,
  handle: async (context) => {
    const { actor, body, now } = context
    refuseKeys(actor, CHANGE_FACTORS)
    await requireFresh(context, 'auth.second_factor')
    const userId = Number(actor.id)
    await refuseMany(context, userId)
    const made = await madePasskey(context, userId, body.credential ?? null)
    if (made === undefined)
      throw invalid({ credential: [fieldError('invalid', 'The passkey is not what was asked for: begin again')] })
    const row = { ...made, user_id: userId, name: String(body.name), created_at: now(), confirmed_at: now() }
    let id = 0
    const codes = await added(context, userId, 'passkey', async (inner) => {
      const stored = await inner.model('factors').query().insertAndFetch(row)
      id = Number(stored.id)
      return 1
    })
    return { data: { ...(await shownFactor(context, id)), ...codes }, headers: NO_STORE }
  },
}

const ask: Route = {
  method: 'POST',
  path: '/auth/passkey/options',
  summary: 'Begin to sign in by a passkey',
  description: 'The answer is for `navigator.credentials.get`, and lasts five minutes. It names nobody.',
  tag: 'Authentication',
  access: 'public',
  body: 'none',
  output: OPTIONS,
  handle: async (context) => {
    const challenge = await addChallenge(context, 'passkey', { user_id: null, factors: [] })
    return { data: await askPasskey(context, challenge), headers: NO_STORE }
  },
}

/** The route to sign in by a passkey; it is two factors by itself, because the device asks for its owner. */
export function passkeyRoute(options: JsonObject): Route {
  return {
    method: 'POST',
    path: '/auth/passkey',
    summary: 'Sign in by a passkey alone',
    description: `The \`credential\` answers \`POST /auth/passkey/options\`. ${SESSION_KINDS}`,
    tag: 'Authentication',
    access: 'public',
    bucket: 'auth',
    input: { credential: CREDENTIAL, session: SESSION_INPUT },
    output: signedInSchema(options),
    handle: async (context) => {
      const credential = context.body.credential ?? null
      if (context.body.session === 'cookie') requireCookies(context)
      const token = challengeIn(credential)
      await tryChallenge(context, token, 'passkey')
      const account = await accountOfId(context, (await usePasskey(context, token, credential)) ?? 0)
      if (account === undefined) throw new ApiError('invalid_credentials')
      if (account.status === 'declined' || account.role === null)
        throw new ApiError('forbidden', { message: 'Account is not active' })
      await endChallenge(context, token)
      return signedIn(context, account.id, { factors: ['passkey'] })
    },
  }
}

export const passkeyRoutes: readonly Route[] = [begin, set, ask]
