/** ⇄ The server of a provider: its discovery document and keys, kept for an hour, and how this application is known to it. */
import { createPrivateKey, type KeyObject, type webcrypto } from 'node:crypto'
import type { JWTVerifyGetKey, JWTVerifyOptions } from 'jose'
import type { ClientAuth, Configuration } from 'openid-client'
import {
  breakerOf,
  isOwnHost,
  type JsonObject,
  memo,
  type PluginContext,
  type Settings,
} from '../../../engine/index.ts'
import { GITHUB } from './github.ts'
import { type Provider, variablesOf } from './options.ts'

type Place = Pick<PluginContext, 'settings' | 'now'>

const KEPT_MS = 3_600_000
/** How long one request of the server may take, in seconds. */
const PATIENCE_S = 10
/** How far clocks may differ, in seconds. */
export const TOLERANCE_S = 60
/** Keys are read again at most so often in a minute for a token whose key is not known: anybody can send such a token. */
const READINGS = 3
const MINUTE_MS = 60_000
/** The longest answer of the server: a list of groups is long, and nothing else is. */
const LONGEST = 2_000_000

/** Signatures that only the provider can make: none by a secret that both know, and never none at all. */
export const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
]

/** A server as it was read. */
export interface Server {
  readonly configuration: Configuration
  readonly keys: JWTVerifyGetKey
  readonly keyCount: number
  /** The time that it said, in milliseconds; undefined where it said none. */
  readonly date: number | undefined
}

interface Reading {
  readonly server: Promise<Server>
  readonly at: number
}

/** The servers of a process, by the name of the provider, and when keys were read again. */
const readings = memo((_: Settings) => new Map<Provider, Reading>())
const again = memo((_: Provider): { times: number[] } => ({ times: [] }))

/** The server of a provider; rejects where it does not answer. */
export function serverOf(context: Place, provider: Provider): Promise<Server> {
  const known = readings(context.settings)
  const at = context.now().getTime()
  const kept = known.get(provider)
  if (kept !== undefined && Math.abs(at - kept.at) < KEPT_MS) return kept.server
  const server = read(context, provider)
  known.set(provider, { server, at })
  // A failure is not kept.
  server.catch(() => known.delete(provider))
  return server
}

/** The server, read again for a key that it may have by now; the kept one where that was done often lately. */
async function readAgain(context: Place, provider: Provider): Promise<Server> {
  const state = again(provider)
  const now = performance.now()
  state.times = state.times.filter((time) => now - time < MINUTE_MS)
  if (state.times.length >= READINGS) return serverOf(context, provider)
  state.times.push(now)
  readings(context.settings).delete(provider)
  return serverOf(context, provider)
}

/** Verifies the signature of a token of a provider, and what `options` ask of it; throws an error of jose. */
export async function verified(
  context: Place,
  provider: Provider,
  token: string,
  options: JWTVerifyOptions,
): Promise<JsonObject> {
  const { errors, jwtVerify } = await import('jose')
  const checks = { algorithms: ALGORITHMS, currentDate: context.now(), clockTolerance: TOLERANCE_S, ...options }
  const by = async ({ keys }: Server) => (await jwtVerify(token, keys, checks)).payload as JsonObject
  try {
    return await by(await serverOf(context, provider))
  } catch (error) {
    if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
    return by(await readAgain(context, provider))
  }
}

