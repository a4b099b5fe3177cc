/** What comes of a mapping of a directory without the directory: in `explain`, in `plan`, and in tests of applications. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { report } from '../../../engine/cli/explain.ts'
import type { JsonObject } from '../../../engine/index.ts'
import { signInBy } from '../../../engine/testing/people.ts'
import { type Office, openOffice, optionsFor } from './office.ts'

const test = suite<{ office: Office }>('ldap: a mapping without its directory')

test.before(async (state) => {
  // Nobody listens there.
  state.office = await openOffice(optionsFor('ldap://127.0.0.1:1'))
})
test.after(({ office }) => office?.close())

async function explained({ engine, dataDir }: Office, claims: JsonObject, name = 'ldap'): Promise<string> {
  const file = join(dataDir, 'claims.json')
  writeFileSync(file, JSON.stringify(claims))
  return report({ positionals: [], options: { 'sign-in': name, claims: file } }, engine.app)
}

test('explain says what would come of an entry and why, and writes nothing', async ({ office }) => {
  const entry = { sub: 'f81d4fae', email: 'zoe@acme.example', name: 'Zoe Reed', departmentNumber: '7', groups: ['all'] }
  assert.is(
    await explained(office, entry),
    `Acme says: f81d4fae, zoe@acme.example, verified
conditions ask for
  groups: ["all"]
  departmentNumber: "7"
roles, of which the first that holds counts
  does not {"groups":"desk-admins"} → admin
  holds   {"any":[{"groups":"desk-agents"},{"departmentNumber":"7"}]} → agent
outcome: signed in to a new account with the role agent`,
  )
  const nobody = await explained(office, { ...entry, departmentNumber: '8' })
  assert.match(nobody, /outcome: refused: Your account at Acme has none of the groups that may work here/)
  const { list } = await office.call('GET', '/api/users?email=zoe@acme.example', { token: office.admin })
  assert.equal(list, [])
  const wrong = await explained(office, entry, 'ldpa').catch((error: Error) => error.message)
  assert.is(wrong, 'There is no provider ldpa: did you mean ldap?')
})

test('tests of applications sign people in, and a plan counts whom a changed mapping moves', async ({ office }) => {
  const kim = await signInBy(office.engine, 'ldap', { sub: 'kim', groups: ['desk-agents'] })
  const lee = await signInBy(office.engine, 'ldap', { sub: 'lee', groups: ['desk-agents', 'all'] })
  assert.equal([kim.role, lee.role], ['agent', 'agent'])
  const { list } = await office.call('GET', '/api/auth/sessions', { headers: kim.headers })
  assert.equal([list[0]?.provider, list[0]?.factors], ['ldap', ['password']])
  const { catalog, composition } = office.engine.app
  const { options, value } = composition.providers.find(({ plugin }) => plugin === 'ldap')!
  const runner = office.engine.database.adhoc
  const moved = (changed: JsonObject): Promise<readonly string[]> =>
    value.moved({ catalog, options: { ...options, ...changed }, runner, now: () => new Date() })
  assert.equal(await moved({}), [])
  assert.equal(await moved({ roles: [{ when: { groups: 'all' }, role: 'admin' }] }), [
    'ldap: 1 person with the role agent would not be let in at the next sign-in',
    'ldap: 1 person with the role agent would get admin at the next sign-in',
  ])
})

test.run()
