/** A provider that lies: its tokens, keys and answers are whatever a test makes them. */
import { createHash, createHmac } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, exportSPKI, generateKeyPair, SignJWT } from 'jose'

type Claims = Readonly<Record<string, unknown>>

/** What a test changes of one exchange. */
export interface Lie {
  /** Claims over the right ones; undefined leaves one out. */
  readonly claims?: Claims
  /** Makes the token instead. */
  readonly token?: (claims: Claims, keys: Keys) => Promise<string> | string
  readonly userinfo?: Claims
  /** Fields over those of the discovery document. */
  readonly discovery?: Claims
  /** Fields over those of the answer with the token. */
  readonly answer?: Claims
}

export interface Keys {
  sign(claims: Claims, header?: Readonly<Record<string, unknown>>): Promise<string>
  readonly publicPem: string
  /** Signs by a secret of both. */
  hmac(claims: Claims, secret: string): string
}

export interface Forge {
  readonly issuer: string
  /** Lies from now on; an empty lie is none. */
  lie(lie: Lie): void
  /** The address with which somebody comes back, for the address at which they began. */
  answer(begin: URL, more?: Readonly<Record<string, string>>): URL
  /** The requests to the token endpoint so far. */
  readonly exchanges: readonly URLSearchParams[]
  readonly keys: Keys
  close(): Promise<void>
}

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Starts a provider that knows one person. */
export async function openForge(person: Claims): Promise<Forge> {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true })
  const jwk = { ...(await exportJWK(publicKey)), kid: 'forge', alg: 'RS256', use: 'sig' }
  const keys: Keys = {
    sign: (claims, header = {}) =>
      new SignJWT({ ...claims }).setProtectedHeader({ alg: 'RS256', kid: 'forge', ...header }).sign(privateKey),
    publicPem: await exportSPKI(publicKey),
    hmac: (claims, secret) => {
      const text = `${encoded({ alg: 'HS256', kid: 'forge' })}.${encoded(claims)}`
      return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
    },
  }
  let present: Lie = {}
  const codes = new Map<string, Readonly<Record<string, string>>>()
  const exchanges: URLSearchParams[] = []
  let issuer = ''
  const answers: Readonly<Record<string, (body: URLSearchParams) => Promise<unknown> | unknown>> = {
    '/.well-known/openid-configuration': () => ({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      userinfo_endpoint: `${issuer}/userinfo`,
      jwks_uri: `${issuer}/keys`,
      response_types_supported: ['code'],
      id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
      authorization_response_iss_parameter_supported: true,
      ...present.discovery,
    }),
    '/keys': () => ({ keys: [jwk] }),
    '/userinfo': () => present.userinfo ?? person,
    '/token': async (body) => {
      exchanges.push(body)
      const begun = codes.get(body.get('code') ?? '')
      codes.delete(body.get('code') ?? '')
      const challenge = createHash('sha256')
        .update(body.get('code_verifier') ?? '')
        .digest('base64url')
      if (begun === undefined || begun.code_challenge !== challenge || begun.redirect_uri !== body.get('redirect_uri'))
        return { error: 'invalid_grant' }
      const now = Math.floor(Date.now() / 1000)
      const right = { iss: issuer, aud: 'desk', iat: now, exp: now + 300, nonce: begun.nonce, ...person }
      const claims = { ...right, ...present.claims }
      const token = await (present.token?.(claims, keys) ?? keys.sign(claims))
      return { access_token: 'an access token', token_type: 'Bearer', id_token: token, ...present.answer }
    },
  }
  const server = createServer((request, response) => {
    void bodyOf(request).then(async (body) => {
      const answer = await answers[request.url ?? '']?.(body)
      const status = answer === undefined ? 404 : 'error' in Object(answer) ? 400 : 200
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer ?? {}))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    issuer,
    keys,
    exchanges,
    lie(lie) {
      present = lie
    },
    answer(begin, more = {}) {
      const asked = Object.fromEntries(begin.searchParams)
      const code = `code-${Math.random()}`
      codes.set(code, asked)
      const back = new URL(asked.redirect_uri ?? '')
      back.search = new URLSearchParams({ code, state: asked.state ?? '', iss: issuer, ...more }).toString()
      return back
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

async function bodyOf(request: IncomingMessage): Promise<URLSearchParams> {
  let text = ''
  for await (const chunk of request) text += chunk
  return new URLSearchParams(text)
}
