/** Addresses count once they are confirmed: by mail, by a reset or by staff; until then no ticket is given away by them. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  confirmationIn,
  type Desk,
  mailsTo,
  openDesk,
  PASSWORD,
  type Person,
  registerAt,
  tokenIn,
} from '../../desk/desk.ts'
import { until } from '../../support/wait.ts'
import { sendParts } from '../media/world.ts'

let desk: Desk
let agent: Person
const test = suite('desk: confirmed addresses')

test.before(async () => {
  desk = await openDesk()
  agent = await desk.person('agent', 'Alba')
})
test.after(() => desk.close())

/** What a change of the own address must bring. */
const CURRENT = { current_password: PASSWORD }

const verify = (token: string) => desk.post('/auth/email/verify', undefined, { token })

/** The token of the newest mail that asks somebody to confirm an address. */
async function linkTo(email: string, atLeast = 1): Promise<string> {
  return (await mailsTo(desk, email, atLeast, /Confirm your/)).map(confirmationIn).at(-1) ?? ''
}

async function contact(email: string): Promise<number> {
  const made = await desk.post('/contacts', agent, { first_name: 'Con', last_name: 'Tact', email })
  assert.is(made.status, 201, made.text)
  return Number(made.at('data.id'))
}

async function ticketFor(contactId: number): Promise<string> {
  const made = await desk.post('/tickets', agent, {
    subject: 'Held',
    details: 'For its contact',
    contact_id: contactId,
  })
  assert.is(made.status, 201, made.text)
  return `/tickets/${made.at('data.id')}`
}

test('who registers is unconfirmed, works at once, and is mailed a link without a word of theirs', async () => {
  const ida = await registerAt(desk, 'Ida', { first_name: 'Your account', last_name: 'is locked' })
  const me = await desk.get('/auth/me', ida)
  assert.equal([me.status, me.at('data.email_verified'), me.at('data.pending_email')], [200, false, null])
  const [mail = ''] = await mailsTo(desk, ida.email, 1)
  assert.match(mail, /^Subject: Confirm your e-mail address/m)
  assert.not.match(mail, /locked/i)
  const done = await verify(confirmationIn(mail))
  assert.equal([done.status, done.at('data')], [200, null], done.text)
  assert.is((await desk.get('/auth/me', ida)).at('data.email_verified'), true)
  assert.ok((await verify(confirmationIn(mail))).at('errors.token.0'), 'once')
  assert.is((await verify('never given')).status, 422)
  assert.is((await desk.post('/auth/email/verify', undefined, {})).status, 422)
})

test('a ticket for a contact stays closed to who merely registered with its address, and is the owner’s once confirmed', async () => {
  const squatter = await registerAt(desk, 'Held')
  await desk.post(`/users/pending/${squatter.id}/approve`, desk.admin)
  const path = await ticketFor(await contact(squatter.email))
  assert.is((await desk.get(path, squatter)).status, 403)
  assert.equal((await desk.get('/tickets', squatter)).list, [])
  assert.is((await desk.get(path, agent)).at('data.user'), null)
  // The owner of the mailbox gets in by a new password; whoever registered with the address is out by it.
  await desk.post('/auth/password/reset', undefined, { email: squatter.email })
  const [reset = ''] = await mailsTo(desk, squatter.email, 1, /new password for/)
  const fresh = { password: 'the true owner', password_confirmation: 'the true owner' }
  const set = await desk.post(`/auth/password/reset/${tokenIn(reset)}`, undefined, { email: squatter.email, ...fresh })
  assert.is(set.status, 200, set.text)
  assert.is((await desk.get('/auth/me', squatter)).status, 401)
  assert.is((await verify(await linkTo(squatter.email))).status, 422, 'the link of the registration has ended')
  const owner = await desk.login(squatter.email, 'the true owner')
  assert.is((await desk.get('/auth/me', owner)).at('data.email_verified'), true)
  assert.is((await desk.get(path, owner)).status, 200)
  assert.is((await desk.get(await ticketFor(await contact(owner.email)), owner)).status, 200)
})

