/** Merging and splitting tickets: what moves, who may, what is told, and the way back. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Answer, type Desk, mailsTo, openDesk, type Person } from '../../../desk/desk.ts'
import { uploadFile } from '../../media/world.ts'

let desk: Desk
let manager: Person
let agent: Person
let customer: Person
let stranger: Person
const test = suite('desk: merging')

test.before(async () => {
  desk = await openDesk()
  manager = await desk.person('manager', 'Mona')
  agent = await desk.person('agent', 'Alba')
  customer = await desk.person('customer', 'Cleo')
  stranger = await desk.person('customer', 'Stan')
})
test.after(() => desk.close())

interface Ticket {
  readonly id: number
  readonly uid: string
  readonly path: string
}

async function ticket(as: Person, subject: string, more: object = {}): Promise<Ticket> {
  const made = await desk.post('/tickets', as, { subject, details: `The details of ${subject}.`, ...more })
  assert.is(made.status, 201, made.text)
  return { id: Number(made.at('data.id')), uid: String(made.at('data.uid')), path: `/tickets/${made.at('data.id')}` }
}

async function comment(path: string, as: Person, text: string, more: object = {}): Promise<number> {
  const made = await desk.post(`${path}/comments`, as, { comment: text, ...more })
  assert.is(made.status, 201, made.text)
  return Number(made.at('data.id'))
}

async function read(path: string, as: Person = agent): Promise<Answer> {
  const answer = await desk.get(path, as)
  assert.is(answer.status, 200, answer.text)
  return answer
}

const comments = (answer: Answer): readonly string[] =>
  (answer.at('data.comments') as readonly { comment: string }[]).map((one) => one.comment)

test('what was said and sent moves to the other ticket, and the old one says where it went', async () => {
  const [old, into] = [await ticket(customer, 'Again', { tags: [] }), await ticket(customer, 'Printer')]
  await desk.put(old.path, agent, { watcher_ids: [manager.id] })
  await comment(into.path, customer, 'First')
  await comment(old.path, customer, 'Second')
  await comment(old.path, agent, 'Third', { is_internal: true })
  const chat = await desk.post('/conversations', agent, { ticket_id: old.id, type: 'customer' })
  await desk.post(`/conversations/${chat.at('data.id')}/messages`, agent, { message: 'In the chat' })
  assert.is((await uploadFile(desk, customer, 'log.txt', 'a log', old.id)).status, 201)

  const merged = await desk.post(`${old.path}/merge`, agent, { into: into.id })
  assert.is(merged.status, 200, merged.text)
  assert.is(merged.at('data.id'), into.id)
  assert.is(merged.at('message'), `Ticket #${old.uid} was merged into #${into.uid}`)
  const target = await read(into.path)
  assert.equal(comments(target).slice().sort(), ['Again\n\nThe details of Again.', 'First', 'Second', 'Third'])
  assert.equal(target.at('data.merged'), [{ id: old.id, uid: old.uid }])
  assert.is((target.at('data.attachments') as unknown[]).length, 1)
  assert.equal(
    (target.at('data.ticketEntries') as readonly { message: string }[]).map(({ message }) => message),
    ['In the chat'],
  )
  assert.equal(
    (target.at('data.watchers') as readonly { id: number }[]).map(({ id }) => id),
    [manager.id],
  )
  assert.is((await desk.get(`${into.path}/conversations`, customer)).list.length, 1)

  const source = await read(`/tickets/${old.uid}`, customer)
  assert.equal(source.at('data.merged_into'), { id: into.id, uid: into.uid })
  assert.is(source.at('data.status.slug'), 'closed')
  assert.equal(comments(source), [])
  const activity = await desk.get(`${old.path}/activity`, agent)
  assert.is(activity.list[0]?.action, 'updated')
  const changes = activity.list[0]?.changes as readonly { field: string; to: unknown }[]
  assert.is(changes.find(({ field }) => field === 'merged_into_id')?.to, into.id)
})

test('a merged ticket stays closed, and goes on elsewhere', async () => {
  const [old, into] = [await ticket(customer, 'Old'), await ticket(customer, 'New')]
  assert.is((await desk.post(`${old.path}/merge`, agent, { into: Number(into.uid) })).status, 200)
  const open = await desk.put(old.path, agent, { status_id: await desk.setting('statuses', 'open') })
  assert.is(open.status, 409, open.text)
  const said = await desk.post(`${old.path}/comments`, customer, { comment: 'Hello?' })
  assert.is(said.status, 409)
  assert.is(said.at('message'), 'This ticket was merged into another one; write there')
  const chat = await desk.post('/conversations', agent, { ticket_id: old.id, type: 'customer' })
  assert.is(chat.status, 409)
  const twice = await desk.post(`${old.path}/merge`, agent, { into: into.id })
  assert.is(twice.status, 409, twice.text)
})

test('a merge is undone: what moved comes back, what came since stays', async () => {
  const [old, into] = [await ticket(customer, 'Back'), await ticket(customer, 'Stays')]
  const pending = await desk.setting('statuses', 'pending')
  await desk.put(old.path, agent, { status_id: pending, watcher_ids: [manager.id] })
  await comment(old.path, customer, 'Of the old one')
  await desk.post(`${old.path}/merge`, agent, { into: into.id })
  await comment(into.path, customer, 'Since then')
  const undone = await desk.post(`${old.path}/unmerge`, agent)
  assert.is(undone.status, 200, undone.text)
  assert.equal(comments(undone), ['Of the old one'])
  assert.is(undone.at('data.status_id'), pending)
  assert.is(undone.at('data.merged_into'), null)
  const target = await read(into.path)
  assert.equal(comments(target), ['Since then'])
  assert.equal([target.at('data.merged'), target.at('data.watchers')], [[], []])
  assert.is((await desk.post(`${old.path}/unmerge`, agent)).status, 409)
  assert.is((await desk.post(`${old.path}/merge`, agent, { into: into.id })).status, 200, 'and again')
})

test('a merge of what was merged further is undone from the end', async () => {
  const [a, b, c] = [await ticket(customer, 'A'), await ticket(customer, 'B'), await ticket(customer, 'C')]
  await comment(a.path, customer, 'Said on A')
  await desk.post(`${a.path}/merge`, agent, { into: b.id })
  const into = await desk.post(`${b.path}/merge`, agent, { into: c.id })
  assert.ok(comments(into).includes('Said on A'))
  const wrong = await desk.post(`${c.path}/merge`, agent, { into: a.id })
  assert.is(wrong.status, 422)
  assert.equal(wrong.at('errors'), { into: [`Ticket #${a.uid} was merged into #${b.uid}: merge into that one`] })
  const early = await desk.post(`${a.path}/unmerge`, agent)
  assert.is(early.status, 409)
  assert.is(early.at('message'), `Ticket #${b.uid} was merged too since then: undo that first`)
  await desk.post(`${b.path}/unmerge`, agent)
  assert.equal(comments(await desk.post(`${a.path}/unmerge`, agent)), ['Said on A'])
})

test('tickets of different customers need force, and then nobody reads what was not theirs', async () => {
  const [old, into] = [await ticket(customer, 'Mine'), await ticket(stranger, 'His')]
  await comment(old.path, customer, 'Between us')
  const refused = await desk.post(`${old.path}/merge`, agent, { into: into.id })
  assert.is(refused.status, 409)
  assert.match(String(refused.at('message')), /different customers/)
  assert.is((await desk.post(`${old.path}/merge`, agent, { into: into.id, force: true })).status, 200)
  assert.equal(comments(await read(into.path, stranger)), [])
  assert.match(comments(await read(into.path))[0] ?? '', /was merged into this one: Mine/)
  const own = await read(old.path, customer)
  assert.equal(comments(own), ['Between us'])
  assert.not.match(own.text, /His/)
  const [newest] = (await desk.get('/notifications?type=ticket_merged', customer)).list
  assert.is(newest?.title, `Ticket #${old.uid} was closed`)
  const mails = await mailsTo(desk, customer.email, 2, /Mine/)
  assert.ok(mails.some((mail) => /has been closed/.test(mail)))
  assert.not.ok(mails.some((mail) => mail.includes(into.uid)))
})

test('only who may change both merges them, in one version, once', async () => {
  const [old, into] = [await ticket(customer, 'One'), await ticket(customer, 'Two')]
  assert.is((await desk.post(`${old.path}/merge`, customer, { into: into.id })).status, 403)
  for (const body of [{}, { into: 987_654 }, { into: old.id }, { into: into.id, forced: true }])
    assert.is((await desk.post(`${old.path}/merge`, agent, body)).status, 422, JSON.stringify(body))
  assert.is((await desk.post('/tickets/987654/merge', agent, { into: into.id })).status, 404)
  const stale = { as: agent, body: { into: into.id }, headers: { 'if-match': '"stale"' } }
  assert.is((await desk.call('POST', `${old.path}/merge`, stale)).status, 412)
  const headers = { 'if-match': String((await read(old.path)).headers.etag), 'idempotency-key': 'merge once' }
  const first = await desk.call('POST', `${old.path}/merge`, { ...stale, headers })
  const again = await desk.call('POST', `${old.path}/merge`, { ...stale, headers })
  assert.equal([first.status, again.status], [200, 200])
  assert.is(again.headers['idempotency-replayed'], 'true')
})

test('a merged ticket counts as cancelled, not as resolved', async () => {
  const figures = async () => {
    const { body } = await desk.get('/dashboard/metrics', desk.admin)
    return body.data as { readonly resolved: number }
  }
  const [old, into] = [await ticket(customer, 'Counted'), await ticket(customer, 'Other')]
  const before = await figures()
  assert.is((await desk.post(`${old.path}/merge`, agent, { into: into.id })).status, 200)
  const after = await figures()
  assert.is(after.resolved, before.resolved)
})

test('the customer is told once that it goes on elsewhere', async () => {
  const [old, into] = [await ticket(customer, 'Told'), await ticket(customer, 'There')]
  await desk.post('/notifications/read-all', customer)
  await desk.post(`${old.path}/merge`, agent, { into: into.id })
  const { list } = await desk.get('/notifications?unread_only=true', customer)
  assert.equal(
    list.map(({ type, title }) => [type, title]),
    [['ticket_merged', `Ticket #${old.uid} was merged into #${into.uid}`]],
  )
})

test('comments become a ticket of their own, with a link both ways', async () => {
  const high = await desk.setting('priorities', 'High')
  const old = await ticket(customer, 'Two things', { priority_id: high })
  await desk.put(old.path, manager, { assigned_to: agent.id, watcher_ids: [manager.id], cc: ['boss@shop.example'] })
  await comment(old.path, customer, 'Stays')
  const internal = await comment(old.path, agent, 'Hush', { is_internal: true })
  const second = await comment(old.path, customer, 'The scanner is broken too')
  const body = { comments: [second, internal], subject: 'Scanner' }
  const made = await desk.post(`${old.path}/split`, agent, body)
  assert.is(made.status, 201, made.text)
  assert.equal(
    ['subject', 'details', 'user_id', 'priority_id', 'assigned_to', 'cc', 'split_from'].map((key) =>
      made.at(`data.${key}`),
    ),
    [
      'Scanner',
      'The scanner is broken too',
      customer.id,
      high,
      agent.id,
      ['boss@shop.example'],
      { id: old.id, uid: old.uid },
    ],
  )
  assert.equal(comments(made).slice().sort(), ['Hush', 'The scanner is broken too'])
  const source = await read(old.path)
  assert.equal(comments(source), ['Stays'])
  assert.equal(source.at('data.splits'), [{ id: made.at('data.id'), uid: made.at('data.uid') }])
  assert.is((await read(`/tickets/${made.at('data.id')}`, customer)).at('data.subject'), 'Scanner')
})

test('what is internal never becomes the details that a customer reads, and only own comments are split off', async () => {
  const [old, other] = [await ticket(customer, 'Some'), await ticket(customer, 'Other')]
  const internal = await comment(old.path, agent, 'Hush', { is_internal: true })
  const foreign = await comment(other.path, customer, 'Elsewhere')
  const silent = await desk.post(`${old.path}/split`, agent, { comments: [internal], subject: 'x' })
  assert.equal([silent.status, Object.keys(silent.at('errors') as object)], [422, ['details']])
  const wrong = await desk.post(`${old.path}/split`, agent, {
    comments: [internal, foreign],
    subject: 'x',
    details: 'd',
  })
  assert.equal([wrong.status, Object.keys(wrong.at('errors') as object)], [422, ['comments.1']])
  assert.is((await desk.post(`${old.path}/split`, customer, { comments: [internal], subject: 'x' })).status, 403)
  assert.equal(comments(await read(old.path)), ['Hush'])
})

test('two merges of the same tickets at once do not wait for each other for ever', async () => {
  const [a, b] = [await ticket(customer, 'Left'), await ticket(customer, 'Right')]
  const answers = await Promise.all([
    desk.post(`${a.path}/merge`, agent, { into: b.id }),
    desk.post(`${b.path}/merge`, manager, { into: a.id }),
  ])
  const statuses = answers.map(({ status }) => status).sort()
  assert.is(statuses[0], 200)
  assert.ok([409, 422].includes(statuses[1] ?? 0), String(statuses[1]))
})

test("tickets that are nobody's are merged without being forced", async () => {
  const [old, into] = [await ticket(agent, 'Seen at the door'), await ticket(agent, 'Seen at the gate')]
  const merged = await desk.post(`${old.path}/merge`, agent, { into: into.id })
  assert.is(merged.status, 200, merged.text)
  const { id } = await ticket(customer, 'Mine')
  assert.is((await desk.post(`${into.path}/merge`, agent, { into: id })).status, 409)
})
test('who may change tickets and not see them divides none and undoes nothing', async () => {
  const role = { name: 'Blind', permissions: ['tickets.update', 'tickets.create'] }
  assert.is((await desk.post('/settings/roles', desk.admin, role)).status, 201)
  const blind = await desk.person('blind', 'Bo')
  const { path } = await ticket(agent, 'Unseen')
  for (const [way, body] of [
    ['unmerge', undefined],
    ['split', { comments: [1], subject: 'Part' }],
  ] as const) {
    const refused = await desk.post(`${path}/${way}`, blind, body)
    assert.equal([refused.status, refused.at('message')], [403, 'You need the permission tickets.view'], refused.text)
  }
})

test.run()
