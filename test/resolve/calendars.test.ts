/** Calendars of app.yaml: the hours of each day of the week, and what is refused. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { renderDiagnostics } from '../../engine/text/render.ts'
import { resolveFiles, VIEW } from './resolves.ts'

const test = suite('calendars')
const THINGS = { things: `fields: { name: { type: string } }\n${VIEW}` }
const app = (calendar: string): string => `name: Test\ncalendars:\n  business: ${calendar}\n`

test('days and ranges of days have the hours that are written for them', () => {
  const { value } = resolveFiles(
    THINGS,
    app(
      '{ zone: Europe/Berlin, hours: { mon-thu: 09:00-17:00, fri: ["13:00-15:00", "09:00-12:00"] }, holidays: [12-25] }',
    ),
  )
  const business = value?.calendars.get('business')
  const day = { from: 540, to: 1020 }
  assert.equal(
    business?.week,
    [day, day, day, day]
      .map((one) => [one])
      .concat([
        [
          { from: 540, to: 720 },
          { from: 780, to: 900 },
        ],
        [],
        [],
      ]),
  )
  assert.equal([...(business?.holidays ?? [])], ['12-25'])
  assert.is(business?.zone, 'Europe/Berlin')
})

test('a range of days may go over the end of the week', () => {
  const { value } = resolveFiles(THINGS, app('{ zone: UTC, hours: { sat-mon: 22:00-24:00 } }'))
  assert.equal(
    value?.calendars.get('business')?.week.map((hours) => hours.length),
    [1, 0, 0, 0, 0, 1, 1],
  )
})

test('what is no time, day or zone is refused at its place', () => {
  const says = (calendar: string): string => renderDiagnostics(resolveFiles(THINGS, app(calendar)).diagnostics)
  for (const [calendar, expected] of [
    [
      '{ zone: Berlin, hours: { mon: 09:00-17:00 } }',
      'app.yaml:3:21 error wrong_calendar: There is no time zone "Berlin"',
    ],
    [
      '{ zone: UTC, hours: { mon: 22:00-06:00 } }',
      'app.yaml:3:40 error wrong_calendar: The hours end before they begin',
    ],
    ['{ zone: UTC, hours: { mon-fri: 09:00-17:00, fri: 16:00-18:00 } }', 'wrong_calendar: The hours of fri overlap'],
    [
      '{ zone: UTC, hours: { mon: 09:00-17:00 }, holidays: [2026-02-30] }',
      'wrong_calendar: There is no day 2026-02-30',
    ],
    ['{ zone: UTC, hours: {} }', 'error'],
    ['{ zone: UTC, hours: { monday: 09:00-17:00 } }', 'a day or days, such as sat or mon-fri'],
    ['{ zone: UTC, hours: { mon: 9-5 } }', 'a begin and an end, such as 09:00-17:00'],
  ] as const) {
    assert.ok(says(calendar).includes(expected), `${calendar}\n${says(calendar)}`)
  }
})

test('a day that is among others too is told of, because its hours are added up', () => {
  const says = (hours: string) =>
    renderDiagnostics(resolveFiles(THINGS, app(`{ zone: UTC, hours: { ${hours} } }`)).diagnostics)
  const twice = says('mon-fri: 09:00-12:00, fri: 13:00-15:00')
  assert.ok(twice.includes('app.yaml:3:57 warning wrong_calendar: "mon-fri" has fri too'), twice)
  for (const day of ['mon', 'wed', 'fri'])
    assert.match(says(`${day}: 13:00-15:00, mon-fri: 09:00-12:00`), /so the hours of both count on that day/)
  for (const hours of [
    'mon-thu: 09:00-12:00, fri: 13:00-15:00',
    'mon-fri: 09:00-12:00, mon-thu: 13:00-17:00',
    'sat-sun: 09:00-12:00, mon: 09:00-10:00',
  ])
    assert.is(says(hours), '')
})

const SPELLS = `fields:
  name:    { type: string }
  minutes: { type: integer }
  hours:   { type: enum, values: [business, nights] }
  plan:    { type: enum, values: [business] }
  begun:   { type: timestamp }
  due_at:  { type: timestamp }
  due_on:  { type: date }
`

/** What is told of values that follow. */
function told(set: string): readonly string[] {
  const files = { things: `${SPELLS}follows: [{ set: { ${set} } }]\n${VIEW}` }
  const { diagnostics } = resolveFiles(files, app('{ zone: UTC, hours: { mon: 09:00-17:00 } }'))
  return diagnostics.map(
    ({ code, message, hint, expected }) =>
      `${code}: ${message}${hint || expected ? ` (${hint ?? expected?.join(', ')})` : ''}`,
  )
}

for (const set of [
  'due_at: { plus: [$now, 4 hours], in: business }',
  'due_at: { plus: [$record.begun, 90 minutes], in: business }',
  'due_at: { minus: [$record.begun, { minutes: $record.minutes }], in: business }',
  'due_at: { plus: [$record.begun, { hours: 1, minutes: { times: [$record.minutes, 3] } }], in: $record.plan }',
  'due_at: { plus: [$record.begun, { days: 2 }] }',
  'due_on: { plus: [$today, { days: $record.minutes }] }',
  'minutes: { minutes_between: [$record.begun, $now], in: business }',
  'minutes: { days_between: [$record.begun, $record.due_at] }',
])
  test(set, () => assert.equal(told(set), []))

for (const [set, message] of [
  [
    'due_at: { plus: [$now, 4 hours], in: busines }',
    'unknown_calendar: There is no calendar "busines" (did you mean "business"?)',
  ],
  ['name: { plus: [$now, 4 hours], in: business }', 'wrong_value: "name" is no moment, which working time leads to'],
  [
    'due_at: { plus: [$now, 2 days], in: business }',
    'wrong_value: "due_at" takes a value and a span of time here ([$record.created_at, 4 hours] or [$now, { minutes: $record.minutes }])',
  ],
  [
    'due_at: { plus: [$now], in: business }',
    'wrong_value: "due_at" takes a value and a span of time here ([$record.created_at, 4 hours] or [$now, { minutes: $record.minutes }])',
  ],
  [
    'due_at: { plus: [$now, { days: 2 }], in: business }',
    'wrong_value: "days" is no unit of time here (seconds, minutes, hours)',
  ],
  [
    'due_at: { plus: [$now, { minutes: $record.name }] }',
    'wrong_value: "minutes" (decimal) is never what a value of string is, which $record.name is',
  ],
  [
    'due_at: { plus: [$now, { minutes: soon }] }',
    'wrong_value: "minutes" takes something else here (a number, such as $record.minutes)',
  ],
  [
    'due_at: { plus: [$now, 4 hours], in: $record.hours }',
    'wrong_value: "hours" has words that are no calendar: nights (business)',
  ],
  ['due_at: { plus: [$now, 4 hours], in: $record.name }', 'wrong_value: "name" is no enum (business)'],
  ['name: { minutes_between: [$record.begun, $now] }', 'wrong_value: "name" is no number'],
  [
    'minutes: { minutes_between: [$record.begun] }',
    'wrong_value: "minutes" takes two moments here ([$record.created_at, $now])',
  ],
  [
    'minutes: { days_between: [$record.begun, $now], in: business }',
    'wrong_value: "minutes" takes hours or less of working time (hours_between)',
  ],
] as const)
  test(set, () => assert.equal(told(set), [message]))

test.run()