test('neither an unapproved, nor a declined, nor a staff account is named by its address', async () => {
  const waiting = await registerAt(desk, 'Wait')
  await verify(await linkTo(waiting.email))
  const held = await ticketFor(await contact(waiting.email))
  assert.is((await desk.get(held, agent)).at('data.user'), null)
  await desk.post(`/users/pending/${waiting.id}/approve`, desk.admin)
  assert.is((await desk.get(held, waiting)).status, 200, 'approved and confirmed')
  const declined = await registerAt(desk, 'Decl')
  await verify(await linkTo(declined.email))
  await desk.post(`/users/pending/${declined.id}/decline`, desk.admin)
  assert.is((await desk.get(await ticketFor(await contact(declined.email)), agent)).at('data.user'), null)
  assert.is((await desk.get(await ticketFor(await contact(agent.email)), agent)).at('data.user'), null)
})

test('a large pile of tickets is taken over too', async () => {
  const paul = await registerAt(desk, 'Paul')
  await desk.post(`/users/pending/${paul.id}/approve`, desk.admin)
  const path = await ticketFor(await contact(paul.email))
  const { knex } = desk.engine.database
  const {
    id: _,
    uid: __,
    ...row
  } = await knex('tickets')
    .where({ id: path.split('/').at(-1) })
    .first()
  await knex('tickets').insert(Array.from({ length: 60 }, () => ({ ...row, tags: JSON.stringify(row.tags) })))
  await verify(await linkTo(paul.email))
  const total = async () => (await desk.get('/tickets?per_page=1', paul)).at('meta.pagination.total')
  await until(async () => (await total()) === 61)
})

test('an import names only confirmed, active customers by their address', async () => {
  const manager = await desk.person('manager', 'Mona')
  const open = await registerAt(desk, 'Open')
  const rows = [open.email, agent.email, desk.admin.email, '\uff23ORA@people.example']
  const cora = await desk.person('customer', 'Cora')
  const text = `Subject,Customer Email\n${rows.map((email, at) => `Row ${at},${email}`).join('\n')}\n`
  const answer = await sendParts(desk, 'POST', '/tickets/import', manager, [
    { name: 'file', value: text, file: 'tickets.csv', type: 'text/csv' },
  ])
  assert.equal([answer.at('data.imported'), answer.at('data.failed')], [1, 3], answer.text)
  assert.is((await desk.get('/tickets', cora)).at('meta.pagination.total'), 1)
})

test('what staff make and change counts as confirmed, unless they say otherwise', async () => {
  const made = await desk.post('/customers', agent, {
    first_name: 'Sue',
    last_name: 'Staff',
    email: 'sue@people.example',
    password: PASSWORD,
    password_confirmation: PASSWORD,
  })
  assert.is(made.at('data.email_verified'), true, made.text)
  const path = `/customers/${made.at('data.id')}`
  const doubted = await desk.put(path, agent, { email: 'sue2@people.example', email_verified: false })
  assert.equal([doubted.at('data.email'), doubted.at('data.email_verified')], ['sue2@people.example', false])
  assert.is((await desk.put(path, agent, { email: 'sue3@people.example' })).at('data.email_verified'), true)
  const self = await desk.login('sue3@people.example', PASSWORD)
  assert.is((await desk.put(`/users/${self.id}`, self, { email_verified: false })).status, 403)
  const registered = await registerAt(desk, 'Reg')
  assert.is(
    (await desk.call('PATCH', `/users/${registered.id}`, { as: registered, body: { email_verified: true } })).status,
    403,
  )
  assert.is((await desk.put(`/users/${registered.id}`, desk.admin, { email_verified: true })).status, 200)
  assert.is((await desk.get('/auth/me', registered)).at('data.email_verified'), true)
  assert.is((await verify(await linkTo(registered.email))).status, 422, 'the word of staff ends the link')
  const own = await desk.put(`/users/${desk.admin.id}`, desk.admin, { email_verified: false })
  assert.is(own.status, 403)
})

