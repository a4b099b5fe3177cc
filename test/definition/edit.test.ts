/** Adding to the text of a YAML file: everything that stands there stays as it is written. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { withEntry, withItem } from '../../engine/definition/edit.ts'
import { flow } from '../../engine/definition/sentence.ts'

const edit = suite('adding to YAML')

const ORDER = ['resource', 'label', 'fields', 'relations', 'filters', 'search', 'indexes', 'policies']

function field(text: string, name = 'x'): string | undefined {
  return withEntry(text, ['fields'], name, { type: 'string' }, ORDER)
}

edit('an entry stands behind the last one, in its column, before what is between it and the next key', () => {
  assert.is(
    field(
      'resource: a\nfields:   # all\n  title:  { type: text } # long\n  number: { type: string }\n  # to come\n\nlabel: A\n',
    ),
    'resource: a\nfields:   # all\n  title:  { type: text } # long\n  number: { type: string }\n  x:      { type: string }\n  # to come\n\nlabel: A\n',
  )
})

edit('what is not aligned stays so, and a longer name breaks no column', () => {
  assert.is(field('fields:\n  a: {}\n  bcd: {}\n'), 'fields:\n  a: {}\n  bcd: {}\n  x: { type: string }\n')
  assert.is(
    field('fields:\n  a:  {}\n  bc: {}\n', 'longer'),
    'fields:\n  a:  {}\n  bc: {}\n  longer: { type: string }\n',
  )
})

edit('deeper values, texts of several lines, other indents and line ends are kept', () => {
  assert.is(
    field('fields:\n    a:\n        type: enum\n        sql: >-\n            one\n            two\n\nlabel: A\n'),
    'fields:\n    a:\n        type: enum\n        sql: >-\n            one\n            two\n    x: { type: string }\n\nlabel: A\n',
  )
  assert.is(field('fields:\r\n  a: {}\r\nlabel: A\r\n'), 'fields:\r\n  a: {}\r\n  x: { type: string }\r\nlabel: A\r\n')
  assert.is(field('fields:\n  a: {}'), 'fields:\n  a: {}\n  x: { type: string }')
})

edit('maps and lists on one line, empty ones and keys without a value are added to', () => {
  assert.is(field('fields: { a: {}, b: {} } # two\n'), 'fields: { a: {}, b: {}, x: { type: string } } # two\n')
  assert.is(field('fields: {}\n'), 'fields: { x: { type: string } }\n')
  assert.is(field('fields:\n# none yet\nlabel: A\n'), 'fields:\n  x: { type: string }\n# none yet\nlabel: A\n')
  assert.is(withItem('filters: [a, b]\n', ['filters'], 'x', ORDER), 'filters: [a, b, x]\n')
  assert.is(
    withItem('filters: [\n  a, # one\n  b,\n]\n', ['filters'], 'x', ORDER),
    'filters: [\n  a, # one\n  b, x,\n]\n',
  )
  assert.is(withItem('filters:\n  - a # one\n', ['filters'], 'x', ORDER), 'filters:\n  - a # one\n  - x\n')
  assert.is(withItem('sort: { default: a }\n', ['sort', 'keys'], 'x', ORDER), 'sort: { default: a, keys: [x] }\n')
})

edit('a key that is not there yet is put where its kind belongs', () => {
  const text = 'resource: a\n\nfields:\n  a: {}\n\npolicies:\n  view: []\n'
  assert.is(
    withItem(text, ['filters'], 'a', ORDER),
    'resource: a\n\nfields:\n  a: {}\n\nfilters: [a]\n\npolicies:\n  view: []\n',
  )
  assert.is(
    withEntry(text, ['relations'], 'b', { belongs_to: 'c' }, ORDER),
    'resource: a\n\nfields:\n  a: {}\n\nrelations:\n  b: { belongs_to: c }\n\npolicies:\n  view: []\n',
  )
  assert.is(withItem('resource: a\nfilters: [a]\n', ['search'], 'a', ORDER), 'resource: a\nfilters: [a]\nsearch: [a]\n')
})

edit('what is written by an alias, or in another form, is left to its author', () => {
  assert.is(field('a: &f\n  b: {}\nfields: *f\n'), undefined)
  assert.is(field('fields: [a]\n'), undefined)
  assert.is(field('{ fields: {} }\n'), undefined)
  assert.is(field('fields: [\n'), undefined)
})

edit('words that YAML could read otherwise are quoted', () => {
  assert.is(flow(['draft', 'no', 'null', '1', 'a b', 'ä: b', '']), '[draft, "no", "null", "1", "a b", "ä: b", ""]')
  assert.is(flow({ of: 'string', max: 5, on: true, more: {} }), '{ of: string, max: 5, "on": true, more: {} }')
})

edit.run()
