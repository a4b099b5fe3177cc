/** A provider of OpenID Connect, by a library of its own, that signs in whoever a test says. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair } from 'jose'
import Provider from 'oidc-provider'

/** What the provider knows of somebody. */
export type Person = Readonly<Record<string, unknown>> & { readonly sub: string }

export interface Acme {
  readonly issuer: string
  /** Signs this person in at the next request of a browser that it does not know. */
  next(person: Person): void
  /** Knows somebody no more. */
  forget(person: Person): void
  /** Changes its keys; tokens bear new ones from now on. */
  rotate(): Promise<void>
  close(): Promise<void>
}

const SECRET = 'the secret of the desk at acme, which is long enough'

export const ENVIRONMENT = { AUTH_ACME_SECRET: SECRET }

async function keys(): Promise<object> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  return { keys: [{ ...(await exportJWK(privateKey)), use: 'sig', alg: 'RS256', kid: `key-${Math.random()}` }] }
}

/** Starts a provider that sends browsers back to `redirects`. */
export async function openAcme(redirects: readonly string[], logout?: string): Promise<Acme> {
  const people = new Map<string, Person>()
  const gone = new Set<string>()
  let person: Person = { sub: 'nobody' }
  let handle: ReturnType<Provider['callback']> = () => undefined
  const server: Server = createServer((request, response) => handle(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const serve = (jwks: object): void => {
    const provider = new Provider(issuer, {
      clients: [
        {
          client_id: 'desk',
          client_secret: SECRET,
          redirect_uris: redirects,
          grant_types: ['authorization_code', 'refresh_token'],
          ...(logout === undefined
            ? {}
            : { backchannel_logout_uri: logout, backchannel_logout_session_required: true }),
        },
      ],
      jwks,
      scopes: ['openid', 'groups', 'offline_access'],
      claims: {
        openid: ['sub'],
        profile: ['name', 'given_name', 'family_name'],
        email: ['email', 'email_verified'],
        groups: ['groups', '_claim_names', 'hasgroups', 'amr'],
      },
      features: { devInteractions: { enabled: false }, backchannelLogout: { enabled: logout !== undefined } },
      cookies: { keys: ['a key of tests'] },
      findAccount: (_: unknown, id: string) =>
        gone.has(id) ? undefined : { accountId: id, claims: () => people.get(id) ?? { sub: id } },
      // Without the scope for offline use it gives tokens for the time of their own alone.
      issueRefreshToken: async (_: unknown, __: unknown, code: { scopes: Set<string> }) =>
        code.scopes.has('offline_access'),
      interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
      loadExistingGrant: async ({
        oidc,
      }: {
        oidc: { client: { clientId: string }; session: { accountId: string } }
      }) => {
        const grant = new provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId })
        grant.addOIDCScope('openid profile email groups offline_access')
        await grant.save()
        return grant
      },
    })
    const own = provider.callback()
    handle = (request, response) => {
      if (request.url?.startsWith('/interaction/') !== true) return own(request, response)
      void provider
        .interactionDetails(request, response)
        .then(() => provider.interactionFinished(request, response, { login: { accountId: person.sub } }))
    }
  }
  serve(await keys())
  return {
    issuer,
    next(one) {
      people.set(one.sub, one)
      person = one
    },
    forget({ sub }) {
      people.delete(sub)
      gone.add(sub)
    },
    rotate: async () => serve(await keys()),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
