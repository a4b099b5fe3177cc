/** Setting a password by mail: the link, its rules, and the invitation of people without a password. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { tokenHash } from '../../../plugins/keys/seal.ts'
import { hashOf, themeText } from '../../../plugins/pages/page.ts'
import { type Desk, mailsTo, openDesk, PASSWORD, tokenIn } from '../../desk/desk.ts'

let desk: Desk
const test = suite('desk: password by mail')

test.before(async () => {
  desk = await openDesk()
})
test.after(() => desk.close())

const NEW = 'a new long password'

function setting(email: string, password = NEW) {
  return { email, password, password_confirmation: password }
}

test('the answer is the same whether the address is known or not, and only the known one gets a mail', async () => {
  const rita = await desk.person('customer', 'Rita')
  const known = await desk.post('/auth/password/reset', undefined, { email: rita.email })
  const unknown = await desk.post('/auth/password/reset', undefined, { email: 'nobody@people.example' })
  assert.is(known.status, 200)
  assert.is(known.at('data'), null)
  assert.is(known.at('message'), unknown.at('message'))
  const mails = await desk.mails(1)
  assert.is(mails.length, 1)
  assert.match(mails[0] ?? '', /^To: rita@people\.example\r?$/m)
  assert.match(mails[0]?.replace(/=\r?\n/g, '') ?? '', /https:\/\/desk\.example\//)
})

test('a second mail within a minute is not sent', async () => {
  const before = (await desk.mails()).length
  assert.is((await desk.post('/auth/password/reset', undefined, { email: 'rita@people.example' })).status, 200)
  // Time for a mail that must not leave.
  await new Promise((resolve) => setTimeout(resolve, 100))
  assert.is((await desk.mails()).length, before)
})

test('the link works for its address, once, and ends every session', async () => {
  const rita = await desk.login('rita@people.example', PASSWORD)
  const token = tokenIn((await desk.mails(1))[0] ?? '')
  assert.ok(token.length >= 43)
  const other = await desk.post(`/auth/password/reset/${token}`, undefined, setting('boss@desk.example'))
  assert.is(other.status, 422)
  assert.ok(other.at('errors.token.0'))
  const short = await desk.post(`/auth/password/reset/${token}`, undefined, setting(rita.email, 'short'))
  assert.is(short.status, 422)
  assert.ok(short.at('errors.password.0'))
  const done = await desk.post(`/auth/password/reset/${token}`, undefined, setting(rita.email))
  assert.is(done.status, 200, done.text)
  assert.is(done.at('data'), null)
  assert.is((await desk.get('/auth/me', rita)).status, 401)
  assert.is((await desk.post('/auth/login', undefined, { email: rita.email, password: PASSWORD })).status, 401)
  await desk.login(rita.email, NEW)
  const again = await desk.post(`/auth/password/reset/${token}`, undefined, setting(rita.email))
  assert.is(again.status, 422)
  assert.ok(again.at('errors.token.0'))
})

test('a token that was never given is refused', async () => {
  const answer = await desk.post('/auth/password/reset/wrong', undefined, setting('rita@people.example'))
  assert.is(answer.status, 422)
  assert.ok(answer.at('errors.token.0'))
})

/** Asks for a link as if the last one was asked for more than a minute ago; gives the tokens that were mailed so far. */
async function asked(email: string, expected: number): Promise<readonly string[]> {
  const { knex } = desk.engine.database
  await knex('password_resets')
    .where({ email })
    .update({ created_at: new Date(Date.now() - 61_000) })
  assert.is((await desk.post('/auth/password/reset', undefined, { email })).status, 200)
  return (await mailsTo(desk, email, expected, /new password/)).map(tokenIn)
}

test('up to three links are live: who asks for another one ends none, and using one ends all', async () => {
  const sven = await desk.person('agent', 'Sven')
  await asked(sven.email, 1)
  await asked(sven.email, 2)
  const three = await asked(sven.email, 3)
  assert.is(new Set(three).size, 3)
  for (let times = 0; times < 3; times += 1) assert.equal([...(await asked(sven.email, 3))].sort(), [...three].sort())
  const set = (token = ''): Promise<number> =>
    desk.post(`/auth/password/reset/${token}`, undefined, setting(sven.email)).then(({ status }) => status)
  assert.is(await set(three[0]), 200)
  for (const token of three) assert.is(await set(token), 422)
  assert.is((await asked(sven.email, 4)).length, 4, 'links that ended leave their place')
})

