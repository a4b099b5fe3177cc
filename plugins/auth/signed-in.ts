/** What a sign-in answers, whatever proved who it is. */
import { ApiError, type JsonObject, type JsonSchema, type Reply, type RouteContext } from '../../engine/index.ts'
import { givingCookie } from './cookie.ts'
import { openSession, type WayIn } from './opened-sessions.ts'
import { authOptions } from './options.ts'

/** The schema of the answer to a person who signed in, by the options of this plugin. */
export function signedInSchema(options?: JsonObject): JsonSchema {
  const scheme = options === undefined ? { type: 'string' } : { const: authOptions(options).schemes[0] ?? '' }
  return {
    type: 'object',
    properties: { user: { $ref: '#/resources/users' }, token: { type: 'string' }, token_type: scheme },
    required: ['user'],
  }
}

/** How the session is kept. */
export const SESSION_INPUT = { type: 'enum', values: ['token', 'cookie'], default: 'token', nullable: false } as const

export const SESSION_KINDS =
  'With `session: cookie` the answer has no token: a browser gets a cookie that no script can read. It counts only in requests of pages of the same origin (`Sec-Fetch-Site: same-origin`, or `none` for GET; a browser without that header sends `X-Plinth: 1`), and it needs https, or this machine itself.'

/** Opens a session for an account that proved who it is, in the way that the body asks for. */
export async function signedIn(context: RouteContext, id: number, wayIn: Omit<WayIn, 'cookie'>): Promise<Reply> {
  const cookie = context.body.session === 'cookie'
  const token = await openSession(context, id, { ...wayIn, cookie })
  const account = await context.as(id)
  // Declined or deleted at this moment.
  if (account === null) throw new ApiError('invalid_credentials')
  const user = await account.records('users').shown(id)
  const [scheme = ''] = authOptions(context.options).schemes
  return cookie
    ? { data: { user }, headers: givingCookie(context, token) }
    : { data: { user, token, token_type: scheme } }
}
