/** Access rules that let nobody do anything, and permissions that are written in another way than everywhere else. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { mistakes, VIEW } from './resolves.ts'

const test = suite('access rules that do nothing')

const USERS = `fields: { name: { type: string } }\nrelations: { role: { belongs_to: roles } }\n${VIEW}`

/** The roles of an application, each with its permissions. */
function roles(held: Readonly<Record<string, readonly string[]>>): string {
  const rows = Object.entries(held).map(([slug, permissions]) => ({ name: slug, slug, permissions }))
  return `fields: { name: { type: string }, slug: { type: slug, from: name, unique: true }, permissions: { type: list, of: string, default: [] } }
seeds: { key: slug, rows: ${JSON.stringify(rows)} }\n${VIEW}`
}

const HELD = { admin: ['*'], agent: ['things.view', 'things.update', 'parts.manage'], customer: [] }

function warned(things: string, held: Readonly<Record<string, readonly string[]>> = HELD): readonly string[] {
  return mistakes({ things, users: USERS, roles: roles(held) }, 'warning')
}

const viewedBy = (permission: string): string =>
  `fields: { name: { type: string } }\nactions: [list]\npolicies: { view: [{ permission: ${permission} }] }`

/** A word with one slip: two neighbours that changed places, a letter too few or twice. */
const slips = (word: string) => {
  const at = fc.integer({ min: word.indexOf('.') + 1, max: word.length - 2 })
  return fc.tuple(at, fc.constantFrom('swapped', 'missing', 'doubled')).map(([index, how]) => {
    const [one = '', two = ''] = word.slice(index, index + 2)
    const instead = { swapped: two + one, missing: two, doubled: one + one + two }[how]
    return word.slice(0, index) + instead + word.slice(index + 2)
  })
}

test('a permission with a slip, which nothing else names, is told of with the one that is meant', () => {
  const permissions = fc.constantFrom('things.view', 'things.update', 'parts.manage', 'tickets.view')
  const drawn = permissions.chain((right) => slips(right).map((wrong) => ({ right, wrong })))
  fc.assert(
    fc.property(drawn, ({ right, wrong }) => {
      const expected =
        wrong === right
          ? []
          : [
              `things.yaml [${wrong}] unknown_permission: No seeded role holds the permission "${wrong}", and nothing else names it (did you mean "${right}"?)`,
            ]
      assert.equal(warned(viewedBy(wrong)), expected)
    }),
    { numRuns: 40 },
  )
})

test('a permission that no role holds is told of where no role has all of them', () => {
  const [line = '', ...more] = warned(viewedBy('things.export'), { agent: ['parts.manage'] })
  assert.equal(more, [])
  assert.match(line, /\[things\.export] unknown_permission: .*\(give it to a role, or name one that a role holds\)$/)
  assert.equal(warned(viewedBy('things.export')), [], 'an admin holds every permission')
  assert.equal(mistakes({ things: viewedBy('things.export') }, 'warning'), [], 'nobody says what roles hold')
})

test('a permission that only looks like another one is known where a role has all of them', () => {
  for (const permission of ['things.create', 'things.use', 'things.viewers', 'parts.view', 'things.own'])
    assert.equal(
      warned(viewedBy(permission), { ...HELD, clerk: ['things.export', 'things.update', 'things.own_all'] }),
      [],
    )
})

test('a permission that a role holds, a plugin declares or two rules name is known', () => {
  for (const permission of ['things.view', 'tickets.view']) assert.equal(warned(viewedBy(permission)), [])
  const twice = 'fields: { name: { type: string, read: { permission: things.veiw } } }\nactions: [list]\n'
  assert.equal(warned(`${twice}policies: { view: [{ permission: things.veiw }] }`), [])
})

test('who may have answers explained is judged like every other permission', () => {
  const files = { things: viewedBy('things.view'), users: USERS, roles: roles(HELD) }
  const explained = (permission: string) => mistakes(files, 'warning', `explain: { permission: ${permission} }`)
  assert.equal(explained('parts.mange'), [
    'app.yaml [parts.mange] unknown_permission: No seeded role holds the permission "parts.mange", and nothing else names it (did you mean "parts.manage"?)',
  ])
  assert.equal(explained('parts.manage'), [])
  assert.equal(explained('answers.explain'), [], 'an admin holds every permission')
})

test('a clause of roles that lack its permission admits nobody', () => {
  const clause = (role: string, permission: string) =>
    warned(`actions: [list]\npolicies: { view: [{ role: ${role}, permission: ${permission} }] }`)
  assert.equal(clause('[customer]', 'things.view'), [
    'things.yaml [things.view] wrong_access: None of the roles named here (customer) holds "things.view", so this clause admits nobody (give the permission to the role, or write two clauses, of which one is enough)',
  ])
  assert.equal(clause('[customer, agent]', 'things.view'), [])
  assert.equal(clause('admin', 'things.view'), [])
})

test('a clause for anyone that only a caller who is known can fulfil is told of', () => {
  const things = (policies: string) =>
    `fields: { name: { type: string } }\nrelations: { user: { belongs_to: users, required: true } }\npolicies: { ${policies} }`
  const view = (where: string) => warned(`${things(`view: [{ who: anyone, where: ${where} }]`)}\nactions: [list]`)
  const message =
    'things.yaml [anyone] wrong_access: The condition compares with $actor, who is nobody without a token: the clause admits no such caller (write who: signed_in)'
  assert.equal(view('{ user: $actor }'), [message])
  assert.equal(view('{ name: x, all: [{ user.name: $actor.name }] }'), [message])
  assert.equal(view('{ any: [{ user: $actor }, { name: x }] }'), [])
  assert.equal(view('{ user: { ne: $actor } }'), [])
  const create = (set: string) =>
    warned(`${things(`view: [], create: [{ who: anyone, set: ${set} }]`)}\nactions: [create]`)
  assert.equal(create('{ user: $actor }'), [
    'things.yaml [{ user: $actor }] wrong_access: "user" is required, and without a token $actor is nobody: the clause lets no such caller create (write who: signed_in)',
  ])
})

