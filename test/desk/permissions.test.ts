/** Who may do what: the table of permissions, cell by cell, over HTTP. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Desk, openDesk, PASSWORD, type Person } from './desk.ts'

type Role = 'manager' | 'agent' | 'customer'

let desk: Desk
const people: Partial<Record<Role, Person>> = {}
const made: Record<string, unknown> = {}
const test = suite('desk: permissions')

test.before(async () => {
  desk = await openDesk()
  people.manager = await desk.person('manager', 'Mona')
  people.agent = await desk.person('agent', 'Alba')
  people.customer = await desk.person('customer', 'Cleo')
  const bodies: Readonly<Record<string, object>> = {
    '/tickets': { subject: 'Not hers', details: 'd' },
    '/contacts': { first_name: 'a', last_name: 'b' },
    '/customers': {
      first_name: 'a',
      last_name: 'b',
      email: 'c@people.example',
      password: PASSWORD,
      password_confirmation: PASSWORD,
    },
    '/users': {
      first_name: 'a',
      last_name: 'b',
      email: 'u@people.example',
      password: PASSWORD,
      password_confirmation: PASSWORD,
    },
    '/organizations': { name: 'o' },
    '/knowledge-base': { title: 't', details: 'd' },
    '/faqs': { name: 'n', details: 'd', status: true },
    '/posts': { title: 't', details: 'd' },
    '/settings/types': { name: 't' },
    '/settings/roles': { name: 'Some role' },
    '/notes': { name: 'n' },
  }
  for (const [path, body] of Object.entries(bodies)) {
    const answer = await desk.post(path, desk.admin, body)
    assert.is(answer.status, 201, `${path}: ${answer.text}`)
    made[path] = answer.at('data.id')
  }
  const conversation = await desk.post('/conversations', desk.admin, { ticket_id: made['/tickets'], type: 'customer' })
  made['/conversations'] = conversation.at('data.id')
})
test.after(() => desk.close())

const ROLES: readonly Role[] = ['manager', 'agent', 'customer']

/**
 * A cell for manager, agent and customer: + allowed, - refused with 403, 0 an empty or own list.
 * Deletions come last and are restored, so that rows do not depend on each other.
 */
const TABLE: readonly (readonly [cells: string, method: string, path: string, body?: object])[] = [
  ['++-', 'GET', '/tickets/{}'],
  ['++0', 'GET', '/tickets'],
  ['+++', 'POST', '/tickets', { subject: 's', details: 'd' }],
  ['++-', 'PUT', '/tickets/{}', { subject: 's2' }],
  ['++-', 'POST', '/tickets/{}/comments', { comment: 'c' }],
  ['++-', 'POST', '/tickets/{}/comments', { comment: 'c', is_internal: true }],
  ['+--', 'DELETE', '/tickets/{}'],
  ['+--', 'POST', '/tickets/{}/restore'],
  ...['/contacts', '/customers', '/organizations'].flatMap((group) => [
    ['++-', 'GET', group] as const,
    ['++-', 'GET', `${group}/{}`] as const,
    ['++-', 'PUT', `${group}/{}`, {}] as const,
    ['+--', 'DELETE', `${group}/{}`] as const,
    ['+--', 'POST', `${group}/{}/restore`] as const,
  ]),
  ['++-', 'POST', '/contacts', { first_name: 'x', last_name: 'y' }],
  ['++-', 'POST', '/organizations', { name: 'x' }],
  ['++-', 'POST', '/customers', {}],
  ['++-', 'GET', '/users/{}'],
  ['+--', 'POST', '/users', {}],
  ['+--', 'PUT', '/users/{}', {}],
  ['+--', 'DELETE', '/users/{}'],
  ['+--', 'POST', '/users/{}/restore'],
  ['+--', 'GET', '/users/pending'],
  ['++-', 'GET', '/conversations/{}'],
  ['++0', 'GET', '/conversations'],
  ['++-', 'PUT', '/conversations/{}', { subject: 'x' }],
  ['++-', 'POST', '/conversations/{}/messages', { message: 'm' }],
  ['++-', 'POST', '/conversations/{}/mark-read'],
  ['+--', 'DELETE', '/conversations/{}'],
  ['+--', 'POST', '/conversations/{}/restore'],
  ['+++', 'GET', '/settings/types'],
  ['+--', 'POST', '/settings/types', { name: 'x' }],
  ['+--', 'PUT', '/settings/types/{}', {}],
  ['+--', 'DELETE', '/settings/types/{}'],
  ['+--', 'POST', '/settings/types/{}/restore'],
  ['+--', 'GET', '/settings/roles/{}'],
  ['---', 'POST', '/settings/roles', { name: 'x' }],
  ['---', 'PUT', '/settings/roles/{}', { name: 'x' }],
  ['---', 'DELETE', '/settings/roles/{}'],
  ['+++', 'GET', '/knowledge-base/{}'],
  ['++-', 'POST', '/knowledge-base', { title: 't', details: 'd' }],
  ['++-', 'PUT', '/knowledge-base/{}', {}],
  ['+++', 'GET', '/faqs/{}'],
  ['+--', 'POST', '/faqs', { name: 'n', details: 'd' }],
  ['+--', 'PUT', '/faqs/{}', {}],
  ['+--', 'DELETE', '/faqs/{}'],
  ['+--', 'POST', '/faqs/{}/restore'],
  ['+++', 'GET', '/posts/{}'],
  ['+--', 'POST', '/posts', { title: 't', details: 'd' }],
  ['+--', 'PUT', '/posts/{}', {}],
  ['+++', 'POST', '/notes', { name: 'n' }],
  ['+--', 'GET', '/notes/{}'],
  ['---', 'PUT', '/notes/{}', { name: 'x' }],
  ['---', 'DELETE', '/notes/{}'],
]

