/** What an author sees of mistakes in a resource file. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { checkResource } from '../../engine/definition/check.ts'
import { parseDocument } from '../../engine/definition/parse.ts'
import { renderDiagnostics } from '../../engine/text/render.ts'
import { checks, complains, diagnose, VOCABULARY } from './checks.ts'

const test = suite('checkResource')

test('a file without a mistake gives its value, frozen, and the place of every node', () => {
  const text = 'resource: notes\nfields:\n  name: { type: string, max: 50 }\n'
  const parsed = parseDocument({ file: 'notes.yaml', text })
  const { value, diagnostics } = checkResource(parsed.value!, VOCABULARY)
  assert.equal(diagnostics, [])
  assert.equal(value?.value, { resource: 'notes', fields: { name: { type: 'string', max: 50 } } })
  assert.ok(Object.isFrozen(value?.value.fields?.name))
  const span = value?.place(['fields', 'name', 'max'])
  assert.is(text.slice(span?.start, span?.end), '50')
})

test('three misspellings in two files are all told, each with line, column, caret, expectation and suggestion', () => {
  const first = diagnose(
    'resource: tickets\nfields:\n  subject: { type: string, requred: true }\n  size: { type: strng }\n',
  )
  const second = diagnose('resource: notes\nfilers: [name]\n', 'resources/notes.yaml')
  const rendered = renderDiagnostics([...first, ...second])
  assert.match(
    rendered,
    'resources/notes.yaml:2:1 error unknown_key: Unknown key "filers"\n 2 │ filers: [name]\n   │ ^^^^^^\n',
  )
  assert.match(rendered, 'hint: did you mean "filters"?')
  assert.match(rendered, 'resources/tickets.yaml:3:28 error unknown_key: Unknown key "requred"')
  assert.match(rendered, 'hint: did you mean "required"?')
  assert.match(rendered, 'resources/tickets.yaml:4:17 error unknown_word: "type" cannot be "strng"')
  assert.match(rendered, 'hint: did you mean "string"?')
  assert.match(rendered, '\n3 errors in 2 files\n')
})

test('an unknown option is judged by the options of the type of its field', () => {
  checks(
    `
    resource: tickets
    fields:
      score: { type: integer, min: 1, mx: 5 }
      due:   { type: date, max: 5 }
    `,
    `
    resources/tickets.yaml:3:35 error unknown_key: Unknown key "mx"
     3 │   score: { type: integer, min: 1, mx: 5 }
       │                                   ^^
        expected: label, description, help, when, widget, column, renamed_from, required, nullable, backfill, default, unique, read_only, immutable, holds, show, searched, computed, stored, filled_by and 4 more
        hint: did you mean "max"?

    resources/tickets.yaml:4:24 error unknown_key: Unknown key "max"
     4 │   due:   { type: date, max: 5 }
       │                        ^^^
        expected: label, description, help, when, widget, column, renamed_from, required, nullable, backfill, default, unique, read_only, immutable, holds, show, searched, computed, stored, filled_by and 3 more
        hint: "max" belongs to string, text, integer, bigint, decimal, list, secret

    2 errors in 1 file
    `,
  )
})

test('a value of the wrong kind is told with what it is and how to write it', () => {
  checks(
    `
    resource: tickets
    label: 2024
    filters: status_id
    fields:
      a: { type: string, required: yes }
      b: { type: string, max: "50" }
    `,
    `
    resources/tickets.yaml:2:8 error wrong_type: "label" must be text or a map, not the number 2024
     2 │ label: 2024
       │        ^^^^
        expected: text, a map
        hint: put it in quotes: "2024"

    resources/tickets.yaml:3:10 error wrong_type: "filters" must be a list or a map, not text ("status_id")
     3 │ filters: status_id
       │          ^^^^^^^^^
        expected: a list, a map
        hint: write it as a list: [status_id]

    resources/tickets.yaml:5:32 error wrong_type: "required" must be true or false, not text ("yes")
     5 │   a: { type: string, required: yes }
       │                                ^^^
        expected: true or false
        hint: write true

    resources/tickets.yaml:6:27 error wrong_type: "max" must be a whole number, not text ("50")
     6 │   b: { type: string, max: "50" }
       │                           ^^^^
        expected: a whole number
        hint: write it without quotes: 50

    4 errors in 1 file
    `,
  )
})

test('a misspelled key that was needed is one mistake, and the rest of its map is judged all the same', () => {
  complains('resource: t\nfields:\n  a: { typ: string, requred: true }', ['3:8 unknown_key', '3:21 unknown_key'])
  complains('resurce: t\n', ['1:1 unknown_key'])
  complains('resource: t\nrelations:\n  a: { belong_to: x, imutable: true }', ['3:8 unknown_key', '3:22 unknown_key'])
})

test('what must be there and is not is told at the key of its map', () => {
  checks(
    `
    resource: tickets
    fields:
      size: { type: enum }
    relations:
      other: { label: Other }
    `,
    `
    resources/tickets.yaml:3:3 error missing_key: A field of type enum needs the key "values"
     3 │   size: { type: enum }
       │   ^^^^
        hint: add values: ["open","closed"]

    resources/tickets.yaml:5:3 error missing_key: "other" needs "belongs_to" or "has_many" or "many_to_many"
     5 │   other: { label: Other }
       │   ^^^^^
        expected: belongs_to, has_many, many_to_many
        hint: for example {"belongs_to":"statuses","embed":["id","name"]}

    2 errors in 1 file
    `,
  )
})

test("on another resource's table the options of a field may be the owner's", () => {
  complains('resource: customers\nof: users\nfields:\n  status: { type: enum }', [])
})

test('a key of another kind of relation names its owner', () => {
  const [diagnostic] = diagnose('resource: t\nrelations:\n  a: { has_many: b, on_delete: cascade }')
  assert.is(diagnostic?.code, 'unknown_key')
  assert.is(diagnostic?.hint, '"on_delete" belongs to belongs_to')
})

test('a key that stands twice under two spellings says so', () => {
  const [diagnostic] = diagnose('resource: t\nfields: {}\nfeilds: {}')
  assert.is(diagnostic?.hint, 'did you mean "fields", which is there already?')
})

const MISTAKES: readonly [name: string, yaml: string, places: readonly string[]][] = [
  ['a field that is no map', 'resource: t\nfields:\n  a: string', ['3:6 wrong_type']],
  ['a name that SQL could not carry', 'resource: t\nfields:\n  2nd: { type: date }', ['3:3 wrong_name']],
  ['a name of fifty-one characters', `resource: t\nfields:\n  ${'a'.repeat(51)}: { type: date }`, ['3:3 wrong_name']],
  ['an internal type', 'resource: t\nfields:\n  a: { type: reference }', ['3:14 unknown_word']],
  ['a number out of bounds', 'resource: t\nfields:\n  a: { type: string, max: 0 }', ['3:27 wrong_value']],
  ['a label without its plural', 'resource: t\nlabel: { one: T }', ['2:1 missing_key']],
  ['a title of nothing', 'resource: t\ntitle: []', ['2:8 wrong_value']],
  ['an empty list', 'resource: t\nlookup: []', ['2:9 wrong_value']],
  ['an item that stands twice', 'resource: t\nsearch: [name, name]', ['2:16 wrong_value']],
  ['a weight of nothing', 'resource: t\nsearch: { fields: { name: 0 } }', ['2:27 wrong_value']],
  ['a search without fields', 'resource: t\nsearch: { field: { name: 1 } }', ['2:11 unknown_key']],
  ['an unknown action', 'resource: t\nactions: [list, gett]', ['2:17 unknown_word']],
  ['an unknown policy', 'resource: t\npolicies: { veiw: [] }', ['2:13 unknown_key']],
  ['a clause with an unknown key', 'resource: t\npolicies:\n  view: [{ permision: a.b }]', ['3:12 unknown_key']],
  ['a permission without a dot', 'resource: t\npolicies:\n  view: [{ permission: view }]', ['3:24 wrong_value']],
  ['an unknown operator', 'resource: t\nof: x\nwhere: { role.slug: { nee: a } }', ['3:23 unknown_key']],
  ['an operator value of the wrong kind', 'resource: t\nof: x\nwhere: { a: { between: [1] } }', ['3:24 wrong_value']],
  [
    'a mistake deep in a filter',
    'resource: t\nof: x\nwhere: { any: [{ not: { a: { lt: true, in: 3 } } }] }',
    ['3:44 wrong_type'],
  ],
  ['a count of no known kind', 'resource: t\ncount: exactly', ['2:8 unknown_word']],
  ['a capped count without a number', 'resource: t\ncount: { capped: many }', ['2:18 wrong_type']],
  ['seeds without rows', 'resource: t\nseeds: { key: slug }', ['2:1 missing_key']],
  ['an index of an unknown form', 'resource: t\nindexes: [{ field: [a] }]', ['2:13 unknown_key']],
  ['an embed that is true', 'resource: t\nrelations: { a: { belongs_to: b, embed: true } }', ['2:41 wrong_type']],
  ['a status that answers nothing', 'resource: t\nstatus_codes: { create: 500 }', ['2:25 unknown_word']],
  ["a plugin's key of the wrong kind", 'resource: t\nsoft_delete: 1', ['2:14 wrong_type']],
  ["a plugin's key by a rule of ajv", 'resource: t\nparity: 3', ['2:9 wrong_value']],
  ['a file that is a list', '- a', ['1:1 wrong_type']],
  [
    'a misspelled option that was needed',
    'resource: t\nfields: { a: { type: enum, vlues: [x] } }',
    ['2:28 unknown_key'],
  ],
  ['an empty file', '# nothing\n', ['1:1 missing_key']],
  ['a value that was forgotten', 'resource: t\nlabel:', ['2:1 wrong_type']],
  [
    'an unknown type beside a good one',
    'resource: t\nfields: { a: { type: date }, b: { type: strin } }',
    ['2:41 unknown_word'],
  ],
]

for (const [name, yaml, places] of MISTAKES)
  test(`${name} is one complaint at its place`, () => complains(yaml, places))

test('what is wrong is left out of the value, so that later stages find their own mistakes', () => {
  const parsed = parseDocument({
    file: 'a.yaml',
    text: 'resource: t\nlable: T\nfields:\n  a: { type: string, max: no, required: true }',
  })
  const { value } = checkResource(parsed.value!, VOCABULARY)
  assert.equal(value?.value, { resource: 't', label: 'T', fields: { a: { type: 'string', required: true } } })
})

test('what was meant is taken for what was written, so that one slip does not hide the next', () => {
  const text = 'resurce: t\nfields: { a: { typ: strng, requird: true } }\nrelations: { b: { belong_to: c } }\nserach: 7'
  const { value, diagnostics } = checkResource(parseDocument({ file: 'a.yaml', text }).value!, VOCABULARY)
  assert.equal(value?.value, {
    resource: 't',
    fields: { a: { type: 'string', required: true } },
    relations: { b: { belongs_to: 'c' } },
  })
  assert.is(diagnostics.length, 6)
})

test('after an item that was left out the places of the others stay right', () => {
  const text = 'resource: t\npolicies:\n  view:\n    - { who: nobody }\n    - { role: a, where: { x: 1 } }'
  const { value } = checkResource(parseDocument({ file: 'a.yaml', text }).value!, VOCABULARY)
  const clause = value?.value.policies?.view?.[0]
  assert.equal(clause?.role, 'a')
  const span = value?.place(['policies', 'view', 0, 'where', 'x'])
  assert.is(text.slice(span?.start, span?.end), '1')
})

test('an emptied condition is left out with its key', () => {
  const parsed = parseDocument({
    file: 'a.yaml',
    text: 'resource: t\nof: u\nwhere: { a: { between: 1 }, b: 2 }\nlookup: [3]',
  })
  assert.equal(checkResource(parsed.value!, VOCABULARY).value?.value, { resource: 't', of: 'u', where: { b: 2 } })
})

test('a field that cannot be kept is left out and named, and the others stay', () => {
  const parsed = parseDocument({
    file: 'a.yaml',
    text: 'resource: t\nfields: { a: { type: nothing }, b: { type: text }, 3d: { type: text } }',
  })
  const { value, lost } = checkResource(parsed.value!, VOCABULARY)
  assert.equal(value?.value, { resource: 't', fields: { b: { type: 'text' } } })
  assert.equal(lost, [
    { name: 'a', definition: { type: 'nothing' } },
    { name: '3d', definition: { type: 'text' } },
  ])
})

test.run()
