/** Changing the text of a YAML file: everything else stays as it is written. */
import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { withEntry, withItem, without } from '../../engine/definition/edit.ts'
import { parseDocument } from '../../engine/definition/parse.ts'
import { flow } from '../../engine/definition/sentence.ts'
import type { Json, JsonObject } from '../../engine/json.ts'

const edit = suite('changing YAML')

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

edit('words that YAML could read otherwise are quoted, but for two keys that every file has', () => {
  assert.is(flow(['draft', 'no', 'null', '1', 'a b', 'ä: b', '']), '[draft, "no", "null", "1", "a b", "ä: b", ""]')
  assert.is(flow({ of: 'string', max: 5, on: true, more: {} }), '{ of: string, max: 5, on: true, more: {} }')
})

/** The value without what is at a path, and without what is empty by that. */
function less(whole: Json, [key, ...rest]: readonly (string | number)[]): Json | undefined {
  if (Array.isArray(whole)) {
    const kept = whole.map((one, at) => (at !== key ? one : rest.length > 0 ? less(one, rest) : undefined))
    return kept.every((one) => one === undefined) ? undefined : kept.filter((one) => one !== undefined)
  }
  const kept = Object.entries(whole as JsonObject).flatMap(([name, one]) => {
    const left = name !== key ? one : rest.length > 0 ? less(one!, rest) : undefined
    return left === undefined ? [] : [[name, left] as const]
  })
  return kept.length === 0 ? undefined : Object.fromEntries(kept)
}

/** Every path of a value. */
function pathsOf(value: Json, above: readonly (string | number)[] = []): readonly (readonly (string | number)[])[] {
  if (typeof value !== 'object' || value === null) return [above]
  const below = Array.isArray(value) ? [...value.entries()] : Object.entries(value)
  return [...(above.length > 0 ? [above] : []), ...below.flatMap(([key, one]) => pathsOf(one!, [...above, key]))]
}

const SHIPPED = readdirSync('resources')
  .filter((name) => name.endsWith('.yaml') && !name.endsWith('.test.yaml'))
  .map((name) => readFileSync(`resources/${name}`, 'utf8'))
const valueIn = (text: string) => parseDocument({ file: 'a.yaml', text }).value?.value as Json

edit('what is taken out of the shipped files takes its own lines along, and no comment but those on them', () => {
  const drawn = fc
    .nat(SHIPPED.length - 1)
    .chain((at) => fc.tuple(fc.constant(at), fc.constantFrom(...pathsOf(valueIn(SHIPPED[at]!)))))
  const comments = (text: string) => text.match(/^ *#.*$/gm) ?? []
  fc.assert(
    fc.property(drawn, ([at, path]) => {
      const text = SHIPPED[at]!
      const after = without(text, path)
      if (after === undefined) throw new Error('it cannot be taken out')
      assert.equal(valueIn(after), less(valueIn(text), path))
      const inside = comments(linesOf(text, rangeOf(text, after)))
      assert.is(comments(after).length, comments(text).length - inside.length)
    }),
    {
      numRuns: 300,
      examples: [[[SHIPPED.findIndex((text) => text.includes('# what is said in a closed')), ['follows', 0]]]],
    },
  )
})

/** The lines that begin in a range, without the rest of a line that began before it. */
function linesOf(text: string, [start, end]: readonly [number, number]): string {
  const first = start === 0 ? 0 : text.indexOf('\n', start - 1) + 1
  return first === 0 && start > 0 ? '' : text.slice(first, Math.max(first, end))
}

/** Where a text differs from a shorter one. */
function rangeOf(text: string, shorter: string): readonly [number, number] {
  let start = 0
  while (start < shorter.length && text[start] === shorter[start]) start += 1
  return [start, start + text.length - shorter.length]
}

edit('a long value has a line for each of its entries, with the keys of the guides', () => {
  const says = 'Customers may only close, resolve or reopen their tickets, and nobody else may do more than that either'
  const rule = { on: ['update'], when: { parent: { null: false } }, says, must: [{ a: 1, says }, { b: 2 }] }
  const after = withEntry('resource: a\nlabel: A\n', ['rules'], 'one', rule, ORDER)
  assert.is(
    after,
    `resource: a\nlabel: A\n\nrules:\n  one:\n    on: [update]\n    when: { parent: { null: false } }\n    says: "${says}"\n    must:\n      - a: 1\n        says: "${says}"\n      - { b: 2 }\n`,
  )
  assert.equal(valueIn(after!), { resource: 'a', label: 'A', rules: { one: rule } })
})

edit.run()
