/** Data that earlier versions made: the present program opens it, and answers what was answered before. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { plinth } from '../cli/world.ts'
import { CHANGED } from './changed.ts'
import { deskAt } from './client.ts'
import { alike, type Difference, differences } from './difference.ts'
import { type Opened, open, versions } from './opened.ts'
import { ask, refusedPasswords } from './questions.ts'

/** Versions that kept the activity in a table of its own. */
const ACTIVITIES = new Set(['7aad99f', '04ea4ea'])

for (const version of await versions()) {
  const test = suite(`data of ${version}`)
  let desk: Opened
  let plan = ''

  test('it is opened', async () => {
    desk = await open(version, {
      async before(place) {
        plan = (await plinth(['plan'], place)).said
      },
    })
  })
  test.after(() => desk?.close())

  test('the plan before says what becomes of the data, what breaks clients, and gives no advice that does harm', () => {
    const [steps = '', clients = ''] = plan.split('For clients, ')
    assert.not.match(steps, /^ {2}(unsafe|blocked)/m)
    assert.not.match(steps, 'restore-field activities')
    if (ACTIVITIES.has(version))
      assert.match(steps, /take what activities holds over into the log of changes with \d+ rows/)
    const lines = clients.split('\n\n')[0]!.split('\n').slice(1)
    // Each later version adds changes to those of the oldest data.
    assert.ok(lines.length <= (version === 'cb18d12' ? 25 : 30), lines.join('\n'))
    assert.not.match(clients, /has no "(success|data|meta)" any more/)
  })

  test('every answer is what it was', async () => {
    const after = await ask(desk.address, desk.sown)
    const found: Difference[] = []
    for (const [request, answer] of Object.entries(desk.answers)) {
      if ((answer.body as { message?: string }).message === 'Route not found') continue
      found.push(...differences(answer, after[request], request))
    }
    const unexpected = found.filter(({ at }) => !CHANGED.some(({ where }) => where.test(at)))
    assert.is(alike(unexpected).join('\n'), '', `${unexpected.length} differences`)
  })

  test('what was changed before is read', async () => {
    const [first] = desk.sown.ids['/tickets']!
    const { call } = deskAt(desk.address)
    const { status, list } = await call('GET', `/tickets/${first}/activity`, desk.sown.people.admin!.token)
    assert.is(status, 200)
    assert.is(list.at(-1)?.description, 'Ticket created')
  })

  const takenOver = async () => {
    const text = `select count(*) from plinth_change where created_at < $1`
    const count = async () => (await desk.engine.database.adhoc.run({ text }, [desk.at]))[0]?.[0]
    const before = await count()
    assert.ok(Number(before) > 100)
    await desk.again()
    assert.is(await count(), before)
    const { call } = deskAt(desk.address)
    const [first] = desk.sown.ids['/tickets']!
    const { list } = await call('GET', `/tickets/${first}/activity`, desk.sown.people.admin!.token)
    assert.is(list.filter(({ description }) => description === 'Ticket created').length, 1)
  }
  if (ACTIVITIES.has(version)) test('a second start takes nothing over again', takenOver)

  test('everybody signs in with the password of before', async () => {
    assert.equal(await refusedPasswords(desk.address, desk.sown), [])
  })

  test('it is written to', async () => {
    const { call } = deskAt(desk.address)
    const { token } = desk.sown.people.agent!
    const [first] = desk.sown.ids['/tickets']!
    const made = await call('POST', '/tickets', token, { subject: 'After the change', details: 'of the version' })
    assert.is(made.status, 201, made.text)
    assert.is((await call('POST', `/tickets/${first}/comments`, token, { comment: 'Goes on' })).status, 201)
    assert.is((await call('PATCH', `/tickets/${first}`, token, { subject: 'Changed' })).status, 200)
  })

  test.run()
}
