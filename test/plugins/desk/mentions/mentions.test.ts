/** Mentions: whom a comment names, who is told of it, and what is never found out by it. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { meantBy, namedIn } from '../../../../plugins/desk/mentions/find.ts'
import { type Desk, mailsTo, openDesk, PASSWORD, type Person, registerAt } from '../../../desk/desk.ts'

let desk: Desk
let agent: Person
let second: Person
let customer: Person
const test = suite('desk: mentions')

test.before(async () => {
  desk = await openDesk()
  agent = await desk.person('agent', 'Alba')
  second = await desk.person('agent', 'Bert')
  customer = await desk.person('customer', 'Cleo')
  await desk.person('customer', 'Stan')
})
test.after(() => desk.close())

async function ticket(as: Person = customer, more: object = {}): Promise<string> {
  const made = await desk.post('/tickets', as, { subject: 'Printer', details: 'It is on fire.', ...more })
  assert.is(made.status, 201, made.text)
  return `/tickets/${made.at('data.id')}`
}

/** The names that a comment mentions, by its own answer. */
async function mentioned(path: string, as: Person, comment: string, more: object = {}): Promise<readonly string[]> {
  const made = await desk.post(`${path}/comments`, as, { comment, ...more })
  assert.is(made.status, 201, made.text)
  return (made.at('data.mentions') as readonly { name: string }[]).map(({ name }) => name)
}

/** The types of what somebody has not read, oldest first; it is read then. */
async function told(one: Person): Promise<readonly unknown[]> {
  const { list } = await desk.get('/notifications?unread_only=true&sort=id', one)
  await desk.post('/notifications/read-all', one)
  return list.map(({ type }) => type)
}

test('names stand behind an @ that is no address, and ids in the long form', () => {
  assert.equal(namedIn('@Alba, and (@bert.reed): see @[Cleo New](12). Not ann@example.com.'), {
    ids: [12],
    names: ['alba', 'bert.reed'],
  })
  assert.equal(namedIn('@ alba @@x a@b @[x](0) @[x](y) @[Ünal](7)@[again](7)'), { ids: [7], names: [] })
  assert.equal(namedIn('@Zoë and @李雷!').names, ['zoë', '李雷'])
})

test('a name is the same however its signs are written', async () => {
  assert.equal(namedIn('@Zoe\u0308, @ｂｅｒｔ and @al\u00adba').names, ['zoë', 'bert', 'alba'])
  const renee = await desk.person('agent', 'Rene\u0301e')
  const path = await ticket()
  for (const comment of ['@renée', '@RENE\u0301E', '@Renée.Tester'])
    assert.equal(await mentioned(path, agent, comment, { is_internal: true }), ['Rene\u0301e Tester'], comment)
  assert.ok(renee.id > 0)
})

test('a name means one person or nobody', () => {
  const one = (id: number, email: string, first_name: string, last_name: string) => ({
    id,
    email,
    first_name,
    last_name,
  })
  const people = [
    one(1, 'alba@x.example', 'Alba', 'Reed'),
    one(2, 'a.two@x.example', 'Alba', 'Two'),
    one(3, 'mj@x.example', 'Mary Jane', 'Fox'),
  ]
  for (const [name, id] of [
    ['alba', 1],
    ['alba.two', 2],
    ['albatwo', 2],
    ['mj', 3],
    ['maryjane', 3],
    ['maryjane.fox', 3],
    ['reed', undefined],
  ] as const)
    assert.is(meantBy(name, people), id, name)
  assert.is(meantBy('alba', people.slice(1).concat(one(4, 'other@x.example', 'Alba', 'Four'))), undefined)
})

