/** Sign-in by a directory: who comes in, as whom, who does not any more, and what a server that is out changes. */
import { Attribute, Change } from 'ldapts'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Answer } from '../../support/answer.ts'
import { runAhead } from '../../support/job.ts'
import { type Directory, openDirectory, PASSWORD, SUFFIX, without } from './directory.ts'
import { ADMIN, DAY, type Office, officeAt, openOffice, optionsFor } from './office.ts'

interface State {
  directory: Directory
  office: Office
}

const test = suite<State>('ldap: sign-in by a directory')

if (without !== undefined) console.log(without)
const it = without === undefined ? test : test.skip

test.before(async (state) => {
  if (without !== undefined) return
  state.directory = await openDirectory()
  state.office = await officeAt(state.directory)
})
test.after(async ({ directory, office }) => {
  await office?.close()
  await directory?.close()
})

const role = (me: Readonly<Record<string, unknown>> | null): unknown => (me?.role as { slug: string } | undefined)?.slug

/** Writes what sort of employee somebody is. */
function replacing(word: string): Change {
  const modification = new Attribute({ type: 'employeeType', values: [word] })
  return new Change({ operation: 'replace', modification })
}

/** Why the look at everybody ended, a time ahead. */
function refusalOf({ engine }: Office, ahead: number): Promise<string> {
  return runAhead(engine, 'ldap.sync', ahead).then(
    () => 'it was done',
    (error: Error) => error.message,
  )
}

function refused(answer: Answer, status: number, sentence: RegExp): void {
  assert.is(answer.status, status, answer.text)
  assert.match(answer.text, sentence)
}

/** A member of the group for agents. */
async function agent({ directory }: State, uid: string): Promise<string> {
  const dn = await directory.person(uid)
  await directory.group('desk-agents', [dn])
  return dn
}

it('a person comes in by the name or the address and the password of the directory, with the role of the group', async (state) => {
  const { directory, office } = state
  await agent(state, 'ann')
  const answer = await office.signIn('ann')
  assert.is(answer.status, 200, answer.text)
  const me = await office.me(answer)
  assert.equal(
    [me?.first_name, me?.last_name, me?.email, me?.email_verified, me?.status, role(me)],
    ['ann', 'Reed', 'ann@acme.example', true, 'active', 'agent'],
  )
  assert.is((await office.me(await office.signIn('ANN@acme.example')))?.id, me?.id)
  const sessions = await office.call('GET', '/api/auth/sessions', { token: String(answer.at('data.token')) })
  assert.equal(
    sessions.list.map(({ factors, provider }) => [factors, provider]),
    [
      [['password'], 'ldap'],
      [['password'], 'ldap'],
    ],
  )
  // Renamed there, and still the same person.
  await directory.change((one) => one.modifyDN(`uid=ann,ou=people,${SUFFIX}`, `uid=anna,ou=people,${SUFFIX}`))
  await directory.group('desk-agents', [`uid=anna,ou=people,${SUFFIX}`])
  assert.is((await office.me(await office.signIn('anna')))?.id, me?.id)
})

it('a wrong password, an empty one and an unknown name are answered alike', async (state) => {
  await agent(state, 'bo')
  const { office } = state
  const wrong = await office.signIn('bo', 'wrong')
  assert.equal([wrong.status, wrong.body.message], [401, 'Invalid credentials'])
  for (const [name, password] of [
    ['nobody', 'wrong'],
    ['nobody', PASSWORD],
    ['bo', ' '],
  ] as const) {
    const answer = await office.signIn(name, password)
    assert.equal([answer.status, answer.body.message, answer.body.code], [401, wrong.body.message, wrong.body.code])
  }
  assert.is((await office.call('POST', '/api/auth/ldap', { body: { name: 'bo', password: '' } })).status, 422)
})

