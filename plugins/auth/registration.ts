/** The route to register: what it takes follows from the fields of accounts. */
import {
  type FieldDefinition,
  type FieldErrors,
  fieldError,
  invalid,
  type JsonObject,
  type Reply,
  type Resource,
  type Route,
  type RouteContext,
} from '../../engine/index.ts'
import { accountOf } from './account.ts'
import { registrationInput } from './account-form.ts'
import { requireCookies } from './cookie.ts'
import { authOptions } from './options.ts'
import { passwordErrors } from './password.ts'
import { ofAuth } from './sign-in.ts'
import { SESSION_INPUT, SESSION_KINDS, signedIn, signedInSchema } from './signed-in.ts'

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

const PASSWORD = { type: 'secret', required: true } as const

/** The route of an application whose accounts are like this. */
export function registerRoute(users: Resource, options: JsonObject): Route {
  return {
    method: 'POST',
    path: '/auth/register',
    summary: 'Open an account and sign in',
    description: SESSION_KINDS,
    tag: 'Authentication',
    access: 'public',
    bucket: 'auth',
    status: 201,
    input: {
      ...IGNORED,
      ...registrationInput(users, options),
      email: { type: 'email', required: true },
      password: PASSWORD,
      password_confirmation: PASSWORD,
      session: SESSION_INPUT,
    },
    output: signedInSchema(options),
    handle: (context) => register(context),
  }
}

/** Opens an account by a body of /auth/register, and signs it in; throws invalid. For routes of any plugin. */
export async function register(asking: RouteContext, body = asking.body): Promise<Reply> {
  const context = ofAuth(asking, body)
  const { catalog, options } = context
  if (body.session === 'cookie') requireCookies(context)
  const errors = await registrationErrors(context, body)
  if (errors !== undefined) throw invalid(errors)
  const { approval, roles, verify } = authOptions(options)
  const further = Object.keys(registrationInput(catalog.resources.get('users')!, options))
  const given = further.flatMap((name) => (body[name] === undefined ? [] : [[name, body[name]] as const]))
  const named = {
    ...Object.fromEntries(given),
    email: body.email ?? null,
    email_verified: !verify,
    password: body.password ?? null,
    password_confirmation: body.password_confirmation ?? null,
    role_id: await roleId(context, roles.at(-1) ?? ''),
    status: approval === 'off' ? 'active' : 'pending',
  }
  const user = await context.records('users', 'system').create(named, { self_registered: true })
  return signedIn(context, Number(user.id), { factors: ['password'] })
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