test('no link works for longer than its time, which leaves its place', async () => {
  const { knex } = desk.engine.database
  const sara = await desk.person('agent', 'Sara')
  const [first] = await asked(sara.email, 1)
  await knex('password_resets')
    .where({ email: sara.email })
    .update({ expires_at: new Date(Date.now() - 1_000) })
  assert.is((await desk.post(`/auth/password/reset/${first}`, undefined, setting(sara.email))).status, 422)
  await asked(sara.email, 2)
  await asked(sara.email, 3)
  assert.is((await asked(sara.email, 4)).length, 4)
})

test('a password that is set in another way takes the links that were mailed before with it', async () => {
  const tara = await desk.person('agent', 'Tara')
  const linkFor = async (): Promise<string> => {
    const earlier = (await desk.mails()).length
    await desk.post('/auth/password/reset', undefined, { email: tara.email })
    return tokenIn((await desk.mails(earlier + 1)).at(-1) ?? '')
  }
  const first = await linkFor()
  const { email: _, ...chosen } = setting(tara.email, 'chosen by Tara')
  const set = await desk.put(`/users/${tara.id}`, tara, { ...chosen, current_password: PASSWORD })
  assert.is(set.status, 200, set.text)
  assert.is((await desk.post(`/auth/password/reset/${first}`, undefined, setting(tara.email))).status, 422)
  assert.is((await desk.put(`/users/${tara.id}`, tara, { phone: '1' })).status, 200)
  await desk.login(tara.email, 'chosen by Tara')
})

test('staff whose account is made without a password are invited, and choose it themselves', async () => {
  const email = 'ines@people.example'
  const role_id = (await desk.get('/settings/roles?search=agent', desk.admin)).list[0]?.id
  const made = await desk.post('/users', desk.admin, { first_name: 'Ines', last_name: 'Agent', email, role_id })
  assert.equal([made.status, made.at('data.role.slug')], [201, 'agent'], made.text)
  const [mail = ''] = await mailsTo(desk, email, 1, /Your account at/)
  assert.match(mail, /Hello Ines,/)
  assert.is((await desk.post(`/auth/password/reset/${tokenIn(mail)}`, undefined, setting(email))).status, 200)
  const ines = await desk.login(email, NEW)
  assert.is((await desk.get('/tickets', ines)).status, 200)
})

/** A customer made without a password, and the token of their invitation. */
async function invited(name: string): Promise<{ readonly id: number; readonly email: string; readonly token: string }> {
  const email = `${name.toLowerCase()}@people.example`
  const made = await desk.post('/customers', desk.admin, { first_name: name, last_name: 'New', email })
  assert.is(made.status, 201, made.text)
  const [mail = ''] = await mailsTo(desk, email, 1, /Your account at/)
  return { id: Number(made.at('data.id')), email, token: tokenIn(mail) }
}

/** The token of a link that was asked for more than a minute after the one before. */
async function resetLink(email: string): Promise<string> {
  await desk.engine.database
    .knex('password_resets')
    .where({ email })
    .update({ created_at: new Date(Date.now() - 61_000) })
  await desk.post('/auth/password/reset', undefined, { email })
  return (await mailsTo(desk, email, 1, /new password/)).map(tokenIn).at(-1) ?? ''
}

test('a link that a newer one took the place of stays worthless when the newer one was used and is swept', async () => {
  const uma = await invited('Uma')
  const newer = await resetLink(uma.email)
  assert.is((await desk.post(`/auth/password/reset/${newer}`, undefined, setting(uma.email))).status, 200)
  await desk.engine.database
    .knex('password_resets')
    .where({ token_hash: tokenHash(newer) })
    .delete()
  const old = await desk.post(`/auth/password/reset/${uma.token}`, undefined, setting(uma.email, 'of an older link'))
  assert.is(old.status, 422, old.text)
})

