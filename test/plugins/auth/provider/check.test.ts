/** What `check` says of providers: at its place, with the nearest word. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { openOffice } from './office.ts'

const test = suite('auth: mistakes in providers')

/** Each complaint with the text at its place and its advice. */
async function mistakes(providers: string): Promise<readonly string[]> {
  try {
    const office = await openOffice(providers)
    await office.close()
    return []
  } catch (error) {
    const all = (error as Error).message
      .split(/\n\n(?=\S*\.yaml:)/)
      .filter((one) => /app\.yaml:\d+:\d+ error /.test(one))
    return all.map((one) => {
      const [, code, message] = /app\.yaml:\d+:\d+ error (\S+): (.*)/.exec(one) ?? []
      const [, line = '', carets = ''] = /\n *\d+ │ (.*)\n *│ ( *\^+)/.exec(one) ?? []
      const hint = /hint: (.*)/.exec(one)?.[1]
      const at = line.slice(carets.indexOf('^'), carets.length)
      return `${code} [${at}] ${message}${hint === undefined ? '' : ` (${hint})`}`
    })
  }
}

const provider = (more: string): string => `
      acme:
        issuer: https://login.acme.example
        client_id: desk
        ${more}`

test('a condition that asks for what claims are not is told at its word', async () => {
  const admit = 'admit: { emial: a@b.example, groups: { gt: 1 }, email_verified: maybe, any: [{ cost: 1 }] }'
  assert.equal(await mistakes(provider(admit)), [
    'auth/wrong_claim [emial] No claim "emial" is known of acme (did you mean "email"?)',
    'auth/wrong_claim [1] "groups" (list) cannot be compared with "gt" (one of: contains, null)',
    'auth/wrong_claim [maybe] "email_verified" must be true or false (write a value of the field, as true or false)',
    'auth/wrong_claim [cost] No claim "cost" is known of acme (say its type, as claims: { cost: string })',
  ])
  const typed = `claims: { cost: integer }
        admit: { cost: { gte: 7 }, any: [{ groups: a }, { groups: [b, c], not: { hd: x } }] }`
  assert.equal(await mistakes(provider(typed)), [])
})

test('a mapping that gives what there is not is told at its word', async () => {
  const set = 'set: { departmnet: { name: x }, department: { nmae: x }, first_name: { claim: given } }'
  assert.equal(await mistakes(provider(`roles: [{ when: { groups: a }, role: agnet, ${set} }]`)), [
    'auth/unknown_role [agnet] There is no role "agnet" (did you mean "agent"?)',
    'auth/wrong_value [departmnet] Nothing writes "departmnet" of users (did you mean "department"?)',
    'auth/wrong_value [x] "departments" has no field or relation "nmae" (did you mean "name"?)',
    'auth/wrong_value [{ claim: given }] No claim "given" is known of acme (did you mean "given_name"?)',
  ])
  assert.equal(await mistakes(provider('new: { role: agent, status: activ, id: 7 }')), [
    'auth/wrong_value [activ] "status" must be one of active, pending, declined',
    'auth/wrong_value [id] Nothing writes "id" of users',
  ])
  assert.equal(await mistakes(provider('otherwise: dney')), [
    'auth/unknown_role [dney] There is no role "dney" (did you mean "deny"?)',
  ])
})

test('a provider that nobody could reach safely is told', async () => {
  const three = `
      acme: { issuer: "http://login.acme.example", client_id: desk }
      entra: { preset: microsoft, client_id: x }
      none: { client_id: x }`
  assert.equal(await mistakes(three), [
    'auth/wrong_provider ["http://login.acme.example"] Tokens that come over plain http can be forged (write an issuer that begins with https)',
    'auth/wrong_provider [{ preset: microsoft, client_id: x }] The provider "entra" needs the id of a directory (write tenant: and the id that Entra shows)',
    'auth/wrong_provider [{ client_id: x }] Nothing says where the provider "none" is (write issuer: https://…)',
  ])
})

test.run()
