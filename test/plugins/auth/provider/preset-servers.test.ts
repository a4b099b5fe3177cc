/** Providers by name, over a whole sign-in: discovery documents, tokens and APIs in the form of their documents. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Answer } from '../../../support/answer.ts'
import { type Hosts, openHosts, type Shown } from './hosts.ts'
import { type Browser, type Office, openOffice } from './office.ts'

const TENANT = '72f988bf-86f1-41af-91ab-2d7cd011db47'
const COMMON = 'client_id: desk, trust_addresses_of: [acme.example], new: { role: agent, status: active }'
const ROLES = 'roles: [{ when: { groups: desk }, role: agent }], otherwise: deny'
const PROVIDERS = `
      google: { preset: google, ${COMMON}, admit: { hd: acme.example } }
      microsoft: { preset: microsoft, tenant: ${TENANT}, ${COMMON}, ${ROLES}, second_factor: { amr: mfa } }
      github: { preset: github, ${COMMON}, scopes: [read:org], admit: { groups: acme } }
      gitlab: { preset: gitlab, ${COMMON}, admit: { groups_direct: acme/desk } }
      keycloak: { preset: keycloak, issuer: https://login.acme.example/realms/acme, ${COMMON}, ${ROLES} }
      authentik: { preset: authentik, issuer: https://login.acme.example/application/o/desk/, ${COMMON}, ${ROLES} }
      okta: { preset: okta, issuer: https://acme.okta.com, ${COMMON}, ${ROLES} }`

const NAMES = ['google', 'microsoft', 'github', 'gitlab', 'keycloak', 'authentik', 'okta']

const RS256 = {
  response_types_supported: ['code'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['RS256'],
  code_challenge_methods_supported: ['plain', 'S256'],
}
const BOTH = ['client_secret_basic', 'client_secret_post']

interface Described extends Shown {
  readonly discovery: NonNullable<Shown['discovery']> & { readonly authorization_endpoint: string }
}

const entra = `https://login.microsoftonline.com/${TENANT}`
const keycloak = 'https://login.acme.example/realms/acme'
const authentik = 'https://login.acme.example/application/o'
const person = {
  email: 'ann@acme.example',
  email_verified: true,
  given_name: 'Ann',
  family_name: 'Reed',
  name: 'Ann Reed',
}

const DESCRIBED: Readonly<Record<string, Described>> = {
  google: {
    discovery: {
      issuer: 'https://accounts.google.com',
      authorization_endpoint: 'https://accounts.google.com/o/oauth2/v2/auth',
      token_endpoint: 'https://oauth2.googleapis.com/token',
      userinfo_endpoint: 'https://openidconnect.googleapis.com/v1/userinfo',
      jwks_uri: 'https://www.googleapis.com/oauth2/v3/certs',
      token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
      ...RS256,
    },
    token: { ...person, sub: '10769150350006150715113082367', azp: 'desk', hd: 'acme.example', at_hash: 'x' },
    answers: {
      'https://openidconnect.googleapis.com/v1/userinfo': { ...person, sub: '10769150350006150715113082367' },
    },
  },
  microsoft: {
    discovery: {
      issuer: `${entra}/v2.0`,
      authorization_endpoint: `${entra}/oauth2/v2.0/authorize`,
      token_endpoint: `${entra}/oauth2/v2.0/token`,
      userinfo_endpoint: 'https://graph.microsoft.com/oidc/userinfo',
      jwks_uri: `${entra}/discovery/v2.0/keys`,
      token_endpoint_auth_methods_supported: ['client_secret_post', 'private_key_jwt', 'client_secret_basic'],
      ...RS256,
    },
    token: {
      sub: 'AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ',
      oid: '00000000-0000-0000-66f3-3332eca7ea81',
      tid: TENANT,
      ver: '2.0',
      name: 'Ann Reed',
      preferred_username: 'ann@acme.example',
      email: 'mia@acme.example',
      xms_edov: '1',
      groups: ['desk'],
    },
    answers: {
      'https://graph.microsoft.com/oidc/userinfo': {
        sub: 'AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ',
        name: 'Ann Reed',
        picture: 'https://graph.microsoft.com/v1.0/me/photo/$value',
      },
    },
  },
  gitlab: {
    discovery: {
      issuer: 'https://gitlab.com',
      authorization_endpoint: 'https://gitlab.com/oauth/authorize',
      token_endpoint: 'https://gitlab.com/oauth/token',
      userinfo_endpoint: 'https://gitlab.com/oauth/userinfo',
      jwks_uri: 'https://gitlab.com/oauth/discovery/keys',
      token_endpoint_auth_methods_supported: BOTH,
      ...RS256,
    },
    token: {
      sub: '42',
      groups_direct: ['acme/desk'],
      email: 'lee@acme.example',
      email_verified: true,
      name: 'Lee Lab',
    },
    answers: { 'https://gitlab.com/oauth/userinfo': { sub: '42', nickname: 'lee', groups: ['acme', 'acme/desk'] } },
  },
  keycloak: {
    discovery: {
      issuer: keycloak,
      authorization_endpoint: `${keycloak}/protocol/openid-connect/auth`,
      token_endpoint: `${keycloak}/protocol/openid-connect/token`,
      userinfo_endpoint: `${keycloak}/protocol/openid-connect/userinfo`,
      jwks_uri: `${keycloak}/protocol/openid-connect/certs`,
      token_endpoint_auth_methods_supported: ['private_key_jwt', ...BOTH, 'tls_client_auth'],
      authorization_response_iss_parameter_supported: true,
      backchannel_logout_supported: true,
      ...RS256,
    },
    token: {
      ...person,
      sub: 'f:550e8400:kay',
      email: 'kay@acme.example',
      typ: 'ID',
      azp: 'desk',
      sid: '1f2e3d4c',
      acr: '1',
    },
    // Groups are a mapper that may be for userinfo alone.
    answers: { [`${keycloak}/protocol/openid-connect/userinfo`]: { sub: 'f:550e8400:kay', groups: ['desk', 'all'] } },
  },
  authentik: {
    discovery: {
      issuer: `${authentik}/desk/`,
      authorization_endpoint: `${authentik}/authorize/`,
      token_endpoint: `${authentik}/token/`,
      userinfo_endpoint: `${authentik}/userinfo/`,
      jwks_uri: `${authentik}/desk/jwks/`,
      token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
      ...RS256,
    },
    token: {
      ...person,
      sub: '8d6c1f2e0b7a4c3d9e5f',
      email: 'tik@acme.example',
      acr: 'goauthentik.io/providers/oauth2/default',
    },
    answers: { [`${authentik}/userinfo/`]: { sub: '8d6c1f2e0b7a4c3d9e5f', groups: ['desk'], nickname: 'tik' } },
  },
  okta: {
    discovery: {
      issuer: 'https://acme.okta.com',
      authorization_endpoint: 'https://acme.okta.com/oauth2/v1/authorize',
      token_endpoint: 'https://acme.okta.com/oauth2/v1/token',
      userinfo_endpoint: 'https://acme.okta.com/oauth2/v1/userinfo',
      jwks_uri: 'https://acme.okta.com/oauth2/v1/keys',
      token_endpoint_auth_methods_supported: [...BOTH, 'client_secret_jwt', 'private_key_jwt', 'none'],
      ...RS256,
    },
    token: { sub: '00uid4BxXw6I6TV4m0g3', ver: 1, amr: ['pwd'], idp: '00ok1u7AsAkrwdZL3z0g3', groups: ['desk'] },
    answers: {
      'https://acme.okta.com/oauth2/v1/userinfo': { ...person, sub: '00uid4BxXw6I6TV4m0g3', email: 'ota@acme.example' },
    },
  },
}

const test = suite<{ hosts: Hosts; office: Office }>('auth: whole sign-ins at providers by name')

test.before(async (state) => {
  state.hosts = await openHosts()
  const secrets = NAMES.map((name) => [`AUTH_${name.toUpperCase()}_SECRET`, `the-secret_of ${name}`])
  state.office = await openOffice(PROVIDERS, { env: Object.fromEntries(secrets) })
})
test.after(async ({ hosts, office }) => {
  await office?.close()
  await hosts?.close()
})

/** Signs in at a provider, with what it says; gives the browser and the page at the end. */
async function comes(
  { hosts, office }: { hosts: Hosts; office: Office },
  name: string,
  shown: Shown,
): Promise<{ readonly browser: Browser; readonly answer: Answer; readonly begun: URL }> {
  hosts.be(shown)
  const browser = office.browser()
  const begun = await browser.begin(name)
  hosts.nonce = begun.searchParams.get('nonce') ?? ''
  const back = new URL(begun.searchParams.get('redirect_uri') ?? '')
  const issuer = shown.discovery?.issuer
  const state = begun.searchParams.get('state') ?? ''
  back.search = new URLSearchParams({ code: 'a code', state, ...(issuer !== undefined && { iss: issuer }) }).toString()
  return { browser, begun, answer: await browser.comeBack(back) }
}