it('a name is a value and never a part of a filter', async (state) => {
  const { office } = state
  const odd = 'o(d)*\\d'
  await state.directory.person('odd', { uid: ['odd', odd], departmentNumber: '7' })
  assert.is((await office.signIn(odd)).status, 200)
  for (const name of [
    '*',
    'o*',
    'odd)(uid=*',
    '*)(|(uid=*',
    'odd)(|(objectClass=*)',
    'o\\28d\\29\\2a\\5cd',
    '\u0000odd',
  ])
    assert.is((await office.signIn(name)).status, name.includes('\u0000') ? 422 : 401, name)
})

it('two entries of one name are nobody', async ({ directory, office }) => {
  for (const uid of ['one', 'two']) await directory.person(uid, { mail: 'both@acme.example', departmentNumber: '7' })
  assert.is((await office.signIn('both@acme.example')).status, 401)
})

it('groups in groups count, also in a circle, and not where the YAML says so', async ({ directory, office }) => {
  const dn = await directory.person('cy')
  const inner = await directory.group('night-shift', [dn])
  const middle = await directory.group('shifts', [inner])
  const outer = await directory.group('desk-agents', [middle])
  await directory.group('night-shift', [dn, outer])
  assert.is(role(await office.me(await office.signIn('cy'))), 'agent')
  const all = optionsFor(`ldap://127.0.0.1:${directory.port}`)
  const flat = await openOffice(all.replace(/(groups: \{ base: "[^"]*")/, '$1, nested: false'))
  try {
    refused(await flat.signIn('cy'), 403, /none of the groups that may work here/)
  } finally {
    await flat.close()
  }
})

it('an attribute that the YAML gives a type maps too, and the role follows it at the next sign-in', async (state) => {
  const { directory, office } = state
  const dn = await directory.person('di', { departmentNumber: '7' })
  assert.is(role(await office.me(await office.signIn('di'))), 'agent')
  await directory.group('desk-admins', [dn])
  assert.is(role(await office.me(await office.signIn('di'))), 'admin')
  const id = (await office.me(await office.signIn('di')))?.id
  const roles = await office.call('GET', '/api/settings/roles', { token: office.admin })
  const customer = roles.list.find(({ slug }) => slug === 'customer')?.id
  const answer = await office.call('PUT', `/api/users/${id}`, { token: office.admin, body: { role_id: customer } })
  assert.equal([answer.status, answer.body.message], [409, 'The role comes from Acme: change it there'])
})

it('somebody who is disabled is not let in, and loses sessions and keys at the next look; who is back works again', async (state) => {
  const { directory, office } = state
  const dn = await agent(state, 'eve')
  const inside = await office.signIn('eve')
  const set = (employeeType: string) => directory.change((one) => one.modify(dn, [replacing(employeeType)]))
  await set('disabled')
  refused(await office.signIn('eve'), 401, /Invalid credentials/)
  assert.is.not(await office.me(inside), null, 'until it is asked')
  assert.equal(
    await runAhead(office.engine, 'ldap.sync'),
    { asked: 0, ended: 0, kept: 0, refused: 0 },
    'none is due yet',
  )
  await runAhead(office.engine, 'ldap.sync', DAY)
  assert.is(await office.me(inside), null)
  const users = await office.call('GET', '/api/users?email=eve@acme.example', { token: office.admin })
  assert.is(users.list[0]?.status, 'declined')
  await set('staff')
  assert.is((await office.me(await office.signIn('eve')))?.status, 'active')
})

it('groups that were lost end the sessions of the directory at the next look', async (state) => {
  const { directory, office } = state
  await agent(state, 'flo')
  const inside = await office.signIn('flo')
  await directory.group('desk-agents', [`uid=nobody,ou=people,${SUFFIX}`])
  await runAhead(office.engine, 'ldap.sync', 2 * DAY)
  assert.is(await office.me(inside), null)
})

it('a person whom people declined does not come back by the directory', async (state) => {
  const { directory, office } = state
  const dn = await agent(state, 'gus')
  const { id } = (await office.me(await office.signIn('gus')))!
  await office.call('PUT', `/api/users/${id}`, { token: office.admin, body: { status: 'declined' } })
  await directory.change((one) => one.modify(dn, [replacing('disabled')]))
  await runAhead(office.engine, 'ldap.sync', 3 * DAY)
  await directory.change((one) => one.modify(dn, [replacing('staff')]))
  refused(await office.signIn('gus'), 403, /not active/)
})

it('the last administrator keeps the role and signs in by a password, whatever the directory says', async ({
  directory,
}) => {
  const office = await officeAt(directory)
  try {
    const dn = await directory.person('boss')
    await directory.group('desk-admins', [dn])
    const inside = await office.signIn('boss')
    assert.is(role(await office.me(inside)), 'admin', 'the address of a trusted domain links')
    await directory.change((one) => one.modify(dn, [replacing('disabled')]))
    await runAhead(office.engine, 'ldap.sync', DAY)
    assert.is(await office.me(inside), null)
    const again = await office.call('POST', '/api/auth/login', { body: ADMIN })
    assert.is(role(await office.me(again)), 'admin')
    const token = String(again.at('data.token'))
    const history = await office.call('GET', '/api/auth/history?act=role_kept', { token })
    assert.equal(
      history.list.map(({ provider }) => provider),
      ['ldap'],
    )
  } finally {
    await office.close()
  }
})

it('nothing is done where most people are missing at once: then the directory or the options are wrong', async ({
  directory,
}) => {
  const office = await officeAt(directory)
  try {
    const all = ['k1', 'k2', 'k3', 'k4', 'k5']
    for (const uid of all) await directory.person(uid, { departmentNumber: '7' })
    const inside = await Promise.all(all.map((uid) => office.signIn(uid)))
    for (const uid of all) await directory.change((one) => one.del(`uid=${uid},ou=people,${SUFFIX}`))
    assert.match(await refusalOf(office, DAY), /none of 5 people of 5, so nothing was done/)
    for (const answer of inside) assert.is.not(await office.me(answer), null)
  } finally {
    await office.close()
  }
})

it('an own second factor is asked for after the password of the directory', async (state) => {
  const { office } = state
  await agent(state, 'hal')
  const { id } = (await office.me(await office.signIn('hal')))!
  await office.engine.database.adhoc.run(
    {
      text: `insert into factors (user_id, kind, name, confirmed_at, created_at, last_step) values ($1, 'totp', 'App', now(), now(), 0)`,
    },
    [id],
  )
  const answer = await office.signIn('hal')
  assert.equal([answer.status, answer.at('data.factors')], [202, ['totp', 'recovery_code']], answer.text)
})

it('a connection is encrypted by StartTLS or from the beginning, and a certificate of somebody else is not taken', async (state) => {
  const { directory } = state
  await agent(state, 'ida')
  const ca = `ca: ${directory.ca}`
  const addresses = [
    [`ldap://localhost:${directory.port}`, `starttls: true\n    ${ca}`, 200],
    [`ldaps://localhost:${directory.tlsPort}`, ca, 200],
    [`ldaps://localhost:${directory.tlsPort}`, '', 503],
    [`ldap://localhost:${directory.port}`, 'starttls: true', 503],
  ] as const
  for (const [url, more, status] of addresses) {
    const office = await openOffice(optionsFor(url, more))
    try {
      const answer = await office.signIn('ida')
      assert.is(answer.status, status, `${url} ${more} ${answer.text}`)
    } finally {
      await office.close()
    }
  }
})

it('a server that is out is a sentence, ends nothing, and keeps no local administrator out', async (state) => {
  const { directory, office } = state
  await agent(state, 'jan')
  const inside = await office.signIn('jan')
  await directory.stop()
  try {
    const answer = await office.signIn('jan')
    refused(answer, 503, /Acme cannot be asked at the moment: wait a moment, or sign in in another way/)
    assert.ok(Number(answer.headers['retry-after']) > 0)
    assert.match(await refusalOf(office, 5 * DAY), /ECONNREFUSED|Connection|closed/)
    assert.is.not(await office.me(inside), null)
    assert.is((await office.call('POST', '/api/auth/login', { body: ADMIN })).status, 200)
  } finally {
    await directory.start()
  }
})

test.run()