for (const [cells, method, path, body] of TABLE) {
  ROLES.forEach((role, index) => {
    const cell = cells[index]
    const words = cell === '-' ? 'may not' : 'may'
    test(`${role} ${words} ${method} ${path}${body === undefined || Object.keys(body).length === 0 ? '' : ` ${JSON.stringify(body)}`}`, async () => {
      const group = path.slice(0, path.indexOf('/{}'))
      const url = path.replace('{}', String(made[group]))
      const answer = await desk.call(method, url, { as: people[role], body })
      if (cell === '-') {
        assert.is(answer.status, 403, answer.text)
        assert.is(answer.at('success'), false)
      } else
        assert.ok(
          answer.status < 300 || (answer.status === 422 && method === 'POST'),
          `${answer.status} ${answer.text}`,
        )
      if (cell === '0') assert.ok(answer.list.every(({ user_id }) => user_id === people[role]?.id))
    })
  })
}

test('a role made by an admin has exactly its permissions, over all records', async () => {
  const body = { name: 'Auditor', permissions: ['tickets.view', 'organizations.view'] }
  assert.is((await desk.post('/settings/roles', desk.admin, body)).status, 201)
  const auditor = await desk.person('auditor', 'Ines')
  assert.is((await desk.get(`/tickets/${made['/tickets']}`, auditor)).status, 200)
  assert.is((await desk.get('/organizations', auditor)).status, 200)
  assert.is((await desk.get('/settings/types', auditor)).status, 200)
  for (const path of ['/contacts', '/customers', '/conversations', '/faqs', '/settings/roles', '/notes']) {
    assert.is((await desk.get(path, auditor)).status, 403, path)
  }
  assert.equal(
    (await desk.get('/users', auditor)).list.map(({ id }) => id),
    [auditor.id],
  )
})

test('an assignment needs its own permission', async () => {
  const body = { name: 'Editor', permissions: ['tickets.view', 'tickets.update', 'users.view'] }
  assert.is((await desk.post('/settings/roles', desk.admin, body)).status, 201)
  const editor = await desk.person('editor', 'Egon')
  const path = `/tickets/${made['/tickets']}`
  assert.is((await desk.put(path, editor, { subject: 'Edited' })).status, 200)
  const refused = await desk.put(path, editor, { assigned_to: people.agent?.id })
  assert.is(refused.status, 403)
  assert.match(String(refused.at('message')), /tickets\.assign/)
})

test.run()
