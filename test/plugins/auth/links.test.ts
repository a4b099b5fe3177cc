/** Signing in by a mailed link or code: who may, what a scanner of mails cannot do, and what is refused. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Answer, type Desk, deskFiles, openDesk, type Person } from '../../desk/desk.ts'
import { until } from '../../support/wait.ts'

interface State {
  desk: Desk
  cleo: Person
  agent: Person
}

const test = suite<State>('desk: links to sign in')

const withLinks = (app: string) =>
  app.replace(/^ {4}token_days: .*$/m, (line) => `${line}\n    magic_link: { for: [{ role: customer }], minutes: 15 }`)

test.before(async (state) => {
  state.desk = await openDesk({}, await deskFiles(withLinks))
  state.cleo = await state.desk.person('customer', 'Cleo')
  state.agent = await state.desk.person('agent', 'Asa')
})
test.before.each(async ({ desk }) => {
  await desk.engine.database.knex('sign_in_links').delete()
})
test.after(({ desk }) => desk.close())

test('without the option there is no such way, and the page offers none', async () => {
  const desk = await openDesk()
  try {
    assert.is((await ask(desk, 'cleo@desk.example')).status, 404)
    const { status, text } = await desk.get('//sign-in')
    assert.is(status, 200)
    assert.not.match(text, 'by-link"')
  } finally {
    await desk.close()
  }
})

interface Asked {
  readonly request: string
  readonly token: string
  readonly code: string
}

const ask = (desk: Desk, email: string): Promise<Answer> => desk.call('POST', '/auth/link', { body: { email } })
const use = (desk: Desk, body: Readonly<Record<string, string>>): Promise<Answer> =>
  desk.call('POST', '/auth/link/use', { body })

/** Asks for a link; gives what the browser keeps and what the mail has. */
async function asked(desk: Desk, email: string): Promise<Asked> {
  const links = async () =>
    (await desk.mails()).map(plain).filter((mail) => /sign-in\/link\//.test(mail) && mail.includes(email))
  const before = (await links()).length
  const answer = await ask(desk, email)
  assert.is(answer.status, 200, answer.text)
  await until(async () => (await links()).length > before)
  const mail = (await links()).at(-1) ?? ''
  const [, token = ''] = /sign-in\/link\/([\w-]{43})/.exec(mail) ?? []
  const [, code = ''] = /this code there: (\d{8})/.exec(mail) ?? []
  return { request: String(answer.at('data.request')), token, code }
}

function plain(mail: string): string {
  return mail.replace(/=\r?\n/g, '').replaceAll('=3D', '=')
}

test('the link signs in the browser that asked, once', async ({ desk, cleo }) => {
  const { request, token } = await asked(desk, cleo.email)
  const inside = await use(desk, { request, token })
  assert.equal([inside.status, inside.at('data.user.id')], [200, cleo.id], inside.text)
  const sessions = await desk.get('/auth/sessions', { ...cleo, token: String(inside.at('data.token')) })
  assert.equal(sessions.list.find(({ current }) => current === true)?.factors, ['link'])
  assert.is((await use(desk, { request, token })).status, 422)
})

test('a code can be typed instead, and another browser needs it besides the link', async ({ desk, cleo }) => {
  const { code, request } = await asked(desk, cleo.email)
  assert.is((await use(desk, { request, code: `${code.slice(0, 4)} ${code.slice(4)}` })).status, 200)
  await desk.engine.database.knex('sign_in_links').delete()
  const other = await asked(desk, cleo.email)
  const scanned = await use(desk, { token: other.token })
  assert.equal([scanned.status, Object.keys(scanned.body.errors)], [422, ['code']])
  assert.is((await use(desk, { token: other.token, code: other.code })).status, 200)
})

test('opening the link uses nothing up, whoever does it', async ({ desk, cleo }) => {
  const { request, token } = await asked(desk, cleo.email)
  for (const method of ['HEAD', 'GET', 'GET']) {
    const page = await desk.call(method, `//sign-in/link/${token}`)
    assert.is(page.status, 200)
    assert.match(String(page.headers['content-security-policy']), "default-src 'none'")
    assert.is(page.headers['referrer-policy'], 'no-referrer')
  }
  for (let count = 0; count < 20; count += 1) assert.is((await use(desk, { token })).status, 422)
  assert.is((await use(desk, { request, token })).status, 200)
})

test('of many that use a link at once, one comes in', async ({ desk, cleo }) => {
  const { request, token } = await asked(desk, cleo.email)
  const answers = await Promise.all(Array.from({ length: 10 }, () => use(desk, { request, token })))
  assert.is(answers.filter(({ status }) => status === 200).length, 1)
})

test('a code has five tries, and a link ends', async ({ desk, cleo }) => {
  const { code, request, token } = await asked(desk, cleo.email)
  const wrong = code === '00000000' ? '11111111' : '00000000'
  for (let count = 0; count < 5; count += 1) assert.is((await use(desk, { request, code: wrong })).status, 422)
  assert.is((await use(desk, { request, code })).status, 422)
  const { knex } = desk.engine.database
  await knex('sign_in_failures').delete()
  await knex('sign_in_links').update({ tries: 0, expires_at: new Date(Date.now() - 1_000) })
  assert.is((await use(desk, { request, token })).status, 422)
})

test('only accounts that the application names get a mail, and every address the same answer', async ({
  desk,
  cleo,
  agent,
}) => {
  const before = (await desk.mails()).length
  const answers = await Promise.all([agent.email, 'nobody@people.example'].map((email) => ask(desk, email)))
  const { code, request, token } = await asked(desk, cleo.email)
  const mails = (await desk.mails()).slice(before).map(plain)
  assert.equal(mails.filter((mail) => mail.includes('sign-in/link')).length, 1)
  const told = [...answers, await ask(desk, cleo.email)].map(({ status, at }) =>
    JSON.stringify([status, at('message')]),
  )
  assert.equal(new Set(told).size, 1)
  await desk.engine.database.knex('sign_in_links').where({ email: cleo.email }).update({ email: agent.email })
  assert.is((await use(desk, { request, token })).status, 401)
  assert.is((await use(desk, { request, code })).status, 422)
})

test.run()
