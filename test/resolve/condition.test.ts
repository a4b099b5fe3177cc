/** Conditions that people write while the application runs: what they may say, what is wrong with them, and where. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Actor, ANONYMOUS } from '../../engine/actor.ts'
import type { Json } from '../../engine/json.ts'
import { matchingSql, writtenCondition } from '../../engine/statement/written-condition.ts'
import { resolved } from './resolves.ts'

const CATALOG = resolved({
  users: `
fields: { name: { type: string }, pin: { type: secret }, salary: { type: decimal, read: { role: boss } }, key: { type: string, show: never } }
relations: { role: { belongs_to: roles }, leads: { has_many: tickets, by: lead } }
policies: { view: [{ role: boss }, { role: guest, where: { id: $actor } }], create: [{ role: boss }], update: [{ role: boss }], delete: [{ role: boss }] }
`,
  roles: `
actions: []
fields: { slug: { type: string, unique: true }, permissions: { type: list, of: string } }
seeds: { key: slug, rows: [{ slug: boss }, { slug: guest }] }
`,
  tickets: `
fields: { subject: { type: string }, state: { type: enum, values: [open, closed] } }
relations: { lead: { belongs_to: users } }
policies: { view: [{ who: anyone }], create: [{ who: anyone }], update: [{ who: anyone }], delete: [{ who: anyone }] }
`,
})

const actor = (role: string): Actor => ({ ...ANONYMOUS, kind: 'user', id: 7, role })
const asked = (role: string, written: Json, resource = 'tickets') => {
  const asking = { catalog: CATALOG, actor: actor(role), now: () => new Date(0) }
  const read = writtenCondition(asking, resource, written)
  return { asking, said: (read.problems ?? []).map(({ at, message }) => `${at.join(' ')}: ${message}`), ...read }
}

const test = suite('written conditions')

test('a condition becomes SQL with its values as parameters', () => {
  const { asking, condition } = asked('boss', { state: 'open', lead: '$actor', 'lead.name': { ne: "O'Neil" } })
  const values: unknown[] = ['before']
  const text = matchingSql(asking, condition!, 't', values)
  assert.match(text, /t\."state" = \$2/)
  assert.not.match(text, /Neil/)
  assert.equal(values.slice(1).sort(), [7, "O'Neil", 'open'].sort())
})

test('each mistake is told at its place, with the nearest word', () => {
  const { problems } = asked('boss', { stat: 'open', state: 'opn', any: [{ subject: { like: 'x' } }] })
  assert.equal(
    problems?.map(({ at }) => at.join('.')),
    ['any.0.subject.like'],
  )
  const linked = asked('boss', { stat: 'open', state: 'opn' })
  assert.equal(linked.said, [
    'stat: "tickets" has no field or relation "stat"',
    'state: "state" must be one of open, closed',
  ])
  assert.match(linked.problems?.[0]?.hint ?? '', /state/)
  assert.equal(asked('boss', [] as Json).said, [': A condition is a map of fields and what they must be'])
  assert.match(asked('boss', { lead: '$actor.shoe' }).said[0] ?? '', /no "shoe"/)
  assert.match(asked('boss', { subject: '$record.state' }).said[0] ?? '', /means something where a write is judged/)
})

test('nobody asks for what they may not read', () => {
  const refused = (role: string, written: Json, resource?: string) => asked(role, written, resource).said.join()
  assert.match(refused('boss', { pin: { null: false } }, 'users'), /may not read "pin"/)
  assert.match(refused('boss', { key: 'x' }, 'users'), /may not read "key"/)
  assert.is(refused('boss', { 'lead.salary': { gt: '5' } }), '')
  assert.match(refused('guest', { 'lead.name': 'Ada' }), /"lead" leads to records that you don't all see/)
  assert.is(refused('guest', { lead: 7 }), '')
  assert.match(refused('guest', { not: { any: [{ salary: '1' }] } }, 'users'), /may not read "salary"/)
  assert.is(refused('boss', { leads: { some: { state: 'open' } } }, 'users'), '')
  assert.match(refused('guest', { lead: 7, 'lead.leads': { none: { state: 'open' } } }), /"lead" leads to/)
})

test.run()