test('a link does not survive a change of address, nor a deletion, even when it is taken back', async () => {
  const vera = await invited('Vera')
  for (const email of ['vera.other@people.example', vera.email]) {
    assert.is((await desk.put(`/customers/${vera.id}`, desk.admin, { email })).status, 200)
  }
  assert.is((await desk.post(`/auth/password/reset/${vera.token}`, undefined, setting(vera.email))).status, 422)
  const vito = await invited('Vito')
  await desk.remove(`/customers/${vito.id}`, desk.admin)
  await desk.post(`/customers/${vito.id}/restore`, desk.admin)
  assert.is((await desk.post(`/auth/password/reset/${vito.token}`, undefined, setting(vito.email))).status, 422)
})

test('twenty requests at the same moment send one mail', async () => {
  const wim = await desk.person('customer', 'Wim')
  const asked = Array.from({ length: 20 }, () => desk.post('/auth/password/reset', undefined, { email: wim.email }))
  for (const answer of await Promise.all(asked)) assert.is(answer.status, 200)
  const stored = await desk.engine.database.knex('password_resets').where({ email: wim.email })
  assert.is(stored.length, 1)
  assert.is((await mailsTo(desk, wim.email, 1)).length, 1)
})

test('what is stored of a token is not the token', async () => {
  const rows = await desk.engine.database.knex('password_resets').select('token_hash')
  const tokens = (await desk.mails()).map(tokenIn)
  for (const row of rows) assert.not.ok(tokens.includes(row.token_hash))
})

test('a customer made without a password is invited to choose one', async () => {
  const before = (await desk.mails()).length
  const made = await desk.post('/customers', desk.admin, {
    first_name: 'Nia',
    last_name: 'New',
    email: 'nia@people.example',
  })
  assert.is(made.status, 201, made.text)
  const mails = await desk.mails(before + 1)
  const mail = mails.find((text) => text.includes('nia@people.example')) ?? ''
  assert.is((await desk.post('/auth/login', undefined, { email: 'nia@people.example', password: '' })).status, 422)
  const set = await desk.post(`/auth/password/reset/${tokenIn(mail)}`, undefined, setting('nia@people.example'))
  assert.is(set.status, 200, set.text)
  const nia = await desk.login('nia@people.example', NEW)
  assert.is((await desk.get('/auth/me', nia)).at('data.role.slug'), 'customer')
})

test('a customer made with a password gets no mail', async () => {
  const before = (await desk.mails()).length
  const body = { first_name: 'Ole', last_name: 'Own', ...setting('ole@people.example') }
  assert.is((await desk.post('/customers', desk.admin, body)).status, 201)
  await desk.login('ole@people.example', NEW)
  assert.is((await desk.mails()).length, before)
})

test('the link opens a page that says nothing to other sites', async () => {
  const link = await desk.get('//password/reset/some-token?email=ann@people.example')
  assert.is(link.status, 200, link.text)
  assert.match(String(link.headers['content-type']), /^text\/html/)
  assert.match(String(link.headers['content-security-policy']), /default-src 'none'/)
  assert.is(link.headers['referrer-policy'], 'no-referrer')
  assert.match(link.text, /data-to="\/api\/v1\/auth\/password\/reset\/"/)
  assert.not.match(link.text, /some-token|ann@/)
})

test('the pages of mailed links have the one style, run nothing else, lead to the sign-in, and a new link can be asked for', async () => {
  const pages = ['//password/reset', '//password/reset/some-token', '//email/verify/some-token']
  for (const path of pages) {
    const { headers, text } = await desk.get(path)
    const policy = String(headers['content-security-policy'])
    assert.not.match(policy, /unsafe|https?:|\*/, path)
    const [, style = ''] = /<style>(.*)<\/style>/s.exec(text) ?? []
    const [, script = ''] = /<script>(.*)<\/script>/s.exec(text) ?? []
    assert.is(style, themeText())
    assert.ok(policy.includes(`style-src ${hashOf(style)}`) && policy.includes(`script-src ${hashOf(script)}`), path)
    assert.not.match(text, /(?:src|href)="(?:https?:)?\/\/|\sstyle=|\son\w+=/)
    assert.match(text, '<a href="/dashboard">Sign in</a>')
  }
  assert.match((await desk.get(pages[0]!)).text, /data-to="\/api\/v1\/auth\/password\/reset"/)
  assert.match((await desk.get(pages[1]!)).text, '<a href="/password/reset">Ask for a new link</a>')
})

test.run()
