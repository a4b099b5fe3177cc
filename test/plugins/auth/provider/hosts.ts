/** Servers of providers by name, which answer in the form of their documents: what is sent to their hosts arrives here. */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'

type Claims = Readonly<Record<string, unknown>>

/** A provider as its documents show it. */
export interface Shown {
  /** Its discovery document; undefined for a server of OAuth 2 alone. */
  readonly discovery?: Claims & { readonly issuer: string; readonly jwks_uri: string; readonly token_endpoint: string }
  /** The claims of its token, but those that each exchange has. */
  readonly token: Claims
  /** Its other answers by address. */
  readonly answers?: Readonly<Record<string, unknown>>
}

export interface Hosts {
  /** Answers as this provider from now on. */
  be(shown: Shown): void
  /** The requests so far: address, credentials and body. */
  readonly asked: readonly { readonly address: string; readonly authorization: string; readonly body: string }[]
  /** The nonce of the sign-in that is under way. */
  nonce: string
  close(): Promise<void>
}

/** Starts the servers. Everything that this process sends to a host of `example`, or of a provider, goes to them. */
export async function openHosts(): Promise<Hosts> {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true })
  const keys = { keys: [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256', use: 'sig' }] }
  const asked: { address: string; authorization: string; body: string }[] = []
  let present: Shown = { token: {} }
  const hosts = { nonce: '' }
  const idToken = (issuer: string): Promise<string> => {
    const now = Math.floor(Date.now() / 1000)
    const usual = { iss: issuer, aud: 'desk', iat: now, exp: now + 3_600, nonce: hosts.nonce }
    return new SignJWT({ ...usual, ...present.token }).setProtectedHeader({ alg: 'RS256', kid: 'one' }).sign(privateKey)
  }
  const answerTo = async (address: string): Promise<unknown> => {
    const { answers = {}, discovery } = present
    if (address in answers) return answers[address]
    if (discovery === undefined) return undefined
    if (address === `${discovery.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`) return discovery
    if (address === discovery.jwks_uri) return keys
    if (address !== discovery.token_endpoint) return undefined
    const id_token = await idToken(discovery.issuer)
    return { access_token: 'an access token', token_type: 'Bearer', expires_in: 3_600, id_token }
  }
  const server = createServer((request, response) => {
    void bodyOf(request).then(async (body) => {
      const address = `https://${request.headers['x-host']}${request.url}`
      asked.push({ address, authorization: request.headers.authorization ?? '', body })
      const answer = await answerTo(address)
      response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(answer ?? {}))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const own = globalThis.fetch
  globalThis.fetch = (input, options) => {
    const { host, pathname, protocol, search } = new URL(String(input))
    if (protocol !== 'https:') return own(input, options)
    const headers = new Headers(options?.headers)
    headers.set('x-host', host)
    return own(`http://127.0.0.1:${port}${pathname}${search}`, { ...options, headers })
  }
  return Object.assign(hosts, {
    be: (shown: Shown) => {
      present = shown
    },
    asked,
    close: async () => {
      globalThis.fetch = own
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  })
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += chunk
  return text
}