test('a clause of an action that the resource does not have is told of', () => {
  for (const action of ['create', 'update', 'delete', 'restore']) {
    const things = (actions: string, more = '') =>
      `actions: ${actions}\nsoft_delete: true\npolicies: { view: [{ who: anyone }], ${action}: [{ who: signed_in }] }\n${more}`
    assert.equal(warned(things('[list, get]')), [
      `things.yaml [{ who: signed_in }] wrong_access: "things" has no ${action}, so this clause lets nobody do anything (add ${action} to "actions", or take the clause away)`,
    ])
    assert.equal(warned(things(`[list, ${action}]`)), [])
    assert.equal(warned(things('[list]', `hooks: { ${action}: [desk.stamp] }`)), [], 'code may be what it is for')
  }
  const parent = `relations: { things: { has_many: things, with_parent: true } }\npolicies: { view: [], create: [{ who: anyone }], update: [], delete: [] }`
  const child = `actions: [list]\nrelations: { whole: { belongs_to: wholes } }\npolicies: { view: [], create: [{ who: anyone }] }`
  assert.equal(mistakes({ things: child, wholes: parent }, 'warning'), [])
})

test('a guard names no role that could write nothing anyway', () => {
  const things = (write: string, policies: string, fields = '') =>
    `fields: { name: { type: string, write: ${write} } }\nactions: [list, create, update]\npolicies: { view: [{ who: anyone }], ${policies} }${fields}`
  const updatedBy = (who: string, write = '[{ role: customer }]') =>
    warned(things(write, `create: [{ role: admin }], update: [{ ${who} }]`))
  const message = (role: string) =>
    `things.yaml [${role}] wrong_access: No clause lets "${role}" create or change "name", so naming it here lets nobody write (add a clause of create or update for "${role}", or take the role away here)`
  assert.equal(updatedBy('role: agent'), [message('customer')])
  assert.equal(updatedBy('role: agent', '{ role: [agent, customer] }'), [message('customer')])
  assert.equal(updatedBy('permission: things.update'), [message('customer')])
  assert.equal(updatedBy('role: customer, fields: []'), [message('customer')])
  assert.equal(updatedBy('permission: things.update', '{ role: agent }'), [])
  assert.equal(updatedBy('who: signed_in'), [])
  assert.equal(updatedBy('role: customer, fields: [name]'), [])
  assert.equal(warned(things('{ role: customer }', 'create: [], update: []')), [], 'only programs write it')
})

test('a clause that another one covers is told of', () => {
  const view = (...clauses: readonly string[]) =>
    warned(
      `fields: { name: { type: string } }\nrelations: { user: { belongs_to: users } }\nactions: [list]\npolicies: { view: [${clauses}] }`,
    )
  const message = (clause: string, by: number) =>
    `things.yaml [${clause}] wrong_access: Clause ${by} of view allows all of this already (take this clause away, or narrow the other one)`
  const [signed, agents, own] = ['{ who: signed_in }', '{ role: agent }', '{ who: signed_in, where: { user: $actor } }']
  assert.equal(view(signed, agents), [message(agents, 1)])
  assert.equal(view(agents, '{ role: [agent, admin] }'), [message(agents, 2)])
  assert.equal(view(own, signed), [message(own, 2)])
  assert.equal(view(own, '{ role: agent, where: { user: $actor } }'), [
    message('{ role: agent, where: { user: $actor } }', 1),
  ])
  assert.equal(view(agents, agents), [message(agents, 1)])
  assert.equal(view(own, agents), [])
  assert.equal(view('{ permission: things.view }', agents), [])
  const update = (...clauses: readonly string[]) =>
    warned(
      `fields: { name: { type: string }, n: { type: integer } }\nactions: [update]\npolicies: { view: [{ who: signed_in }], update: [${clauses}] }`,
    )
  assert.is(update('{ who: signed_in, fields: [name, n] }', '{ role: agent, fields: [n] }').length, 1)
  assert.equal(update('{ who: signed_in, fields: [name] }', '{ role: agent, fields: [n] }'), [])
  assert.equal(update('{ who: signed_in }', '{ role: agent, set: { n: 1 } }'), [])
})

test('a clause that sets what its own condition refuses is an error', () => {
  const said = (where: string, set: string) =>
    mistakes({
      things: `fields: { state: { type: enum, values: [draft, sent], default: draft }, n: { type: integer } }\nactions: [update]\npolicies: { view: [], update: [{ who: signed_in, where: ${where}, set: ${set} }] }`,
    })
  assert.equal(said('{ state: draft }', '{ state: sent }'), [
    'things.yaml [{ state: sent }] wrong_access: What is set contradicts the condition of this clause, which holds of the record as it will be (set a value that the condition admits, or leave it out of the condition)',
  ])
  assert.is(said('{ n: { gt: 3 }, state: draft }', '{ n: 2 }').length, 1)
  assert.equal(said('{ any: [{ state: draft }, { n: 1 }] }', '{ state: sent }'), [])
  assert.equal(said('{ state: [draft, sent] }', '{ state: sent }'), [])
})

test.run()
