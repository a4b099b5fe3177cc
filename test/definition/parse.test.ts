/** YAML becomes values with exact places; nothing that a text can hold makes parsing throw. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Path } from '../../engine/definition/definition.ts'
import { parseDocument } from '../../engine/definition/parse.ts'

const test = suite('parseDocument')

function parse(text: string) {
  return parseDocument({ file: 'a.yaml', text })
}

function codes(text: string): readonly string[] {
  return parse(text).diagnostics.map((diagnostic) => diagnostic.code)
}

function at(text: string, path: Path, part?: 'key' | 'value'): string {
  const span = parse(text).value?.place(path, part)
  return text.slice(span?.start, span?.end)
}

test('places are exact for keys and values, in block and flow style', () => {
  const text = 'a:\n  b: [1, two]\n  "c d": { e: |\n   x }\n'
  assert.is(at('a:\n  b: [1, two]\n', ['a', 'b', 1]), 'two')
  assert.is(at('a:\n  b: [1, two]\n', ['a', 'b'], 'key'), 'b')
  assert.is(at('a:\n  b: [1, two]\n\n\n', ['a']), 'b: [1, two]')
  assert.is(at('"c d": x', ['c d'], 'key'), '"c d"')
  assert.is(at('a: "quoted" # why\n', ['a']), '"quoted"')
  assert.ok(codes(text).length > 0)
})

test('the place of a node that is not there is that of its nearest ancestor', () => {
  assert.is(at('a: { b: 1 }', ['a', 'c', 'd']), '{ b: 1 }')
  assert.is(at('a: { b: 1 }', ['a', 'c', 'd'], 'key'), 'a')
})

test('plain words mean what YAML 1.2 says in every file but one that asks for another version', () => {
  const older = '%YAML 1.1\n---\na: yes\n'
  const value = (text: string) => parse(text).value?.value
  assert.equal(value('a: yes\nb: true\n'), { a: 'yes', b: true })
  assert.equal(value(older), { a: true })
  assert.equal(value('a: !!binary aGk=\n') === undefined && value('a: aGk=\n'), { a: 'aGk=' })
  assert.equal(value('a: yes\n'), { a: 'yes' })
})

test('an empty value is found at its key', () => assert.is(at('a:\nb: 1', ['a']), 'a'))

test('keys are what is written, also where YAML would read a value', () => {
  assert.equal(parse('{ null: 1, true: 2, 3: 4, on: 5 }').value?.value, { null: 1, true: 2, '3': 4, on: 5 })
})

test('no, on and yes are text', () =>
  assert.equal(parse('[no, on, yes, off]').value?.value, ['no', 'on', 'yes', 'off']))

test('anchors and aliases are values', () => {
  assert.equal(parse('a: &x { b: 1 }\nc: *x').value?.value, { a: { b: 1 }, c: { b: 1 } })
})

test('offsets stay exact after a carriage return and wide characters', () => {
  const text = 'é: "日本"\r\nb: [x]\r\n'
  assert.is(at(text, ['b', 0]), 'x')
  assert.is(at(text, ['é']), '"日本"')
})

const MISTAKES: readonly [name: string, text: string, codes: readonly string[]][] = [
  ['a bracket that is not closed', 'a: [1, 2', ['yaml_syntax']],
  ['a tab as indentation', 'a:\n\tb: 1', ['yaml_syntax']],
  ['a cascade of indentation is one mistake', 'a:\n  b: 1\n c: 2\n   d: 3\n  e: 4', ['yaml_syntax']],
  ['two documents', 'a: 1\n---\nb: 2', ['yaml_syntax']],
  ['a tag', 'a: !secret x', ['yaml_syntax']],
  ['a key that is a list', '? [a]\n: 1', ['yaml_syntax']],
  ['a key written twice', 'a: 1\na: 2', ['duplicate_key']],
  ['every repetition', 'a: 1\na: 2\nb: { c: 1, c: 2 }', ['duplicate_key', 'duplicate_key']],
  ['__proto__', '__proto__: { a: 1 }', ['reserved_key']],
  ['a leading zero', 'a: 012', ['ambiguous_number']],
  ['a number beyond doubles', 'a: 12345678901234567890', ['ambiguous_number']],
  ['a fraction with more digits than doubles', 'a: 0.12345678901234567891', ['ambiguous_number']],
  ['not a number', 'a: .nan', ['ambiguous_number']],
  ['an alias of nothing', 'a: *x', ['yaml_syntax']],
  ['an alias of itself', 'a: &x [*x]', ['too_complex']],
]

for (const [name, text, expected] of MISTAKES) {
  test(`${name} is refused`, () => assert.equal(codes(text), [...expected]))
}

test('a quotation that is not closed is told at the line in which it begins', () => {
  const entry = fc.record({
    text: fc.stringMatching(/^[a-z :,]{1,12}$/),
    sign: fc.constantFrom('"', "'"),
    flow: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(entry, { minLength: 1, maxLength: 8 }), fc.nat(), (entries, place) => {
      const at = place % entries.length
      const lines = entries.map(({ flow, sign, text }, line) => {
        const quoted = `${sign}${text}${line === at ? '' : sign}`
        return flow ? `k${line}: { says: ${quoted} }` : `k${line}: ${quoted}`
      })
      const text = `first: 1\n${lines.join('\n')}\nlast: 2\n`
      const [{ code, message, span } = { code: '', message: '', span: undefined }] = parse(text).diagnostics
      assert.is(code, 'yaml_syntax', text)
      assert.is(text.slice(0, span?.start).split('\n').length, at + 2, `${message}\n${text}`)
    }),
    { numRuns: 300 },
  )
  const valid = 'text: "Hello,\n  note: this is one text"\nlist: [1, 2\n'
  assert.match(parse(valid).diagnostics[0]?.message ?? '', /"\]" is missing/)
})

test('the first of two equal keys is kept, so that the rest can be judged', () => {
  assert.equal(parse('a: 1\na: 2\nb: 3').value?.value, { a: 1, b: 3 })
})

test('a bomb of aliases is refused before it grows', () => {
  const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefgh'
    .split('')
    .map((name, index) => `${name}: &${name} [${`*${'abcdefg'[index]},`.repeat(9)}]`)
    .join('\n')}`
  assert.equal(codes(bomb), ['too_complex'])
})

test('deep nesting is refused', () => {
  assert.equal(codes(`${'['.repeat(100)}${']'.repeat(100)}`), ['too_complex'])
  assert.equal(codes('['.repeat(100_000)).length, 1)
})

test('a file beyond the limit is refused unread', () =>
  assert.equal(codes(`a: ${'x'.repeat(1_048_576)}`), ['source_too_large']))

test('nothing makes it throw, and every place lies within the text', () => {
  const piece = fc.constantFrom(
    'a',
    ': ',
    '\n',
    '  ',
    '- ',
    '[',
    ']',
    '{',
    '}',
    '"',
    "'",
    '&x ',
    '*x',
    '? ',
    '|',
    '>',
    '#',
    '!',
    '012',
    '\t',
    '<<',
    '\u{1f600}',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const text = pieces.join('')
      for (const { span } of parse(text).diagnostics) {
        assert.ok(span !== undefined && span.start >= 0 && span.start <= span.end && span.start <= text.length)
      }
    }),
    { numRuns: 500 },
  )
})

test('what JSON writes, it reads', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4, noUnicodeString: false } as object), (value) => {
      const text = JSON.stringify(value)
      if (text.includes('__proto__') || /(?:^|[^"\w.])-?\d{16,}|e[+-]/.test(text)) return
      assert.equal(parse(text).value?.value ?? null, JSON.parse(text))
    }),
  )
})

test('a text that a number sign cuts is told of, and a comment is not', () => {
  const warned = (text: string) =>
    parse(text).diagnostics.map(({ message, hint, severity }) => `${severity}: ${message} (${hint})`)
  const words = fc.stringMatching(/^[A-Z][a-z]{1,8}( [a-z]{1,8}){0,2}$/)
  fc.assert(
    fc.property(
      words,
      fc.constantFrom('says', 'label', 'anything'),
      fc.stringMatching(/^[1-9][0-9]{0,2}( is taken)?$/),
      (text, key, rest) => {
        const cut = `${text} #${rest}`
        const message = `warning: The text ends in front of "#${rest}", which is a comment (put it in quotes: "${cut}")`
        assert.equal(warned(`${key}: ${cut}\n`), [message])
        assert.equal(warned(`${key}: "${cut}"\n`), [])
        assert.equal(warned(`${key}: ${text} # ${rest}\n`), [])
        assert.equal(warned(`${key}: |\n  ${cut}\n`), [])
      },
    ),
    { numRuns: 40 },
  )
  assert.is(warned('says: Write to #general\n').length, 1)
  assert.equal(warned('type: string #general\n'), [])
  assert.equal(warned('max: 3 #1\n'), [])
})

test('quotes of a word processor are told of, because they are part of the text', () => {
  const pairs = fc.constantFrom(['“', '”'], ['„', '“'], ['‘', '’'], ['‚', '‘'], ['”', '”'])
  fc.assert(
    fc.property(pairs, fc.stringMatching(/^[A-Za-z][a-z]{0,8}$/), ([open, close], word) => {
      const text = `${open}${word}${close}`
      const [said, ...more] = parse(`says: ${text}\n`).diagnostics
      assert.equal(more, [])
      assert.equal([said?.severity, said?.hint], ['warning', `write straight ones: "${word}"`])
      assert.equal(parse(`says: '${text}'\n`).diagnostics, [])
      assert.equal(parse(`says: The word ${text}\n`).diagnostics, [])
    }),
    { numRuns: 20 },
  )
})

test.run()
