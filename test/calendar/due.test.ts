/** Due times that count working hours: given by YAML alone, at the moment of the request. */
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addWorkingTime } from '../../engine/calendar/working-time.ts'
import { application, type TestApplication } from '../support/application.ts'
import { workingTimeBetween } from './between.ts'

const REQUESTS = `resource: requests
fields:
  subject:  { type: string, required: true }
  priority: { type: enum, values: [normal, critical], default: normal }
  due_at:   { type: timestamp, read_only: true }
follows:
  - { on: [create], set: { due_at: { plus: [$now, 8 hours], in: business } } }
  - { when: { priority: critical }, changed: priority, set: { due_at: { plus: [$now, 90 minutes], in: business } } }
policies: { view: [{ who: anyone }], create: [{ who: anyone }], update: [{ who: anyone }], delete: [] }
`
/** Begins, ends and lengths that stand in records. */
const SPELLS = `resource: spells
fields:
  minutes:   { type: integer }
  begins_at: { type: timestamp }
  ends_at:   { type: timestamp }
  due_at:    { type: timestamp, read_only: true }
  before_at: { type: timestamp, read_only: true }
  plain_at:  { type: timestamp, read_only: true }
  seconds:   { type: integer, read_only: true }
  hours:     { type: decimal, scale: 3, read_only: true }
  plain:     { type: integer, read_only: true }
relations:
  plan: { belongs_to: plans }
follows:
  - set:
      due_at: { plus: [$record.begins_at, { minutes: $record.minutes }], in: business }
      before_at: { minus: [$record.begins_at, { minutes: $record.minutes }], in: business }
      plain_at: { plus: [$record.begins_at, { minutes: { times: [$record.minutes, 2] } }] }
      seconds: { seconds_between: [$record.begins_at, $record.ends_at], in: business }
      hours: { hours_between: [$record.begins_at, $record.ends_at], in: business }
      plain: { minutes_between: [$record.begins_at, $record.ends_at] }
  - when: { plan: { null: false } }
    set: { due_at: { plus: [$record.begins_at, { hours: { first: [$record.plan.hours, 8] } }], in: business } }
policies: { view: [{ who: anyone }], create: [{ who: anyone }], update: [{ who: anyone }], delete: [] }
`
const PLANS = `resource: plans
fields: { hours: { type: integer } }
policies: { view: [{ who: anyone }], create: [{ who: anyone }], update: [], delete: [] }
`
/** The calendar of the reference. */
const CALENDARS =
  /```yaml\n(name: Support Desk\ncalendars:[\s\S]*?)```/.exec(
    readFileSync('resources/guide/follows.md', 'utf8'),
  )?.[1] ?? ''

const test = suite<{ app: TestApplication }>('due times')
let now = new Date('2026-01-01')
test.before(async (context) => {
  context.app = await application({
    resources: {
      'app.yaml': `${CALENDARS}prefix: ''\n`,
      'requests.yaml': REQUESTS,
      'spells.yaml': SPELLS,
      'plans.yaml': PLANS,
    },
    now: () => now,
  })
})
test.after(({ app }) => app.close())

async function dueAt(app: TestApplication, body: object): Promise<string> {
  const { body: answer, status, text } = await app.call('POST', '/requests', { body: { subject: 'It drips', ...body } })
  assert.is(status, 201, text)
  return new Date(answer.data.due_at).toISOString()
}

for (const [what, at, priority, expected] of [
  ['within a day', '2026-03-02T09:00:00+01:00', 'normal', '2026-03-02T17:00:00+01:00'],
  ['over the weekend on which clocks go forward', '2026-03-27T14:30:00+01:00', 'normal', '2026-03-30T16:30:00+02:00'],
  ['over lunch', '2026-03-06T11:15:30+01:00', 'critical', '2026-03-06T13:45:30+01:00'],
  ['over Easter', '2026-04-02T16:00:00+02:00', 'critical', '2026-04-06T09:30:00+02:00'],
  ['over Christmas', '2026-12-24T16:30:00+01:00', 'critical', '2026-12-28T10:00:00+01:00'],
] as const) {
  test(what, async ({ app }) => {
    now = new Date(at)
    assert.is(await dueAt(app, { priority }), new Date(expected).toISOString())
  })
}

