/** What authors read about mistakes in automations, and what a right one becomes. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { resourceOf, saysOfThings as says, VIEW } from './resolves.ts'

const mistaken = suite('mistakes in automations')

const THINGS = `
fields:
  name:   { type: string, required: true }
  code:   { type: string, immutable: true }
  pin:    { type: secret }
  due_at: { type: timestamp }
  due_on: { type: date }
  is_old: { type: boolean }
relations:
  status: { belongs_to: statuses }
  parts:  { has_many: parts }
`
const PARTS = `
fields: { name: { type: string, required: true }, size: { type: integer } }
relations: { thing: { belongs_to: things, required: true }, status: { belongs_to: statuses } }
${VIEW}`

function saysOf(automation: string, expected: readonly string[]): void {
  says(`${THINGS}automations:\n  act: { ${automation} }`, expected, { parts: PARTS })
}

mistaken('one trigger, with the keys that go with it', () => {
  saysOf('set: { is_old: true }', ['things.yaml [act] wrong_automation: Nothing sets the automation "act" off'])
  saysOf('on: [create], at: due_at, set: { is_old: true }', [
    'things.yaml [at] wrong_automation: "at" does not go with "on": one thing sets an automation off (write two automations)',
  ])
  saysOf('every: "0 8 * * *", after: 1 day, when: {}, set: { is_old: true }', [
    'things.yaml [after] wrong_automation: "after" does not go with "every"',
  ])
  saysOf('at: due_at, after: 1 day, before: 1 day, set: { is_old: true }', [
    'things.yaml [before] wrong_automation: "before" does not go with "after"',
  ])
  saysOf('on: [create], changed: name, set: { is_old: true }', [
    'things.yaml [changed] wrong_automation: Only an update changes something (leave it out, or name update under on)',
  ])
})

mistaken('what could never set it off', () => {
  saysOf('at: due, set: { is_old: true }', [
    'things.yaml [due] unknown_field: "things" has no field "due" (did you mean "due_at"?)',
  ])
  saysOf('at: name, set: { is_old: true }', [
    'things.yaml [name] wrong_automation: "name" is no moment that is stored with the record',
  ])
  saysOf('on: [update], changed: nam, set: { is_old: true }', [
    'things.yaml [nam] unknown_field: "things" has no field or relation "nam" (did you mean "name"?)',
  ])
  saysOf('on: [update], changed: pin, set: { is_old: true }', [
    'things.yaml [pin] wrong_automation: "pin" is never shown, so the log of changes does not hold it',
  ])
  saysOf('on: [update], changed: updated_at, set: { is_old: true }', [
    'things.yaml [updated_at] wrong_automation: Every update sets "updated_at", so the log of changes does not hold it (leave it out: every update is meant)',
  ])
  saysOf(
    'on: [update], changed: { nam: { to: x }, is_old: { from: [true, maybe] }, due_at: { to: "2026-01-01" }, status: { from: 3 } }, set: { name: x }',
    [
      'things.yaml [nam] unknown_field: "things" has no field or relation "nam" (did you mean "name"?)',
      'things.yaml [maybe] wrong_value: "is_old" must be true or false',
      'things.yaml ["2026-01-01"] wrong_automation: "due_at" (timestamp) can be compared with null alone (leave the value to "when", which is judged of the record when the automation acts)',
      'things.yaml [3] wrong_automation: "status" (a relation) can be compared with null alone (leave the value to "when", which is judged of the record when the automation acts)',
    ],
  )
  saysOf('on: [update], changed: { status: { from: null }, name: { from: a, to: [b, c] } }, set: { is_old: true }', [])
  saysOf('on: [create], changed: { name: { to: x } }, set: { is_old: true }', [
    'things.yaml [changed] wrong_automation: Only an update changes something (leave it out, or name update under on)',
  ])
  saysOf('every: "0 25 * * *", run: {}', [
    'things.yaml ["0 25 * * *"] wrong_automation: This is no schedule: "25" is no hour: it goes from 0 to 23 ("30 8 * * mon-fri" is half past eight on working days)',
  ])
  saysOf('every: "0 8 * * *", in: Europe/Berlim, ring: {}', [
    'things.yaml [Europe/Berlim] wrong_automation: There is no time zone or calendar "Europe/Berlim"',
  ])
  saysOf('at: due_at, in: Europe/Berlin, ring: {}', [
    'things.yaml [in] wrong_automation: "due_at" is the same moment in every zone (leave it out)',
  ])
})

mistaken('a condition is a filter over the record, without an actor and without what was before', () => {
  saysOf('at: due_at, when: { nam: x, status.slug: open, is_old: { gt: 1 } }, ring: {}', [
    'things.yaml [nam] unknown_field: "things" has no field or relation "nam" (did you mean "name"?)',
    'things.yaml [1] invalid_filter: "is_old" (boolean) cannot be compared with "gt"',
  ])
  saysOf('at: due_at, when: { name: $actor }, ring: {}', [
    'things.yaml [$actor] wrong_automation: There is no "$actor" in an automation: it runs as the system',
  ])
  saysOf('on: [update], when: { name: $before.name }, ring: {}', [
    'things.yaml [$before.name] invalid_filter: An automation acts after the write, when nothing knows any more what was stored before (it is what is stored before an update: take it into a rule about updates)',
  ])
})

mistaken('it does something, and what it sets fits', () => {
  saysOf('at: due_at', ['things.yaml [act] wrong_automation: The automation "act" does nothing'])
  saysOf('at: due_at, set: { nam: x, is_old: maybe, code: x }', [
    'things.yaml [nam] unknown_field: "things" has no field or relation "nam" (did you mean "name"?)',
    'things.yaml [maybe] wrong_value: "is_old" must be true or false (write a value of the field, as true or false)',
    'things.yaml [code] wrong_automation: "code" cannot be changed once it is stored',
  ])
  saysOf('at: due_at, set: { name: "Old {{ name }}" }', [
    'things.yaml ["Old {{ name }}"] wrong_value: Words between braces are kept as they are here (write { text: "Old {{ name }}" })',
  ])
  saysOf('on: [create], set: { name: $actor.name }', [
    'things.yaml [$actor.name] wrong_automation: There is no "$actor" in an automation: it runs as the system',
  ])
})

mistaken('a secret, and records of a part of a table that are gone', () => {
  saysOf('at: due_at, set: { pin: "12345678" }', [
    'things.yaml [pin] wrong_automation: "pin" is a secret, which nobody writes into YAML',
  ])
  const old = `of: things\nwhere: { is_old: true }\nfields: { name: }\nautomations: { act: { on: [delete], ring: {} } }\n${VIEW}`
  says(
    THINGS,
    [
      'old_things.yaml [[delete]] wrong_automation: Of a record that was removed for good nobody knows whether it was one of "old_things" (take it into the file of "things")',
    ],
    { parts: PARTS, old_things: old },
  )
})

mistaken('what it sets does not set it off', () => {
  saysOf('on: [update], changed: [status, name], set: { status: null }', [
    'things.yaml [status] wrong_automation: A change of "status_id" sets this automation off (write it under "follows", as a part of the write itself)',
  ])
  saysOf('at: due_at, set: { due_at: $now }', [
    'things.yaml [due_at] wrong_automation: The moment "due_at" sets this automation off, again and again (set it to null, or to a later moment: { plus: [$record.due_at, 1 day] })',
  ])
  saysOf('at: due_at, set: { due_at: { plus: [$now, 1 day] } }', [])
})

mistaken('what it creates is whole', () => {
  saysOf('at: due_at, create: { part: { name: x } }', [
    'things.yaml [part] unknown_resource: Unknown resource "part" (did you mean "parts"?)',
  ])
  saysOf('at: due_at, create: { parts: { name: { text: "Of {{ nam }}" } } }', [
    'things.yaml ["Of {{ nam }}"] unknown_field: "things" has no field or relation "nam" (did you mean "name"?)',
  ])
  saysOf('at: due_at, create: { parts: { size: 1, status: $record } }', [
    'things.yaml [$record] wrong_value: "status_id" does not lead to a record of "things"',
  ])
  saysOf('at: due_at, create: { parts: { size: 1 } }', [
    'things.yaml [parts] missing_key: A new record of "parts" needs "name"',
    'things.yaml [parts] missing_key: A new record of "parts" needs "thing"',
  ])
  saysOf('at: due_at, create: { parts: { thing: $record, name: { text: "Of {{ status.name }}" } } }', [])
})

mistaken('records are there', () => {
  saysOf('every: "0 8 * * *", set: { is_old: true }', [
    'things.yaml [set] wrong_automation: Nothing says which records get these values (add when: { … }; when: {} means all of them)',
  ])
  saysOf('every: "0 8 * * *", create: { parts: { thing: 1, name: $record.name } }', [
    'things.yaml [$record.name] wrong_automation: There is no record to take this value from (add when: { … }, which chooses records)',
  ])
  saysOf('on: [delete], when: { is_old: true }, set: { is_old: false }', [
    'things.yaml [when] wrong_automation: "things" are removed for good, so nothing is known of one after its delete (keep what is deleted (soft_delete: true), or leave delete to another automation)',
    'things.yaml [set] wrong_automation: A record that was deleted cannot be changed',
  ])
})

mistaken('who is picked', () => {
  saysOf('at: due_at, set: { name: { pick: { name: x }, by: fewest } }', [
    'things.yaml [pick] wrong_value: "name" leads to no other record that could be chosen',
  ])
  saysOf('at: due_at, set: { status: { pick: { nam: x } } }', [
    'things.yaml [{ nam: x }] wrong_value: Nothing says how one of them is chosen: in_turn, or who has the fewest',
    'things.yaml [nam] unknown_field: "statuses" has no field or relation "nam" (did you mean "name"?)',
  ])
  saysOf('at: due_at, set: { status: { pick: { name: $record.name }, by: in_turn, where: { is_old: true } } }', [
    'things.yaml [where] wrong_value: "where" says which records count, with "by: fewest"',
  ])
  saysOf('at: due_at, set: { status: { pick: { name: $record.name }, by: fewest, where: { is_old: false } } }', [])
})

mistaken('actions of plugins', () => {
  saysOf('at: due_at, run: { desk.rung: {} }', [
    'things.yaml [desk.rung] unknown_key: Unknown key "desk.rung" (did you mean "desk.ring"?)',
  ])
  saysOf('at: due_at, ring: { times: often }', [
    'things.yaml [often] wrong_type: "times" must be a whole number, not text ("often")',
  ])
  saysOf('at: due_at, run: { desk.ring: { times: 13 } }', [
    'things.yaml [13] wrong_automation: No 13 for "things" by a moment (take 12)',
  ])
  saysOf('every: "0 8 * * *", ring: { times: 13 }', [
    'things.yaml [13] wrong_automation: No 13 for "things" by a schedule (take 12)',
  ])
})

mistaken('a right one keeps its order and its places', () => {
  const things = `${THINGS}automations:\n  act: { at: due_on, before: 15 hours, in: Europe/Berlin, ring: {}, when: { name: x, is_old: false }, create: { parts: { thing: $record, name: x } }, set: { is_old: true } }`
  const statuses = `fields: { name: { type: string } }\n${VIEW}`
  const { automations } = resourceOf({ things: `${things}\n${VIEW}`, parts: PARTS, statuses }, 'things')
  const { actions, trigger, when = [] } = automations.get('act')!
  assert.equal(
    actions.map(({ kind }) => kind),
    ['run', 'create', 'set'],
  )
  assert.is(
    trigger.kind === 'moment' && `${trigger.at.name} ${trigger.shift?.direction} ${trigger.zone}`,
    'due_on before Europe/Berlin',
  )
  const { source } = when[0]!.span
  assert.equal(
    when.map(({ span }) => source.text.slice(span.start, span.end)),
    ['name: x', 'is_old: false'],
  )
})

mistaken.run()
