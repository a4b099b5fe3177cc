/** What a stranger is told of an address: the same whether it has an account, and whether that has a second factor. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Answer, type Desk, deskFiles, openDesk, PASSWORD } from '../../desk/desk.ts'
import { setUpApp, strangers } from './strangers.ts'

const test = suite<{ desk: Desk; addresses: Readonly<Record<string, string>> }>(
  'auth: what strangers learn of addresses',
)

test.before(async (state) => {
  const links = (app: string) =>
    app.replace(/^ {4}token_days: .*$/m, (line) => `${line}\n    magic_link: { for: [{ role: customer }] }`)
  state.desk = await openDesk({}, await deskFiles(links))
  state.addresses = await strangers(state.desk)
})
test.after(({ desk }) => desk.close())

/** All that a client sees of an answer, without what differs in any two. */
function seen({ body, headers, status }: Answer): unknown {
  const { meta: _, data, ...rest } = body as Readonly<Record<string, unknown>>
  const names = Object.keys(headers).filter((name) => !name.startsWith('x-ratelimit') && name !== 'content-length')
  return { status, ...rest, data: data === undefined ? undefined : Object.keys(Object(data)), names: names.sort() }
}

const ASKED: readonly (readonly [path: string, more: Readonly<Record<string, string>>])[] = [
  ['/auth/login', { password: 'a wrong password' }],
  ['/auth/login', { password: 'a wrong password', session: 'cookie' }],
  ['/auth/link', {}],
  ['/auth/password/reset', {}],
]

for (const [path, more] of ASKED)
  test(`POST ${path} ${Object.keys(more).join(' ')} answers every address alike`, async ({ desk, addresses }) => {
    const said = new Map<string, string>()
    for (const [kind, email] of Object.entries(addresses)) {
      const headers = { 'sec-fetch-site': 'same-origin' }
      const answer = await desk.call('POST', path, { body: { email, ...more }, headers })
      said.set(kind, JSON.stringify(seen(answer)))
    }
    assert.is(new Set(said.values()).size, 1, JSON.stringify([...said]))
  })

test('the options for a passkey name nobody', async ({ desk }) => {
  const answer = await desk.call('POST', '/auth/passkey/options', {})
  assert.ok(answer.status === 200 || answer.status === 409, answer.text)
  assert.not.match(answer.text, /allowCredentials/)
})

test('a challenge of an account and one of nobody are answered alike', async ({ desk }) => {
  const person = await desk.person('agent', 'Owner')
  await setUpApp(desk, person)
  const first = await desk.call('POST', '/auth/login', { body: { email: person.email, password: PASSWORD } })
  assert.is(first.status, 202, first.text)
  const forged = { challenge: 'x'.repeat(String(first.at('data.challenge')).length), code: '000000' }
  const unknown = await desk.call('POST', '/auth/second-factor', { body: forged })
  assert.is(unknown.status, 422)
  assert.not.match(unknown.text, /code is wrong/, 'only who has the challenge learns of the code')
})

test.run()
