/** The demo: a desk full of believable data, once. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Desk, openDesk, PASSWORD } from '../../../desk/desk.ts'
import { printed } from '../../../support/printed.ts'

let desk: Desk
let said = ''
const test = suite('desk: demo')

/** Runs the demo's command as the command line does, and keeps what it prints. */
async function runDemo(): Promise<number> {
  const { result, text } = await printed(() => desk.engine.command('demo', []))
  said = text
  return result
}

async function total(path: string): Promise<number> {
  return Number((await desk.get(path, desk.admin)).at('meta.pagination.total'))
}

/** The rows of a statement, as numbers. */
async function numbers(text: string): Promise<readonly (readonly number[])[]> {
  const rows = await desk.engine.database.adhoc.run({ text }, [])
  return rows.map((row) => row.map(Number))
}

test.before(async () => {
  desk = await openDesk()
})
test.after(() => desk.close())

test('without the settings it builds on it changes nothing and says why', async () => {
  const path = `/settings/statuses/${await desk.setting('statuses', 'cancelled')}`
  await desk.remove(path, desk.admin)
  assert.is(await runDemo(), 1)
  assert.match(said, /cancelled/)
  assert.is((await desk.get('/tickets', desk.admin)).at('meta.pagination.total'), 0)
  await desk.post(`${path}/restore`, desk.admin)
})

test('a desk with a ticket or another account is left as it is, and what is in the way is said', async () => {
  const made = await desk.post('/tickets', desk.admin, { subject: 'A real one', details: 'Of a real customer' })
  const somebody = { first_name: 'Real', last_name: 'Person', email: 'real@people.example', password: PASSWORD }
  const role_id = await desk.setting('roles', 'customer')
  const account = await desk.post('/users', desk.admin, { ...somebody, password_confirmation: PASSWORD, role_id })
  const refused = async (found: string) => {
    assert.is(await runDemo(), 1)
    assert.match(said, `there are ${found} beside the first admin. The demo fills an empty desk alone`)
    assert.equal([await total('/contacts'), await total('/organizations'), await total('/users')], [0, 0, 2])
  }
  await refused('1 ticket and 1 account')
  await desk.remove(`/tickets/${made.at('data.id')}`, desk.admin)
  await refused('1 ticket and 1 account')
  const { adhoc } = desk.engine.database
  await adhoc.run({ text: 'delete from tickets' }, [])
  await refused('1 account')
  await adhoc.run({ text: 'delete from access_tokens where user_id = $1::int' }, [account.at('data.id')])
  await adhoc.run({ text: 'delete from users where id = $1::int' }, [account.at('data.id')])
})

test('one that is cut off leaves nothing, and it can be begun again', async () => {
  const { adhoc } = desk.engine.database
  await adhoc.run({ text: "alter table messages add constraint cut check (message <> 'Thank you!')" }, [])
  assert.instance(await runDemo().catch((error: unknown) => error), Error)
  assert.equal([await total('/tickets'), await total('/users'), await total('/contacts')], [0, 1, 0])
  await adhoc.run({ text: 'alter table messages drop constraint cut' }, [])
})

test('it fills the desk', async () => {
  assert.is(await runDemo(), 0)
  assert.ok((await total('/tickets')) >= 300)
  assert.ok((await total('/customers')) >= 50)
  assert.ok((await total('/contacts')) >= 40)
  assert.ok((await total('/knowledge-base')) >= 10)
  assert.ok((await total('/conversations')) >= 50)
  assert.ok((await total('/faqs')) >= 5)
  assert.ok((await total('/posts')) >= 3)
})

test('who is who is printed by role, and all of them sign in with the one password', async () => {
  const password = /^ {2}password (\S+) {3}\(of all of them; shown only now\)$/m.exec(said)?.[1] ?? ''
  assert.is(said.split(password).length, 2)
  for (const [role, least] of [
    ['manager', 2],
    ['agent', 6],
    ['customer', 3],
  ] as const) {
    const emails = new RegExp(`^  ${role} +(.*?)( and \\d+ more)?$`, 'm').exec(said)?.[1]?.split(', ') ?? []
    assert.ok(emails.length >= least, said)
    const person = await desk.login(emails.at(-1) ?? '', password)
    assert.is((await desk.get('/auth/me', person)).at('data.role.slug'), role)
  }
})

test('tickets come on weekends and evenings too, and answers are uneven', async () => {
  const days = await numbers('select extract(isodow from created_at), count(*) from tickets group by 1 order by 1')
  assert.is(days.length, 7)
  const [least, most] = [
    Math.min(...days.slice(0, 5).map(([, n]) => n!)),
    Math.max(...days.slice(5).map(([, n]) => n!)),
  ]
  assert.ok(most < least, JSON.stringify(days))
  const [[evening = 0, all = 0] = []] = await numbers(
    'select count(*) filter (where extract(hour from created_at) >= 18), count(*) from tickets',
  )
  assert.ok(evening > all / 20 && evening < all / 3, `${evening} of ${all}`)
  const [[tenth = 0, median = 0, most9 = 0] = []] = await numbers(`
    select percentile_cont(0.1) within group (order by s), percentile_cont(0.5) within group (order by s), percentile_cont(0.9) within group (order by s)
    from (select extract(epoch from first_response_at - created_at) s from tickets where first_response_at is not null) x`)
  assert.ok(tenth > 0 && median > 3 * tenth && most9 > 3 * median, `${tenth} ${median} ${most9}`)
  const [[late = 1] = []] = await numbers(
    'select count(*) from tickets where first_response_at < created_at or resolved_at < first_response_at or updated_at > now()',
  )
  assert.is(late, 0)
})

test('its tickets hold together', async () => {
  const { list } = await desk.get('/tickets?per_page=100&sort=-id', desk.admin)
  for (const ticket of list) {
    assert.ok(String(ticket.subject).length > 5)
    assert.not.match(`${ticket.subject} ${ticket.details}`, /\{\w+\}/)
    assert.ok(ticket.user !== null && ticket.status !== null && ticket.priority !== null && ticket.category !== null)
    assert.ok(String(ticket.created_at) <= String(ticket.updated_at))
  }
  const talked = await desk.get('/tickets?per_page=100', desk.admin)
  assert.ok(talked.list.some(({ comments_count }) => Number(comments_count) > 1))
})

test('its macros can be applied, and somebody watches tickets', async () => {
  const [manager = '', shared = ''] = [/manager +(\S+)/, /password +(\S+)/].map((found) => found.exec(said)?.[1] ?? '')
  const mona = await desk.login(manager.replace(',', ''), shared)
  const watched = await desk.get('/tickets?watched=true', mona)
  assert.ok(Number(watched.at('meta.pagination.total')) > 10)
  const macros = await desk.get(`/tickets/${watched.list[0]?.id}/macros`, mona)
  assert.equal(
    macros.list.map(({ slug }) => slug),
    ['ask-for-details', 'escalate', 'solved'],
  )
})

test('a second run changes nothing', async () => {
  const before = (await desk.get('/tickets', desk.admin)).at('meta.pagination.total')
  assert.is(await runDemo(), 1)
  assert.match(said, /there are 420 tickets and 68 accounts beside the first admin/)
  assert.is((await desk.get('/tickets', desk.admin)).at('meta.pagination.total'), before)
})

test.run()
