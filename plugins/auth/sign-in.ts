/** Routes: login, me, logout. */
import {
  ApiError,
  fieldError,
  invalid,
  type JsonObject,
  type Reply,
  type Resource,
  type Route,
  type RouteContext,
} from '../../engine/index.ts'
import { accountBy } from './account.ts'
import { inputOf } from './account-form.ts'
import { requireCookies, takingCookie } from './cookie.ts'
import { admitted, CHALLENGE } from './factors/step.ts'
import { countedAs, noteFailure, refusePaused } from './failures.ts'
import { noteRefused } from './history/acts.ts'
import { closeSession } from './opened-sessions.ts'
import { authOptions } from './options.ts'
import { verifyPassword } from './password.ts'
import { SESSION_INPUT, SESSION_KINDS, signedInSchema } from './signed-in.ts'

/** The context of a route, of another plugin perhaps, with the options of this one. */
export function ofAuth(context: RouteContext, body: JsonObject): RouteContext {
  return { ...context, body, options: context.catalog.pluginOptions.get('auth') ?? {} }
}

/** The account that the body names by one of the fields to sign in by, with what is counted as its failures. */
async function named({ body, ...context }: RouteContext) {
  const given = authOptions(context.options).signIn.filter((field) => (body[field] ?? '') !== '')
  const [field = ''] = given
  if (given.length !== 1) {
    const { signIn } = authOptions(context.options)
    const none = fieldError('required', `The ${signIn.join(' or ')} is required`)
    throw invalid(
      given.length === 0
        ? { [signIn[0]!]: [none] }
        : { [given[1]!]: [fieldError('invalid', `Say only one of ${given.join(' and ')}`)] },
    )
  }
  const text = String(body[field])
  const account = await accountBy(context, field, text)
  return { account, counted: account?.email ?? (field === 'email' ? text : `${field} ${text.toLowerCase()}`) }
}

/**
 * Signs in with a body of /auth/login; throws invalid_credentials, and too_many_requests in a pause. For routes of any
 * plugin, whose clients may write the body in another form.
 */
export async function signIn(asking: RouteContext, body = asking.body): Promise<Reply> {
  const context = ofAuth(asking, body)
  if (context.body.session === 'cookie') requireCookies(context)
  const { account, counted: name } = await named(context)
  const counted = await countedAs(context, name, context.ip)
  await refusePaused(context, counted)
  const right = await verifyPassword(account?.password_hash, String(context.body.password))
  if (!right || account === undefined) {
    await noteFailure(context, name, counted)
    noteRefused(context, account?.id, 'wrong_password')
    throw new ApiError('invalid_credentials')
  }
  // Checked again: of many simultaneous guesses, those after the last free one must not learn that they are right.
  await refusePaused(context, counted)
  return admitted(context, account, { factors: ['password'] })
}

/** The route to sign in by the fields that the option names. */
export function loginRoute({ fields }: Pick<Resource, 'fields'>, options: JsonObject): Route {
  const { signIn: names } = authOptions(options)
  const by = names.flatMap((name) => {
    const field = fields.get(name)
    return field === undefined ? [] : [[name, { ...inputOf(field), required: names.length === 1 }] as const]
  })
  return {
    method: 'POST',
    path: '/auth/login',
    summary: 'Sign in with a password',
    tag: 'Authentication',
    access: 'public',
    bucket: 'auth',
    description:
      names.length === 1 ? SESSION_KINDS : `The body names the account by one of ${names.join(', ')}. ${SESSION_KINDS}`,
    input: { ...Object.fromEntries(by), password: { type: 'secret', required: true }, session: SESSION_INPUT },
    output: signedInSchema(options),
    accepted: CHALLENGE,
    handle: (context) => signIn(context),
  }
}

const me: Route = {
  method: 'GET',
  path: '/auth/me',
  summary: 'Who is signed in',
  tag: 'Authentication',
  access: [{ kind: 'signed_in' }],
  openToRestricted: true,
  output: { $ref: '#/resources/users' },
  handle: async (context) => ({ data: await context.records('users').get(context.actor.id ?? 0) }),
}

const logout: Route = {
  method: 'POST',
  path: '/auth/logout',
  summary: 'End the session of the token presented',
  description: 'The cookie of a browser is taken back.',
  tag: 'Authentication',
  access: [{ kind: 'signed_in' }],
  openToRestricted: true,
  body: 'none',
  handle: async (context) => {
    await closeSession(context, context.actor)
    const headers = context.actor.bucket === 'session' ? takingCookie(context) : {}
    return { message: 'Signed out', headers }
  },
}

export const signInRoutes: readonly Route[] = [me, logout]
