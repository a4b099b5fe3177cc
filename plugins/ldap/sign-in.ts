/** The route to sign in by the name and password of a directory. */
import { ApiError, countAct, type JsonObject, type Reply, type Route, type RouteContext } from '../../engine/index.ts'
import { accountOfId } from '../auth/account.ts'
import { requireCookies } from '../auth/cookie.ts'
import { admitted, CHALLENGE } from '../auth/factors/step.ts'
import { countedAs, forgetFailures, noteFailure, refusePaused } from '../auth/failures.ts'
import { note, noteRefused } from '../auth/history/acts.ts'
import { arrive, type Outcome } from '../auth/provider/sign-in.ts'
import { refusalTrouble } from '../auth/provider/trouble.ts'
import { ofAuth } from '../auth/sign-in.ts'
import { SESSION_INPUT, SESSION_KINDS, signedInSchema } from '../auth/signed-in.ts'
import { claimsOfPerson } from './claims.ts'
import { type Directory, directoryOf, NAME } from './options.ts'
import { type Person, proved } from './server.ts'
import { comesBack } from './standing.ts'

async function signIn(asking: RouteContext): Promise<Reply> {
  const directory = directoryOf(asking.options)
  const { body } = asking
  const context = ofAuth(asking, body)
  if (body.session === 'cookie') requireCookies(context)
  const name = String(body.name).trim()
  const counted = await countedAs(context, `${NAME} ${name.toLowerCase()}`, context.ip)
  await refusePaused(context, counted)
  const person = await asked(context, directory, name)
  if (person === undefined) {
    await noteFailure(context, counted, counted)
    noteRefused(context, undefined, 'wrong_password')
    throw new ApiError('invalid_credentials')
  }
  // Checked again: of many simultaneous guesses, those after the last free one must not learn that they are right.
  await refusePaused(context, counted)
  await forgetFailures(context, counted)
  const claims = claimsOfPerson(context.catalog, directory, person)
  await comesBack(context, directory, claims.subject)
  const outcome = await arrive(context, directory.provider, claims)
  if (outcome.kind === 'refused') return refused(context, directory, outcome)
  const account = await accountOfId(context, outcome.account)
  if (account === undefined) throw new ApiError('invalid_credentials')
  return admitted(context, account, {
    factors: outcome.factor ? ['password', 'provider_factor'] : ['password'],
    provider: NAME,
  })
}

/** The person of a name and a password; throws unavailable where the directory cannot be asked. */
async function asked(context: RouteContext, directory: Directory, name: string): Promise<Person | undefined> {
  const { body, log, requestId, settings } = context
  try {
    return await proved({ settings, directory }, name, String(body.password))
  } catch (error) {
    log.warn({ err: error, requestId }, 'a directory could not be asked')
    const message = `${directory.label} cannot be asked at the moment: wait a moment, or sign in in another way`
    throw new ApiError('unavailable', { message, retryAfter: 10 })
  }
}

async function refused(
  context: RouteContext,
  { provider }: Directory,
  { account, reason, why }: Extract<Outcome, { kind: 'refused' }>,
): Promise<never> {
  countAct(context.settings, 'sign_in', why)
  const act = { act: 'provider_refused', by: null, user: account ?? null, provider: NAME } as const
  await note(context, { ...act, address: context.ip, details: { reason: why } })
  const { advice, sentence } = refusalTrouble(provider, why, reason)
  throw new ApiError('forbidden', { message: `${sentence} ${advice}` })
}

/** The route, for an application with the plugin. */
export function signInRoute(options: JsonObject): Route {
  return {
    method: 'POST',
    path: '/auth/ldap',
    summary: `Sign in by ${directoryOf(options).label}`,
    description: `The name and the password are those of the directory. Where the account has a second factor, the answer 202 says what \`POST /auth/second-factor\` takes. ${SESSION_KINDS}`,
    tag: 'Authentication',
    access: 'public',
    bucket: 'auth',
    input: {
      name: { type: 'string', required: true, max: 200 },
      password: { type: 'secret', required: true },
      session: SESSION_INPUT,
    },
    output: signedInSchema(),
    accepted: CHALLENGE,
    handle: signIn,
  }
}
