/** ⇄ GitHub, which speaks OAuth 2 and no OpenID Connect: who somebody is comes from its API ("Get the authenticated user"). */
import type { Json, JsonObject } from '../../../engine/index.ts'
import { isObject } from '../../../engine/index.ts'

export const GITHUB = {
  issuer: 'https://github.com',
  authorization_endpoint: 'https://github.com/login/oauth/authorize',
  token_endpoint: 'https://github.com/login/oauth/access_token',
}

const API = 'https://api.github.com'

type Ask = (path: string) => Promise<Json>

/** An answer of the API other than 200. */
export class WrongAnswer extends Error {
  readonly status: number
  constructor(path: string, status: number) {
    super(`${path} was answered with ${status}`)
    this.status = status
  }
}

/** Asks the API with the token of somebody; throws WrongAnswer where it does not answer 200. */
export function askWith(
  fetching: (
    url: string,
    options: { method: string; headers: Record<string, string>; body: null },
  ) => Promise<Response>,
  token: string,
): Ask {
  return async (path) => {
    const headers = { accept: 'application/vnd.github+json', authorization: `Bearer ${token}`, 'user-agent': 'plinth' }
    const answer = await fetching(`${API}${path}`, { method: 'GET', headers, body: null })
    if (answer.status !== 200) throw new WrongAnswer(path, answer.status)
    return (await answer.json()) as Json
  }
}

/**
 * The claims of somebody: `sub` is the number of the account, which no other will have; the address is the primary one;
 * `groups` are the organizations, where the scope `read:org` was asked for.
 */
export async function githubClaims(ask: Ask, scopes: readonly string[]): Promise<JsonObject> {
  const [user, addresses, organizations] = await Promise.all([
    ask('/user'),
    ask('/user/emails'),
    scopes.includes('read:org') ? ask('/user/orgs?per_page=100') : [],
  ])
  if (!isObject(user) || typeof user.id !== 'number') throw new Error('the account has no id')
  const all = Array.isArray(addresses) ? addresses.filter(isObject) : []
  const primary = all.find((one) => one.primary === true)
  const logins = Array.isArray(organizations) ? organizations.filter(isObject).map(({ login }) => String(login)) : []
  return {
    iss: GITHUB.issuer,
    sub: String(user.id),
    name: user.name ?? null,
    preferred_username: user.login ?? null,
    picture: user.avatar_url ?? null,
    profile: user.html_url ?? null,
    email: primary?.email ?? null,
    email_verified: primary?.verified === true,
    groups: logins,
  }
}
