/** A provider that others wrote: Glewlwyd of Debian, in C, with people and groups that a test names. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../../support/port.ts'
import { until } from '../../../support/wait.ts'

const PROGRAM = '/usr/bin/glewlwyd'
const TABLES = '/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3'

/** Why tests of this provider are skipped; undefined where they run. */
export const without = [PROGRAM, TABLES, '/usr/bin/sqlite3'].every(existsSync)
  ? undefined
  : 'There is no Glewlwyd here: apt-get install glewlwyd'

/** With signs of most secrets, which it does not decode. */
export const SECRET = 'a-secret_of.the~desk'

const PASSWORD = 'a password of the provider'
const SCOPES = ['openid', 'profile', 'email', 'groups']

/** Somebody whom the provider knows. */
export interface Known {
  readonly username: string
  readonly groups: readonly string[]
  readonly verified?: boolean
  /** Their own at acme.example if absent. */
  readonly email?: string
}

export interface Glewlwyd {
  readonly issuer: string
  /** Makes an account there, or changes it. */
  person(known: Known): Promise<void>
  /** Names where its logout tokens go. */
  tell(logout: string): Promise<void>
  /** Changes its key; tokens are signed with the new one from now on. */
  rotate(): Promise<void>
  /** Signs somebody in with a browser that it does not know, and goes on to where it leads back. */
  through(begin: URL, username: string): Promise<Visit>
  close(): Promise<void>
}

/** A browser at the provider. */
export interface Visit {
  /** Where the provider leads it. */
  readonly back: URL
  /** Ends its session there. */
  signOut(): Promise<void>
}

/** A browser, or a program of an administrator, with cookies of its own. */
interface Caller {
  readonly cookies: Map<string, string>
  /** The answer of a request that has to succeed. */
  ask(method: string, path: string, body?: unknown): Promise<Response>
}

function callerAt(origin: string): Caller {
  const cookies = new Map<string, string>()
  return {
    cookies,
    async ask(method, path, body) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      const headers = { 'content-type': 'application/json', ...(cookie !== '' && { cookie }) }
      const sent = body === undefined ? {} : { body: JSON.stringify(body) }
      const answer = await fetch(new URL(path, origin), { method, headers, redirect: 'manual', ...sent })
      if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
      for (const header of answer.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(header) ?? []
        cookies.set(name, value)
      }
      return answer
    },
  }
}

const configurationOf = (folder: string, port: number): string => `
port=${port}
bind_address="127.0.0.1"
external_url="http://localhost:${port}"
login_url="login.html"
api_prefix="api"
log_mode="console"
log_level="ERROR"
cookie_secure=0
session_expiration=3600
session_key="SESSION"
admin_scope="g_admin"
profile_scope="g_profile"
user_module_path="/usr/lib/glewlwyd/user"
client_module_path="/usr/lib/glewlwyd/client"
user_auth_scheme_module_path="/usr/lib/glewlwyd/scheme"
plugin_module_path="/usr/lib/glewlwyd/plugin"
hash_algorithm="SHA512"
database = { type = "sqlite3", path = "${join(folder, 'db')}" };
`

/** The options of its plugin for OpenID Connect: only the code flow, with PKCE, and logout tokens. */
function openidOf(issuer: string): object {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const claim = { mandatory: true, 'on-demand': false, scope: [] }
  return {
    iss: issuer,
    'jwt-type': 'rsa',
    'jwt-key-size': '256',
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    cert: publicKey.export({ type: 'spki', format: 'pem' }),
    'code-duration': 600,
    'access-token-duration': 3_600,
    'refresh-token-duration': 3_600,
    'auth-type-code-enabled': true,
    'auth-type-refresh-enabled': true,
    'oauth-as-iss-id': true,
    'pkce-allowed': true,
    'pkce-required': true,
    'subject-type': 'public',
    'allowed-scope': SCOPES,
    'name-claim': 'mandatory',
    'email-claim': 'mandatory',
    claims: [
      { ...claim, name: 'groups', 'user-property': 'groups', type: 'string' },
      {
        ...claim,
        name: 'email_verified',
        'user-property': 'verified',
        type: 'boolean',
        'boolean-value-true': 'yes',
        'boolean-value-false': 'no',
      },
    ],
    'session-management-allowed': true,
    'session-cookie-name': 'SID',
    'session-cookie-expiration': 3_600,
    'back-channel-logout-allowed': true,
  }
}