test('a new address of one’s own waits for its link; the old one stays in force and is told', async () => {
  const nora = await desk.person('customer', 'Nora')
  const began = performance.now()
  const asked = await desk.put(`/users/${nora.id}`, nora, { email: 'nora.new@people.example', phone: '1', ...CURRENT })
  assert.is(asked.status, 200, asked.text)
  assert.equal(
    ['email', 'pending_email', 'email_verified', 'phone'].map((name) => asked.at(`data.${name}`)),
    [nora.email, 'nora.new@people.example', true, '1'],
  )
  const [told = ''] = await mailsTo(desk, nora.email, 1, /The e-mail address of your account/)
  assert.match(told, /nora\.new@people\.example/)
  await desk.login(nora.email, PASSWORD)
  const held = await ticketFor(await contact('nora.new@people.example'))
  assert.is((await desk.get(held, nora)).status, 403)
  const soon = await desk.put(`/users/${nora.id}`, nora, { email: 'nora.other@people.example', ...CURRENT })
  assert.is(soon.status, 429)
  assert.ok(Number(soon.headers['retry-after']) > 55 - (performance.now() - began) / 1_000)
  assert.is((await verify(await linkTo('nora.new@people.example'))).status, 200)
  const me = await desk.get('/auth/me', nora)
  assert.equal(
    ['email', 'pending_email', 'email_verified'].map((name) => me.at(`data.${name}`)),
    ['nora.new@people.example', null, true],
  )
  assert.is((await desk.get(held, nora)).status, 200)
  assert.is((await desk.post('/auth/login', undefined, { email: nora.email, password: PASSWORD })).status, 401)
})

test('a new address that somebody has is refused, now or when it is confirmed', async () => {
  const olga = await desk.person('customer', 'Olga')
  const taken = await desk.put(`/users/${olga.id}`, olga, { email: agent.email.toUpperCase(), ...CURRENT })
  assert.equal([taken.status, taken.at('errors.email')], [422, ['The email has already been taken']])
  assert.is((await desk.put(`/users/${olga.id}`, olga, { email: 'wanted@people.example', ...CURRENT })).status, 200)
  const wanted = await registerAt(desk, 'Wanted')
  const links = (await mailsTo(desk, wanted.email, 2, /Confirm your/)).map(confirmationIn)
  const answers = [await verify(links[0] ?? ''), await verify(links[1] ?? '')].map(({ status }) => status)
  assert.equal(answers.sort(), [200, 422])
  assert.is((await desk.get('/auth/me', olga)).at('data.email'), olga.email)
})

test('a reset, a new password and a change by staff end a change of address that waits', async () => {
  const ends: Readonly<Record<string, (person: Person) => Promise<unknown>>> = {
    Rosa: async (person) => {
      await desk.post('/auth/password/reset', undefined, { email: person.email })
      const [mail = ''] = await mailsTo(desk, person.email, 1, /new password for/)
      const body = { email: person.email, password: 'another one', password_confirmation: 'another one' }
      return desk.post(`/auth/password/reset/${tokenIn(mail)}`, undefined, body)
    },
    Rita: (person) =>
      desk.put(`/users/${person.id}`, desk.admin, { password: 'another one', password_confirmation: 'another one' }),
    Ruth: (person) => desk.put(`/customers/${person.id}`, agent, { email: 'ruth.said@people.example' }),
  }
  for (const [name, end] of Object.entries(ends)) {
    const person = await desk.person('customer', name)
    const away = `${name.toLowerCase()}.away@people.example`
    assert.is((await desk.put(`/users/${person.id}`, person, { email: away, ...CURRENT })).status, 200)
    const link = await linkTo(away)
    await end(person)
    assert.is((await verify(link)).status, 422, name)
    const read = await desk.get(`/users/${person.id}`, desk.admin)
    assert.is(read.at('data.pending_email'), null, name)
    assert.is.not(read.at('data.email'), away, name)
  }
})

