/** Cells of exported files: what looks at few characters of a text gives what looking at all of them does. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { cellOf, unguarded } from '../../../plugins/csv/cell.ts'

const test = suite('cells')

const SIGNS = '=+-@＝＋－＠'

/** A guard stands where a formula may begin: at the start, and behind what other spreadsheets separate cells by. */
function guarded(text: string): string {
  if (/^-\d+(\.\d+)?$/.test(text)) return text
  let found = ''
  for (let at = 0; at <= text.length; at += 1) {
    const rest = text.slice(at)
    const start = at === 0 && /^'*[\t\r]/.test(rest)
    const sign = (at === 0 ? /^'*(.)/ : /^['"]*(.)/).exec(rest)?.[1]
    const begins = at === 0 || /[;\t\r\n]/.test(text[at - 1]!)
    if (start || (begins && sign !== undefined && SIGNS.includes(sign))) found += "'"
    found += text[at] ?? ''
  }
  return found
}

function written(text: string): string {
  const safe = guarded(text)
  return /[",\r\n]|^[\s\ufeff]|[\s\ufeff]$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

test('any text is guarded and quoted by the same rule, wherever its characters stand', () => {
  const text = fc.string({
    unit: fc.constantFrom(
      'a',
      'ü',
      '😀',
      '1',
      '.',
      ' ',
      "'",
      '"',
      ',',
      ';',
      '\t',
      '\r',
      '\n',
      '\ufeff',
      '\u00a0',
      ...SIGNS,
    ),
    maxLength: 12,
  })
  fc.assert(
    fc.property(text, (one) => {
      assert.is(cellOf(one), written(one), JSON.stringify(one))
      const back = cellOf(one).replace(/^"([\s\S]*)"$/, (_, inside: string) => inside.replaceAll('""', '"'))
      assert.is(unguarded(back), one, JSON.stringify(one))
    }),
    { numRuns: 20_000 },
  )
})

test('a negative number stays a number, and what only begins like one is guarded', () => {
  for (const number of ['-18.0', '-7', '-0.50']) assert.equal([cellOf(number), unguarded(number)], [number, number])
  for (const text of ['-', '-1-1', '-1+cmd', '-.5', '-1.', '-1e5', '-1 2', '-1\t=A1', "'-18.0", '--1', '+49123'])
    assert.equal([/^"?'/.test(cellOf(text)), unguarded(cellOf(text).replace(/^"|"$/g, ''))], [true, text])
  assert.is(unguarded("'-18.0"), '-18.0')
})

test('an absent text and an empty one are the same cell', () => {
  assert.equal([cellOf(null), cellOf('')], ['', ''])
})

test.run()