const roleOf = (me: Readonly<Record<string, unknown>> | null): unknown =>
  (me?.role as { slug: string } | undefined)?.slug

for (const [name, shown] of Object.entries(DESCRIBED))
  test(`${name}: from its discovery document to a session`, async (state) => {
    const { answer, begun, browser } = await comes(state, name, shown)
    assert.is(answer.status, 200, answer.text)
    assert.is(`${begun.origin}${begun.pathname}`, shown.discovery.authorization_endpoint)
    assert.is(begun.searchParams.get('code_challenge_method'), 'S256')
    const me = await browser.me()
    assert.equal([me?.email_verified, roleOf(me)], [true, 'agent'])
    const exchange = state.hosts.asked.findLast(({ address }) => address === shown.discovery.token_endpoint)
    const basic = Buffer.from(`desk:${encodeURIComponent(`the-secret_of ${name}`).replaceAll('%20', '+')}`)
    assert.is(exchange?.authorization, `Basic ${basic.toString('base64')}`)
    assert.match(exchange?.body ?? '', /code_verifier=/)
  })

test('microsoft: groups that are too many for a token are no absent groups, in either form', async (state) => {
  const { groups: _, ...token } = DESCRIBED.microsoft!.token
  const forms = [
    { _claim_names: { groups: 'src1' }, _claim_sources: { src1: { endpoint: 'https://graph.microsoft.com/x' } } },
    { hasgroups: true },
  ]
  for (const form of forms) {
    const { answer, browser } = await comes(state, 'microsoft', {
      ...DESCRIBED.microsoft!,
      token: { ...token, ...form },
    })
    assert.is(answer.status, 403)
    assert.match(answer.text, /use app roles, or assign groups to the application/)
    assert.is(await browser.me(), null)
  }
})

