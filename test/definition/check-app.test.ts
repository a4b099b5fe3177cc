/** What an author sees of mistakes in app.yaml. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { checks, complains, diagnose } from './checks.ts'

const test = suite('checkApp')
const APP = 'resources/app.yaml'

test('a complete file has no complaint', () => {
  const text =
    'name: Desk\nversion: "1.0"\nprefix: /api/v1\nplugins:\n  soft_delete:\n  auth: { token_days: 7 }\nlimits: { perPageMax: 50 }'
  assert.equal(diagnose(text, APP), [])
})

test("a plugin's option is judged by the plugin's own schema", () => {
  checks(
    `
    name: Desk
    plugins:
      soft_delete: { keep: true }
      auth: { token_day: 7, approval: reveiw }
    `,
    `
    resources/app.yaml:3:18 error unknown_key: Unknown key "keep"
     3 │   soft_delete: { keep: true }
       │                  ^^^^

    resources/app.yaml:4:11 error unknown_key: Unknown key "token_day"
     4 │   auth: { token_day: 7, approval: reveiw }
       │           ^^^^^^^^^
        expected: token_days
        hint: did you mean "token_days"?

    resources/app.yaml:4:35 error unknown_word: "approval" cannot be "reveiw"
     4 │   auth: { token_day: 7, approval: reveiw }
       │                                   ^^^^^^
        expected: review, off
        hint: did you mean "review"?

    3 errors in 1 file
    `,
    APP,
  )
})

test('a version that YAML reads as a number is asked for in quotes', () => {
  const [diagnostic] = diagnose('name: Desk\nversion: 1.10', APP)
  assert.is(diagnostic?.hint, 'put it in quotes: "1.10"')
})

test('a plugin that nobody has loaded is left to the loader', () =>
  complains('name: Desk\nplugins: { unheard: { a: 1 } }', [], APP))

test('a limit can be narrowed and not widened', () => {
  complains('name: Desk\nlimits: { perPageMax: 101 }', ['2:23 wrong_value'], APP)
  complains('name: Desk\nlimits: { per_page_max: 10 }', ['2:11 unknown_key'], APP)
})

test('a switch knows its words', () => {
  complains(
    'name: Desk\nstrictness: { unknown_keys: allow, malformed_json: 401 }',
    ['2:29 unknown_word', '2:52 unknown_word'],
    APP,
  )
})

test('a prefix begins with a slash and ends without one', () => {
  complains('name: Desk\nprefix: api/', ['2:9 wrong_value'], APP)
  complains('name: Desk\nprefix: ""', [], APP)
})

test.run()