test('the link is mailed again, once a minute, and ends the one before', async () => {
  const sven = await registerAt(desk, 'Sven')
  const first = await linkTo(sven.email)
  const again = await desk.post('/auth/email/resend', sven)
  assert.equal([again.status, again.at('data')], [200, null], again.text)
  assert.is((await mailsTo(desk, sven.email, 1)).length, 1, 'one is on its way')
  const { knex } = desk.engine.database
  await knex('email_confirmations')
    .where({ user_id: sven.id })
    .update({ created_at: new Date(Date.now() - 61_000) })
  const back = new Date(Date.now() + 3_600_000)
  await knex('email_confirmations').where({ user_id: sven.id }).update({ created_at: back })
  assert.is((await desk.post('/auth/email/resend', sven)).status, 200, 'also when the clock was set back since')
  const second = await linkTo(sven.email, 2)
  assert.is.not(second, first)
  assert.is((await verify(first)).status, 422)
  await knex('email_confirmations')
    .where({ user_id: sven.id })
    .update({ expires_at: new Date(Date.now() - 1_000) })
  assert.is((await verify(second)).status, 422, 'expired')
  assert.is((await desk.post('/auth/email/resend', desk.admin)).status, 409)
  assert.is((await desk.post('/auth/email/resend', undefined)).status, 401)
})

test('no mail to an address that was never confirmed holds a word of whoever registered with it', async () => {
  const eve = await registerAt(desk, 'Evil', { first_name: 'customer, YOUR ACCOUNT', last_name: 'IS LOCKED' })
  const ticket = await desk.post('/tickets', eve, { subject: 'YOUR ACCOUNT IS LOCKED', details: 'Call now' })
  await desk.post(`/tickets/${ticket.at('data.id')}/comments`, agent, { comment: 'Who are you?' })
  await desk.put(`/tickets/${ticket.at('data.id')}`, agent, { status_id: await desk.setting('statuses', 'Resolved') })
  await desk.post('/auth/password/reset', undefined, { email: eve.email })
  await desk.put(`/users/${eve.id}`, eve, { email: 'locked.call.now@people.example', ...CURRENT })
  const mails = await mailsTo(desk, eve.email, 5)
  assert.is(mails.length, 5, mails.join('\n'))
  for (const mail of mails) assert.not.match(mail, /LOCKED|customer,|locked/, mail)
  assert.match(mails.join('\n'), new RegExp(`#${ticket.at('data.uid')}`), 'that there is news is told')
  await verify(await linkTo('locked.call.now@people.example'))
  await desk.post(`/tickets/${ticket.at('data.id')}/comments`, agent, { comment: 'Who are you?' })
  const [after = ''] = await mailsTo(desk, 'locked.call.now@people.example', 1, /YOUR ACCOUNT IS LOCKED/)
  assert.match(after, /Who are you/)
})

test('what is stored of a link is not its token', async () => {
  const rows = await desk.engine.database.knex('email_confirmations').select('token_hash')
  const tokens = (await desk.mails()).map(confirmationIn)
  for (const row of rows) assert.not.ok(tokens.includes(row.token_hash))
})

test('the link opens a page with a button, which says nothing to other sites', async () => {
  const page = await desk.get('//email/verify/some-token')
  assert.is(page.status, 200, page.text)
  assert.match(String(page.headers['content-type']), /^text\/html/)
  assert.match(String(page.headers['content-security-policy']), /default-src 'none'/)
  assert.is(page.headers['referrer-policy'], 'no-referrer')
  assert.match(page.text, /data-to="\/api\/v1\/auth\/email\/verify"/)
  assert.match(page.text, /<button>/)
  assert.not.match(page.text, /some-token/)
})

test.run()
