/** Customers rate solutions by a link in a mail: who is asked, what the link allows, who reads the answers, and what they come to. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Answer, type Desk, mailsTo, openDesk, type Person } from '../../../desk/desk.ts'
import { deskWith } from '../../../desk/offered.ts'
import { until } from '../../../support/wait.ts'

let desk: Desk
let agent: Person
let other: Person
let customer: Person
let stranger: Person
const test = suite('desk: satisfaction')

test.before(async () => {
  desk = await openDesk({}, deskWith('ask_satisfaction'))
  agent = await desk.person('agent', 'Alba')
  other = await desk.person('agent', 'Otto')
  customer = await desk.person('customer', 'Cleo')
  stranger = await desk.person('customer', 'Silas')
})
test.after(() => desk.close())

interface Asked {
  readonly id: number
  readonly uid: string
  readonly token: string
}

const status = (slug: string): Promise<number> => desk.setting('statuses', slug)
const adhoc = (text: string, values: readonly unknown[]) => desk.engine.database.adhoc.run({ text }, values)

async function open(body: object = {}): Promise<{ readonly id: number; readonly uid: string }> {
  const ticket = { subject: 'Printer', details: 'It smokes', user_id: customer.id, assigned_to: agent.id, ...body }
  const made = await desk.post('/tickets', desk.admin, ticket)
  assert.is(made.status, 201, made.text)
  return { id: Number(made.at('data.id')), uid: String(made.at('data.uid')) }
}

/** Solves a ticket, as if that were an hour ago. */
async function solve(id: number): Promise<void> {
  assert.is((await desk.put(`/tickets/${id}`, agent, { status_id: await status('resolved') })).status, 200)
  await adhoc(`update tickets set resolved_at = clock_timestamp() - interval '1 hour' where id = $1`, [id])
}

/** The tokens in the mails about a ticket, oldest first; waits until there are so many. */
async function tokens(uid: string, atLeast: number): Promise<readonly string[]> {
  const found = async (): Promise<readonly string[]> => {
    const mails = await mailsTo(desk, customer.email, 0, /How did we do/)
    const about = mails.filter((mail) => mail.includes(`#${uid}`))
    return about.map((mail) => /https:\/\/desk\.example\/satisfaction\/([\w-]+)/.exec(mail)?.[1] ?? '')
  }
  await until(async () => (await found()).length >= atLeast)
  return found()
}

/** A solved ticket about which its customer was asked. */
async function asked(body: object = {}): Promise<Asked> {
  const { id, uid } = await open(body)
  await solve(id)
  const [token = ''] = await tokens(uid, 1)
  assert.is(token.length, 43)
  return { id, uid, token }
}

const rate = (token: string, body: object): Promise<Answer> => desk.post(`/satisfaction/${token}`, undefined, body)
const ratings = async (id: number, as: Person): Promise<Answer['list']> =>
  (await desk.get(`/satisfaction-ratings?ticket_id=${id}`, as)).list

test('an hour after a ticket was solved its customer gets a link, and answers without signing in', async () => {
  const { id, token } = await asked()
  const answer = await rate(token, { rating: 4, comment: 'Quick' })
  assert.is(answer.status, 200, answer.text)
  const [rating] = await ratings(id, agent)
  assert.equal([rating?.rating, rating?.comment, rating?.ticket_id], [4, 'Quick', id])
  assert.is(rating?.agent_id, agent.id)
  assert.type(rating?.rated_at, 'string')
  const single = await desk.get(`/tickets/${id}`, agent)
  assert.equal([single.at('data.ratings.0.rating'), single.at('data.ratings.0.comment')], [4, 'Quick'])
})

test('opening the link changes nothing, however often a program does, and shows a form', async () => {
  const { id, token } = await asked()
  for (let i = 0; i < 2; i++) {
    const page = await desk.get(`//satisfaction/${token}?rating=5`)
    assert.is(page.status, 200)
    assert.match(page.text, 'name="rating"')
    assert.match(String(page.headers['content-security-policy']), "default-src 'none'")
    assert.is(page.headers['referrer-policy'], 'no-referrer')
  }
  assert.is((await ratings(id, agent))[0]?.rating, null)
  assert.is((await desk.get(`/tickets/${id}`, agent)).at('data.ratings.length'), 0)
})

test('an answer can be changed for a day, and keeps the moment of the first one', async () => {
  const { id, token } = await asked()
  await rate(token, { rating: 2, comment: 'Slow' })
  const [first] = await ratings(id, agent)
  assert.is((await rate(token, { rating: 5 })).status, 200)
  const [second] = await ratings(id, agent)
  assert.equal([second?.rating, second?.comment, second?.rated_at], [5, null, first?.rated_at])
  const [row] = await adhoc(
    `select expires_at between now() + interval '23 hours' and now() + interval '25 hours' from satisfaction_ratings where ticket_id = $1`,
    [id],
  )
  assert.equal(row, ['t'])
  await adhoc(`update satisfaction_ratings set expires_at = now() where ticket_id = $1`, [id])
  const late = await rate(token, { rating: 1 })
  assert.is(late.status, 422)
  assert.equal(late.body.errors, { token: ['The link is not valid any more'] })
  assert.is((await ratings(id, agent))[0]?.rating, 5)
})

test('a link that nobody made, or an answer that is none, is refused', async () => {
  const { id, token } = await asked()
  assert.is((await rate('A'.repeat(43), { rating: 5 })).status, 422)
  for (const rating of [0, 6, 'good', null]) assert.is((await rate(token, { rating })).status, 422, String(rating))
  assert.is((await rate(token, { comment: 'Only words' })).status, 422)
  assert.is((await rate(token, { rating: 3, comment: 'x'.repeat(5001) })).status, 422)
  assert.is((await ratings(id, agent))[0]?.rating, null)
})

