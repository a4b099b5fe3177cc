/** What terminals show of texts that others wrote, drawn: nothing that a terminal obeys. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { renderLine } from '../../engine/observe.ts'
import { renderDiagnostics } from '../../engine/text/render.ts'
import { printable, visible } from '../../engine/text/visible.ts'

const test = suite('texts of others on a terminal')

const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '\u001b[2J',
        '\u001b[31m',
        '\u001b]0;x\u0007',
        '\u009b1A',
        '\r',
        '\n',
        '\t',
        '\u0000',
        '\u007f',
        '\u202e',
        '\u2066',
        '\u061c',
        '\ufeff',
      ),
      fc.string({ unit: 'binary' }),
      fc.constantFrom('tickets', 'Größe', '👩‍💻', 'ي'),
    ),
    { maxLength: 6 },
  )
  .map((parts) => parts.join(''))

const OBEYED = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u

test('a name is one line without controls', () => {
  fc.assert(fc.property(hostile, (name) => !OBEYED.test(visible(name))))
  assert.is(visible('Größe 👩‍💻'), 'Größe 👩‍💻')
})

test('what a command prints has lines, tabs and our own colours, and nothing else that is obeyed', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const left = printable(text, true)
        .split('\u001b')
        .map((part, at) => (at === 0 || /^\[(?:0|1|2|31|32|33)m/.test(part) ? part : `\u001b${part}`))
        .join('')
      return !/[^\P{Cc}\n\t]/u.test(left)
    }),
  )
  assert.is(printable('\u001b[31mred'), '·[31mred')
  assert.is(printable('a\n\tb \u001b[31mred\u001b[0m \u001b[2J', true), 'a\n\tb \u001b[31mred\u001b[0m ·[2J')
})

test('diagnostics and lines of the log show names so', () => {
  fc.assert(
    fc.property(hostile, (name) => {
      const span = { source: { file: name, text: `a: ${name}` }, start: 0, end: 1 }
      const told = renderDiagnostics([{ code: 'wrong_value', message: name, hint: name, expected: [name], span }])
      const logged = renderLine(
        JSON.stringify({ level: 30, time: 0, msg: name, file: name, err: { type: 'Error', message: name } }),
      )
      assert.is(logged.trimEnd().split('\n').length, 2)
      return [told, logged].every((text) => !OBEYED.test(text.replaceAll('\n', '')))
    }),
  )
})

test.run()