const pluginOf = (issuer: string): object => ({
  module: 'oidc',
  name: 'oidc',
  display_name: 'OpenID Connect',
  enabled: true,
  parameters: openidOf(issuer),
})

/** Makes an empty provider ready; gives its administrator. */
async function prepared(origin: string, issuer: string): Promise<Caller> {
  const admin = callerAt(origin)
  // The first account of its tables.
  await admin.ask('POST', '/api/auth/', { username: 'admin', password: 'password' })
  const users = (await (await admin.ask('GET', '/api/mod/user/database')).json()) as {
    parameters: { 'data-format': Record<string, object> }
  }
  Object.assign(users.parameters['data-format'], {
    groups: { multiple: true, read: true, write: true },
    verified: { multiple: false, read: true, write: true },
  })
  await admin.ask('PUT', '/api/mod/user/database', users)
  await admin.ask('PUT', '/api/mod/user/database/reset')
  await admin.ask('POST', '/api/mod/plugin/', pluginOf(issuer))
  for (const name of SCOPES.slice(1))
    await admin.ask('POST', '/api/scope/', { name, display_name: name, password_required: true, scheme: {} })
  return admin
}

/** Starts a provider that knows nobody, and the application as `desk`, to which it leads back at `redirect`. */
export async function openGlewlwyd(redirect: string): Promise<Glewlwyd> {
  const folder = await mkdtemp(join(tmpdir(), 'plinth-glewlwyd-'))
  const port = await freePort()
  const [origin, issuer] = [`http://localhost:${port}`, `http://localhost:${port}/api/oidc`]
  execFileSync('sqlite3', [join(folder, 'db')], { input: await readFile(TABLES) })
  await writeFile(join(folder, 'conf'), configurationOf(folder, port))
  const child: ChildProcess = spawn(PROGRAM, ['-c', join(folder, 'conf')], { stdio: 'ignore' })
  await until(() =>
    fetch(`${origin}/config`).then(
      () => true,
      () => false,
    ),
  )
  const admin = await prepared(origin, issuer)
  const client = {
    client_id: 'desk',
    client_secret: SECRET,
    name: 'Desk',
    enabled: true,
    confidential: true,
    scope: [],
    redirect_uri: [redirect],
    authorization_type: ['code', 'refresh_token'],
    token_endpoint_auth_method: ['client_secret_basic'],
    backchannel_logout_session_required: 'true',
  }
  await admin.ask('POST', '/api/client/', client)
  const known = new Set<string>()
  return {
    issuer,
    async person({ groups, username, verified = true, email = `${username}@acme.example` }) {
      const account = {
        username,
        password: PASSWORD,
        name: `${username} Reed`,
        email,
        scope: [...SCOPES, 'g_profile'],
        groups,
        verified: verified ? 'yes' : 'no',
        enabled: true,
      }
      if (known.has(username)) await admin.ask('PUT', `/api/user/${username}`, account)
      else await admin.ask('POST', '/api/user/', account)
      known.add(username)
    },
    async tell(logout) {
      await admin.ask('PUT', '/api/client/desk', { ...client, backchannel_logout_uri: logout })
    },
    async rotate() {
      await admin.ask('PUT', '/api/mod/plugin/oidc', pluginOf(issuer))
      await admin.ask('PUT', '/api/mod/plugin/oidc/reset')
    },
    through: (begin, username) => through(callerAt(origin), begin, username),
    async close() {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill()
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** What its own page of sign-in does: a password, the person's consent, and back to where it came from. */
async function through({ ask, cookies }: Caller, begin: URL, username: string): Promise<Visit> {
  const asked = await ask('GET', begin.href)
  const page = new URL(asked.headers.get('location') ?? '', begin)
  const callback = page.searchParams.get('callback_url')
  if (callback === null) throw new Error(`${begin} leads to ${page} and not to the sign-in`)
  await ask('POST', '/api/auth/', { username, password: PASSWORD })
  await ask('PUT', '/api/auth/grant/desk', { scope: page.searchParams.get('scope') })
  const answer = await ask('GET', `${callback}&g_continue`)
  return {
    back: new URL(answer.headers.get('location') ?? '', begin),
    // What its page of sign-out does after a press of its button.
    signOut: async () => void (await ask('DELETE', `/api/oidc/session/${cookies.get('SID')}/`)),
  }
}
