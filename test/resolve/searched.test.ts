/** Fields that no answer shows: callers ask for them nowhere, unless the author says so. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { mistakes, resourceOf, VIEW } from './resolves.ts'

const test = suite('fields that no answer shows')

const OTHERS = `fields: { title: { type: string }, pin: { type: string, show: never } }
relations: { whole: { belongs_to: others }, bits: { has_many: others } }\n${VIEW}`

const file = (asked: string, more = ''): Readonly<Record<string, string>> => ({
  things: `fields: { name: { type: string }, code: { type: string, show: never${more} }, due: { type: date, show: never${more} } }
relations: { other: { belongs_to: others, show: never${more} }, shown: { belongs_to: others } }\n${asked}\n${VIEW}`,
  others: OTHERS,
})

for (const [title, asked, name, code] of [
  ['a filter', 'filters: [name, code]', 'code', 'not_filterable'],
  ['a filter with a name of its own', 'filters: { c: code }', 'code', 'not_filterable'],
  ['a filter of a record elsewhere', 'filters: [shown.pin]', 'shown.pin', 'not_filterable'],
  ['a filter over a relation that no answer shows', 'filters: [other.title]', 'other.title', 'not_filterable'],
  ['a condition with a name', 'filters: { late: { due: { lt: 2026-01-01 } } }', 'due', 'not_filterable'],
  ['a condition about a record elsewhere', 'filters: { x: { shown.pin: a } }', 'shown.pin', 'not_filterable'],
  ['a condition over a relation', 'filters: { x: { other.title: a } }', 'other.title', 'not_filterable'],
  ['a range', 'ranges: { d: due }', 'due', 'not_filterable'],
  ['an order', 'sort: { keys: [name, code] }', 'code', 'not_sortable'],
  ['a search', 'search: [name, code]', 'code', 'not_searchable'],
  ['a search with weights', 'search: { fields: { code: 2 } }', 'code', 'not_searchable'],
  ['a search in a record elsewhere', 'search: [other.title]', 'other.title', 'not_searchable'],
] as const) {
  test(`${title} reaches none of them, unless the field says that it is searched`, () => {
    const [said = '', ...more] = mistakes(file(asked))
    assert.equal(more, [])
    const found = `things.yaml [${name}] ${code}: No answer shows "${name}", and callers would learn it by asking`
    assert.ok(said.startsWith(found), said)
    assert.match(said, /\(write "searched: true" at "\w+" if they may, or leave it out here\)$/)
    const allowed = mistakes(file(asked, ', searched: true'))
    assert.equal(allowed.length, name === 'shown.pin' ? 1 : 0)
  })
}

test('no part of a condition with a name reaches them, and none of the records that it asks about', () => {
  const asked = (condition: string) => {
    const [said = '', ...more] = mistakes(file(`filters: { x: ${condition} }`))
    assert.equal(more, [], condition)
    return said
  }
  for (const [condition, name] of [
    ['{ any: [{ name: a }, { not: { code: a } }] }', 'code'],
    ['{ other: { null: false } }', 'other'],
    ['{ all: [{ shown.pin: { in: [a, b] } }] }', 'shown.pin'],
    ['{ shown.bits: { some: { pin: a } } }', 'pin'],
  ] as const)
    assert.match(asked(condition), `No answer shows "${name}", and`)
  assert.is(asked('{ name: { ne: a }, shown.title: a, shown.bits: { none: { title: a } } }'), '')
})

test('the order that a list has by itself may go by them', () => {
  assert.equal(mistakes(file('sort: { default: -due }')), [])
})

test('what is searched is shown to nobody all the same', () => {
  const { fields } = resourceOf(file('filters: [code, other]', ', searched: true'), 'things')
  for (const name of ['code', 'other_id']) {
    assert.is(fields.get(name)?.show, 'never')
    assert.is(fields.get(name)?.searched, true)
  }
})

test('searched is for a value that no answer shows and that is no secret', () => {
  const field = (options: string) => mistakes({ things: `fields: { it: { ${options} } }\n${VIEW}` })
  assert.equal(field('type: string, searched: true'), [
    'things.yaml [searched] wrong_option: Answers show "it", so "searched" says nothing (take "searched" away, or write "show: never")',
  ])
  const relation = `relations: { other: { belongs_to: things, searched: true } }\n${VIEW}`
  assert.match(
    mistakes({ things: relation }).join('\n'),
    /^things\.yaml \[searched] wrong_option: Answers show "other"/,
  )
  assert.equal(field('type: secret, searched: true'), [
    'things.yaml [searched] wrong_option: "it" is a secret, which nobody asks for, so "searched" says nothing (take "searched" away)',
  ])
  assert.equal(field('type: string, show: never, searched: true'), [])
})

test.run()
