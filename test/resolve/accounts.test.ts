/** What authors read about actors: attributes that accounts do not have, roles that nobody seeds, permissions that nothing names. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { mistakes } from './resolves.ts'

const accounts = suite('mistakes about accounts')

const VIEW = 'policies: { view: [], create: [], update: [], delete: [], restore: [] }'

const ACCOUNTS = {
  roles: `fields: { slug: { type: slug, from: name, unique: true }, name: { type: string }, permissions: { type: list, of: string } }
seeds: { key: slug, rows: [{ slug: boss, permissions: ["*"] }, { slug: clerk, permissions: [things.see, things.sea, none.such] }] }
${VIEW}`,
  users: `fields: { email: { type: email }, pin: { type: secret }, tags: { type: list, of: string } }
relations: { role: { belongs_to: roles }, branch: { belongs_to: branches }, status: { belongs_to: statuses } }
${VIEW}`,
  branches: `fields: { name: { type: string } }\n${VIEW}`,
  statuses: `fields: { name: { type: string } }\n${VIEW}`,
}

accounts(
  'an attribute that accounts do not have is told, and one of another kind than what it is compared with',
  () => {
    const things = `fields: { n: { type: integer }, mail: { type: string } }
relations: { branch: { belongs_to: branches } }
policies:
  view:
    - { who: signed_in, where: { branch: $actor.brnach, mail: $actor.email, any: [{ branch: $actor.branch_id }] } }
    - { who: signed_in, where: { branch: { ne: $actor.status }, n: $actor.email, mail: $actor.pin } }
    - { who: signed_in, where: { mail: { contains: $actor.email } } }
  create: [{ who: signed_in, set: { branch: $actor.branch, mail: $actor.emial } }]
  update: [{ who: signed_in }]
  delete: [{ who: signed_in }]`
    const found = mistakes({ ...ACCOUNTS, things }).filter((line) => line.startsWith('things'))
    assert.equal(found, [
      'things.yaml [$actor.brnach] unknown_attribute: An actor has no "brnach" (did you mean "branch"?)',
      'things.yaml [$actor.status] wrong_value: "branch_id" (branches) is never what $actor.status (statuses) is',
      'things.yaml [$actor.email] wrong_value: "n" (integer) is never what $actor.email (email) is',
      'things.yaml [$actor.pin] unknown_attribute: An actor has no "pin"',
      'things.yaml [$actor.email] invalid_filter: "contains" takes a text that is written out',
      'things.yaml [$actor.emial] unknown_attribute: An actor has no "emial" (did you mean "email"?)',
    ])
  },
)

accounts('a role that is not seeded, and a permission that nothing names, are told', () => {
  const things = `fields: { n: { type: integer, write: [{ role: bos }, { permission: things.see }] } }
relations: { branch: { belongs_to: branches, read: { role: [clerk, clark] } } }
follows: [{ of: branch, role: [clerk, klerk], set: { name: x } }]
policies:
  view: [{ role: clrek }, { role: [boss, stranger], where: { n: 1 } }]
  create: [{ role: boss }]
  update: [{ role: boss }]
  delete: [{ role: boss }]`
  assert.equal(mistakes({ ...ACCOUNTS, things }), [
    'roles.yaml [things.sea] unknown_permission: There is no permission "things.sea" (did you mean "things.see"?)',
    'roles.yaml [none.such] unknown_permission: There is no permission "none.such" (a policy or a plugin that names it makes it one)',
    'things.yaml [bos] unknown_role: There is no role "bos" (did you mean "boss"?)',
    'things.yaml [clark] unknown_role: There is no role "clark" (did you mean "clerk"?)',
    'things.yaml [klerk] unknown_role: There is no role "klerk" (did you mean "clerk"?)',
    'things.yaml [clrek] unknown_role: There is no role "clrek" (did you mean "clerk"?)',
    'things.yaml [stranger] unknown_role: There is no role "stranger" (roles that a policy names are seeded, so that they are there)',
  ])
})

accounts.run()