async function read(context: Place, provider: Provider): Promise<Server> {
  const client = await import('openid-client')
  const { createLocalJWKSet } = await import('jose')
  const fetching = fetchOf(context.settings, provider)
  const metadata = {
    [client.clockTolerance]: TOLERANCE_S,
    // Tokens are judged by the clock of the application.
    [client.clockSkew]: Math.round((context.now().getTime() - Date.now()) / 1000),
  }
  if (provider.adapter === 'github') {
    const auth = await authOf(context.settings, provider, ['client_secret_post'])
    const configuration = new client.Configuration(GITHUB, provider.clientId, metadata, auth)
    configuration[client.customFetch] = fetching
    return { configuration, keys: createLocalJWKSet({ keys: [] }), keyCount: 0, date: undefined }
  }
  const address = new URL(provider.issuer)
  const open = isLocal(address) ? [client.allowInsecureRequests] : []
  const options = { execute: open, [client.customFetch]: fetching, timeout: PATIENCE_S }
  const found = await client.discovery(address, provider.clientId, metadata, client.None(), options)
  const known = found.serverMetadata()
  const auth = await authOf(context.settings, provider, known.token_endpoint_auth_methods_supported)
  const configuration = new client.Configuration(known, provider.clientId, metadata, auth)
  configuration[client.customFetch] = fetching
  configuration.timeout = PATIENCE_S
  for (const extension of open) extension(configuration)
  const answer = await fetching(String(known.jwks_uri), {
    method: 'GET',
    headers: { accept: 'application/json' },
    body: null,
  })
  if (answer.status !== 200) throw new Error(`its keys were answered with ${answer.status}`)
  const keys = (await answer.json()) as Parameters<typeof createLocalJWKSet>[0]
  const date = Date.parse(answer.headers.get('date') ?? '')
  return {
    configuration,
    keys: createLocalJWKSet(keys),
    keyCount: keys.keys.length,
    date: Number.isNaN(date) ? undefined : date,
  }
}

/** Whether an issuer is on this machine: then plain http is safe. */
export function isLocal({ host, protocol }: URL): boolean {
  return protocol === 'http:' && isOwnHost(host)
}

/** How this application shows who it is: by a private key, a secret, or PKCE alone. */
async function authOf({ env }: Settings, provider: Provider, methods: readonly string[] = ['client_secret_basic']) {
  const { ClientSecretPost, None, PrivateKeyJwt } = await import('openid-client')
  const names = variablesOf(provider)
  const [secret, pem] = [env[names.secret] || undefined, env[names.key] || undefined]
  if (pem !== undefined) return PrivateKeyJwt(await signingKey(pem, names.key))
  if (secret === undefined) return None()
  return methods.includes('client_secret_basic') ? basicAuth(secret) : ClientSecretPost(secret)
}

/**
 * The secret in a header (RFC 6749, 2.3.1). Signs that may be written as they are stay so, because some servers take the
 * header as it is and do not decode it: `-`, `_`, `.` and `~` are in most secrets.
 */
function basicAuth(secret: string): ClientAuth {
  const written = (text: string): string => encodeURIComponent(text).replaceAll('%20', '+')
  return (_, { client_id }, __, headers) =>
    headers.set('authorization', `Basic ${btoa(`${written(client_id)}:${written(secret)}`)}`)
}

const KEY_ALGORITHMS: Readonly<Record<string, string>> = { rsa: 'RS256', ec: 'ES256', ed25519: 'EdDSA' }

async function signingKey(pem: string, name: string) {
  const { importPKCS8 } = await import('jose')
  let key: KeyObject
  try {
    key = createPrivateKey(pem.replaceAll('\\n', '\n'))
  } catch {
    throw new Error(`${name} is no private key in the form of PEM`)
  }
  const text = String(key.export({ type: 'pkcs8', format: 'pem' }))
  return importPKCS8(text, KEY_ALGORITHMS[key.asymmetricKeyType ?? ''] ?? 'RS256') as Promise<webcrypto.CryptoKey>
}

type Fetch = (
  url: string,
  options: {
    readonly method: string
    readonly headers: Record<string, string>
    readonly body: unknown
    readonly signal?: AbortSignal
  },
) => Promise<Response>

/** Asks the server under its breaker, in a limited time, for an answer of limited length, and follows it nowhere. */
export function fetchOf(settings: Settings, { name }: Provider): Fetch {
  return (url, { body, headers, method, signal }) =>
    breakerOf(settings, `provider ${name}`).run(async () => {
      const limit = AbortSignal.timeout(PATIENCE_S * 1000)
      const ended = signal === undefined ? limit : AbortSignal.any([signal, limit])
      const answer = await fetch(url, {
        method,
        headers,
        body: body as RequestInit['body'] & {},
        redirect: 'manual',
        signal: ended,
      })
      const bytes = await limited(answer)
      return new Response(answer.status === 204 ? null : bytes, { status: answer.status, headers: answer.headers })
    })
}

async function limited(answer: Response): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of answer.body ?? []) {
    length += chunk.byteLength
    if (length > LONGEST) throw new Error('its answer is too long')
    chunks.push(chunk)
  }
  return new Uint8Array(Buffer.concat(chunks))
}