test('whom a comment mentions stands beside it, and is told of that instead of a comment', async () => {
  const path = await ticket(customer)
  await desk.put(path, desk.admin, { watcher_ids: [second.id] })
  await told(agent)
  await told(second)
  const names = await mentioned(path, desk.admin, `@alba and @[Bertie](${second.id}), have a look`)
  assert.equal(names, ['Alba Tester', 'Bert Tester'])
  const [listed] = (await desk.get(`${path}/comments`, agent)).list
  assert.equal(listed?.mentions, [
    { id: agent.id, name: 'Alba Tester' },
    { id: second.id, name: 'Bert Tester' },
  ])
  assert.equal(await told(agent), ['mentioned'])
  assert.equal(await told(second), ['mentioned'], 'once, though they watch it')
  const [mail] = await mailsTo(desk, agent.email, 1)
  assert.match(mail ?? '', /mentioned you in a comment on the ticket/)
})

test('an internal comment mentions no customer, and a public one does', async () => {
  const path = await ticket(customer)
  await told(customer)
  assert.equal(await mentioned(path, agent, '@cleo is a vampire', { is_internal: true }), [])
  assert.equal(await told(customer), [])
  assert.equal(await mentioned(path, agent, '@cleo, have you tried water? @stan is not asked'), ['Cleo Tester'])
  assert.equal(await told(customer), ['mentioned'])
})

test('a customer mentions the agent of the ticket, and finds nobody else by a guess', async () => {
  const path = await ticket(customer)
  await desk.put(path, desk.admin, { assigned_to: agent.id })
  await told(agent)
  assert.equal(await mentioned(path, customer, `@alba, @bert, @[x](${desk.admin.id})!`), ['Alba Tester'])
  assert.equal(await told(agent), ['mentioned'])
})

test('who mentions themselves is not told; who is not there or left is not mentioned', async () => {
  const path = await ticket(customer)
  await told(agent)
  assert.equal(await mentioned(path, agent, 'A note to @alba and @nobody, @[gone](987654)'), ['Alba Tester'])
  assert.equal(await told(agent), [])
  const body = { first_name: 'Gone', last_name: 'Soon', email: 'gone@people.example' }
  const role_id = await desk.setting('roles', 'agent')
  const password = { password: PASSWORD, password_confirmation: PASSWORD }
  const made = await desk.post('/users', desk.admin, { ...body, ...password, role_id })
  assert.equal(await mentioned(path, agent, '@gone?'), ['Gone Soon'])
  await desk.remove(`/users/${made.at('data.id')}`, desk.admin)
  assert.equal(await mentioned(path, agent, '@gone?'), [])
})

test('nobody writes mentions by hand', async () => {
  const path = await ticket(customer)
  const made = await desk.post(`${path}/comments`, agent, { comment: 'Hello', mentions: [{ id: second.id }] })
  assert.is(made.status, 422, made.text)
})

test('an address that is not confirmed gets nothing of what was written', async () => {
  const fay = await registerAt(desk, 'Fay')
  const path = await ticket(fay)
  assert.equal(await mentioned(path, agent, '@fay, the code is 4711'), ['Fay New'])
  const mails = await mailsTo(desk, fay.email, 1, /News on a ticket/)
  assert.ok(mails.length > 0)
  for (const mail of await mailsTo(desk, fay.email)) assert.not.match(mail, /4711/)
})

test('the choice of a person holds for mentions too, and each kind is explained', async () => {
  const path = await ticket(customer)
  await told(second)
  const settings = await desk.put('/notifications/settings', second, { mentioned: 'mail' })
  assert.is(settings.at('data.mentioned'), 'mail')
  assert.equal(settings.at('meta.kinds.mentioned'), {
    description: 'Somebody mentioned you in a comment, which is not told as a comment then.',
    default: 'both',
  })
  assert.is(
    (await desk.get('/notifications/settings', second)).at('meta.kinds.ticket_priority_changed.default'),
    'list',
  )
  const before = (await mailsTo(desk, second.email, 0, /Printer/)).length
  await mentioned(path, agent, '@bert?')
  assert.is((await mailsTo(desk, second.email, before + 1, /Printer/)).length, before + 1)
  assert.equal(await told(second), [])
})

test.run()
