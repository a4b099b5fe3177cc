/** What comes of a mapping without its provider: in tests of applications, in `explain`, `plan` and `doctor`. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { report } from '../../../../engine/cli/explain.ts'
import type { Finding, JsonObject } from '../../../../engine/index.ts'
import { application, type TestApplication } from '../../../../engine/testing/index.ts'
import { type Folder, folder } from '../../../cli/world.ts'
import { openAcme } from './acme.ts'
import { acmeAt, CALLBACK, files } from './office.ts'

interface State {
  place: Folder
  app: TestApplication
}

const test = suite<State>('auth: a false provider')

test.before(async (state) => {
  const all = Object.entries(files(acmeAt('https://login.acme.example')))
  state.place = folder(Object.fromEntries(all.map(([name, text]) => [`resources/${name}`, text])))
  state.app = await application({ folder: state.place.path })
})
test.after(async ({ app, place }) => {
  await app?.close()
  place?.remove()
})

test('somebody with a group of the mapping works with its role', async ({ app }) => {
  const ann = await app.provider('acme').signIn({ sub: 'ann', groups: ['desk-admins'] })
  assert.is(ann.role, 'admin')
  const me = await ann.get('/auth/me')
  assert.equal([me.status, me.data.email, me.data.email_verified], [200, 'ann@acme.example', true])
  const sessions = await ann.get('/auth/sessions')
  assert.is(sessions.data[0].provider, 'acme')
  const again = await app.provider('acme').signIn({ sub: 'ann', groups: ['desk-agents'] })
  assert.equal([again.id, again.role], [ann.id, 'agent'])
})

test('somebody who is not let in is a rejection with the sentence of the page', async ({ app }) => {
  const sentenceOf = (claims: JsonObject): Promise<string> =>
    app
      .provider('acme')
      .signIn(claims)
      .then(
        () => 'let in',
        (error: Error) => error.message,
      )
  assert.match(await sentenceOf({ sub: 'ned' }), /^Your account at Acme has none of the groups that may work here\./)
  assert.match(await sentenceOf({ sub: 'eve', email: 'eve@evil.example' }), /may not be used here/)
  assert.match(await sentenceOf({ sub: 'eve', email_verified: false, groups: ['desk-agents'] }), /may not be used here/)
  const unknown = await app
    .provider('amce')
    .signIn()
    .catch((error: Error) => error.message)
  assert.is(unknown, 'There is no provider amce: did you mean acme?')
})

async function explained({ app, place }: State, claims: JsonObject): Promise<string> {
  const file = join(place.path, 'claims.json')
  writeFileSync(file, JSON.stringify(claims))
  return report({ positionals: [], options: { 'sign-in': 'acme', claims: file } }, app.engine.app)
}

test('explain says what would come of claims and why, and writes nothing', async (state) => {
  const claims = { sub: 'zoe', email: 'zoe@acme.example', email_verified: true, groups: ['desk-agents'] }
  assert.is(
    await explained(state, claims),
    `Acme says: zoe, zoe@acme.example, verified
conditions ask for
  email: "zoe@acme.example"
  groups: ["desk-agents"]
admit holds: {"email":{"ends_with":"@acme.example"}}
roles, of which the first that holds counts
  does not {"groups":"desk-admins"} → admin
  holds   {"groups":"desk-agents"} → agent, department
outcome: signed in to a new account with the role agent`,
  )
  assert.is((await state.app.records('users').list({ email: 'zoe@acme.example' })).data.length, 0)
  assert.match(
    await explained(state, { ...claims, email_verified: false }),
    /admit does not hold[\s\S]*outcome: refused: /,
  )
  const kim = await state.app.provider('acme').signIn({ sub: 'kim', groups: ['desk-agents'] })
  const changed = await explained(state, { ...claims, sub: 'kim', groups: ['desk-admins'] })
  assert.match(changed, new RegExp(`outcome: signed in to account ${kim.id} with the role admin instead of agent$`))
  assert.is((await kim.get('/auth/me')).data.role.slug, 'agent', 'and nothing was written')
})

test('a plan counts whom a changed mapping moves, by what was said last', async ({ app }) => {
  await app.provider('acme').signIn({ sub: 'lee', groups: ['desk-agents', 'all'] })
  const { catalog, composition } = app.engine.app
  const { options, value } = composition.providers[0]!
  const { acme } = options.providers as { readonly acme: JsonObject }
  const moved = async (changed: JsonObject): Promise<readonly string[]> =>
    value.moved({
      catalog,
      options: { providers: { acme: { ...acme, ...changed } } },
      runner: app.engine.database.adhoc,
      now: () => new Date(),
    })
  assert.equal(await moved({}), [])
  const people = (await app.records('identities').list()).data.length
  assert.equal(await moved({ roles: [{ when: { groups: 'desk-agents' }, role: 'customer' }] }), [
    `acme: ${people} people with the role agent would get customer at the next sign-in`,
  ])
  assert.equal(await moved({ roles: [{ when: { groups: 'all' }, role: 'agent' }] }), [
    `acme: ${people - 1} people with the role agent would not be let in at the next sign-in`,
  ])
  assert.equal(await moved({ admit: { hd: 'acme.example' } }), [
    `acme: of ${people} people with the role agent it is not known yet what conditions ask for`,
  ])
})

test('doctor says whether a provider answers, how this application is known there, and where people come back to', async ({
  app,
}) => {
  const acme = await openAcme([CALLBACK])
  const { catalog, composition } = app.engine.app
  const { options, value } = composition.checks.find(({ name }) => name === 'auth')!
  const look = async (issuer: string, env: JsonObject, now = () => new Date()): Promise<readonly string[]> => {
    const own = (options.providers as { readonly acme: JsonObject }).acme
    const settings = { ...app.engine.app.foundation.settings, baseUrl: 'https://office.example', env: env as never }
    const runner = app.engine.database.adhoc
    const asked = { settings, catalog, options: { providers: { acme: { ...own, issuer } } }, now, runner }
    return (await value(asked)).map(({ level, message }: Finding) => `${level} ${message}`)
  }
  try {
    assert.equal(await look(acme.issuer, { AUTH_ACME_SECRET: 'x' }), [
      `ok acme: the redirect address to register there is ${CALLBACK}`,
      'ok acme: AUTH_ACME_SECRET is set',
      `ok acme: ${acme.issuer} answers, with 1 keys`,
    ])
    const late = await look(acme.issuer, {}, () => new Date(Date.now() + 600_000))
    assert.is(late[1], 'warning acme: neither AUTH_ACME_SECRET nor AUTH_ACME_KEY is set')
    assert.match(late[3]!, /^problem acme: its clock differs by (599|600|601) seconds$/)
  } finally {
    await acme.close()
  }
  const [, , out] = await look(acme.issuer, {})
  assert.match(out!, /^problem acme: its discovery document or keys cannot be read/)
})

test.run()
