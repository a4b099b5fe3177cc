/** `Prefer: explain` on the desk: administrators read which rules decided, for everybody else the header is not there. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Answer, type Desk, openDesk, type Person } from './desk.ts'

const test = suite('desk: Prefer: explain')

const HEADERS = { prefer: 'explain=cc; as="carl@desk.example"' }
const COUNTED = new Set(['x-request-id', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'date'])

let desk: Desk
let ticket: unknown
let people: Readonly<Record<string, Person | undefined>>
test.before(async () => {
  desk = await openDesk()
  const [manager, agent, customer] = await Promise.all([
    desk.person('manager', 'mona'),
    desk.person('agent', 'alba'),
    desk.person('customer', 'carl'),
  ])
  people = { nobody: undefined, customer, agent, manager }
  const made = await desk.post('/tickets', desk.admin, { subject: 'Not theirs', details: 'A ticket of the admin' })
  assert.is(made.status, 201, made.text)
  ticket = made.at('data.id')
})
test.after(() => desk.close())

const bytes = ({ headers, status, text }: Answer) => {
  const told = Object.entries(headers).filter(([name]) => !COUNTED.has(name))
  return [status, text.replaceAll(/"timestamp":"[^"]*"/g, ''), told]
}

test('an admin reads which clause decided, and what somebody else would be told', async () => {
  const answer = await desk.call('GET', `/tickets/${ticket}`, { as: desk.admin, headers: { prefer: 'explain' } })
  assert.is(answer.status, 200, answer.text)
  assert.is(answer.at('meta.explain.policy'), 'view')
  const other = await desk.call('GET', `/tickets/${ticket}`, {
    as: desk.admin,
    headers: { prefer: `explain; as="${people.customer?.email}"` },
  })
  assert.match(String(other.at('meta.explain.outcome')), /40[34]/)
})

test('for everybody else every answer is the same, with the header and without', async () => {
  const paths = [
    `/tickets/${ticket}`,
    '/tickets',
    '/tickets/999999',
    '/users',
    '/settings/roles',
    '/auth/me',
    '/nowhere',
  ]
  for (const [name, as] of Object.entries(people))
    for (const path of paths) {
      const [without, asked] = [await desk.get(path, as), await desk.call('GET', path, { as, headers: HEADERS })]
      assert.equal(bytes(asked), bytes(without), `${name} ${path}`)
      assert.not.match(asked.text, 'answers.explain')
    }
})

test('neither the documents that they read nor a preflight tells of it', async () => {
  for (const [name, as] of Object.entries(people)) {
    const { text } = await desk.get('//openapi.json', as)
    assert.not.match(text, /answers\.explain|Prefer: explain/, name)
  }
  const headers = { origin: 'https://elsewhere.example', 'access-control-request-headers': 'prefer' }
  const preflight = await desk.call('OPTIONS', '/tickets', { headers })
  assert.not.match(JSON.stringify(preflight.headers).toLowerCase(), /"access-control-allow-headers":"[^"]*prefer/)
})

test.run()