test('microsoft: an address whose domain nobody proved makes no account', async (state) => {
  const unproved = { sub: 'other', email: 'boss@acme.example', xms_edov: '0' }
  const token = { ...DESCRIBED.microsoft!.token, ...unproved }
  const answers = { 'https://graph.microsoft.com/oidc/userinfo': { sub: 'other' } }
  const { answer, browser } = await comes(state, 'microsoft', { ...DESCRIBED.microsoft!, token, answers })
  assert.is(answer.status, 403)
  assert.match(answer.text, /may not open it by the address alone/)
  assert.is(await browser.me(), null)
})

test('a token of another tenant, or of another issuer, is refused', async (state) => {
  const iss = 'https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0'
  const foreign = { ...DESCRIBED.microsoft!, token: { ...DESCRIBED.microsoft!.token, iss } }
  assert.is((await comes(state, 'microsoft', foreign)).answer.status, 400)
})

const API = 'https://api.github.com'
const GITHUB: Shown = {
  token: {},
  answers: {
    'https://github.com/login/oauth/access_token': {
      access_token: 'gho_16C7e42F292c6912E7710c838347Ae178B4a',
      scope: 'read:org,read:user,user:email',
      token_type: 'bearer',
    },
    [`${API}/user`]: { login: 'octo', id: 583231, name: 'Octo Cat', avatar_url: 'https://a.example/1', email: null },
    [`${API}/user/emails`]: [
      { email: 'octo@home.example', primary: false, verified: true, visibility: null },
      { email: 'octo@acme.example', primary: true, verified: true, visibility: 'private' },
    ],
    [`${API}/user/orgs?per_page=100`]: [{ login: 'acme', id: 1 }],
  },
}

test('github: from OAuth 2 and its API to a session', async (state) => {
  const { answer, begun, browser } = await comes(state, 'github', GITHUB)
  assert.is(answer.status, 200, answer.text)
  assert.is(`${begun.origin}${begun.pathname}`, 'https://github.com/login/oauth/authorize')
  assert.is(begun.searchParams.get('scope'), 'read:user user:email read:org')
  assert.is(begun.searchParams.get('nonce'), null)
  assert.is((await browser.me())?.email, 'octo@acme.example')
})

test('github: an error that is answered with 200, a token for nobody and another organization are no sign-in', async (state) => {
  const saying = (answers: Readonly<Record<string, unknown>>): Shown => ({
    ...GITHUB,
    answers: { ...GITHUB.answers, ...answers },
  })
  const wrong = [
    [{ 'https://github.com/login/oauth/access_token': { error: 'bad_verification_code' } }, 400],
    [{ [`${API}/user`]: { message: 'Bad credentials' } }, 400],
    [{ [`${API}/user/orgs?per_page=100`]: [{ login: 'other', id: 2 }] }, 403],
    [
      {
        [`${API}/user/emails`]: [{ email: 'new@acme.example', primary: true, verified: false }],
        [`${API}/user`]: { id: 7, login: 'new' },
      },
      403,
    ],
  ] as const
  for (const [answers, status] of wrong) {
    const { answer, browser } = await comes(state, 'github', saying(answers))
    assert.is(answer.status, status, answer.text)
    assert.is(await browser.me(), null)
  }
})

test.run()
