/** Providers by name: what each preset makes of a token in the form that the documents of that provider show. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { JsonObject } from '../../../../engine/index.ts'
import { application, type TestApplication } from '../../../../engine/testing/index.ts'
import { askWith, githubClaims } from '../../../../plugins/auth/provider/github.ts'
import { providersIn } from '../../../../plugins/auth/provider/options.ts'
import { type Folder, folder } from '../../../cli/world.ts'
import { files } from './office.ts'

interface State {
  place: Folder
  app: TestApplication
}

const COMMON = `client_id: desk, trust_addresses_of: [acme.example], new: { role: agent }`

const PROVIDERS = `
      google: { preset: google, ${COMMON}, admit: { hd: acme.example } }
      microsoft: { preset: microsoft, tenant: 72f988bf-86f1-41af-91ab-2d7cd011db47, ${COMMON} }
      github: { preset: github, ${COMMON}, scopes: [read:org], admit: { groups: acme } }
      gitlab: { preset: gitlab, ${COMMON}, admit: { groups_direct: acme/desk } }
      keycloak: { preset: keycloak, issuer: https://login.acme.example/realms/acme, ${COMMON}, admit: { groups: /desk } }
      authentik: { preset: authentik, issuer: https://login.acme.example/application/o/desk/, ${COMMON}, admit: { groups: desk } }
      okta: { preset: okta, issuer: https://acme.okta.com, ${COMMON}, admit: { groups: Desk } }`

const test = suite<State>('auth: presets of providers')

test.before(async (state) => {
  const all = Object.entries(files(PROVIDERS))
  state.place = folder(Object.fromEntries(all.map(([name, text]) => [`resources/${name}`, text])))
  state.app = await application({ folder: state.place.path })
})
test.after(async ({ app, place }) => {
  await app?.close()
  place?.remove()
})

/** Claims of a token, without those of every token, in the form of each provider; and one claim that keeps people out. */
const TOKENS: Readonly<Record<string, { readonly claims: JsonObject; readonly not: JsonObject }>> = {
  google: {
    claims: {
      sub: '10769150350006150715113082367',
      azp: 'desk',
      hd: 'acme.example',
      email: 'gil@acme.example',
      email_verified: true,
      name: 'Gil Gold',
      given_name: 'Gil',
      family_name: 'Gold',
    },
    not: { hd: null },
  },
  microsoft: {
    claims: {
      sub: 'AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ',
      oid: '00000000-0000-0000-66f3-3332eca7ea81',
      tid: '72f988bf-86f1-41af-91ab-2d7cd011db47',
      ver: '2.0',
      name: 'Mia Moon',
      preferred_username: 'mia@acme.example',
      email: 'mia@acme.example',
      email_verified: null,
      xms_edov: '1',
    },
    not: { xms_edov: null },
  },
  gitlab: {
    claims: {
      sub: '42',
      name: 'Lee Lab',
      nickname: 'lee',
      preferred_username: 'lee',
      email: 'lee@acme.example',
      email_verified: true,
      groups_direct: ['acme/desk'],
    },
    not: { groups_direct: ['acme'] },
  },
  keycloak: {
    claims: {
      sub: 'f:550e8400-e29b-41d4-a716-446655440000',
      typ: 'ID',
      sid: '1f2e3d4c',
      email: 'kay@acme.example',
      email_verified: true,
      preferred_username: 'kay',
      given_name: 'Kay',
      family_name: 'Key',
      groups: ['/desk', '/all'],
    },
    not: { groups: ['/all'] },
  },
  authentik: {
    claims: {
      sub: '8d6c1f2e0b7a4c3d9e5f',
      email: 'tik@acme.example',
      email_verified: true,
      name: 'Tik Tok',
      preferred_username: 'tik',
      nickname: 'tik',
      groups: ['desk'],
    },
    not: { groups: [] },
  },
  okta: {
    claims: {
      sub: '00uid4BxXw6I6TV4m0g3',
      ver: 1,
      amr: ['pwd'],
      name: 'Ota Oak',
      email: 'ota@acme.example',
      email_verified: true,
      preferred_username: 'ota@acme.example',
      groups: ['Everyone', 'Desk'],
    },
    not: { groups: ['Everyone'] },
  },
}

for (const [name, { claims, not }] of Object.entries(TOKENS)) {
  test(`${name}: a token of its form lets somebody in, and one without what counts does not`, async ({ app }) => {
    const other = { ...claims, sub: 'other', email: 'other@acme.example', ...not }
    await app
      .provider(name)
      .signIn(other)
      .then(
        () => assert.unreachable(),
        (error: Error) =>
          assert.match(error.message, /may not be used here|does not say that your e-mail address is yours/),
      )
    const person = await app.provider(name).signIn(claims)
    const { data } = await person.get('/auth/me')
    assert.equal([data.email, data.email_verified], [claims.email, true])
  })
}

test('github: who somebody is comes from its API, by the number of the account and the primary address', async ({
  app,
}) => {
  const answers: Readonly<Record<string, unknown>> = {
    '/user': {
      login: 'octo',
      id: 583231,
      name: 'Octo Cat',
      avatar_url: 'https://a.example/1',
      html_url: 'https://g.example',
    },
    '/user/emails': [
      { email: 'octo@home.example', primary: false, verified: true, visibility: null },
      { email: 'octo@acme.example', primary: true, verified: true, visibility: 'public' },
    ],
    '/user/orgs?per_page=100': [{ login: 'acme', id: 1 }],
  }
  const asked: string[] = []
  const ask = askWith(async (url, { headers }) => {
    asked.push(String(headers.authorization))
    const answer = answers[url.replace('https://api.github.com', '')]
    return new Response(JSON.stringify(answer ?? {}), { status: answer === undefined ? 404 : 200 })
  }, 'gho_token')
  const claims = await githubClaims(ask, ['read:user', 'user:email', 'read:org'])
  assert.equal([claims.sub, claims.email, claims.email_verified], ['583231', 'octo@acme.example', true])
  assert.ok(asked.every((header) => header === 'Bearer gho_token'))
  const person = await app.provider('github').signIn(claims)
  assert.is((await person.get('/auth/me')).data.email, 'octo@acme.example')
})

test('presets fill in issuers, scopes and labels, and the YAML wins', ({ app }) => {
  const all = providersIn(app.engine.app.catalog.pluginOptions.get('auth') ?? {})
  assert.equal(
    [...all.values()].map(({ issuer, label }) => `${label} ${issuer}`),
    [
      'Google https://accounts.google.com',
      'Microsoft https://login.microsoftonline.com/72f988bf-86f1-41af-91ab-2d7cd011db47/v2.0',
      'GitHub https://github.com',
      'GitLab https://gitlab.com',
      'Keycloak https://login.acme.example/realms/acme',
      'authentik https://login.acme.example/application/o/desk/',
      'Okta https://acme.okta.com',
    ],
  )
  assert.equal(all.get('github')?.scopes, ['read:user', 'user:email', 'read:org'])
  assert.equal(all.get('okta')?.scopes, ['groups'])
  const own = providersIn({
    providers: { okta: { preset: 'okta', label: 'Work', issuer: 'https://a.example', client_id: 'x' } },
  })
  assert.equal([own.get('okta')?.label, own.get('okta')?.issuer], ['Work', 'https://a.example'])
})

test.run()
