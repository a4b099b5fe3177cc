/** Routes: login, register, me, logout. */
import {
  ApiError,
  type FieldDefinition,
  type FieldErrors,
  fieldError,
  invalid,
  type JsonObject,
  type Reply,
  type Route,
  type RouteContext,
} from '../../engine/index.ts'
import { accountOf } from './account.ts'
import { givingCookie, requireCookies, takingCookie } from './cookie.ts'
import { countedAs, forgetFailures, noteFailure, refusePaused } from './failures.ts'
import { authOptions } from './options.ts'
import { passwordErrors, verifyPassword } from './password.ts'
import { closeSession, openSession } from './session.ts'

const SIGNED_IN = {
  type: 'object',
  properties: { user: { $ref: '#/resources/users' }, token: { type: 'string' }, token_type: { const: 'Bearer' } },
  required: ['user'],
} as const

/** How the session is kept. */
const SESSION = { type: 'enum', values: ['token', 'cookie'], default: 'token', nullable: false } as const

const SESSION_KINDS =
  'With `session: cookie` the answer has no token: a browser gets a cookie that no script can read. It counts only in requests of pages of the same origin (`Sec-Fetch-Site: same-origin`, or `none` for GET; a browser without that header sends `X-Plinth: 1`), and it needs https, or this machine itself.'

const PASSWORD = { type: 'secret', required: true } as const

async function signedIn(context: RouteContext, id: number): Promise<Reply> {
  const cookie = context.body.session === 'cookie'
  const token = await openSession(context, id, { factors: ['password'], cookie })
  const account = await context.as(id)
  // Declined or deleted at this moment.
  if (account === null) throw new ApiError('invalid_credentials')
  const user = await account.records('users').shown(id)
  return cookie
    ? { data: { user }, headers: givingCookie(context, token) }
    : { data: { user, token, token_type: 'Bearer' } }
}

const login: Route = {
  method: 'POST',
  path: '/auth/login',
  summary: 'Sign in with e-mail and password',
  tag: 'Authentication',
  access: 'public',
  bucket: 'auth',
  description: SESSION_KINDS,
  input: { email: { type: 'email', required: true }, password: PASSWORD, session: SESSION },
  output: SIGNED_IN,
  handle: async (context) => {
    if (context.body.session === 'cookie') requireCookies(context)
    const email = String(context.body.email)
    const counted = await countedAs(context, email, context.ip)
    await refusePaused(context, counted)
    const account = await accountOf(context, email)
    const right = await verifyPassword(account?.password_hash, String(context.body.password))
    if (!right || account === undefined) {
      await noteFailure(context, email, counted)
      throw new ApiError('invalid_credentials')
    }
    // Checked again: of many simultaneous guesses, those after the last free one must not learn that they are right.
    await refusePaused(context, counted)
    await forgetFailures(context, counted)
    if (account.status === 'declined' || account.role === null)
      throw new ApiError('forbidden', { message: 'Account is not active' })
    return signedIn(context, account.id)
  },
}

/** The keys that a client may send back after reading a user; a registration ignores them. */
const IGNORED: Readonly<Record<string, FieldDefinition>> = Object.fromEntries(
  [
    'id',
    'name',
    'phone',
    'role',
    'role_id',
    'department',
    'department_id',
    'organization',
    'organization_id',
    'status',
    'email_verified',
    'pending_email',
    'created_at',
    'updated_at',
  ].map((field) => [field, { type: 'string', read_only: true }]),
)

const register: Route = {
  method: 'POST',
  path: '/auth/register',
  summary: 'Open an account and sign in',
  description: SESSION_KINDS,
  tag: 'Authentication',
  access: 'public',
  bucket: 'auth',
  status: 201,
  input: {
    first_name: { type: 'string', required: true, max: 100 },
    last_name: { type: 'string', required: true, max: 100 },
    email: { type: 'email', required: true },
    password: PASSWORD,
    password_confirmation: PASSWORD,
    session: SESSION,
    ...IGNORED,
  },
  output: SIGNED_IN,
  handle: async (context) => {
    const { body } = context
    if (body.session === 'cookie') requireCookies(context)
    const errors = await registrationErrors(context, body)
    if (errors !== undefined) throw invalid(errors)
    const { approval, roles, verify } = authOptions(context.options)
    const role = await roleId(context, roles.at(-1) ?? '')
    const named = {
      first_name: body.first_name ?? null,
      last_name: body.last_name ?? null,
      email: body.email ?? null,
      email_verified: !verify,
      password: body.password ?? null,
      password_confirmation: body.password_confirmation ?? null,
      role_id: role,
      status: approval === 'off' ? 'active' : 'pending',
    }
    const user = await context.records('users', 'system').create(named, { self_registered: true })
    return signedIn(context, Number(user.id))
  },
}

async function registrationErrors(context: RouteContext, body: JsonObject): Promise<FieldErrors | undefined> {
  const email = String(body.email)
  const errors = passwordErrors(body.password, body.password_confirmation, email) ?? {}
  if ((await accountOf(context, email)) !== undefined)
    errors.email = [fieldError('taken', 'The email has already been taken')]
  return Object.keys(errors).length === 0 ? undefined : errors
}

async function roleId({ model }: RouteContext, slug: string): Promise<number> {
  const row = await model('roles').query().findOne({ slug }).select('id')
  if (row === undefined) throw new Error(`There is no role "${slug}" to give to those who register`)
  return Number(row.id)
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

export const signInRoutes: readonly Route[] = [login, register, me, logout]