test('a due time is counted anew when what it follows from changes', async ({ app }) => {
  now = new Date('2026-03-02T09:00:00+01:00')
  const made = await app.call('POST', '/requests', { body: { subject: 'It drips' } })
  now = new Date('2026-03-02T16:00:00+01:00')
  const path = `/requests/${made.body.data.id}`
  assert.is((await app.call('PATCH', path, { body: { subject: 'It pours' } })).body.data.due_at, made.body.data.due_at)
  const { due_at } = (await app.call('PATCH', path, { body: { priority: 'critical' } })).body.data
  assert.is(new Date(due_at).toISOString(), new Date('2026-03-03T09:30:00+01:00').toISOString())
})

async function spell(app: TestApplication, body: object) {
  const { body: answer, status, text } = await app.call('POST', '/spells', { body })
  assert.is(status, 201, text)
  return answer.data
}

for (const [what, begins_at, minutes, due, before] of [
  ['within a day', '2026-03-02T10:00:30+01:00', 60, '2026-03-02T11:00:30+01:00', '2026-03-02T09:00:30+01:00'],
  ['to the end of a day', '2026-03-02T16:00:00+01:00', 60, '2026-03-02T17:00:00+01:00', '2026-03-02T15:00:00+01:00'],
  [
    'over a weekend in which clocks change',
    '2026-03-27T14:30:00+01:00',
    60,
    '2026-03-30T09:30:00+02:00',
    '2026-03-27T13:30:00+01:00',
  ],
  ['from a night', '2026-03-03T03:00:00+01:00', 30, '2026-03-03T09:30:00+01:00', '2026-03-02T16:30:00+01:00'],
  ['for no time', '2026-03-03T03:00:00+01:00', 0, '2026-03-03T03:00:00+01:00', '2026-03-03T03:00:00+01:00'],
  ['over Easter', '2026-04-02T16:30:00+02:00', 60, '2026-04-06T09:30:00+02:00', '2026-04-02T15:30:00+02:00'],
  ['back to a morning', '2026-03-03T10:00:00+01:00', 60, '2026-03-03T11:00:00+01:00', '2026-03-03T09:00:00+01:00'],
] as const) {
  test(`a moment and a length that stand in the record: ${what}`, async ({ app }) => {
    const { due_at, before_at, plain_at } = await spell(app, { begins_at, minutes })
    assert.is(new Date(due_at).toISOString(), new Date(due).toISOString())
    assert.is(new Date(before_at).toISOString(), new Date(before).toISOString())
    assert.is(Date.parse(plain_at), Date.parse(begins_at) + minutes * 120_000)
  })
}

test('what is absent gives nothing', async ({ app }) => {
  const { due_at, before_at, seconds, plain } = await spell(app, { begins_at: '2026-03-02T10:00:00Z' })
  assert.equal([due_at, before_at, seconds, plain], [null, null, null, null])
})

test('a length may stand in another record, and have another in its place', async ({ app }) => {
  const plans = await Promise.all(
    [{ hours: 4 }, {}].map(async (body) => (await app.call('POST', '/plans', { body })).body.data.id),
  )
  const dues = await Promise.all(
    plans.map((plan_id) => spell(app, { plan_id, begins_at: '2026-03-02T09:00:00+01:00' })),
  )
  assert.equal(
    dues.map(({ due_at }) => new Date(due_at).toISOString()),
    ['2026-03-02T12:00:00.000Z', '2026-03-02T16:00:00.000Z'],
  )
})

test('the database counts as the process does, whatever the moments', async ({ app }) => {
  const calendar = app.engine.app.catalog.calendars.get('business')!
  const moment = fc.integer({ min: Date.UTC(2025, 0), max: Date.UTC(2028, 0) })
  const cases = fc.sample(fc.tuple(moment, moment, fc.integer({ min: 0, max: 20_000 })), { numRuns: 150, seed: 7 })
  for (const [begin, end, minutes] of cases) {
    const [begins_at, ends_at] = [begin, end].map((one) => new Date(one).toISOString())
    const made = await spell(app, { begins_at, ends_at, minutes })
    const worked = workingTimeBetween(calendar, begin, end)
    const because = `${begins_at} ${ends_at} ${minutes}`
    assert.is(Date.parse(made.due_at), addWorkingTime(calendar, begin, minutes * 60_000), because)
    assert.is(made.seconds, Math.floor(worked / 1_000), because)
    assert.is(Number(made.hours), Math.floor(worked / 3_600) / 1_000, because)
    assert.is(made.plain, Math.max(0, Math.floor((end - begin) / 60_000)), because)
  }
})

test.run()
