/** Macros on the desk: what is kept, who applies them, what is refused whole, and what is listed. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Answer, type Desk, openDesk, type Person } from '../../desk/desk.ts'

let desk: Desk
let manager: Person
let agent: Person
let second: Person
let customer: Person
let solved: number
let pending: number
let high: number
const test = suite('macros')

test.before(async () => {
  desk = await openDesk()
  manager = await desk.person('manager', 'Mona')
  agent = await desk.person('agent', 'Alba')
  second = await desk.person('agent', 'Bert')
  customer = await desk.person('customer', 'Cleo')
  solved = await desk.setting('statuses', 'resolved')
  pending = await desk.setting('statuses', 'pending')
  high = await desk.setting('priorities', 'High')
})
test.after(() => desk.close())

async function ticket(subject = 'Printer'): Promise<string> {
  const made = await desk.post('/tickets', customer, { subject, details: 'It is on fire.' })
  assert.is(made.status, 201, made.text)
  return `/tickets/${made.at('data.id')}`
}

async function macro(as: Person, name: string, more: object): Promise<Answer> {
  const made = await desk.post('/macros', as, { name, ...more })
  assert.is(made.status, 201, made.text)
  return made
}

const commentsOf = (answer: Answer): readonly unknown[] =>
  (answer.at('data.comments') as readonly Record<string, unknown>[]).map(({ comment, is_internal }) => [
    comment,
    is_internal,
  ])

test('one step changes the ticket and comments on it, in the words of its templates', async () => {
  const made = await macro(manager, 'Solve it', {
    is_shared: true,
    set: { status_id: solved, priority_id: high, subject: '{{ subject | upcase }}' },
    create: {
      comments: {
        comment: 'Dear {{ user.first_name }},\n#{{ uid }} is done. {{ actor.first_name }}',
        is_internal: false,
      },
    },
  })
  assert.equal(
    [made.at('data.slug'), made.at('data.resource'), made.at('data.user.name')],
    ['solve-it', 'tickets', 'Mona Tester'],
  )
  const path = await ticket()
  const done = await desk.post(`${path}/macros/solve-it`, agent)
  assert.is(done.status, 200, done.text)
  assert.is(done.at('message'), 'Solve it was applied')
  assert.equal(
    [done.at('data.status_id'), done.at('data.priority_id'), done.at('data.subject')],
    [solved, high, 'PRINTER'],
  )
  assert.equal(commentsOf(done), [[`Dear Cleo,\n#${done.at('data.uid')} is done. Alba`, false]])
  const read = await desk.get(path, agent)
  assert.equal(done.at('data'), read.at('data'), 'the answer is the ticket as GET gives it')
})

test('a macro that could not be applied is not kept, and each mistake is told at its place', async () => {
  const gone = await desk.post('/settings/types', desk.admin, { name: 'Gone' })
  await desk.remove(`/settings/types/${gone.at('data.id')}`, desk.admin)
  for (const [more, keys] of [
    [{ set: { status_id: 987_654 } }, ['set.status_id']],
    [{ set: { type_id: gone.at('data.id') } }, ['set.type_id']],
    [{ set: { statsu_id: 1, due_date: 'soon' } }, ['set.due_date', 'set.statsu_id']],
    [{ set: { uid: '7', comments_count: 3 } }, ['set.comments_count', 'set.uid']],
    [{ set: { subject: null } }, ['set.subject']],
    [{ set: { watcher_ids: [customer.id] } }, ['set.watcher_ids.0']],
    [{ set: { subject: '{{ subject' } }, ['set.subject']],
    [{ set: { subject: '{{ user.password_hash }}' } }, ['set.subject']],
    [
      { create: { comments: { comment: '{{ nobody.name }}', is_internal: 'perhaps' } } },
      ['create.comments.comment', 'create.comments.is_internal'],
    ],
    [{ create: { comments: { comment: '{% include "package.json" %}' } } }, ['create.comments.comment']],
    [{ create: { notes: { name: 'x' } } }, ['create.notes']],
    [{ create: { comments: 'x' } }, ['create.comments']],
    [{ resource: 'notes' }, ['resource']],
  ] as const) {
    const refused = await desk.post('/macros', agent, { name: 'Wrong', ...more })
    assert.is(refused.status, 422, `${JSON.stringify(more)} ${refused.text}`)
    assert.equal(Object.keys(refused.at('errors') as object).sort(), keys, refused.text)
  }
  const kept = await macro(agent, 'Right', { set: { status_id: solved } })
  const worse = await desk.put(`/macros/${kept.at('data.id')}`, agent, { set: { status_id: 987_654 } })
  assert.is(worse.status, 422)
})

test('what the caller may not do is refused whole', async () => {
  const { post } = desk
  const role = await post('/settings/roles', desk.admin, {
    name: 'Careful',
    permissions: ['tickets.view', 'tickets.update', 'tickets.comment', 'macros.use'],
  })
  assert.is(role.status, 201, role.text)
  const careful = await desk.person('careful', 'Cara')
  await macro(manager, 'Hand over', {
    is_shared: true,
    set: { assigned_to: agent.id },
    create: { comments: { comment: 'Alba takes it.' } },
  })
  await macro(manager, 'Hush', { is_shared: true, create: { comments: { comment: 'Hush', is_internal: true } } })
  const path = await ticket()
  const refused = await post(`${path}/macros/hand-over`, careful)
  assert.is(refused.status, 403)
  assert.is(refused.at('message'), 'You need the permission tickets.assign to set the field assigned_to')
  assert.is((await post(`${path}/macros/hush`, careful)).status, 403)
  assert.equal(commentsOf(await desk.get(path, agent)), [], 'nor is the comment there that came first')
  assert.is((await post(`${path}/macros/hand-over`, agent)).at('data.assigned_to'), agent.id)
  assert.is((await post(`${path}/macros/hand-over`, customer)).status, 403)
  const names = (await desk.get(`${await ticket()}/macros`, careful)).list.map(({ slug }) => slug)
  assert.ok(names.includes('solve-it') && !names.includes('hand-over') && !names.includes('hush'), String(names))
})

test('what went wrong with a value by now is told with its place', async () => {
  const type = await desk.post('/settings/types', desk.admin, { name: 'Leaving' })
  await macro(agent, 'Sort', { set: { type_id: type.at('data.id') } })
  await desk.remove(`/settings/types/${type.at('data.id')}`, desk.admin)
  const path = await ticket()
  const refused = await desk.post(`${path}/macros/sort`, agent)
  assert.is(refused.status, 422, refused.text)
  assert.equal(Object.keys(refused.at('errors') as object), ['set.type_id'])
})

test('personal macros are their owner’s, shared ones are made by who manages them', async () => {
  const path = await ticket()
  const own = await macro(agent, 'My own', { set: { status_id: pending } })
  assert.is((await desk.get(`/macros/${own.at('data.id')}`, second)).status, 403)
  assert.is((await desk.post(`${path}/macros/my-own`, second)).status, 403)
  assert.is((await desk.post('/macros', agent, { name: 'For all', is_shared: true })).status, 403)
  const shared = (await desk.get('/macros?is_shared=true', agent)).list[0]
  assert.is((await desk.put(`/macros/${shared?.id}`, agent, { name: 'Mine now' })).status, 403)
  assert.is((await desk.post(`${path}/macros/my-own`, agent)).at('data.status_id'), pending)
  assert.is((await desk.get('/macros', customer)).status, 403)
})

test('the list has what can be applied now, and trying leaves nothing behind', async () => {
  const path = await ticket('Listed')
  await macro(agent, 'Asleep', { set: { status_id: pending }, is_active: false })
  const before = await desk.get(path, agent)
  const listed = await desk.get(`${path}/macros`, agent)
  assert.is(listed.status, 200, listed.text)
  const names = listed.list.map(({ slug }) => slug)
  assert.ok(names.includes('solve-it') && names.includes('my-own'), String(names))
  assert.not.ok(names.includes('asleep') || names.includes('sort'), String(names))
  assert.equal((await desk.get(path, agent)).at('data'), before.at('data'))
  assert.is((await desk.post(`${path}/macros/asleep`, agent)).status, 404)
  assert.is((await desk.get('/tickets/987654/macros', agent)).status, 404)
})

test('a dry run has the ticket as it would be, and leaves it as it is', async () => {
  const path = await ticket('Only asked')
  const before = await desk.get(path, agent)
  const asked = await desk.post(`${path}/macros/solve-it?dry_run=true`, agent)
  assert.is(asked.status, 200, asked.text)
  assert.equal([asked.at('data.subject'), asked.at('data.status_id')], ['ONLY ASKED', solved])
  assert.is(asked.at('meta.dry_run'), true)
  assert.is(commentsOf(asked).length, 1)
  assert.equal((await desk.get(path, agent)).at('data'), before.at('data'))
  assert.is((await desk.post(`${path}/macros/asleep?dry_run=true`, agent)).status, 404)
})

test('a merged ticket takes no macro that comments', async () => {
  const [old, into] = [await ticket(), await ticket()]
  await desk.post(`${old}/merge`, agent, { into: Number(into.split('/').pop()) })
  const refused = await desk.post(`${old}/macros/solve-it`, agent)
  assert.is(refused.status, 409, refused.text)
  const names = (await desk.get(`${old}/macros`, agent)).list.map(({ slug }) => slug)
  assert.not.ok(names.includes('solve-it'))
})

test('If-Match and Idempotency-Key are heeded', async () => {
  const path = await ticket()
  const url = `${path}/macros/solve-it`
  const stale = await desk.call('POST', url, { as: agent, headers: { 'if-match': '"stale"' } })
  assert.is(stale.status, 412)
  const headers = { 'if-match': String((await desk.get(path, agent)).headers.etag), 'idempotency-key': 'solve once' }
  const first = await desk.call('POST', url, { as: agent, headers })
  const again = await desk.call('POST', url, { as: agent, headers })
  assert.equal([first.status, again.status], [200, 200], first.text)
  assert.is(again.headers['idempotency-replayed'], 'true')
  assert.is(commentsOf(await desk.get(path, agent)).length, 1)
})

test('a text that counts without a bound, or evaluates expressions, is not kept', async () => {
  for (const text of [
    '{% for a in (1..99999) %}x{% endfor %}',
    '{% for a in (1..id) %}x{% endfor %}',
    '{{ watchers | where_exp: "x", "x.name" }}',
  ]) {
    const refused = await desk.post('/macros', agent, { name: 'Wide', create: { comments: { comment: text } } })
    assert.equal([refused.status, Object.keys(refused.at('errors') as object)], [422, ['create.comments.comment']])
  }
})

const ENDLESS = `{% for a in (1..1000) %}{% for b in (1..1000) %}{% endfor %}{% endfor %}`

test('texts that take too much together are refused when they are applied, at their place, and nothing is done', async () => {
  const path = await ticket()
  const texts = { comments: { comment: `x${ENDLESS}` } }
  await macro(agent, 'Endless', { set: { status_id: solved, subject: 'Done' }, create: texts })
  const refused = await desk.post(`${path}/macros/endless`, agent)
  assert.is(refused.status, 422, refused.text)
  assert.match(refused.text, /"create.comments.comment":\["The text takes more than 100 ms of the processor/)
  const long = `{% for a in (1..1000) %}${'x'.repeat(70)}{% endfor %}`
  await macro(agent, 'Longest', { create: { comments: { comment: long } } })
  assert.match((await desk.post(`${path}/macros/longest`, agent)).text, /becomes longer than 64 KB/)
  const left = await desk.get(path, agent)
  assert.equal([left.at('data.subject'), commentsOf(left)], ['Printer', []])
})

test('the list fills no text in, however many there are that would take long', async () => {
  const path = await ticket()
  for (let n = 0; n < 20; n += 1) await macro(agent, `Slow ${n}`, { create: { comments: { comment: `x${ENDLESS}` } } })
  const before = process.cpuUsage()
  const listed = await desk.get(`${path}/macros?per_page=100`, agent)
  const { user } = process.cpuUsage(before)
  assert.ok(listed.list.some(({ slug }) => slug === 'slow-7'))
  assert.ok(user < 20 * 90_000, `${user / 1_000} ms`)
})

test.run()