test('neither answers nor the database know the token', async () => {
  const { id, token } = await asked()
  const [row] = await adhoc('select to_jsonb(r)::text from satisfaction_ratings r where ticket_id = $1', [id])
  assert.not.match(String(row?.[0]), token)
  const list = await desk.get(`/satisfaction-ratings?ticket_id=${id}`, desk.admin)
  assert.not.match(list.text, 'token')
  assert.not.match(list.text, 'expires_at')
})

test('it is asked once for each solution: again after the ticket was opened and solved again', async () => {
  const { id, token, uid } = await asked()
  assert.is((await desk.put(`/tickets/${id}`, agent, { status_id: await status('closed') })).status, 200)
  await desk.put(`/tickets/${id}`, agent, { status_id: await status('open') })
  await solve(id)
  const both = await tokens(uid, 2)
  assert.equal([both.length, both.includes(token), new Set(both).size], [2, true, 2])
  await rate(both.find((one) => one !== token) ?? '', { rating: 1 })
  await rate(token, { rating: 5 })
  assert.equal((await ratings(id, agent)).map((one) => one.rating).sort(), [1, 5])
})

test('nobody is asked about a ticket that was opened again by then, or whose work was cancelled', async () => {
  const again = await open()
  await desk.put(`/tickets/${again.id}`, agent, { status_id: await status('resolved') })
  await desk.put(`/tickets/${again.id}`, agent, { status_id: await status('open') })
  const cancelled = await open()
  await desk.put(`/tickets/${cancelled.id}`, agent, { status_id: await status('cancelled') })
  await adhoc(`update tickets set resolved_at = clock_timestamp() - interval '1 hour' where id = $1`, [cancelled.id])
  await asked()
  assert.equal([...(await ratings(again.id, agent)), ...(await ratings(cancelled.id, agent))], [])
})

test('customers read their own ratings alone, and nobody writes one but by the link', async () => {
  const { id, token } = await asked()
  await rate(token, { rating: 3 })
  assert.is((await ratings(id, customer)).length, 1)
  assert.equal(await ratings(id, stranger), [])
  const [own] = await ratings(id, customer)
  assert.is((await desk.get(`/satisfaction-ratings/${own?.id}`, stranger)).status, 403)
  assert.is((await desk.get('/satisfaction-ratings')).status, 401)
  assert.is((await desk.post('/satisfaction-ratings', desk.admin, { rating: 5 })).status, 405)
  assert.is((await desk.put(`/satisfaction-ratings/${own?.id}`, desk.admin, { rating: 5 })).status, 405)
})

test('lists are filtered, sorted, searched and exported like others', async () => {
  const { id, token, uid } = await asked({ subject: 'Quokka' })
  await rate(token, { rating: 2, comment: 'Not a wombat' })
  const found = async (query: string): Promise<readonly unknown[]> =>
    (await desk.get(`/satisfaction-ratings?${query}`, agent)).list.map((one) => one.ticket_id)
  assert.ok((await found('rating[lte]=2&is_answered=true')).includes(id))
  assert.not((await found('is_answered=false')).includes(id))
  assert.equal(await found('search=wombat'), [id])
  assert.equal(await found('search=Quokka'), [id])
  assert.ok((await found(`agent_id=${agent.id}&sort=-rated_at`)).includes(id))
  const file = await desk.get('/satisfaction-ratings/export?search=wombat', desk.admin)
  assert.match(file.text, `${uid},Quokka,Cleo Tester,Alba Tester,`)
})

test('the figures of a period: how many answered, and how content they were, by agent and department', async () => {
  const department_id = await desk.setting('departments', 'Billing')
  const before = await desk.get(`/dashboard/satisfaction?department_id=${department_id}`, desk.admin)
  assert.equal([before.at('data.asked'), before.at('data.average'), before.at('data.answer_rate')], [0, null, 0])
  const mine = { department_id, assigned_to: other.id }
  const [one, two] = [await asked(mine), await asked(mine)]
  const third = await asked({ department_id })
  await rate(one.token, { rating: 5 })
  await rate(third.token, { rating: 2 })
  // Who has it later has nothing to do with the solution.
  await desk.put(`/tickets/${two.id}`, agent, { assigned_to: agent.id })
  const figures = await desk.get(`/dashboard/satisfaction?department_id=${department_id}`, desk.admin)
  assert.is(figures.status, 200, figures.text)
  const { date_from: _, date_to: __, ...data } = figures.at('data') as Record<string, unknown>
  assert.equal(data, {
    asked: 3,
    answered: 2,
    answer_rate: 66.67,
    average: 3.5,
    ratings: [0, 1, 0, 0, 1].map((count, at) => ({ rating: at + 1, count })),
    agents: [
      { id: other.id, name: 'Otto Tester', asked: 2, answered: 1, answer_rate: 50, average: 5 },
      { id: agent.id, name: 'Alba Tester', asked: 1, answered: 1, answer_rate: 100, average: 2 },
    ],
    departments: [{ id: department_id, name: 'Billing', asked: 3, answered: 2, answer_rate: 66.67, average: 3.5 }],
  })
  const past = await desk.get('/dashboard/satisfaction?date_from=2020-01-01&date_to=2020-01-31', desk.admin)
  assert.is(past.at('data.asked'), 0)
  assert.is((await desk.get('/dashboard/satisfaction', customer)).status, 403)
})

test.run()
